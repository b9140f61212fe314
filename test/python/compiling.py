# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compiling.py MODELS OUT: transfold.compile, its cache and its errors."""

import os
import pathlib
import shutil
import subprocess
import sys
import warnings

import transfold
from models import make_sources, raises
from transfold.errors import ArgumentError, CompileError

out = pathlib.Path(sys.argv[2])
source = make_sources(pathlib.Path(sys.argv[1]), out)["talk"]
compiler = os.environ["TRANSFOLD_COMPILER"]

# --- Errors are the compiler's, without its name -------------------------------------------------

error = raises(CompileError, "nowhere", transfold.compile, out / "nowhere", out)
assert "transfold: error" not in str(error) and str(error).strip() == str(error)
raises(CompileError, "no folder", transfold.compile, source, out / "missing" / "liba.so")
raises(CompileError, "a library is called libNAME.so", transfold.compile, source, out / "a.dll")
raises(CompileError, "fp3", transfold.compile, source, out, quantize="fp3")
raises(ArgumentError, "is no folder", transfold.compile, source, out / "liba.so", name="b")
raises(ArgumentError, "cannot be a library's name", transfold.compile, source, name="a b")
raises(TypeError, "no option 'speed'", transfold.compile, source, speed=11)
os.environ["TRANSFOLD_COMPILER"] = str(out / "no-compiler")
raises(CompileError, "cannot be run", transfold.compile, source, out)
os.environ["TRANSFOLD_COMPILER"] = "/bin/false"
raises(CompileError, "exit code 1", transfold.compile, source, out)

# --- What is there is not compiled again -----------------------------------------------------------

cache = out / "cache"
cache.mkdir()
kernels = pathlib.Path(os.environ["TRANSFOLD_CACHE"]) / "kernels"
kernels.mkdir(parents=True, exist_ok=True)
(cache / "kernels").symlink_to(kernels)
os.environ["TRANSFOLD_CACHE"] = str(cache)
# A compiler that keeps count.
counting = out / "compiler"
counting.write_text(f'#!/bin/sh\necho "$@" >>{out}/count\nexec {compiler} "$@"\n')
counting.chmod(0o755)
os.environ["TRANSFOLD_COMPILER"] = str(counting)


def runs():
    return len((out / "count").read_text().splitlines()) if (out / "count").exists() else 0


model = out / "my model"
shutil.copytree(source, model)
first = transfold.compile(model)
assert runs() == 1 and first.path.startswith(f"{cache}/programs/my-model/")
assert transfold.compile(model).path == first.path and runs() == 1
assert transfold.Program.load("my-model").path == first.path
other = transfold.compile(model, products="exact")
assert other.path != first.path and runs() == 2
assert transfold.Program.load("my-model").path == other.path
assert transfold.compile(model, name="tiny-1.5").generate("x", max_tokens=3).text == \
    first.generate("x", max_tokens=3).text
config = model / "tokenizer_config.json"
config.write_text(config.read_text() + "\n")
assert transfold.compile(model).path not in (first.path, other.path) and runs() == 4
# A compilation that fails leaves nothing.
raises(CompileError, "", transfold.compile, model, name="bad", quantize="fp3")
assert list((cache / "programs" / "bad").iterdir()) == []
assert all(not path.name.startswith(".") for path in cache.glob("programs/*/*"))

# --- Warnings; progress ------------------------------------------------------------------------------

(model / "tokenizer.json").write_text("{}")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert not transfold.compile(model, out, name="mute").has_tokenizer
assert any(issubclass(each.category, transfold.CompileWarning) and "no tokenizer" in str(each.message)
           and each.filename == __file__ for each in caught), caught
code = "import sys, transfold; transfold.compile(sys.argv[1], sys.argv[2], progress=True)"
ran = subprocess.run([sys.executable, "-c", code, source, out], capture_output=True, text=True, check=True)
assert "kernels" in ran.stderr and ran.stdout == "", ran

# --- The command ---------------------------------------------------------------------------------------

ran = subprocess.run([sys.executable, "-m", "transfold", "compile", "nowhere"], capture_output=True, text=True)
assert ran.returncode == 1 and ran.stderr.startswith("transfold: error: nowhere"), ran
ran = subprocess.run([sys.executable, "-m", "transfold", "--version"], capture_output=True, text=True, check=True)
assert ran.stdout.split()[-1] == transfold.__version__, ran
