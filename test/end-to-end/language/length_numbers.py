# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""length_numbers.py TRANSFOLD MAKE_TINY SPEC OUT: lengths as numbers, compared with NumPy.

Sequences of several lengths run together; each uses its own length, with the same bits as alone.
The interpreter must agree to 1e-12 of the largest value, the program to 2e-6.
"""

import json
import pathlib
import subprocess
import sys

import numpy

transfold, make_tiny, spec, out = sys.argv[1:]
out = pathlib.Path(out)
D, V, P = 8, 12, 16
LENGTHS, WORDS = [1, 4, 2, 7], [3, 1, 5, 2]
CONFIG = {"hidden_size": D, "vocab_size": V, "positions": P}
subprocess.run([sys.executable, make_tiny, out, json.dumps(CONFIG), f"embed:{V}x{D}",
                f"positions:{P}x{D}", f"w:{D}x{D}"], check=True)


def table(rows):
    return numpy.arange(rows * D, dtype=float).reshape(rows, D)


E, POSITIONS, W = table(V), table(P), table(D)


def softmax(s):
    e = numpy.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def encode(ids):
    n, x = len(ids), E[ids] / 50
    t, c = numpy.arange(n)[:, None], numpy.arange(D)[None]
    ends = (t + 1) / n + numpy.where(t == n - 1, c, 0)
    wrapped = (t + n) % 3 - (n * c) // 2
    slanted = (numpy.arange(n)[None] - numpy.arange(n)[:, None]) / n
    angle = t * (numpy.arange(D // 2)[None] + 1) / n
    a, b = x[:, :D // 2], x[:, D // 2:]
    looped = x
    for _ in range(2):
        looped = looped + looped * n / 10
    return {
        "products": x * (2 * n + 3) - n + x * (n - 1) + (n - 1),
        "pooled": x.mean(axis=0),
        "last": x[-1] * numpy.sqrt(n),
        "tables": (x + ends) * wrapped / (n / 2),
        "attended": softmax(x @ x.T * (numpy.log(n + 1) / numpy.sqrt(D)) + slanted) @ x,
        "rows": POSITIONS[n - 1] + POSITIONS[n + 1] * (n % 2),
        "chosen": x @ W / n * (2 if n == 2 else -n),
        "looped": looped,
        "turned": numpy.concatenate([a * numpy.cos(angle) - b * numpy.sin(angle),
                                     b * numpy.cos(angle) + a * numpy.sin(angle)], 1),
        "reversed": x * POSITIONS[:n][::-1],
        "memory": x / n,
    }


def decode(words, memory):
    n, x = len(memory), E[words] / 50 * len(memory) - len(memory) / 7
    s = x @ x.T / n
    s[numpy.triu_indices(len(words), 1)] = -numpy.inf
    x = x + softmax(s) @ x
    x = x + softmax(x @ memory.T * numpy.sqrt(n)) @ memory / (n + 1)
    return {"logits": x @ E.T / 50}


def padded(rows):
    whole = numpy.zeros((len(rows), max(map(len, rows))), int)
    for k, row in enumerate(rows):
        whole[k, :len(row)] = row
    return whole


def evaluate(command, tokens, words, folder):
    """Results by name: a list with the result of each sequence."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs = []
    for prefix, rows in (("", tokens), ("decoder_", words)):
        numpy.save(folder / f"{prefix}input_ids.npy", padded(rows))
        numpy.save(folder / f"{prefix}attention_mask.npy",
                   padded([numpy.ones(len(row), int) for row in rows]))
        for name in ("input_ids", "attention_mask"):
            inputs += ["--in", f"{prefix}{name}={folder / (prefix + name)}.npy"]
    results = folder / "out"
    subprocess.run([*command, *inputs, "--out", results], check=True, stdout=subprocess.DEVNULL)
    found = {}
    for path in results.glob("*.npy"):
        lengths = [len(row) for row in (words if path.stem == "logits" else tokens)]
        values = numpy.load(path)
        found[path.stem] = [value[:n] if value.ndim == 2 else value
                            for value, n in zip(values, lengths)]
    return found


random = numpy.random.default_rng(0)
tokens = [random.integers(0, V, n) for n in LENGTHS]
words = [random.integers(0, V, n) for n in WORDS]
expected = [encode(row) for row in tokens]
for k, row in enumerate(words):
    expected[k] |= decode(row, expected[k]["memory"])


def compare(what, found, limit):
    assert found.keys() == expected[0].keys(), found.keys()
    for name, values in found.items():
        for k, value in enumerate(values):
            reference = expected[k][name]
            assert value.shape == reference.shape, (name, value.shape)
            difference = numpy.abs(value - reference).max() / max(numpy.abs(reference).max(), 1)
            assert difference <= limit, f"{what}, {name} of sequence {k}: {difference:.2g}"


program = out / "program"
subprocess.run([transfold, "compile", out, "--spec", spec, "-q", "-o", program], check=True)
for chunk in ([], ["--chunk", "1"], ["--chunk", "2"]):
    name = "-".join(["in", *chunk[1:]])
    interpreted = evaluate([transfold, "eval", out, "--spec", spec, *chunk], tokens, words,
                           out / f"eval-{name}")
    compare(f"eval {chunk}", interpreted, 1e-12)
    compare(f"program {chunk}", evaluate([program, "eval", *chunk], tokens, words,
                                         out / f"run-{name}"), 2e-6)
compare("kernels in double", evaluate([transfold, "eval", out, "--spec", spec, "--after",
                                       "kernels"], tokens, words, out / "kernels"), 1e-12)
together = evaluate([program, "eval"], tokens, words, out / "together")
for k in range(len(LENGTHS)):
    alone = evaluate([program, "eval"], tokens[k:k + 1], words[k:k + 1], out / f"alone{k}")
    for name, values in alone.items():
        assert numpy.array_equal(values[0], together[name][k]), f"{name} of sequence {k}"
print("equal")
