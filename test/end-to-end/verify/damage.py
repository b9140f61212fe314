# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damage.py KIND GOLDEN OUT: copies the arrays of GOLDEN to OUT/NAME.npy, with damaged logits."""

import pathlib
import sys

import numpy

kind, golden, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
out.mkdir()
for path in golden.glob("*_f64.npy"):
    array = numpy.load(path)
    if path.name == "logits_f64.npy":
        if kind == "factor":
            array = array / 4
        elif kind == "shape":
            array = array[0]
        elif kind == "integers":
            array = array.astype(numpy.int64)
        elif kind == "float32":
            array = array.astype(numpy.float32)
        elif kind == "widened":
            array = array.astype(numpy.float32).astype(float)
        elif kind == "half":
            array = array.astype(numpy.float16)
        elif kind == "nan":
            array[0, 0, 3] = numpy.nan
        else:
            sys.exit(f"{kind}: no kind of damage")
    numpy.save(out / path.name.replace("_f64", ""), array)
