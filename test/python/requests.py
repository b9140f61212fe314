# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""requests.py MODELS OUT: texts and arrays; results have the bits of the programs' commands."""

import gc
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy

import transfold
from models import KINDS, TEXT, command, make_sources, raises
from transfold import _library
from transfold._arguments import dense_array
from transfold.errors import ArgumentError, FileError, TransfoldError, UnsupportedError, VersionError

out = pathlib.Path(sys.argv[2])
sources = make_sources(pathlib.Path(sys.argv[1]), out)
(out / "lib").mkdir()
programs = {name: transfold.compile(sources[name], out / "lib", name=name, threads=2) for name in KINDS}
vectors = programs["vectors"]
NAMES = ("red", "green", "blue")


def said(name, *words):
    return [json.loads(line) for line in command(out, sources[name], name, *words).splitlines()]


# --- Texts ---------------------------------------------------------------------------------

texts = [TEXT, "the", "", "Ithe mat."]
expected = numpy.array([each["embedding"] for each in said("vectors", "embed", "--json", "--", *texts)], "float32")
found = vectors.embed(texts)
assert found.dtype == numpy.float32 and found.shape == (4, 64) and (found == expected).all()
assert (vectors.embed(TEXT) == expected[0]).all() and vectors.embed(TEXT).shape == (64,)
assert vectors.embed([]).shape == (0, 64)
tokens = vectors.tokenize(texts)
assert (vectors.embed_ids([each.ids for each in tokens]) == expected).all()
assert vectors.embed_ids([]).shape == (0, 64)

for token, line in zip(tokens, said("vectors", "tokenize", "--json", "--", *texts)):
    assert token.ids.tolist() == line["ids"] and token.special.tolist() == ["begin" not in t for t in line["tokens"]]
    assert [(b, e) for b, e, s in zip(token.begin, token.end, token.special) if not s] == \
        [(t["begin"], t["end"]) for t in line["tokens"] if "begin" in t]
one = vectors.tokenize(TEXT)
assert one.ids.tolist() == tokens[0].ids.tolist()
assert vectors.detokenize(one.ids[1:-1]) + "\n" == \
    command(out, sources["vectors"], "vectors", "tokenize", "--decode", *one.ids[1:-1])
assert "<mask>" in vectors.detokenize(one.ids[1:-1].tolist(), with_special=True)
assert "<mask>" not in vectors.detokenize(one.ids[1:-1])

documents = ["I sat on mat.", "the cats", "the mat", "the mat"]
ranked = programs["scores"].rerank("the cats", documents)
assert [(each.document, each.text) for each in ranked] == \
    [(line["index"], line["text"]) for line in said("scores", "rerank", "--json", "the cats", *documents)]
assert programs["scores"].rerank("the cats", documents, top=1) == ranked[:1]
assert programs["scores"].rerank("the cats", []) == []

line = said("classes", "classify", "--json", TEXT)[0]
classes = programs["classes"].classify(TEXT)
assert classes.labels == NAMES and classes.names() == [each["label"] for each in line["classes"]]
assert (classes.scores.astype("float32") ==
        numpy.array([each["probability"] for each in line["classes"]], "float32")).all()
assert programs["classes"].classify([TEXT, "the"], top=1).scores.shape == (2, 1)
line = said("tags", "tag", "--json", "--top", 2, TEXT)[0]
tags = programs["tags"].tag(TEXT, top=2)
assert tags.ids.tolist() == [token["id"] for token in line["tokens"]]
assert tags.names() == [[each["label"] for each in token["classes"]] for token in line["tokens"]]
assert len(programs["tags"].tag([TEXT, "the"])) == 2
line = said("masks", "fill", "--json", "--top", 7, TEXT)[0]
filled = programs["masks"].fill(TEXT, top=7)
assert filled.places.tolist() == [mask["token"] for mask in line["masks"]]
assert filled.ids.tolist() == [[each["id"] for each in mask["fillings"]] for mask in line["masks"]]

# --- Arrays: the same bits, and no copies --------------------------------------------------

