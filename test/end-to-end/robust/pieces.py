# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pieces.py PROGRAM OUT: damaged or inconsistent SentencePiece models and files next to them.

Prints the message of PROGRAM (%sentence-pieces) for each.
"""

import json
import pathlib
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "translate"))
from dictionary import field, sentence_pieces, varint

program, out = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
WHOLE = sentence_pieces(["▁a", "▁cat"])
UNKNOWN, NORMAL, BYTE = 2, 1, 6


def piece(text, kind=NORMAL, score=-1.0):
    text = text.encode() if isinstance(text, str) else text
    return field(1, field(1, text) + field(2, score) + field(3, kind))


def trainer(*fields):
    return field(2, b"".join(fields))


unknown = piece("<unk>", UNKNOWN)
FILES = {
    "empty": b"", "text": b"This is no model, but a text of some length.\n", "cut": WHOLE[:-9],
    "long-number": WHOLE + varint(4 << 3) + b"\xff" * 10, "zero-field": WHOLE + b"\x00\x01",
    "group": WHOLE + b"\x0b\x0c", "length": WHOLE + varint(1 << 3 | 2) + varint(1 << 62),
    "nested": field(1, field(1, b"a")[:-1] + varint(2)), "kind-of-field": field(1, 7),
    "score": unknown + field(1, field(1, b"a") + field(2, 1)),
    "nan": unknown + piece("a", score=float("nan")), "utf8": unknown + piece(b"\xff\xfe"),
    "type": unknown + piece("a", 9), "word": unknown + piece("a") + trainer(field(3, 3)),
    "char": unknown + piece("a") + trainer(field(3, 4)),
    "kind": unknown + piece("a") + trainer(field(3, 99)),
    "empty-piece": unknown + piece(""), "twice": unknown + piece("a") + piece("a"),
    "no-unknown": piece("a"), "two-unknown": unknown + piece("a") + piece("?", UNKNOWN),
    "bytes": unknown + piece("a") + piece("<0x00>", BYTE),
    "few-bytes": unknown + piece("a") + piece("<0x00>", BYTE) + trainer(field(35, 1)),
    "other-bytes": unknown + b"".join(piece(f"<{i}>", BYTE) for i in range(256)) + trainer(field(35, 1)),
    "nothing-normal": unknown, "long-piece": unknown + piece("a" * 5000),
    "map": unknown + piece("a") + field(3, field(2, struct.pack("<I", 400) + b"abcd")),
    "map-text": unknown + piece("a") + field(3, field(2, struct.pack("<I", 4) + b"\0\0\0\0\xff")),
}


def layout(**files):
    """A directory; the keyword arguments are file names with _ for dots."""
    return {name.replace("_json", ".json").replace("_model", ".model").replace("_spm", ".spm"): content
            for name, content in files.items()}


VOCABULARY = {"<unk>": 0, "</s>": 1, "<pad>": 2}
MARIAN = {"source_spm": WHOLE, "target_spm": WHOLE, "vocab_json": VOCABULARY}
FOLDERS = {
    "class": layout(spiece_model=WHOLE, tokenizer_config_json={"tokenizer_class": "AlbertTokenizer"}),
    "no-target": layout(source_spm=WHOLE, vocab_json=VOCABULARY,
                        tokenizer_config_json={"tokenizer_class": "MarianTokenizer"}),
    "target": layout(**{**MARIAN, "target_spm": WHOLE[:20]}),
    "list": layout(**{**MARIAN, "vocab_json": ["</s>"]}),
    "number": layout(**{**MARIAN, "vocab_json": {**VOCABULARY, "a": -1}}),
    "large": layout(**{**MARIAN, "vocab_json": {**VOCABULARY, "a": 1 << 31}}),
    "nobody": layout(**{**MARIAN, "vocab_json": {}}),
    "separate": layout(**MARIAN, tokenizer_config_json={"separate_vocabs": True}),
    "null": layout(spiece_model=WHOLE, tokenizer_config_json={"unk_token": None}),
    "token": layout(spiece_model=WHOLE, tokenizer_config_json={"additional_special_tokens": [7]}),
    "key": layout(spiece_model=WHOLE, tokenizer_config_json={"added_tokens_decoder": {"x": "a"}}),
    "added": layout(spiece_model=WHOLE, added_tokens_json={"a": "b"}),
    "extra": layout(spiece_model=WHOLE, tokenizer_config_json={"extra_ids": 1 << 40}),
    "map-list": layout(spiece_model=WHOLE, special_tokens_map_json=[]),
}
for name, content in FILES.items():
    (out / f"{name}.model").write_bytes(content)
for name, files in FOLDERS.items():
    (out / name).mkdir()
    for file, content in files.items():
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        (out / name / file).write_bytes(content)

for path in [*(out / f"{name}.model" for name in FILES), *(out / name for name in FOLDERS)]:
    ran = subprocess.run([program, path], input='"a cat"\n', capture_output=True, text=True)
    message = ran.stderr.replace(str(out) + "/", "")
    print(f"== {path.name}\n{message}", end="")
    if ran.returncode != 1 or ran.stdout or message.count("\n") != 1:
        print(f"wrong: {ran.returncode} {ran.stdout}")
