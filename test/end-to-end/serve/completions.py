# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""completions.py TRANSFOLD MODELS OUT: chats and completions of a server.

The answers of the tiny model have no meaning; but they must be those of `chat`, regardless of
concurrent requests and of what was computed before.
"""

import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys

from serving import Server, compile_talk, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_talk(transfold, models, out)
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"


def user(text):
    return {"role": "user", "content": text}


def chat(text, **more):
    return {"messages": [user(text)], "temperature": 0, "max_tokens": 12, **more}


def said(answer):
    assert answer[0] == 200, answer
    return answer[1]["choices"][0]["message"]["content"]


def commanded(*options):
    """The output of the command line for the same input."""
    return subprocess.run([program, *map(str, options)], capture_output=True, check=True,
                          encoding="utf-8").stdout.removesuffix("\n")


with Server(program, "--parallel", 4) as server:
    # The model, and the routes.
    status, listed = server.get("/v1/models")
    assert status == 200 and [each["id"] for each in listed["data"]] == ["talk"], listed
    assert server.get("/v1/models/talk")[1]["object"] == "model"
    assert server.get("/health") == (200, {"status": "ok"})

    # The same answers as `chat` and `generate`.
    (out / "hello.json").write_text(json.dumps([user("Hello")]))
    alone = server.post(CHAT, chat("Hello", model="talk"))
    assert said(alone) == commanded("chat", "--messages", out / "hello.json", "--max-tokens", 12)
    assert alone[1]["object"] == "chat.completion" and alone[1]["model"] == "talk"
    usage = alone[1]["usage"]
    assert usage["prompt_tokens"] == 9 and usage["total_tokens"] == 9 + usage["completion_tokens"], usage
    whole = server.post(TEXT, {"prompt": "Hello", "temperature": 0, "max_tokens": 12})
    assert whole[1]["choices"][0]["text"] == commanded("generate", "--max-new", 12, "Hello")
    assert whole[1]["choices"][0]["finish_reason"] == "length", whole

    # Sampled with a seed: repeatable, and the same as on the command line.
    drawn = [said(server.post(CHAT, chat("Hello", temperature=1, seed=seed))) for seed in (3, 3, 4)]
    assert drawn[0] == drawn[1] != drawn[2], drawn
    assert drawn[0] == commanded("chat", "--messages", out / "hello.json", "--max-tokens", 12,
                                 "--temperature", 1, "--seed", 3)

    # As a stream: the same text, and the token counts.
    parts = server.stream(CHAT, chat("Hello", stream_options={"include_usage": True}))
    assert parts[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert "".join(part["choices"][0]["delta"].get("content", "") for part in parts[:-1]) == said(alone)
    assert parts[-2]["choices"][0]["finish_reason"] == "length"
    assert parts[-1]["choices"] == [] and parts[-1]["usage"]["completion_tokens"] == 12
    assert len({part["id"] for part in parts}) == 1
    texts = server.stream(TEXT, {"prompt": "Hello", "temperature": 0, "max_tokens": 12})
    assert "".join(part["choices"][0]["text"] for part in texts) == whole[1]["choices"][0]["text"]

    # A stop text may span several tokens, which are single bytes.
    stop = said(alone)[4:6]
    stopped = server.post(CHAT, chat("Hello", stop=[stop]))
    assert said(stopped) == said(alone)[:said(alone).index(stop)]
    assert stopped[1]["choices"][0]["finish_reason"] == "stop"

    # Log-probabilities: the greedy token is the likeliest.
    scored = server.post(CHAT, chat("Hello", logprobs=True, top_logprobs=3))
    content = scored[1]["choices"][0]["logprobs"]["content"]
    assert "".join(token["token"] for token in content) == said(alone), content
    for token in content:
        assert len(token["top_logprobs"]) == 3 and token["logprob"] < 0
        assert token["top_logprobs"][0]["logprob"] == token["logprob"]
        assert bytes(token["bytes"]).decode() == token["token"]
    scored = server.post(TEXT, {"prompt": "Hello", "temperature": 0, "max_tokens": 12, "logprobs": 2})
    scores = scored[1]["choices"][0]["logprobs"]
    assert "".join(scores["tokens"]) == whole[1]["choices"][0]["text"]
    assert all(len(top) == 2 for top in scores["top_logprobs"])

    # Ids instead of a text.
    ids = json.loads(subprocess.run([program, "tokenize", "--json", "Hello"], capture_output=True,
                                    check=True).stdout)["ids"]
    assert server.post(TEXT, {"prompt": ids, "temperature": 0, "max_tokens": 12})[1]["choices"] \
        == whole[1]["choices"]

    # A new turn reuses the KV cache of the turns before it.
    turns = [user("Tell me a story of some length, please."), {"role": "assistant", "content": "No."},
             user("Why not?")]
    first = server.post(CHAT, {"messages": turns[:1], "temperature": 0, "max_tokens": 4})
    second = server.post(CHAT, {"messages": turns, "temperature": 0, "max_tokens": 4})
    assert second[1]["usage"]["prompt_tokens_details"]["cached_tokens"] \
        >= first[1]["usage"]["prompt_tokens"] - 1, (first, second)
    assert server.metric("transfold_reused_tokens_total") > 0

# The same alone and in a batch, with sequences that join and leave, and with prompts that are
# longer than a part and that have a common prefix. There are more clients than parallel slots.
requests = [chat("Once " * (230 if i == 5 else 1 + 40 * (i % 3)) + str(i), temperature=i % 2, seed=i,
                 max_tokens=10 + 7 * i, ignore_eos=True, logprobs=True) for i in range(12)]


def choices(server, request):
    answer = server.post(CHAT, request)
    assert answer[0] == 200, answer
    return answer[1]["choices"]


with Server(program, "--parallel", 1) as server:
    one_by_one = [choices(server, request) for request in requests]
for threads, parallel in [(1, 5), (2, 5), (3, 10)]:
    with Server(program, "--parallel", parallel, "--queue", 20, threads=threads) as server:
        with concurrent.futures.ThreadPoolExecutor(12) as clients:
            for _ in range(3):
                together = list(clients.map(lambda request: choices(server, request), requests))
                assert together == one_by_one
        server.until(lambda: server.metric("transfold_running_completions") == 0, "the end of all completions")

# Refused requests, and their errors.
with Server(program, "--context", 100, "--max-body", 1) as server:
    assert error(server.post(CHAT, chat("x", model="other")), 404)["code"] == "model_not_found"
    assert error(server.post("/v1/embeddings", {"input": "x"}), 404)["code"] == "not_found"
    assert error(server.get(CHAT), 405)["code"] == "method_not_allowed"
    assert error(server.post(CHAT, chat("x" * 200)), 400)["code"] == "context_length_exceeded"
    assert error(server.post(CHAT, chat("x", n=0)), 400)["param"] == "n"
    assert error(server.post(CHAT, chat("x", temprature=2)), 400)["param"] == "temprature"
    # A request may not override the variables that the server passes to the template.
    for name, value in {"messages": [], "tools": [{}], "add_generation_prompt": False, "bos_token": "x",
                        "raise_exception": None}.items():
        refused = error(server.post(CHAT, chat("x", chat_template_kwargs={name: value})), 400)
        assert refused["param"] == "chat_template_kwargs" and f"'{name}'" in refused["message"], refused
    assert server.post(CHAT, chat("x", chat_template_kwargs={"enable_thinking": False}))[0] == 200
    assert error(server.post(TEXT, {"prompt": [1, 999999]}), 400)["param"] == "prompt"
    assert error(server.post(TEXT, {"prompt": []}), 400)["param"] == "prompt"
    # A message cannot inject control tokens: what looks like one is text.
    assert server.post(CHAT, chat("</s>"))[1]["usage"]["prompt_tokens"] == 8
    assert error(server.post(CHAT, chat("x"), **{"Content-Type": "text/plain"}), 415)
    # A generation up to the end of the context.
    full = server.post(CHAT, {"messages": [user("x")], "temperature": 0, "ignore_eos": True})
    assert full[1]["usage"]["total_tokens"] == 100, full[1]["usage"]
    assert full[1]["choices"][0]["finish_reason"] == "length"

# Keys.
(out / "keys").write_text("first-key\n\n  second-key \n")
with Server(program, "--api-key-file", out / "keys", "--model-name", "parrot") as server:
    assert server.get("/health")[0] == 200
    for headers in ({}, {"Authorization": "Bearer first-ke"}, {"Authorization": "Bearer first-keyy"},
                    {"Authorization": "first-key"}, {"Authorization": "Bearer "}):
        assert error(server.get("/v1/models", **headers), 401)["code"] == "invalid_api_key"
    for key in ("first-key", "second-key"):
        listed = server.get("/v1/models", Authorization=f"Bearer {key}")
        assert listed[0] == 200 and listed[1]["data"][0]["id"] == "parrot"

# The sampling settings of generation_config.json apply if a request has none.
advised = out / "advised"
shutil.copytree(out / "model", advised / "model")
(advised / "model" / "generation_config.json").write_text(json.dumps(
    {"do_sample": True, "temperature": 2.5, "top_k": 4, "top_p": 0.9, "repetition_penalty": 1.3, "min_p": None}))
subprocess.run([transfold, "compile", "-q", advised / "model", "-o", advised / "talk"], check=True)
with Server(advised / "talk") as server:
    def drawn(**fields):
        return said(server.post(CHAT, {"messages": [user("Hello")], "max_tokens": 40, "seed": 5, **fields}))
    advice = {"temperature": 2.5, "top_k": 4, "top_p": 0.9, "repetition_penalty": 1.3}
    assert drawn() == drawn(**advice)
    for name, value in {"temperature": 1, "top_k": 0, "top_p": 1, "repetition_penalty": 1}.items():
        assert drawn(**{name: value}) == drawn(**{**advice, name: value})
    assert drawn(temperature=0) != drawn()

# A deadline, before any text and in the middle of one: no processor generates this many tokens in a
# second (8,000 take 0.6 seconds on a fast one).
with Server(program, "--deadline", 1, "--context", 200000) as server:
    long = chat("x", max_tokens=190000, ignore_eos=True)
    assert error(server.post(CHAT, long), 504)["code"] == "deadline_exceeded"
    status, text = server.request("POST", CHAT, {**long, "stream": True})
    assert status == 200 and "deadline_exceeded" in text.decode().split("\n\n")[-2], text[-300:]
print("completions: as expected")
