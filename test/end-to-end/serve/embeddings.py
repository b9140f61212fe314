# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""embeddings.py TRANSFOLD MODELS OUT: embeddings of a server, with the bits of `embed`."""

import base64
import concurrent.futures
import json
import pathlib
import subprocess
import sys

import numpy

from serving import Server, compile_vectors, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_vectors(transfold, models, out)
texts = ["the cat sat on the mat.", "I", "on the mat", "sat sat sat", "the the the cat"]
lines = subprocess.run([program, "embed", "--json", *texts], capture_output=True, check=True,
                       encoding="utf-8").stdout.splitlines()
expected = [json.loads(line) for line in lines]


def vectors(answer):
    assert answer[0] == 200, answer
    assert [each["index"] for each in answer[1]["data"]] == list(range(len(answer[1]["data"])))
    return [numpy.array(each["embedding"], numpy.float32) for each in answer[1]["data"]]


def check(found, which):
    for vector, index in zip(found, which, strict=True):
        assert (vector == numpy.array(expected[index]["embedding"], numpy.float32)).all(), index


with Server(program) as server:
    everything = server.post("/v1/embeddings", {"input": texts, "model": "vectors"})
    check(vectors(everything), range(5))
    tokens = sum(len(each["ids"]) for each in expected)
    assert everything[1]["usage"] == {"prompt_tokens": tokens, "total_tokens": tokens}
    check(vectors(server.post("/v1/embeddings", {"input": texts[2]})), [2])
    encoded = server.post("/v1/embeddings", {"input": texts, "encoding_format": "base64"})
    for index, each in enumerate(encoded[1]["data"]):
        check([numpy.frombuffer(base64.b64decode(each["embedding"]), "<f4")], [index])

    # Many concurrent clients share calls of the model.
    before = server.metric("transfold_embedding_batches_total")
    with concurrent.futures.ThreadPoolExecutor(16) as clients:
        def ask(number):
            index = number % 5
            check(vectors(server.post("/v1/embeddings", {"input": [texts[index]] * 20})), [index] * 20)
        list(clients.map(ask, range(40)))
    assert server.metric("transfold_embedded_texts_total") >= 800
    assert server.metric("transfold_embedding_batches_total") - before < 800

    assert error(server.post("/v1/embeddings", {"input": "the " * 500}), 400)["code"] \
        == "context_length_exceeded"
    assert server.post("/v1/embeddings", {"input": "the " * 500, "truncate": True})[0] == 200
    assert error(server.post("/v1/embeddings", {"input": "I", "dimensions": 3}), 400)["param"] == "dimensions"
    # Clients that tokenize texts themselves use the ids of another model.
    for ids in (expected[3]["ids"], [expected[3]["ids"]], ["I", expected[3]["ids"]]):
        refused = error(server.post("/v1/embeddings", {"input": ids}), 400)
        assert refused["param"] == "input", refused
        assert "check_embedding_ctx_length=False" in refused["message"] and "--allow-token-ids" in refused["message"]
    assert "Did you mean 'truncate'?" in error(
        server.post("/v1/embeddings", {"input": "I", "truncat": True}), 400)["message"]
    assert error(server.post("/v1/completions", {"prompt": "x"}), 404)["code"] == "not_found"
    assert server.metric('transfold_requests_total{route="/v1/embeddings",status="400"}') == 6

with Server(program, "--allow-token-ids") as server:
    check(vectors(server.post("/v1/embeddings", {"input": expected[3]["ids"]})), [3])
    assert error(server.post("/v1/embeddings", {"input": [999999]}), 400)["param"] == "input"
print("embeddings: as expected")
