# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""library.py TRANSFOLD MODELS OUT: models as C libraries compared with the same models as programs.

A RoBERTa that embeds, classifies, tags and fills, and a Llama of bytes that generates and chats:
what Inputs/ask.c prints of a library must have the bits that the program's commands print.
"""

import ctypes
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
here = pathlib.Path(__file__).parent
tools = here.parent / "tools"
sys.path.append(str(tools))
import byte_model  # noqa: E402

STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
TEXT = "Ithe cats\u00e9 sat on <mask> mat."


def run(*words, ok=True, **variables):
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                         env=os.environ | {key: str(value) for key, value in variables.items()})
    assert not ok or ran.returncode == 0, f"{words}: {ran.stdout}{ran.stderr}"
    return ran.stdout if ok else (ran.returncode, ran.stdout + ran.stderr)


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


# --- Models, as programs and as libraries, with a C program for each library --------------

shutil.rmtree(out, ignore_errors=True)
(out / "talk").mkdir(parents=True)
byte_model.write_model(models / "llama", out / "talk")
run(sys.executable, tools / "texts.py", "make", models / "roberta", out / "texts")
sources = {"talk": out / "talk"} | {
    name: out / "texts" / task for name, task in
    [("vectors", "embed"), ("classes", "classify"), ("tags", "tag"), ("masks", "fill")]}
lib = out / "lib"
lib.mkdir()
for name, source in sources.items():
    run(transfold, "compile", source, "-q", "-o", out / f"{name}.exe")
    run(transfold, "compile", source, "-q", "--emit=lib", "-o", lib / f"lib{name}.so")
    run("cc", "-std=c99", *STRICT, f'-DHEADER="{name}.h"', f"-DMODEL={name}_model",
        here / "Inputs" / "ask.c", f"-I{lib}", f"-L{lib}", f"-l{name}", f"-Wl,-rpath,{lib}",
        "-o", out / f"{name}.ask")
assert sorted(path.name for path in lib.iterdir() if "talk" in path.name or "transfold" in path.name) == [
    "libtalk.so", "talk.h", "talk.pc", "talk.weights", "talkConfig.cmake", "transfold.h", "transfold.hpp"]


def ask(name, what, *words, **variables):
    """The output of Inputs/ask.c with a library: arrays by name, with their shapes, and texts."""
    said = {}
    for line in run(out / f"{name}.ask", what, *words, **variables).splitlines():
        key, _, value = line.partition(":")
        key, slash, shape = key.partition("/")
        said[key] = ([float(word) if "." in word or "e" in word else int(word) for word in value.split()]
                     if slash else value[1:])
        if key in ("text", "streamed"):
            said[key] = re.sub(r"\\x([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), said[key])
        if slash:
            said[key + " shape"] = [int(extent) for extent in shape.split("x")]
    return said


def command(name, *words):
    return run(out / f"{name}.exe", *words)


# --- Only the functions of the headers are exported ----------------------------------------

shown = run("nm", "-D", "--defined-only", "--format=just-symbols", lib / "libtalk.so").split()
header = (lib / "transfold.h").read_text()
assert "talk_model" in shown, shown
for symbol in set(shown) - {"talk_model"}:
    assert f" {symbol}(" in header or f"*{symbol}(" in header, symbol
declared = {word.split("(")[0].lstrip("*") for line in header.splitlines() if not line.startswith((" *", "/*"))
            for word in line.split() if word.lstrip("*").startswith("tfold_") and "(" in word}
assert declared <= set(shown), declared - set(shown)

# --- Texts ---------------------------------------------------------------------------------

texts = [TEXT, "the", "", "Ithe mat."]
expected = [json.loads(line) for line in command("vectors", "embed", "--json", "--", *texts).splitlines()]
found = ask("vectors", "embed", *texts)
assert found["embedding shape"] == [4, 64] and found["tokens"] == [len(each["ids"]) for each in expected]
assert found["cut"] == [0] * 4, found["cut"]
for row, each in enumerate(expected):
    assert [single(number) for number in each["embedding"]] == \
        [single(number) for number in found["embedding"][64 * row:64 * row + 64]], row
by_ids = ask("vectors", "embed_ids", *expected[0]["ids"])
assert by_ids["embedding"] == found["embedding"][:64]

expected = [json.loads(line) for line in command("vectors", "tokenize", "--json", "--", *texts).splitlines()]
found = ask("vectors", "tokenize", *texts)
for row, each in enumerate(expected):
    first, last = found["offsets"][row:row + 2]
    assert found["ids"][first:last] == each["ids"]
    for i, token in enumerate(each["tokens"]):
        assert found["special"][first + i] == ("begin" not in token)
        assert "begin" not in token or [found["begin"][first + i], found["end"][first + i]] == \
            [token["begin"], token["end"]]
ids = found["ids"][1:found["offsets"][1] - 1]
assert ask("vectors", "detokenize", *ids)["text"] + "\n" == command("vectors", "tokenize", "--decode", *ids)

NAMES = ["red", "green", "blue"]
expected = json.loads(command("classes", "classify", "--json", TEXT))["classes"]
found = ask("classes", "classify", TEXT)
assert [NAMES[number] for number in found["class"]] == [each["label"] for each in expected]
assert [single(score) for score in found["score"]] == [single(each["probability"]) for each in expected]
assert ask("classes", "classify", TEXT, "the", ASK_TOP=1)["class shape"] == [2, 1]

expected = json.loads(command("tags", "tag", "--json", "--top", 2, TEXT))["tokens"]
found = ask("tags", "tag", TEXT, ASK_TOP=2)
assert found["offsets"] == [0, len(expected)] and found["ids"] == [each["id"] for each in expected]
assert found["begin"] == [each["begin"] for each in expected] and found["end"] == [each["end"] for each in expected]
assert [NAMES[number] for number in found["class"]] == \
    [label["label"] for each in expected for label in each["classes"]]

expected = json.loads(command("masks", "fill", "--json", "--top", 7, TEXT))["masks"]
found = ask("masks", "fill", TEXT, ASK_TOP=7)
assert found["place"] == [each["token"] for each in expected] and found["offsets"] == [0, 1]
assert found["ids"] == [filling["id"] for each in expected for filling in each["fillings"]]
assert ask("masks", "fill", "the")["error 2"].startswith("text 0: has no <mask>")

# --- Arrays --------------------------------------------------------------------------------

import numpy  # noqa: E402

ids = [5, 9, 11]
numpy.save(out / "ids.npy", numpy.array([ids]))
command("vectors", "eval", "--in", f"input_ids={out}/ids.npy", "--out", out / "arrays")
found = ask("vectors", "run", *ids)
results = {path.stem: numpy.load(path) for path in (out / "arrays").iterdir()}
assert results and {name for name in found if name + " shape" in found} == set(results)
for name, array in results.items():
    assert found[name + " shape"] == list(array.shape)
    assert (numpy.array(found[name], "float32") == array.ravel()).all(), name

# --- Generated tokens ----------------------------------------------------------------------

for options, variables in [
        (["--max-new", 20], {"ASK_TOKENS": 20}),
        (["--max-new", 20, "--temperature", 1, "--seed", 7],
         {"ASK_TOKENS": 20, "ASK_TEMPERATURE": 1, "ASK_SEED": 7}),
        (["--max-new", 12, "--beams", 3], {"ASK_TOKENS": 12, "ASK_BEAMS": 3})]:
    found = ask("talk", "generate", "Say something", **variables)
    assert found["text"] + "\n" == command("talk", "generate", "Say something", *options), (options, found)
    assert found["status"] == "0" and found["streamed"] == found["text"], found
text = ask("talk", "generate", "Say something", ASK_TOKENS=20)["text"]
stop = text[5:7]
found = ask("talk", "generate", "Say something", ASK_TOKENS=20, ASK_STOP=stop)
assert found["text"] == text[:text.index(stop)] == found["streamed"] and found["ended"] == "2", found

prompt = ask("talk", "tokenize", "Say something")["ids"]
found = ask("talk", "generate_ids", *prompt[:16], ASK_TOKENS=6, ASK_SCORES=1)
assert found["prompt_tokens"] == [len(prompt)] and len(found["log_probabilities"]) == 6
numpy.save(out / "prompt.npy", numpy.array([prompt]))
command("talk", "generate", "--ids", out / "prompt.npy", "--max-new", 6, "--out", out / "made.npy",
        "--scores", out / "scores.npy")
assert prompt + found["tokens"] == numpy.load(out / "made.npy")[0].tolist()
assert found["log_probabilities"] == numpy.load(out / "scores.npy")[0].tolist()

# The stream's callback ends the generation: the result has the tokens generated so far.
found = ask("talk", "generate", "Say something", ASK_TOKENS=20, ASK_CANCEL=3)
assert (found["status"], found["ended"], found["streamed tokens"]) == ("1", "4", "3"), found
assert found["text"] == text[:len(found["text"])] and len(found["tokens"]) == 3, found

conversation = json.dumps([{"role": "user", "content": "Hello"}])
(out / "messages.json").write_text(conversation)
expected = command("talk", "chat", "--messages", out / "messages.json", "--max-tokens", 20)
found = ask("talk", "chat", conversation, ASK_TOKENS=20)
assert found["text"] + "\n" == expected and found["streamed"] == found["text"], found
found = ask("talk", "prompt", conversation)
assert found["text"] == command("talk", "chat", "--messages", out / "messages.json", "--show-prompt")
assert found["ids shape"][0] > 5

# A model without a tokenizer, and one whose encoder reads audio, through ctypes.


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("data", ctypes.c_void_p)]


def session_of(model):
    """A library of a model, opened with ctypes, and a session; neither is freed."""
    name = model.name.replace("-", "_")
    run(transfold, "compile", model, "-q", "-o", out / f"{name}.exe")
    run(transfold, "compile", model, "-q", "--emit=lib", "-o", lib / f"lib{name}.so")
    library = ctypes.CDLL(lib / f"lib{name}.so")
    library.tfold_error.restype = library.tfold_result_text.restype = ctypes.c_char_p
    getattr(library, name + "_model").restype = ctypes.c_void_p
    program, session = ctypes.c_void_p(), ctypes.c_void_p()
    model = ctypes.c_void_p(getattr(library, name + "_model")())
    assert library.tfold_open(model, None, ctypes.byref(program)) == 0
    assert library.tfold_session_new(program, ctypes.byref(session)) == 0
    return library, session


def tokens_of(library, result):
    array = Array()
    assert library.tfold_result_find(result, b"tokens", ctypes.byref(array)) == 0 and array.type == 2
    return (ctypes.c_int32 * array.shape[0]).from_address(array.data)[:]


library, session = session_of(models / "llama")
result = ctypes.c_void_p()
numpy.save(out / "ids.npy", numpy.array([ids]))
command("llama", "generate", "--ids", out / "ids.npy", "--max-new", 128, "--out", out / "made.npy")
assert library.tfold_generate_ids(session, (ctypes.c_int32 * 3)(*ids), ctypes.c_size_t(3), None,
                                  ctypes.byref(result)) == 0
assert ids + tokens_of(library, result) == numpy.load(out / "made.npy")[0].tolist()
assert library.tfold_result_text(result, None) is None
word = (ctypes.c_void_p * 2)(ctypes.cast(b"x", ctypes.c_void_p), 1)
assert library.tfold_tokenize(session, word, ctypes.c_size_t(1), ctypes.byref(result)) == 3
assert b"no tokenizer" in library.tfold_error(session) and not result

library, session = session_of(models / "whisper")
features = numpy.load(models / "whisper" / "golden" / "input_features.npy")[:1].astype("float32")
numpy.save(out / "features.npy", features)
command("whisper", "generate", "--features", out / "features.npy", "--max-new", 128, "--out", out / "made.npy")
array = Array(b"input_features", 0, 3, (ctypes.c_int64 * 3)(*features.shape), features.ctypes.data)
assert library.tfold_generate_array(session, ctypes.byref(array), None, ctypes.byref(result)) == 0, \
    library.tfold_error(session)
made = numpy.load(out / "made.npy")[0].tolist()
said = tokens_of(library, result)
assert said and made[len(made) - len(said):] == said, (made, said)
array.rank = 2
assert library.tfold_generate_array(session, ctypes.byref(array), None, ctypes.byref(result)) == 2

# --- Properties of a model; the places of its weights --------------------------------------

about = json.loads(run(out / "talk.ask", "about"))
assert (about["model"], about["context_length"], about["vocabulary"]) == ("llama", 0, 160), about
assert set(about["tasks"]) == {"generate", "chat"} and about["tokenizer"] and about["chat_template"]
assert json.loads(run(out / "vectors.ask", "about"))["context_length"] > 0
(out / "elsewhere").mkdir()
shutil.move(lib / "talk.weights", out / "elsewhere" / "talk.weights")
code, said = run(out / "talk.ask", "about", ok=False)
assert code == 1 and f"{lib.resolve()}/talk.weights: there are no weights; put talk.weights beside" in said, said
for weights in [out / "elsewhere", out / "elsewhere" / "talk.weights"]:
    run(out / "talk.ask", "about", ASK_WEIGHTS=weights)
shutil.move(out / "elsewhere" / "talk.weights", lib / "talk.weights")

# --- Each error; two libraries on many threads ---------------------------------------------

pair = [f"-I{lib}", f"-L{lib}", "-lvectors", "-ltalk", f"-Wl,-rpath,{lib}", "-lm", "-pthread"]
run("cc", "-std=c99", *STRICT, here / "Inputs" / "errors.c", *pair, "-o", out / "errors")
said = run(out / "errors", lib / "vectors.weights", ok=False)
assert said == (0, "0 failures\n"), said[1]
run("c++", "-std=c++17", *STRICT, here / "Inputs" / "threads.cpp", *pair, "-o", out / "threads")
SAID = "0 differ, cancelled, thrown, said\n"
assert run(out / "threads") == SAID

# The same as archives, whose weights are next to the executable.
for name in ["vectors", "talk"]:
    run(transfold, "compile", sources[name], "-q", "--emit=lib", "-o", out / f"elsewhere/lib{name}.a")
run("c++", "-std=c++17", here / "Inputs" / "threads.cpp", f"-I{out}/elsewhere", f"{out}/elsewhere/libvectors.a",
    f"{out}/elsewhere/libtalk.a", "-pthread", "-o", out / "elsewhere" / "threads")
assert run(out / "elsewhere" / "threads") == SAID

# --- pkg-config and CMake, after all files were moved --------------------------------------

shared, archives = out / "moved", out / "elsewhere"
shutil.move(lib, shared)
for folder in [shared, archives]:
    flags = run("pkg-config", "--cflags", "--libs", "talk", PKG_CONFIG_PATH=folder).split()
    run("cc", "-std=c99", '-DHEADER="talk.h"', "-DMODEL=talk_model", here / "Inputs" / "ask.c", *flags,
        "-o", folder / "asked")
    run(folder / "asked", "generate", "x", LD_LIBRARY_PATH=folder)
    project = folder / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(asked C CXX)\nfind_package(talk REQUIRED)\n"
        f"add_executable(asked {here}/Inputs/ask.c)\ntarget_link_libraries(asked PRIVATE talk::talk)\n"
        'target_compile_definitions(asked PRIVATE HEADER="talk.h" MODEL=talk_model)\n')
    run("cmake", "-S", project, "-B", project / "build", f"-Dtalk_DIR={folder}")
    run("cmake", "--build", project / "build")
    found = run(project / "build" / "asked", "generate", "Say something", ASK_TOKENS=20, ASK_WEIGHTS=folder)
    assert f"text: {text}\n" in found, found

# Both in one folder, in any order: the shared library has the plain name, the archive another one.
for i, kinds in enumerate([["so", "a"], ["a", "so"]]):
    both = out / f"both{i}"
    both.mkdir()
    for kind in kinds:
        run(transfold, "compile", sources["talk"], "-q", "--emit=lib", "-o", both / f"libtalk.{kind}")
    for package, part in [("talk", "-ltalk"), ("talk-static", "-l:libtalk.a")]:
        flags = run("pkg-config", "--libs", package, PKG_CONFIG_PATH=both).split()
        assert part in flags and ("-lstdc++" in flags) == (package != "talk"), flags
    project = both / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(asked C CXX)\nfind_package(talk REQUIRED)\n" + "".join(
            f"add_executable({target} {here}/Inputs/ask.c)\ntarget_link_libraries({target} PRIVATE talk::{target})\n"
            f'target_compile_definitions({target} PRIVATE HEADER="talk.h" MODEL=talk_model)\n'
            for target in ["talk", "static"]))
    run("cmake", "-S", project, "-B", project / "build", f"-Dtalk_DIR={both}")
    run("cmake", "--build", project / "build")
    for target in ["talk", "static"]:
        needed = run("readelf", "-d", project / "build" / target)
        assert ("[libtalk.so]" in needed) == (target == "talk"), needed
        run(project / "build" / target, "generate", "x", ASK_WEIGHTS=both)

# --- Names ---------------------------------------------------------------------------------

(out / "named").mkdir()
run(transfold, "compile", sources["talk"], "-q", "--emit=lib", "-o", out / "named")
assert (out / "named" / "libllama.so").exists() and (out / "named" / "llama.h").exists()
run(transfold, "compile", sources["talk"], "-q", "--emit=lib", "-o", out / "named" / "libtiny-1.5.so")
assert "tiny_1_5_model(void)" in (out / "named" / "tiny-1.5.h").read_text()
for name, part in [("talk.so", "a library must be named libNAME.so or libNAME.a"),
                   ("libtalk.dll", "a library must be named libNAME.so or libNAME.a"),
                   ("lib.so", "cannot be a library's name"), ("lib1.so", "cannot be a library's name"),
                   ("liba b.so", "use letters, digits, -, _ and ."),
                   ("libtransfold.so", "transfold.h and transfold.h would be one file"),
                   ("libTransfold.a", "would be one file"),
                   ("libtfold.so", "are those of the runtime"), ("libtransfold-library.a", "are those of the runtime"),
                   ("libtfold.talk.so", "are those of the runtime"),
                   ("libstdint.so", "would confuse stdint.h with the system's header"), ("libstring.a", "the system's header"),
                   ("nowhere/liba.so", "nowhere does not exist")]:
    code, said = run(transfold, "compile", sources["talk"], "-q", "--emit=lib", "-o", out / "named" / name, ok=False)
    assert code == 1 and part in said, (name, said)
code, said = run(transfold, "compile", sources["talk"], "--emit=lib", "--embed-weights", "-o", out / "named", ok=False)
assert code == 1 and "--embed-weights is for executables" in said, said
