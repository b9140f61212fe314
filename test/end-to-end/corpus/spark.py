# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spark.py README OUT: runs the code of the README on the corpus in OUT/corpus."""

import os
import pathlib
import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import transfold

page, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
os.environ["PYSPARK_PYTHON"] = sys.executable
texts = ["the cat", None, "", "sat \u00e9 mat", "\U0001f408"] * 3
(out / "corpus").mkdir()
pq.write_table(pa.table({"id": range(15), "text": texts}), out / "corpus" / "a.parquet")
spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
         .config("spark.sql.warehouse.dir", str(out / "warehouse")).getOrCreate())
shown = re.search(r"```python\n(.*?pandas_udf.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]
exec(compile(shown, str(page), "exec"), {"spark": spark, "__name__": "__main__"})
spark.stop()
found = pq.read_table(out / "embeddings").to_pydict()
rows = dict(zip(found["id"], found["embedding"]))
program = transfold.Program.load("minilm")
assert rows.keys() == set(range(15))
for i, text in enumerate(texts):
    if text is None:
        assert rows[i] is None, i
    else:
        assert (np.array(rows[i], "float32") == program.embed(text)).all(), i
print("spark: as expected")
