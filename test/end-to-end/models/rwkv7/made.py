# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a tiny model of random weights, whose original is in numpy, in the form of the other goldens.

write(FOLDER, CONFIG, WEIGHTS, LOGITS, SEED) writes config.json, model.safetensors, golden/ and long/. LOGITS(WEIGHTS,
TOKENS) gives the logits of one sequence in the type of the weights. `f32_vs_f64` is how far the original in float32 is
from float64.
"""

import json
import pathlib
import struct

import numpy


def safetensors(weights):
    entries, data = {}, b""
    for name, weight in weights.items():
        body = numpy.ascontiguousarray(weight, "<f4").tobytes()
        entries[name] = {"dtype": "F32", "shape": list(weight.shape),
                         "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    head = json.dumps(entries, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + data


def save(folder, meta, **arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        numpy.save(folder / f"{name}.npy", array)
    (folder / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")


def write(folder, config, weights, logits, seed):
    random = numpy.random.default_rng(seed + 1)
    single = {name: weight.astype("f4") for name, weight in weights.items()}
    double = {name: weight.astype("f8") for name, weight in single.items()}
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(safetensors(single))

    def both(ids):
        exact = numpy.stack([logits(double, row) for row in ids])
        rounded = numpy.stack([logits(single, row) for row in ids])
        assert exact.dtype == numpy.float64 and rounded.dtype == numpy.float32
        return exact, float(abs(rounded - exact).max())

    ids = random.integers(3, config["vocab_size"], (2, 10))
    exact, error = both(ids)
    tokens, margins, new = ids[0].tolist(), [], 24
    for _ in range(new):
        last = logits(double, tokens)[-1]
        second, best = numpy.argsort(last)[-2:]
        margins.append(float(last[best] - last[second]))
        tokens.append(int(best))
    greedy = {"max_new_tokens": new, "eos_token_id": None, "prompt_tokens": ids.shape[1],
              "min_top2_margin": min(margins), "distinct": len(set(tokens[-new:]))}
    meta = {"seed": seed, "f32_vs_f64": {"logits": error}, "absmax": {"logits": float(abs(exact).max())},
            "greedy": greedy}
    save(folder / "golden", meta, input_ids=ids, logits_f64=exact, generated_ids=numpy.array([tokens]))
    ids = random.integers(3, config["vocab_size"], (1, 150))
    exact, error = both(ids)
    save(folder / "long", {"f32_vs_f64": {"logits": error}}, input_ids=ids, logits_f64=exact)
    print(f"{folder.name}: {greedy}, {error:.3g} between float32 and float64")
