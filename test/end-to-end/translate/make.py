# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make.py TRANSFOLD DIR: compiles programs that translate by a dictionary, in several layouts."""

import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools"))
import dictionaries

transfold, out = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(out, ignore_errors=True)
dictionaries.marian(out / "marian")
dictionaries.several(out / "several")
dictionaries.m2m_100(out / "m2m")
dictionaries.m2m_100(out / "nllb", nllb=True)
dictionaries.ct2(out / "ct2", out / "marian")
# Converters of transformers' models leave the end tokens of texts to the tokenizer.
dictionaries.ct2(out / "ct2-named", out / "marian", marks=(), files=["tokenizer_config.json"])
# A last token is forced when there is room for no more.
shutil.copytree(out / "marian", out / "forced")
config = json.loads((out / "forced" / "config.json").read_text(encoding="utf-8"))
(out / "forced" / "config.json").write_text(
    json.dumps({**config, "forced_eos_token_id": config["eos_token_id"]}), encoding="utf-8")
for model in sorted(path for path in out.iterdir() if path.is_dir()):
    subprocess.run([transfold, "compile", "-q", model, "-o", out / f"{model.name}.exe"], check=True)
