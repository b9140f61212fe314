# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pieces.py PROGRAM WORK: SentencePiece models, read here and by the original package.

Models of both kinds are trained with the settings that change the normalization of texts; ids,
pieces, offsets and decoded texts agree with the package, for unusual texts and random ones.
"""

import json
import pathlib
import random
import subprocess
import sys

import sentencepiece

import piece_models

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)

USER = ["<sep>", "@user", "@@", "wickwick"]
MODELS = {
    "unigram": {"model_type": "unigram"},
    "unigram-identity": {"model_type": "unigram", "normalization_rule_name": "identity"},
    "unigram-bytes": {"model_type": "unigram", "byte_fallback": True, "vocab_size": 600,
                      "user_defined_symbols": USER, "control_symbols": ["<pad>"]},
    "unigram-spaces": {"model_type": "unigram", "remove_extra_whitespaces": False,
                       "add_dummy_prefix": False},
    "unigram-suffix": {"model_type": "unigram", "treat_whitespace_as_suffix": True},
    "unigram-folded": {"model_type": "unigram", "normalization_rule_name": "nmt_nfkc_cf",
                       "user_defined_symbols": USER, "unk_surface": "[?]"},
    "bpe": {"model_type": "bpe"},
    "bpe-identity": {"model_type": "bpe", "normalization_rule_name": "identity",
                     "add_dummy_prefix": False, "remove_extra_whitespaces": False},
    "bpe-bytes": {"model_type": "bpe", "byte_fallback": True, "vocab_size": 600,
                  "user_defined_symbols": USER, "control_symbols": ["<pad>"],
                  "normalization_rule_name": "identity"},
    "bpe-numbered": {"model_type": "bpe", "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1,
                     "user_defined_symbols": USER, "treat_whitespace_as_suffix": True},
}


def random_texts(count=300):
    """Random texts from the corpus's letters, unusual texts and spaces, some of them long."""
    draw = random.Random(11)
    parts = [*piece_models.SYLLABLES, *piece_models.MARKS, *piece_models.TEXTS, " ", "  ", " a", "q"]
    for _ in range(count):
        yield "".join(draw.choices(parts, k=draw.choice([2, 5, 9, 60])))


def unuse(model):
    """Marks some pieces that consist of shorter ones as unused."""
    from sentencepiece import sentencepiece_model_pb2

    proto = sentencepiece_model_pb2.ModelProto.FromString(model.serialized_model_proto())
    for piece in proto.pieces[-60::3]:
        if len(piece.piece) > 1 and piece.type == 1:
            piece.type = 5
    return proto.SerializeToString()


def expected(model, text):
    pieces = model.encode(text, return_type="proto").pieces
    ids = [piece.id for piece in pieces]
    characters = lambda place: len(text.encode()[:place].decode())
    return {"ids": ids, "text": model.decode(ids),
            "places": [[characters(piece.begin), characters(piece.end)] for piece in pieces]}


def compare(name, path, model):
    texts = [*piece_models.TEXTS, *random_texts()]
    draw = random.Random(3)
    lists = [draw.choices(range(model.get_piece_size()), k=draw.randint(1, 12)) for _ in range(200)]
    lines = "".join(json.dumps(each) + "\n" for each in [*texts, *lists])
    ran = subprocess.run([program, path], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in ran.stdout.split("\n")[:-1]]
    wrong = 0
    for given, answer in zip([*texts, *lists], answers, strict=True):
        wanted = expected(model, given) if isinstance(given, str) else {"text": model.decode(given)}
        # For a character split into bytes, the package gives the offsets of the whole character to
        # the last byte.
        keys = [key for key in wanted if key != "places" or not any(map(model.is_byte, wanted["ids"]))]
        different = [key for key in keys if answer[key] != wanted[key]]
        if different:
            wrong += 1
            if wrong <= 5:
                for key in different:
                    print(f"{name}: {given!r}: {key}\n  {answer[key]}\n  {wanted[key]}")
    print(f"{name}: {len(answers)} texts and lists of ids, {wrong} differ")
    return wrong


failures = 0
for name, options in MODELS.items():
    path = work / f"{name}.model"
    failures += compare(name, path, piece_models.train(path, **options))
for kind in "unigram", "bpe":
    path = work / f"{kind}-unused.model"
    path.write_bytes(unuse(sentencepiece.SentencePieceProcessor(model_file=str(work / f"{kind}.model"))))
    failures += compare(path.stem, path, sentencepiece.SentencePieceProcessor(model_file=str(path)))
sys.exit(failures != 0)
