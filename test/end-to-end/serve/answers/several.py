# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""several.py TRANSFOLD MODELS OUT: several answers to one request, and what changes scores.

Each of several answers must be the one that a request of its own gets.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from serving import Server, compile_talk, error  # noqa: E402

program = compile_talk(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"


def chat(**more):
    return {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 12, **more}


def told(answer):
    """The texts of all choices, which are in order."""
    assert answer[0] == 200, answer
    choices = answer[1]["choices"]
    assert [choice["index"] for choice in choices] == list(range(len(choices))), choices
    return [choice["message"]["content"] if "message" in choice else choice["text"] for choice in choices]


def joined(parts):
    """The texts of a stream by their choices, and the reasons why they ended."""
    texts, reasons = {}, {}
    for choice in (choice for part in parts for choice in part["choices"]):
        text = choice["delta"].get("content", "") if "delta" in choice else choice["text"]
        texts[choice["index"]] = texts.get(choice["index"], "") + text
        if choice["finish_reason"]:
            reasons[choice["index"]] = choice["finish_reason"]
    return [texts[index] for index in sorted(texts)], reasons


def text(prompt, **more):
    return {"prompt": prompt, "temperature": 0, "max_tokens": 8, **more}


def check_answers(server):
    """`n` answers have the seeds s, s + 1, …; the prompt counts once."""
    one_by_one = [told(server.post(CHAT, chat(temperature=1, seed=seed)))[0] for seed in (5, 6, 7)]
    answer = server.post(CHAT, chat(temperature=1, seed=5, n=3))
    assert told(answer) == one_by_one and len(set(one_by_one)) == 3, (answer, one_by_one)
    usage = answer[1]["usage"]
    assert usage["prompt_tokens"] == 9 and usage["completion_tokens"] <= 36, usage
    parts = server.stream(CHAT, chat(temperature=1, seed=5, n=3, stream_options={"include_usage": True}))
    assert joined(parts)[0] == one_by_one and len(joined(parts)[1]) == 3, parts
    assert parts[-1]["usage"]["completion_tokens"] == usage["completion_tokens"], (parts[-1], usage)
    assert len(set(told(server.post(CHAT, chat(temperature=1, n=4))))) > 1  # seeds of the server


def check_prompts(server):
    prompts = ["Hello", "What", "Hello"]
    one_by_one = [told(server.post(TEXT, text(prompt)))[0] for prompt in prompts]
    assert told(server.post(TEXT, text(prompts))) == one_by_one
    ids = [[72, 105], [7, 8, 9]]
    both = told(server.post(TEXT, text(ids, n=2, best_of=2)))
    assert both == [told(server.post(TEXT, text(each)))[0] for each in ids for _ in range(2)], both
    assert joined(server.stream(TEXT, text(prompts)))[0] == one_by_one
    echoed = [prompt + answer for prompt, answer in zip(prompts, one_by_one)]
    assert told(server.post(TEXT, text(prompts, echo=True))) == echoed
    assert joined(server.stream(TEXT, text(prompts, echo=True)))[0] == echoed


def check_scores(server):
    """The bias of a token, and penalties: after them a greedy answer repeats nothing."""
    def tokens(**more):
        answer = server.post(CHAT, chat(temperature=0, logprobs=True, ignore_eos=True, **more))
        assert answer[0] == 200, answer
        return [each["token"] for each in answer[1]["choices"][0]["logprobs"]["content"]]

    usual = tokens()
    first = server.post(TEXT, text("Hello", max_tokens=1))[1]["choices"][0]["text"]
    assert first, "a token with a text"
    banned = server.post(TEXT, text("Hello", max_tokens=1, logit_bias={str(ord(first[0]) + 3): -100, "9": 0}))
    assert banned[0] == 200, banned
    forced = server.post(TEXT, text([72, 105], max_tokens=3, logit_bias={"75": 100}, ignore_eos=True))
    assert len(set(told(forced)[0])) == 1, forced
    assert len(set(usual)) < 12, "an answer that repeats a token"
    for penalties in {"presence_penalty": 2}, {"frequency_penalty": 2}, {"presence_penalty": 1.5, "frequency_penalty": 1.5}:
        assert len(set(tokens(**penalties))) > len(set(usual)), (penalties, usual, tokens(**penalties))


def check_refusals(server):
    def refused(path, body, param):
        found = error(server.post(path, body), 400)
        assert found["param"] == param, found
        return found["message"]

    assert "9 answers; this server computes and queues at most 8" in refused(CHAT, chat(n=9), "n")
    refused(TEXT, text(["a"] * 9), "prompt")
    for n in 0, 129, 1.5, "2":
        refused(CHAT, chat(n=n), "n")
    refused(TEXT, text("a", best_of=2), "best_of")
    refused(TEXT, text("a", echo=True, logprobs=1), "echo")
    refused(TEXT, text(["a", ""]), "prompt")  # without tokens
    for bias in {"x": 1}, {"-1": 1}, {"1": 101}, {"1": "1"}, {"99999999999": 1}, [1], {"1e1": 1}:
        refused(CHAT, chat(logit_bias=bias), "logit_bias")
    assert "there is no token 99999" in refused(CHAT, chat(logit_bias={"99999": 1}), "logit_bias")
    assert server.post(CHAT, chat(logit_bias=[]))[0] == 200


def check_cuts(server):
    """A prompt of 200 tokens, of which 60 have room: the first one always stays."""
    ids = [72 + k % 7 for k in range(200)]
    kept = {"front": ids[:1] + ids[141:], "middle": ids[:30] + ids[170:], "end": ids[:60]}
    for where, rest in kept.items():
        answer = server.post(TEXT, text(ids, max_tokens=40, truncate=where))
        usage = answer[1]["usage"]
        assert usage["prompt_tokens"] == 60 and usage["prompt_tokens_details"]["truncated_tokens"] == 140, answer
        assert told(answer) == told(server.post(TEXT, text(rest, max_tokens=40))), where
    fits = server.post(TEXT, text(ids[:40], truncate="end"))
    assert "truncated_tokens" not in fits[1]["usage"]["prompt_tokens_details"], fits
    long = {"messages": [{"role": "user", "content": "Why? " * 100}], "temperature": 0}
    assert server.post(CHAT, {**long, "truncate": "middle"})[1]["usage"]["prompt_tokens"] == 75
    refused = error(server.post(CHAT, long), 400)
    assert refused["code"] == "context_length_exceeded" and "100" in refused["message"], refused
    assert error(server.post(CHAT, {**long, "truncate": "left"}), 400)["param"] == "truncate"


with Server(program, "--context", 100) as server:
    check_cuts(server)
with Server(program, "--parallel", 4, "--queue", 4) as server:
    check_answers(server)
    check_prompts(server)
    check_scores(server)
    check_refusals(server)
    server.until(lambda: server.metric("transfold_running_completions") == 0, "the end of all completions")
print("several: as expected")
