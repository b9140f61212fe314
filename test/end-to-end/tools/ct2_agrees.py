# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ct2_agrees.py TRANSFOLD MODEL OUT [rounded] [program]: a tiny model as directories of
CTranslate2.

MODEL holds config.json, model.safetensors and golden/. For float32 weights, the interpreter's
results agree with the golden to 1e-12, or within the error of float32 if the file has values in
float32 that the equations compute exactly (`rounded`). For 16 and 8 bits, older versions and other
names of vocabularies, the interpreter's results are those of the dequantized weights in float32.
With `program` the 8-bit directory is compiled: its results are as close to the interpreter's as the
original's float32 is to float64, and the integers are kept.
"""

import json
import pathlib
import shutil
import sys

import numpy

import ct2_convert
import ct2_file
from commands import make_empty, run

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
kind = "golden" if "rounded" in sys.argv[4:] else "exact"
golden = model / "golden"
inputs = [part for name in ["input_ids", "attention_mask", "decoder_input_ids", "input_features",
                            "token_type_ids"]
          if (golden / f"{name}.npy").exists()
          for part in ["--in", f"{name}={golden / name}.npy"]]


def results(name):
    """The interpreter's results for the directory of that name."""
    run(transfold, "eval", out / name, *inputs, "--out", out / f"{name}.results")
    return {path.stem: numpy.load(path) for path in (out / f"{name}.results").glob("*.npy")}


def alike(first, second):
    """Whether results differ by no more than rounding weights to float32 may change."""
    assert first.keys() == second.keys() and first
    return all(numpy.abs(first[name] - second[name]).max() <= 1e-5 * numpy.abs(second[name]).max()
               for name in first)


make_empty(out)
made = ct2_convert.convert(model)


def write(name, variables, version=6, vocabulary=made.vocabulary, config=made.config):
    ct2_file.write(out / name, variables, made.aliases if version >= 3 else None, config,
                   vocabulary, spec=made.spec, version=version)


write("float32", made.variables)
whole = results("float32")
# Files of BERT have no heads: missing results are not compared.
wanted = out / "golden"
wanted.mkdir()
shutil.copy(golden / "meta.json", wanted)
for path in golden.glob("*.npy"):
    if not path.stem.endswith("_f64") or path.stem.removesuffix("_f64") in whole:
        shutil.copy(path, wanted)
run(sys.executable, pathlib.Path(__file__).with_name("compare.py"), kind, wanted,
    out / "float32.results")

for stored, version in [("int8", 6), ("int16", 4), ("float16", 5), ("bfloat16", 6)]:
    variables = ct2_file.stored(made.variables, stored)
    write(stored, variables, version)
    widened = {name: value.astype("f4") if value.ndim and name in made.variables
               and made.variables[name].dtype == numpy.float32 else value
               for name, value in ct2_file.numbers(variables).items()}
    write(f"{stored}-widened", widened)
    found = results(stored)
    assert alike(found, results(f"{stored}-widened")), stored
    assert not alike(found, whole), f"{stored} is not rounded"

if "program" in sys.argv[4:]:
    run(transfold, "compile", out / "int8", "--target=host", "-o", out / "program")
    run(out / "program", "eval", *inputs, "--out", out / "program.results")
    limits = json.loads((golden / "meta.json").read_text(encoding="utf-8"))["f32_vs_f64"]
    for path in sorted((out / "program.results").glob("*.npy")):
        expected = numpy.load(out / "int8.results" / path.name)
        difference = numpy.abs(numpy.load(path) - expected).max()
        print(f"{path.stem}: {difference:.3g} from the interpreter, limit {4 * limits[path.stem]:.3g}")
        assert difference <= 4 * limits[path.stem]
    run(transfold, "compile", out / "float32", "--target=host", "-o", out / "program32")
    small, whole = ((out / f"{name}.weights").stat().st_size for name in ("program", "program32"))
    print("bytes of the weights, and in float32:", small, whole)
    assert small < whole - 0.4 * (out / "float32/model.bin").stat().st_size