ids = numpy.array([[5, 9, 11]])
numpy.save(out / "ids.npy", ids)
command(out, sources["vectors"], "vectors", "eval", "--in", f"input_ids={out}/ids.npy", "--out", out / "arrays")
expected = {path.stem: numpy.load(path) for path in (out / "arrays").iterdir()}
for given in (ids, ids.astype("int32"), ids.astype("int16"), ids.tolist(), numpy.asfortranarray(ids)):
    results = vectors.run(input_ids=given)
    assert expected and results.keys() == expected.keys()
    assert all((results[name] == expected[name]).all() for name in expected)
entry = vectors.metadata["entries"][0]["name"]
assert set(vectors.run(entry, input_ids=ids)) <= set(expected)
assert (vectors.run(input_ids=[[5, 9, 11], [5, 0, 0]], attention_mask=[[1, 1, 1], [1, 0, 0]])["last_hidden_state"][0]
        == expected["last_hidden_state"][0]).all()

for dtype in ("int32", "int64", "float32", "float64", "uint8", "bool"):
    array = numpy.zeros((2, 3), dtype)
    assert dense_array(array, "x") is array, dtype
for array, dtype in ((numpy.zeros((3, 2)).T, "float64"), (numpy.zeros(3, "float16"), "float32"),
                     (numpy.zeros(3, ">i4"), "int64"), (numpy.zeros(6, "int32")[::2], "int32")):
    dense = dense_array(array, "x")
    assert dense.dtype == dtype and dense.flags.c_contiguous and (dense == array).all()
assert dense_array(numpy.float32(3), "x").shape == ()
# Results are views of the library's memory, which they keep alive.
assert not found.flags.owndata and not found.flags.writeable
copy, other = found.copy(), transfold.Program.load(out / "lib" / "libvectors.so")
view = other.embed(texts)[1:]
other.close()
del other
gc.collect()
assert (view == copy[1:]).all()

# --- encode --------------------------------------------------------------------------------

rows = vectors.encode(texts, batch_size=3, normalize_embeddings=True)
assert rows.flags.writeable and numpy.allclose(numpy.linalg.norm(rows, axis=1), 1)
assert (vectors.encode(texts) == copy).all() and (vectors.encode(TEXT) == copy[0]).all()
assert vectors.encode([]).shape == (0, 64)
assert (vectors.encode(["cat"], prompt="the ") == vectors.embed(["the cat"])).all()
assert [row.shape for row in vectors.encode(texts, convert_to_numpy=False)] == [(64,)] * 4
assert vectors.get_sentence_embedding_dimension() == vectors.dimensions == 64
assert numpy.allclose(numpy.diag(vectors.similarity(rows, rows)), 1, atol=1e-6)
assert transfold.similarity(copy[0], copy).shape == (1, 4)
for options in ({"precision": "int8"}, {"device": "cuda"}, {"output_value": "token_embeddings"},
                {"output_value": None}, {"prompt_name": "query"}):
    raises(UnsupportedError, f"{next(iter(options))}=", vectors.encode, texts, **options)
raises(ValueError, "batch_size is 0", vectors.encode, texts, batch_size=0)

# --- What is known of a model ---------------------------------------------------------------

assert vectors.name == "roberta" and vectors.tasks[0] == "embed" and vectors.context_length > 0
assert vectors.threads == 2 and vectors.has_tokenizer and not vectors.has_chat_template
assert vectors.weight_bytes > 0 and vectors.vocabulary == 160 and vectors.metadata["model"] == "roberta"
assert programs["classes"].labels("classify") == NAMES and vectors.labels("embed") == ()
assert "libvectors.so" in repr(vectors)

# --- Wrong arguments -------------------------------------------------------------------------

