# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""zero.py TRANSFOLD MODEL OUT: a Marian of CTranslate2 whose decoder begins with a zero embedding.

The logits do not depend on the token with which a translation begins, in the interpreter (for whole
sequences and in decode steps) and in a program.
"""

import pathlib
import shutil
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import ct2_convert
import ct2_file

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
golden = model / "golden"
shutil.rmtree(out, ignore_errors=True)
made = ct2_convert.convert(model)
made.variables["decoder/start_from_zero_embedding"] = numpy.int8(1)
ct2_file.write(out / "model", made.variables, made.aliases, made.config, made.vocabulary,
               spec=made.spec)
tokens = numpy.load(golden / "decoder_input_ids.npy")


def logits(name, first, *command):
    tokens[:, 0] = first
    numpy.save(out / "tokens.npy", tokens)
    subprocess.run([*map(str, command), "--in", f"input_ids={golden}/input_ids.npy", "--in",
                    f"attention_mask={golden}/attention_mask.npy", "--in",
                    f"decoder_input_ids={out}/tokens.npy", "--out", out / name], check=True)
    return numpy.load(out / name / "logits.npy")


whole = logits("whole", 5, transfold, "eval", out / "model")
subprocess.run([transfold, "compile", out / "model", "-q", "-o", out / "program"], check=True)
limit = 2e-5 * numpy.abs(whole).max()
for name, found in {
        "another token": logits("other", 77, transfold, "eval", out / "model"),
        "steps": logits("steps", 77, transfold, "eval", out / "model", "--chunk", "3"),
        "program": logits("program.results", 9, out / "program", "eval"),
        "its steps": logits("program.steps", 9, out / "program", "eval", "--chunk", "1")}.items():
    difference = numpy.abs(found - whole).max()
    print(f"{name}: {difference:.3g}, limit {limit:.3g}")
    assert difference <= limit, name
golden_logits = numpy.load(golden / "logits_f64.npy")
assert numpy.abs(whole - golden_logits).max() > 1e-3, "the first embedding is not left out"
