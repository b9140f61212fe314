# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linear_square.py FOLDER: the results of linear_square.xf."""

import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
stored = numpy.arange(9.0).reshape(3, 3)
x = stored[[1, 2]]
for name in ("plain", "multiple", "chosen", "beside", "twice", "named"):
    numpy.testing.assert_array_equal(numpy.load(folder / f"y_{name}.npy")[0], x @ stored.T, name)
numpy.testing.assert_array_equal(numpy.load(folder / "y_back.npy")[0], x @ stored.T, "back")
numpy.testing.assert_array_equal(numpy.load(folder / "y_rows.npy")[0], x, "rows")
