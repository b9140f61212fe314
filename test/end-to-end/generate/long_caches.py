# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long_caches.py TRANSFOLD MODEL OUT: decode steps far from the start of two sequences.

MODEL is a tiny model, changed to more positions and larger windows: its KV cache then has several
parts, windows begin within a part, and chunks cross the borders of parts. Logits of whole sequences
may be eight times as far from the interpreter's, in double, as the original model in float32 is
from float64. In steps of 1, 3 and 70 tokens, alone and on any number of threads, they have the same
bits.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
copy = out / "model"
shutil.copytree(model, copy, ignore=shutil.ignore_patterns("golden", "config.legacy.json"))
config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
for key, value in {"max_position_embeddings": 400, "sliding_window": 170}.items():
    if config.get(key):
        config[key] = value
(copy / "config.json").write_text(json.dumps(config), encoding="utf-8")
meta = json.loads((model / "golden" / "meta.json").read_text(encoding="utf-8"))
limit = 8 * meta["f32_vs_f64"]["logits"]

lengths = [330, 201]
ids = numpy.random.default_rng(0).integers(5, 150, (2, max(lengths)))
mask = (numpy.arange(max(lengths)) < numpy.array(lengths)[:, None]).astype(numpy.int64)
numpy.save(out / "ids.npy", ids)
numpy.save(out / "mask.npy", mask)


def logits(*command, variant=""):
    """The logits of all tokens, or None if this machine has no such processor."""
    ran = subprocess.run([str(part) for part in command] +
                         ["--in", f"input_ids={out}/ids.npy", "--in",
                          f"attention_mask={out}/mask.npy", "--out", str(out / "results")],
                         env={**os.environ, "TRANSFOLD_CPU": variant} if variant else None,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if ran.returncode:
        assert f"TRANSFOLD_CPU={variant}: this processor has no " in ran.stderr, ran.stderr
        return None
    return numpy.load(out / "results" / "logits.npy")[mask.astype(bool)]


program = out / "program"
subprocess.run([transfold, "compile", "--quiet", copy, "-o", program], check=True)
expected = logits(transfold, "eval", copy)
assert expected.shape[0] == sum(lengths) and expected.any()
ways = [[]] + [["--chunk", chunk] for chunk in (1, 3, 70)]
whole = {}
for variant in json.loads(subprocess.check_output([program, "info", "--json"]))["processors"]:
    given = logits(program, "eval", "--threads", 1, variant=variant)
    if given is None:
        continue
    whole[variant] = given
    difference = numpy.abs(given - expected).max()
    print(f"{variant}: {difference:.3g} apart; limit {limit:.3g}")
    assert difference <= limit, numpy.abs(given - expected).max(axis=1)
    for options in ways:
        for threads in 1, 3:
            given = logits(program, "eval", "--threads", threads, *options, variant=variant)
            assert given.tobytes() == whole[variant].tobytes(), (variant, options, threads)
assert whole, "no variant runs here"

# The first sequence alone.
numpy.save(out / "ids.npy", ids[:1])
mask = mask[:1]
numpy.save(out / "mask.npy", mask)
for variant, together in whole.items():
    for options in ways:
        given = logits(program, "eval", *options, variant=variant)
        assert given.tobytes() == together[:lengths[0]].tobytes(), (variant, options)
