# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rerank.py PROGRAM OUT [sigmoid]: the scores of `rerank` are those of the pairs, in order.

Each score is the result of `eval` for the ids that `tokenize --pairs` gives; with `sigmoid`, its
sigmoid. Longer texts are cut as Hugging Face's tokenizers cut them, the longer one first.
"""

import json
import math
import pathlib
import re
import subprocess
import sys

import numpy

program, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
is_sigmoid = sys.argv[3:] == ["sigmoid"]
out.mkdir(parents=True, exist_ok=True)
query, documents = "the cats", ["I sat on mat.", "cats", "the mat", "", "the mat", "sat sat on"]


def run(*words, lines=None):
    return subprocess.run([program, *map(str, words)], input=lines, capture_output=True, check=True,
                          encoding="utf-8")


def score(ids):
    numpy.save(out / "ids.npy", numpy.array([ids], numpy.int32))
    run("eval", "--in", f"input_ids={out / 'ids.npy'}", "--out", out)
    logit = float(numpy.load(out / "logits.npy").reshape(-1)[0])
    return 1 / (1 + math.exp(-logit)) if is_sigmoid else logit


def pair_of(first, second):
    return json.loads(run("tokenize", "--json", "--pairs", first, second).stdout)["ids"]


expected = [score(pair_of(query, document)) for document in documents]
order = sorted(range(len(documents)), key=lambda k: (-numpy.float32(expected[k]), k))
found = [json.loads(line) for line in run("rerank", "--json", query, *documents).stdout.splitlines()]
assert [each["index"] for each in found] == order, (found, expected)
for each in found:
    assert abs(each["score"] - expected[each["index"]]) < 1e-5, (each, expected)
    assert each["text"] == documents[each["index"]]
assert order.index(2) + 1 == order.index(4), "equal texts keep their order"

# Lines of standard input, and only the best.
best = run("rerank", query, "--top", 2, lines="\n".join(documents) + "\n").stdout.splitlines()
assert best == [f"{numpy.float32(expected[k]):.4f}  {documents[k]}" for k in order[:2]], best



def longest_first(first, second, room):
    """What Hugging Face's tokenizers keep of two texts that are too long."""
    less, more = sorted((first, second))
    more = less if less > room else max(less, room - less)
    if less + more > room:
        less, more = room // 2, room // 2 + room % 2
    return (more, less) if first > second else (less, more)


SPECIAL = 4  # <s> … </s> </s> … </s>
words = "I " * 200
for first, second in (query, words), (words, query), (words, words), (words, "I " * 18):
    a, b = (json.loads(run("tokenize", "--json", each).stdout)["ids"][1:-1] for each in (first, second))
    whole = pair_of(first, second)
    assert whole[1:1 + len(a)] == a and whole[len(a) + 3:-1] == b
    cut = run("rerank", "--json", first, second)
    dropped = int(re.search(r"document 1: (\d+) tokens of the query or of the document are ignored", cut.stderr)[1])
    n, m = longest_first(len(a), len(b), len(whole) - SPECIAL - dropped)
    kept = [whole[0], *a[:n], *whole[len(a) + 1:len(a) + 3], *b[:m], whole[-1]]
    assert len(kept) == len(whole) - dropped
    assert abs(json.loads(cut.stdout)["score"] - score(kept)) < 1e-5, (n, m, cut.stdout)
print("rerank: as expected")
