# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compiling.py MODELS OUT: transfold.compile, its cache and its errors."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import warnings

import transfold
from models import make_sources, raises
from transfold.errors import ArgumentError, CompileError, TransfoldError

out = pathlib.Path(sys.argv[2])
source = make_sources(pathlib.Path(sys.argv[1]), out)["talk"]
compiler = os.environ["TRANSFOLD_COMPILER"]

# --- Errors are the compiler's, without its name -------------------------------------------------

error = raises(CompileError, "nowhere", transfold.compile, out / "nowhere", out)
assert "transfold: error" not in str(error) and str(error).strip() == str(error)
raises(CompileError, "does not exist", transfold.compile, source, out / "missing" / "liba.so")
raises(CompileError, "a library must be named libNAME.so", transfold.compile, source, out / "a.dll")
raises(CompileError, "fp3", transfold.compile, source, out, quantize="fp3")
raises(ArgumentError, "not a folder", transfold.compile, source, out / "liba.so", name="b")
raises(ArgumentError, "cannot be a library's name", transfold.compile, source, name="a b")
raises(TypeError, "no option 'speed'", transfold.compile, source, speed=11)
os.environ["TRANSFOLD_COMPILER"] = str(out / "no-compiler")
raises(CompileError, "cannot be run", transfold.compile, source, out)
os.environ["TRANSFOLD_COMPILER"] = "/bin/false"
raises(CompileError, "exit code 1", transfold.compile, source, out)

# --- An existing program is not compiled again -----------------------------------------------------

cache = out / "cache"
cache.mkdir()
kernels = pathlib.Path(os.environ["TRANSFOLD_CACHE"]) / "kernels"
kernels.mkdir(parents=True, exist_ok=True)
(cache / "kernels").symlink_to(kernels)
os.environ["TRANSFOLD_CACHE"] = str(cache)
# A compiler that counts its calls.
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
# Files with the same bytes, newer or in another place, count as the same.
known = transfold.compile(model)
(model / "config.json").touch()
assert transfold.compile(model).path == known.path and runs() == 4
elsewhere = out / "elsewhere" / "my model"
shutil.copytree(model, elsewhere)
assert transfold.compile(elsewhere).path == known.path and runs() == 4
# A file that did not exist at first, but would have been read.
(elsewhere / "chat_template.jinja").write_text("{{ messages[0].content }}")
templated = transfold.compile(elsewhere)
assert templated.path != known.path and runs() == 5
assert templated.chat_prompt("x")[0] == "x" != known.chat_prompt("x")[0]
assert transfold.compile(model).path == known.path and runs() == 5
# A spec of the user, and the libraries of equations that it uses.
specs = out / "specs"
shutil.copytree(os.environ["EXAMPLES"], specs)
own = transfold.compile(model, spec=specs / "llama.xf")
library = specs / "std" / "ffn.xf"
text = library.read_text()
library.write_text(text.replace("(activate(x @ W + b, act) * (x @ V + c)) @ W_2",
                                "2 * ((activate(x @ W + b, act) * (x @ V + c)) @ W_2)"))
assert library.read_text() != text
again = transfold.compile(model, spec=specs / "llama.xf")
assert again.path != own.path and runs() == 7
assert transfold.compile(model, spec=specs / "llama.xf").path == again.path and runs() == 7
os.environ["TRANSFOLD_SPECS"] = str(specs)
assert transfold.compile(model).path != known.path and runs() == 8
del os.environ["TRANSFOLD_SPECS"]
# Relative paths are different files in another folder.
here = os.getcwd()
for name, constant in (("one", "1"), ("two", "2")):
    (out / name).mkdir()
    (out / name / "t.jinja").write_text(constant)
    os.chdir(out / name)
    assert transfold.compile(model, chat_template="t.jinja").chat_prompt("x")[0] == constant
os.chdir(here)
assert runs() == 10
# Programs are pickled by their path.
twin = pickle.loads(pickle.dumps(first))
assert twin.path == first.path and twin.generate("x", max_tokens=3).text == first.generate("x", max_tokens=3).text
raises(TransfoldError, "pickle its messages", pickle.dumps, first.start_chat())
with first.chat("x", max_tokens=2, stream=True) as pieces:
    raises(TransfoldError, "pickle what it gave", pickle.dumps, pieces)
twin.close()
raises(TransfoldError, "closed", pickle.dumps, twin)
# A damaged record, or one of another version, is ignored.
for record in pathlib.Path(known.path).parent.glob("reads.json"):
    record.write_text("{}")
assert transfold.compile(model).path == known.path and runs() == 11
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
