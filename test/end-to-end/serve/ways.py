# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ways.py TRANSFOLD MODELS OUT PAGE: the same requests by command, C, Python and HTTP.

Prints a table with a row for each request and a column for each interface: the hash of the
command's result, and for every other interface "same bits" or its own hash. Fails if one differs.
The table of PAGE, in the documentation, must have the same rows and columns.
"""

import base64
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import numpy

import transfold
from serving import Server, compile_talk, compile_vectors

compiler, models, out, page = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
ASK = pathlib.Path(__file__).parents[1] / "library" / "Inputs" / "ask.c"
WAYS = ("Command", "C", "Python", "HTTP", "HTTP, base64 or a stream")
TEXTS = [
    "the cat sat on the mat.", "", " \t\n\r ", "\x01\x1b[31m\x7f", "<s></s><mask><pad>", "--json",
    '\\u0000 \\ "quoted": [1, {}]', "\u2028\ufeff\ufffd e\u0301 \u05d0\u202e \U0001f408\u200d\u2b1b \U0010ffff",
    "the cat " * 300]
PROMPT, TOKENS = "Say something", 16
SEEDED = 7
TALKS = {"Chat, greedy": [{"role": "user", "content": "Hello"}],
         "Chat of several turns, seeded": [
             {"role": "user", "content": 'Hello </s> \u20ac "\n'}, {"role": "assistant", "content": "No."},
             {"role": "user", "content": "Why?"}]}


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE,
                          encoding="utf-8", errors="surrogateescape", **more).stdout


def hash_of(value):
    """The hash of vectors, by their bits, or of a text."""
    content = value.encode() if isinstance(value, str) else numpy.ascontiguousarray(value).tobytes()
    return hashlib.sha256(content).hexdigest()[:16]


def build_library(program, source):
    """The model as a library with its program `ask`, and the library opened by the Python
    package."""
    name = program.name
    library = program.parent / f"lib{name}.so"
    run(compiler, "compile", "-q", "--emit=lib", source, "-o", library)
    ask = program.parent / f"{name}.ask"
    run("cc", f'-DHEADER="{name}.h"', f"-DMODEL={name}_model", ASK, f"-I{program.parent}", f"-L{program.parent}",
        f"-l{name}", f"-Wl,-rpath,{program.parent}", "-o", ask)
    return ask, transfold.Program(library, threads=2)


def asked(ask, what, *words, **variables):
    """The output of the C program: lines by their first word."""
    environment = {"PATH": "/usr/bin:/bin", **{key: str(value) for key, value in variables.items()}}
    lines = run(ask, what, *words, env=environment).split("\n")
    return {re.split("[:/]", line)[0]: line.partition(":")[2][1:] for line in lines}


def said(found):
    """The text in ask.c's output, which escapes control characters."""
    return re.sub(r"\\x([0-9a-f]{2})", lambda digits: chr(int(digits[1], 16)), found["text"])


# --- Vectors --------------------------------------------------------------------------------------


def embed_by_http(server, texts):
    """Vectors as numbers, and as base64."""
    request = {"input": texts, "truncate": True}
    plain, packed = (server.post("/v1/embeddings", {**request, "encoding_format": form})
                     for form in ("float", "base64"))
    assert plain[0] == packed[0] == 200, (plain, packed)
    return (numpy.array([each["embedding"] for each in plain[1]["data"]], "float32"),
            numpy.array([numpy.frombuffer(base64.b64decode(each["embedding"]), "<f4")
                         for each in packed[1]["data"]]))


def embed_by_command(program, texts):
    lines = run(program, "embed", "--json", "--", *texts, stderr=subprocess.DEVNULL).rstrip("\n").split("\n")
    return numpy.array([json.loads(line)["embedding"] for line in lines], "float32")


def embed_by_c(ask, texts):
    return numpy.array(asked(ask, "embed", *texts)["embedding"].split(), "float32").reshape(len(texts), -1)


def vector_rows(program, ask, opened, server):
    def each_way(texts):
        return [embed_by_command(program, texts), embed_by_c(ask, texts), opened.embed(texts),
                *embed_by_http(server, texts)]

    yield "Embeddings of texts, in one call", each_way(TEXTS)
    alone = [each_way([text]) for text in TEXTS]
    yield "The same, a call for each", [numpy.concatenate(way) for way in zip(*alone)]


# --- Generated texts ------------------------------------------------------------------------------


