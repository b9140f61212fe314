# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rotary.py TRANSFOLD MAKE_TINY SPEC OUT: rotary positions compared with a reference in double.

The reference follows the papers (Su et al. 2021; Peng et al. 2023, eq. 23; Llama 3.1) and the
meaning of Hugging Face's keys, independently of std/rope.xf. The interpreter must agree to 1e-12 of
the largest value, the program to 4e-7.
"""

import json
import math
import pathlib
import subprocess
import sys

import numpy

transfold, make_tiny, spec, out = sys.argv[1:]
out = pathlib.Path(out)
DIM, THETA, LENGTH = 16, 500.0, 600
ids = numpy.arange(LENGTH)[None] % 8


def frequencies(s):
    inverse = THETA ** (-numpy.arange(0, DIM, 2) / DIM)
    kind = s.get("rope_type", s.get("type", "default"))
    if kind == "linear":
        return inverse / s["factor"], 1.0
    if kind == "llama3":
        old, low, high = (s["original_max_position_embeddings"], s["low_freq_factor"],
                          s["high_freq_factor"])
        mix = (old * inverse / (2 * math.pi) - low) / (high - low)
        mix = numpy.clip(mix, 0, 1)
        return (1 - mix) * inverse / s["factor"] + mix * inverse, 1.0
    if kind == "yarn":
        def dimension(turns):
            return (DIM * math.log(s["original_max_position_embeddings"] / (turns * 2 * math.pi))
                    / (2 * math.log(THETA)))

        def magnitude(m):
            return 1.0 if s["factor"] <= 1 else 0.1 * m * math.log(s["factor"]) + 1
        low, high = dimension(s.get("beta_fast", 32)), dimension(s.get("beta_slow", 1))
        if s.get("truncate", True):
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, DIM - 1)
        ramp = numpy.clip((numpy.arange(DIM // 2) - low)
                          / (high - low if high != low else 0.001), 0, 1)
        amplitude = s.get("attention_factor")
        if amplitude is None:
            amplitude = (magnitude(s["mscale"]) / magnitude(s["mscale_all_dim"])
                         if s.get("mscale") and s.get("mscale_all_dim") else magnitude(1))
        return inverse / s["factor"] * ramp + inverse * (1 - ramp), amplitude
    return inverse, 1.0


def expected(scaling):
    table = numpy.arange(8 * DIM, dtype=float).reshape(8, DIM)
    x = table[ids[0]]
    inverse, amplitude = frequencies(scaling)
    angle = numpy.arange(LENGTH)[:, None] * inverse
    a, b = x[:, :DIM // 2], x[:, DIM // 2:]
    return amplitude * numpy.concatenate([a * numpy.cos(angle) - b * numpy.sin(angle),
                                          b * numpy.cos(angle) + a * numpy.sin(angle)], 1)


yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
cases = {
    "none": {},
    "linear": {"rope_type": "linear", "factor": 2.5},
    "linear-older": {"type": "linear", "factor": 3.0},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
               "high_freq_factor": 4.0, "original_max_position_embeddings": 128},
    "yarn": yarn,
    "yarn-exact-bounds": {**yarn, "truncate": False, "beta_fast": 16, "beta_slow": 2},
    "yarn-attention-factor": {**yarn, "attention_factor": 1.25},
    "yarn-mscale": {**yarn, "mscale": 0.7, "mscale_all_dim": 0.4},
    "yarn-shorter": {**yarn, "factor": 0.5},
}
numpy.save(out / "ids.npy", ids)
for name, scaling in cases.items():
    folder = out / name
    config = {"hidden_size": DIM, "vocab_size": 8, "rope_theta": THETA, "rope_scaling": scaling}
    subprocess.run([sys.executable, make_tiny, folder, json.dumps(config), f"embed:8x{DIM}"],
                   check=True)
    subprocess.run([transfold, "eval", folder, "--spec", spec, "--in", f"tokens={out / 'ids.npy'}",
                    "--out", folder / "xf"], check=True)
    subprocess.run([transfold, "compile", folder, "--spec", spec, "-q", "-o", folder / "program"],
                   check=True)
    subprocess.run([folder / "program", "eval", "--in", f"tokens={out / 'ids.npy'}", "--out",
                    folder / "run"], check=True, stdout=subprocess.DEVNULL)
    reference = expected(scaling)
    for made, limit in (("xf", 1e-12), ("run", 4e-7)):
        found = numpy.load(folder / made / "turned.npy")[0].astype(float)
        difference = numpy.abs(found - reference).max() / numpy.abs(reference).max()
        print(f"{name}, {made}: {difference:.2g} of the largest value, limit {limit:.0e}")
        assert difference <= limit, name
