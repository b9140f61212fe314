# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tokenization.py TRANSFOLD MODELS OUT: /tokenize and /detokenize are what `tokenize` prints."""

import json
import pathlib
import subprocess
import sys

from serving import Server, compile_talk, compile_vectors, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def check(program, text):
    """Compares the routes of a program with its command, for a text that can be decoded exactly."""
    printed = json.loads(subprocess.run([program, "tokenize", "--json", text], capture_output=True, check=True).stdout)
    with Server(program) as server:
        def post(route, body, status=200):
            answer = server.post(route, body)
            assert answer[0] == status, answer
            return answer[1]

        whole = post("/tokenize", {"prompt": text})
        assert whole == {"tokens": printed["ids"], "count": len(printed["ids"])}, (whole, printed)
        inside = [id_ for id_, part in zip(printed["ids"], printed["tokens"], strict=True) if "begin" in part]
        assert post("/tokenize", {"content": text})["tokens"] == inside
        assert post("/tokenize", {"prompt": text, "add_special_tokens": False})["tokens"] == inside
        assert post("/tokenize", {"content": text, "add_special": True})["tokens"] == printed["ids"]
        named = post("/tokenize", {"prompt": text, "return_token_strs": True, "model": program.name})
        assert len(named["token_strs"]) == named["count"]
        pieces = post("/tokenize", {"content": text, "with_pieces": True})["tokens"]
        assert [each["id"] for each in pieces] == inside and all(each["piece"] for each in pieces)
        back = post("/detokenize", {"tokens": inside})
        assert back["prompt"] == back["content"], back
        assert back["prompt"].strip() == text, back
        assert post("/detokenize", {"tokens": []})["prompt"] == ""
        assert post("/tokenize", {"content": ""})["tokens"] == []

        for wrong, param in (({}, "prompt"), ({"prompt": "a", "content": "a"}, "prompt"), ({"prompt": 1}, "prompt"),
                             ({"content": "a", "with_pieces": 1}, "with_pieces")):
            assert error(server.post("/tokenize", wrong), 400)["param"] == param, wrong
        assert "usage" in error(server.post("/tokenize", {"messages": []}), 400)["message"]
        assert "'prompt'" in error(server.post("/tokenize", {"prompt": "a", "promt": "a"}), 400)["message"]
        for wrong in ({}, {"tokens": "a"}, {"tokens": [-1]}, {"tokens": [10**8]}, {"tokens": [1.5]}):
            assert error(server.post("/detokenize", wrong), 400)["param"] == "tokens", wrong
        assert error(server.post("/tokenize", {"prompt": "a", "model": "other"}), 404)["code"] == "model_not_found"
        routes = server.get("/v1/models")[1]["data"][0]["transfold"]["routes"]
        assert {"/tokenize", "/detokenize"} <= set(routes), routes


check(compile_talk(transfold, models, out / "talk"), "Hello, world")
check(compile_vectors(transfold, models, out / "vectors"), "the cats sat")
print("tokenization: as expected")