raises(UnsupportedError, "classify", vectors.classify, TEXT)
raises(UnsupportedError, "returns several scores", programs["classes"].rerank, TEXT, [TEXT])
raises(TypeError, "documents is a str", programs["scores"].rerank, TEXT, TEXT)
raises(ArgumentError, "text 0: has no <mask>", programs["masks"].fill, "the")
raises(ArgumentError, "text 1", vectors.embed, ["a", "\ud800"])
raises(TypeError, "text 1 is a int", vectors.embed, ["a", 3])
raises(TypeError, "give a list", vectors.embed, b"bytes")
raises(TypeError, "text is a int; give a str", vectors.embed, 3)
raises(ArgumentError, "", vectors.embed_ids, [[1 << 20]])
raises(ArgumentError, "does not fit 32 bits", vectors.embed_ids, [[1 << 40]])
raises(TypeError, "one row of integers", vectors.embed_ids, [[1.5]])
raises(ArgumentError, "", vectors.run, input_ids=[5, 9])
raises(ArgumentError, "", vectors.run, "nothing", input_ids=ids)
raises(TypeError, "complex", vectors.run, input_ids=numpy.zeros((1, 2), complex))
raises(ArgumentError, "top is -1", programs["classes"].classify, TEXT, top=-1)

# --- Wrong files -------------------------------------------------------------------------------

library = str(out / "lib" / "libvectors.so")
raises(FileError, "there is no such library", transfold.Program.load, out / "nothing" / "libx.so")
raises(FileError, "has no libraries", transfold.Program.load, sources["vectors"])
raises(FileError, "give one of the files", transfold.Program.load, out / "lib")
raises(FileError, "none was compiled under this name", transfold.Program.load, "no-such-name")
(out / "wrong").mkdir()
(out / "wrong" / "libtext.so").write_text("no library")
raises(FileError, "cannot be loaded", transfold.Program.load, out / "wrong" / "libtext.so")
raises(FileError, "a library must be named libNAME.so", transfold.Program.load, sources["vectors"] / "config.json")
for name, message in (("libother.so", "it was renamed"), ("libvectors.so", "there are no weights")):
    shutil.copy(library, out / "wrong" / name)
    raises(FileError, message, transfold.Program.load, out / "wrong" / name)
# From a library with another ABI version, only that version is requested.
stubs = [*_library._FUNCTIONS.keys() - {"tfold_abi_version"}, "stub_model"]
(out / "stub.c").write_text("".join(f"void {name}(void) {{ __builtin_trap(); }}\n" for name in stubs) +
                            f"unsigned tfold_abi_version(void) {{ return {_library.ABI_VERSION + 1}; }}\n")
subprocess.run(["cc", "-shared", "-fPIC", out / "stub.c", "-o", out / "wrong" / "libstub.so"], check=True)
raises(VersionError, f"its ABI is {_library.ABI_VERSION + 1}, but this package knows {_library.ABI_VERSION}; "
       "compile the model again", transfold.Program.load, out / "wrong" / "libstub.so")
with transfold.Program.load(out / "wrong" / "libvectors.so", weights=out / "lib") as elsewhere:
    assert (elsewhere.embed(texts) == copy).all()
raises(TransfoldError, "the program is closed", elsewhere.embed, texts)
elsewhere.close()
for threads in (-1, 1025, 1 << 40):
    raises(ArgumentError, "threads", transfold.Program, library, threads=threads)

# --- Many threads; a fork ------------------------------------------------------------------------

differ = []


def work(name, ask, expected):
    for _ in range(20):
        if not (ask(texts) == expected).all():
            differ.append(name)


def likeliest(texts):
    return programs["classes"].classify(texts).scores


workers = [threading.Thread(target=work, args=each) for each in
           [("embed", vectors.embed, copy), ("classify", likeliest, likeliest(texts).copy())] * 4]
for each in workers:
    each.start()
for each in workers:
    each.join()
assert not differ, differ

child = os.fork()
if not child:
    status = 1
    try:
        raises(TransfoldError, "before a fork", transfold.Program.embed, programs["tags"], texts)
        vectors.close()  # does not free resources of the other process
        del vectors, programs
        gc.collect()
        status = 0
    finally:
        os._exit(status)
assert os.waitpid(child, 0)[1] == 0
assert (vectors.embed(texts) == copy).all()
