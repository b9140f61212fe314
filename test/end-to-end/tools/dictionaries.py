# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that translate by a dictionary (examples/translate/dictionary.py), in other layouts.

marian(DIR)           the example's model: from one language to another
several(DIR)          the same with tokens >>de<< and >>fr<<, which have no effect
m2m_100(DIR, nllb)    M2M-100, or NLLB: from English to German or French, depending on the
                      token that is forced first
ct2(DIR, SOURCE)      the example's directory SOURCE as a directory of CTranslate2
"""

import json
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "translate"))
import ct2_convert  # noqa: E402
import ct2_file  # noqa: E402
import dictionary  # noqa: E402
from dictionary import D, HALF, ZERO, place  # noqa: E402

marian = dictionary.write


def several(folder):
    """The tokens replace those of two phrases, which are then unknown."""
    dictionary.write(folder)
    path = folder / "vocab.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))
    for phrase, token in ("▁A▁horse", ">>de<<"), ("▁a▁horse", ">>fr<<"):
        vocabulary[token] = vocabulary.pop(phrase)
    path.write_text(json.dumps(vocabulary), encoding="utf-8")


WORDS = [("▁the", "▁der", "▁le"), ("▁dog", "▁Hund", "▁chien"), ("▁sees", "▁sieht", "▁voit"),
         ("▁cat", "▁Kater", "▁chat"), ("▁and", "▁und", "▁et"), (".", ".", ".")]


def m2m_100(folder, nllb=False):
    folder.mkdir(parents=True, exist_ok=True)
    words = list(dict.fromkeys(word for each in WORDS for word in each))
    first = ["<s>", "<pad>", "</s>", "<unk>"]
    languages = ["deu_Latn", "eng_Latn", "fra_Latn"] if nllb else ["__de__", "__en__", "__fr__"]
    # NLLB's ids are those of the pieces plus one; <mask> is the last.
    tokens = [*first, *words, *languages, *(["<mask>"] if nllb else [])]
    number = {token: at for at, token in enumerate(tokens)}
    config = {
        "model_type": "m2m_100", "is_encoder_decoder": True, "vocab_size": len(tokens), "d_model": D,
        "encoder_layers": 1, "encoder_attention_heads": 1, "encoder_ffn_dim": 16,
        "decoder_layers": 1, "decoder_attention_heads": 1, "decoder_ffn_dim": 16,
        "activation_function": "relu", "scale_embedding": False, "max_position_embeddings": 48,
        "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    files = {"config": config, "special_tokens_map": {"additional_special_tokens": languages},
             "tokenizer_config": {"tokenizer_class": "NllbTokenizer" if nllb else "M2M100Tokenizer"}}
    if not nllb:
        files["vocab"] = {token: number[token] for token in [*first, *words]}
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "sentencepiece.bpe.model").write_bytes(dictionary.sentence_pieces(words))
    dictionary.write_safetensors(folder / "model.safetensors", weights(number, languages))


def weights(number, languages):
    pairs = [(english, other) for english, german, french in WORDS for other in (german, french)]
    becomes = [(number[english], number[other]) for english, other in pairs]
    tensors = dictionary.weights([*becomes, (number["</s>"], number["</s>"])], len(number))
    del tensors["final_logits_bias"]
    for side in "encoder", "decoder":
        tensors[f"model.{side}.layer_norm.weight"] = numpy.ones(D, "float32")
        tensors[f"model.{side}.layer_norm.bias"] = numpy.zeros(D, "float32")
    # The decoder attends to its language token at a previous position, and prefers its words.
    own = "model.decoder.layers.0.self_attn."
    tensors[f"{own}out_proj.weight"] += numpy.eye(D, dtype="float32")
    for language, column in (languages[0], 1), (languages[2], 2):
        for each in WORDS:
            tensors[f"{own}v_proj.weight"][place(number[each[column]]), place(number[language])] = 2
    return tensors


def ct2(folder, source, marks=("add_source_eos",), pieces=("source.spm", "target.spm"), files=()):
    """Writes the example as a directory of CTranslate2; `marks` are the flags set in its
    config.json."""
    made = ct2_convert.convert(source)
    vocabulary = json.loads((source / "vocab.json").read_text(encoding="utf-8"))
    tokens = sorted(vocabulary, key=vocabulary.get)
    config = {**made.config, "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>",
              "decoder_start_token": "<pad>", **{mark: True for mark in marks}}
    ct2_file.write(folder, made.variables, made.aliases, config,
                   {"shared_vocabulary.json": tokens}, spec=made.spec)
    for name in (*pieces, *files):
        (folder / name).write_bytes((source / name).read_bytes())
