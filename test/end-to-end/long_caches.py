# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long_caches.py TRANSFOLD MODEL OUT: steps far behind the start of two sequences.

MODEL, a tiny one, with room for more positions and larger windows: a cache has several
parts then, windows begin within one, and chunks lie across their borders. Logits of whole
sequences and of steps of 1, 3 and 70 tokens may each be eight times as far from those of the
interpreter, in double, as the original model is in float32 from itself. Whatever the number
of threads, they are the same bits.
"""

import json
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


def logits(name, *command):
    subprocess.run([str(part) for part in command] +
                   ["--in", f"input_ids={out}/ids.npy", "--in", f"attention_mask={out}/mask.npy",
                    "--out", str(out / name)], check=True, stdout=subprocess.DEVNULL)
    return numpy.load(out / name / "logits.npy")[mask.astype(bool)]


program = out / "program"
subprocess.run([transfold, "compile", "--quiet", copy, "-o", program], check=True)
expected = logits("expected", transfold, "eval", copy)
assert expected.shape[0] == sum(lengths) and expected.any()
for chunk in [None, 1, 3, 70]:
    steps = ["--chunk", chunk] if chunk else []
    given = logits("one", program, "eval", *steps, "--threads", 1)
    difference = numpy.abs(given - expected).max()
    print(f"steps of {chunk}: {difference:.3g} apart; limit {limit:.3g}")
    assert difference <= limit, numpy.abs(given - expected).max(axis=1)
    assert (given == logits("several", program, "eval", *steps, "--threads", 3)).all()
