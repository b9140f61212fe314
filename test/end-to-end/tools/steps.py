# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""steps.py PROGRAM GOLDEN OUT: compares decode steps of a program with float64.

All logits in steps of 1, 3, 7 and 64 tokens, of all sequences together; then the results of greedy
and beam search. Tokens are compared if the golden's margin is larger than the error of float32; if
the golden has a token of `padding`, only up to the first one that was generated: after padding the
original uses other positions.
"""

import json
import pathlib
import subprocess
import sys

import numpy

program, golden, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
meta = json.loads((golden / "meta.json").read_text(encoding="utf-8"))
limit = 4 * meta["f32_vs_f64"]["logits"]
files = {path.stem: path for path in golden.glob("*.npy")}
out.mkdir(parents=True, exist_ok=True)


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


inputs = [part for name in ["input_ids", "attention_mask", "decoder_input_ids", "input_features"]
          if name in files for part in ["--in", f"{name}={files[name]}"]]
for chunk in [1, 3, 7, 64]:
    run(program, "eval", *inputs, "--chunk", chunk, "--out", out / str(chunk))
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name("compare.py"), "golden",
                    golden, out / str(chunk)], check=True)

expected = numpy.load(files["generated_ids"])
new = meta["greedy"]["max_new_tokens"]
if "decoder_input_ids" in files:
    source = (["--features", files["input_features"]] if "input_features" in files else
              ["--ids", files["input_ids"]] +
              (["--mask", files["attention_mask"]] if "attention_mask" in files else []))
    source += ["--start", expected[0, 0]]
else:
    numpy.save(out / "prompt.npy", expected[:, :-new])
    source = ["--ids", out / "prompt.npy"]


def generated(*options):
    run(program, "generate", *source, "--max-new", new, "--out", out / "ids.npy",
        "--scores", out / "scores.npy", *options)
    return numpy.load(out / "ids.npy"), numpy.load(out / "scores.npy")




def comparable(row, end=None):
    """The number of tokens of a row that can be compared."""
    last = [i + 1 for i, token in enumerate(row)
            if i and token in (end, meta.get("padding"))]
    return last[0] if last else len(row)


margin = meta["greedy"]["min_top2_margin"]
for options in [], ["--chunk", 2, "--threads", 1]:
    ids, scores = generated("--ignore-eos", *options)
    assert ids.shape == expected.shape and scores.shape == (len(ids), new), ids.shape
    assert numpy.isfinite(scores).all() and (scores <= 0).all()
    same = all((found[:comparable(row)] == row[:comparable(row)]).all()
               for found, row in zip(ids, expected))
    assert same or margin <= 2 * limit, f"{ids}\ninstead of\n{expected}"
    print(f"greedy: {margin:.3g} between first and second, tokens "
          + ("equal" if same else "differ, as they may"))

for name in ["beam4", "beam4_lp"]:
    if name not in meta or f"{name}_ids" not in files:
        continue
    wanted = meta[name]
    options = ["--beams", wanted["num_beams"], "--length-penalty", wanted["length_penalty"],
               "--eos", wanted["eos_token_id"]]
    ids, scores = generated(*options, *(["--early-stopping"] if wanted["early_stopping"] else []))
    best, theirs = numpy.load(files[f"{name}_ids"]), numpy.load(files[f"{name}_scores"])
    # A score is a mean of log probabilities, each with an error of `limit`.
    plain = [k for k, row in enumerate(best) if meta.get("padding") not in row[1:]]
    off = numpy.abs(scores - theirs)[plain].max(initial=0)
    assert off < 4 * limit, f"{name}: scores {scores} instead of {theirs}"
    end, compared = wanted["eos_token_id"], 0
    for k, row in enumerate(best):
        others = numpy.delete(theirs, k)
        if k not in plain or numpy.abs(others - theirs[k]).min() <= 8 * limit:
            continue  # which comes first is float32's choice
        length = comparable(row, end)
        assert (ids[k, :length] == row[:length]).all(), f"{name}: {ids[k]}\ninstead of\n{row}"
        compared += 1
    print(f"{name}: scores {off:.3g} off, {compared} of {len(best)} continuations compared")