def options_of(is_seeded):
    """The same options for the command, C, Python and HTTP."""
    if not is_seeded:
        return [], {}, {}, {"temperature": 0}
    return (["--temperature", 1, "--seed", SEEDED], {"ASK_TEMPERATURE": 1, "ASK_SEED": SEEDED},
            *[{"temperature": 1, "seed": SEEDED}] * 2)


def choice_of(answer):
    assert answer[0] == 200, answer
    return answer[1]["choices"][0]


def completion_rows(program, ask, opened, server):
    route = "/v1/completions"
    for is_seeded in (False, True):
        words, variables, options, fields = options_of(is_seeded)
        request = {"prompt": PROMPT, "max_tokens": TOKENS, **fields}
        yield f"Completion, {'seeded' if is_seeded else 'greedy'}", [
            run(program, "generate", "--max-new", TOKENS, *words, PROMPT).removesuffix("\n"),
            said(asked(ask, "generate", PROMPT, ASK_TOKENS=TOKENS, **variables)),
            opened.generate(PROMPT, max_tokens=TOKENS, **options).text,
            choice_of(server.post(route, request))["text"],
            "".join(part["choices"][0]["text"] for part in server.stream(route, request))]
    ids = opened.tokenize(PROMPT).ids
    numpy.save(out / "ids.npy", ids[None])
    run(program, "generate", "--ids", out / "ids.npy", "--max-new", TOKENS, "--out", out / "made.npy",
        "--scores", out / "scores.npy")
    request = {"prompt": ids.tolist(), "max_tokens": TOKENS, "temperature": 0, "logprobs": 0}
    parts = [part["choices"][0]["logprobs"] for part in server.stream(route, request)]
    yield "Logarithms of its tokens' probabilities", [numpy.asarray(scores, "float64") for scores in (
        numpy.load(out / "scores.npy")[0],
        asked(ask, "generate_ids", *ids, ASK_TOKENS=TOKENS, ASK_SCORES=1)["log_probabilities"].split(),
        opened.generate(ids, max_tokens=TOKENS, log_probabilities=True).log_probabilities,
        choice_of(server.post(route, request))["logprobs"]["token_logprobs"],
        [score for part in parts if part for score in part["token_logprobs"]])]


def chat_rows(program, ask, opened, server):
    route = "/v1/chat/completions"
    for name, messages in TALKS.items():
        words, variables, options, fields = options_of("seeded" in name)
        (out / "messages.json").write_text(json.dumps(messages))
        request = {"messages": messages, "max_tokens": TOKENS, **fields}
        yield name, [
            run(program, "chat", "--messages", out / "messages.json", "--max-tokens", TOKENS,
                *words).removesuffix("\n"),
            said(asked(ask, "chat", json.dumps(messages), ASK_TOKENS=TOKENS, **variables)),
            opened.chat(messages, max_tokens=TOKENS, **options).text,
            choice_of(server.post(route, request))["message"]["content"],
            "".join(part["choices"][0]["delta"].get("content", "") for part in server.stream(route, request))]


# --- The table ------------------------------------------------------------------------------------


def table_of(rows):
    lines = ["| | " + " | ".join(WAYS) + " |", "|---" * (1 + len(WAYS)) + "|"]
    for name, values in rows:
        first, *others = map(hash_of, values)
        cells = [first] + ["same bits" if other == first else f"DIFFERS: {other}" for other in others]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return lines


def names_of(lines):
    """The columns of a table, and its rows without their hashes."""
    return [lines[0], *(line.split(" | ")[0] for line in lines[2:])]


vectors = compile_vectors(compiler, models, out / "1")
talk = compile_talk(compiler, models, out / "2")
rows = []
with Server(vectors) as server:
    rows += vector_rows(vectors, *build_library(vectors, out / "1" / "texts" / "embed"), server)
library = build_library(talk, out / "2" / "model")
with Server(talk) as server:
    rows += completion_rows(talk, *library, server)
    rows += chat_rows(talk, *library, server)
assert all(len(values) == len(WAYS) and len(values[0]) for _, values in rows)
assert len({hash_of(values[0]) for _, values in rows[2:]}) == len(rows) - 2, "requests that say the same prove little"
table = table_of(rows)
print("\n".join(table))
assert not any("DIFFERS" in line for line in table)
shown = page.read_text(encoding="utf-8").split("\n")
begin = shown.index(table[0])
found = names_of(shown[begin:begin + len(table)])
assert found == names_of(table), f"{page} has another table: {found}"
print("ways: all give the same bits")
