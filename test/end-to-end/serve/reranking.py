# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reranking.py TRANSFOLD MODELS OUT: /v1/rerank gives the order and the scores of `rerank`."""

import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys

import numpy
from serving import TOOLS, Server, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
subprocess.run([sys.executable, TOOLS / "texts.py", "make", models / "roberta", out / "texts"], check=True)
program = out / "rank"
subprocess.run([transfold, "compile", "-q", out / "texts" / "rank", "-o", program], check=True)
query, documents = "the cats", ["I sat on mat.", "cats", "the mat", "sat sat on"]
lines = subprocess.run([program, "rerank", "--json", query, *documents], capture_output=True, check=True,
                       encoding="utf-8").stdout.splitlines()
expected = [{"index": each["index"], "relevance_score": float(numpy.float32(each["score"]))}
            for each in map(json.loads, lines)]
body = {"query": query, "documents": documents}

with Server(program) as server:
    def results(more):
        answer = server.post("/v1/rerank", body | more)
        assert answer[0] == 200, answer
        return answer[1]["results"]

    whole = server.post("/v1/rerank", body | {"model": "rank"})[1]
    assert whole["results"] == expected, (whole, expected)
    assert whole["model"] == "rank" and whole["usage"]["prompt_tokens"] == whole["usage"]["total_tokens"] > 0
    assert results({"top_n": 2}) == expected[:2] and results({"top_n": 99}) == expected
    named = results({"return_documents": True, "documents": [{"text": text} for text in documents]})
    assert [each["document"]["text"] for each in named] == [documents[each["index"]] for each in expected]

    # Many concurrent clients share calls of the model.
    with concurrent.futures.ThreadPoolExecutor(16) as clients:
        for found in clients.map(lambda _: results({}), range(40)):
            assert found == expected, found
    assert server.metric("transfold_scoring_batches_total") < server.metric("transfold_scored_documents_total") == 176

    long = {"documents": ["cats " * 500]}
    assert error(server.post("/v1/rerank", body | long), 400)["code"] == "context_length_exceeded"
    assert len(results(long | {"truncate": True})) == 1
    for wrong, param in (({"documents": []}, "documents"), ({"documents": "cats"}, "documents"),
                         ({"documents": [1]}, "documents"), ({"documents": [{"text": "a", "b": 1}]}, "documents"),
                         ({"query": None}, "query"), ({"query": 3}, "query"), ({"top_n": 0}, "top_n"),
                         ({"documents": ["a"] * 2049}, "documents")):
        assert error(server.post("/v1/rerank", body | wrong), 400)["param"] == param, wrong
    assert "Did you mean 'documents'?" in error(server.post("/v1/rerank", {**body, "passages": []}), 400)["message"]
    assert error(server.post("/v1/rerank", body | {"model": "other"}), 404)["code"] == "model_not_found"
    assert error(server.post("/v1/embeddings", {"input": "x"}), 404)["code"] == "not_found"
print("reranking: as expected")
