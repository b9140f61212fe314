# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A dictionary as a transformer: a Marian model whose weights are constructed, not trained.

    python dictionary.py DIRECTORY

writes a directory with the layout of Helsinki-NLP/opus-mt-en-de: config.json,
generation_config.json, tokenizer_config.json, vocab.json, source.spm, target.spm and
model.safetensors. The model knows the few phrases below and translates them one by one:

- The embedding of a token is one nonzero element, in a dimension of its own, chosen among
  those where the sines and cosines of positions hardly change. The other dimensions
  distinguish the positions.
- The encoder's layer adds nothing. The decoder's queries and keys are the dimensions that
  distinguish positions: position t attends to position t of the source.
- The decoder's values move the element of a phrase to the dimension of its translation;
  the output head, which is the table of embeddings, finds the token there.
"""

import json
import pathlib
import struct
import sys

import numpy

NOUNS = {"cat": ("die", "eine", "Katze"), "woman": ("die", "eine", "Frau"),
         "mouse": ("die", "eine", "Maus"), "flower": ("die", "eine", "Blume"),
         "child": ("das", "ein", "Kind"), "house": ("das", "ein", "Haus"),
         "book": ("das", "ein", "Buch"), "horse": ("das", "ein", "Pferd")}
WORDS = {"sees": "sieht", "finds": "findet", "likes": "mag", "buys": "kauft", "and": "und",
         "today": "heute", "here": "hier", "too": "auch", "She": "Sie", "He": "Er"}
MARKS = ".,!?"


def phrases():
    """English and German pieces; U+2581 is a space."""
    for noun, (the, a, german) in NOUNS.items():
        for english_article, article in ("the", the), ("a", a):
            yield f"▁{english_article}▁{noun}", f"▁{article}▁{german}"
            yield (f"▁{english_article.capitalize()}▁{noun}",
                   f"▁{article.capitalize()}▁{german}")
    yield from ((f"▁{english}", f"▁{german}") for english, german in WORDS.items())
    yield from ((mark, mark) for mark in MARKS)


def varint(number):
    """A varint of Protocol Buffers: seven bits per byte, the lowest first."""
    result = b""
    while number > 127:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def field(number, value):
    """A field of a message: a float, an integer, or bytes."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def sentence_pieces(words):
    """A SentencePiece model: a unigram model of these pieces, all equally likely, without
    normalization of texts."""
    def piece(text, score, kind):
        return field(1, field(1, text.encode()) + field(2, score) + field(3, kind))

    normal, unknown, control = 1, 2, 3
    pieces = piece("<unk>", 0.0, unknown) + piece("<s>", 0.0, control) + piece("</s>", 0.0, control)
    pieces += b"".join(piece(word, -5.0, normal) for word in dict.fromkeys(words))
    unigram = 1
    return pieces + field(2, field(3, unigram)) + field(3, field(1, b"identity"))


D = 256                    # width of the model
HALF = D // 2              # sines, then cosines
TELLING, STILL = 16, 64    # number of waves that distinguish positions; first wave that hardly changes
ZERO = D - 1               # here the cosine is 1, and embeddings have -1: the sum is 0
NUMBER, SHARPNESS, LOUDNESS = 32.0, 20.0, 3.0


def place(token):
    """The dimension of a token, among sines and cosines that hardly change."""
    still = [*range(STILL, HALF), *range(HALF + STILL, ZERO)]
    return still[token]


def zeros(*shape):
    return numpy.zeros(shape, "float32")


def layer(prefix, tensors, attentions, width):
    """Adds the tensors of a layer that adds nothing to its input."""
    for attention in attentions:
        for name in "q_proj", "k_proj", "v_proj", "out_proj":
            tensors[f"{prefix}{attention}.{name}.weight"] = zeros(D, D)
            tensors[f"{prefix}{attention}.{name}.bias"] = zeros(D)
        tensors[f"{prefix}{attention}_layer_norm.weight"] = zeros(D) + 1
        tensors[f"{prefix}{attention}_layer_norm.bias"] = zeros(D)
    for name, shape in ("fc1", (width, D)), ("fc2", (D, width)):
        tensors[f"{prefix}{name}.weight"] = zeros(*shape)
        tensors[f"{prefix}{name}.bias"] = zeros(shape[0])
    tensors[f"{prefix}final_layer_norm.weight"] = zeros(D) + 1
    tensors[f"{prefix}final_layer_norm.bias"] = zeros(D)


def weights(pairs, tokens):
    """All tensors of the model; `pairs` are tokens and their translations."""
    tensors = {"model.shared.weight": zeros(tokens, D), "final_logits_bias": zeros(1, tokens)}
    for token in range(tokens):
        tensors["model.shared.weight"][token, place(token)] = NUMBER
    tensors["model.shared.weight"][:, ZERO] = -1
    layer("model.encoder.layers.0.", tensors, ["self_attn"], 16)
    layer("model.decoder.layers.0.", tensors, ["self_attn", "encoder_attn"], 16)
    cross = "model.decoder.layers.0.encoder_attn."
    telling = [*range(TELLING), *range(HALF, HALF + TELLING)]
    for name in "q_proj", "k_proj":
        matrix = tensors[f"{cross}{name}.weight"]
        matrix[telling, telling] = SHARPNESS
        # A layer norm subtracts the mean. The dimension that was zero has its negative.
        matrix[telling, ZERO] = -SHARPNESS
    for token, becomes in pairs:
        tensors[f"{cross}v_proj.weight"][place(becomes), place(token)] = 1
    tensors[f"{cross}out_proj.weight"] += LOUDNESS * numpy.eye(D, dtype="float32")
    return tensors


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        begin = len(data)
        data += tensor.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    pairs = list(phrases())
    words = list(dict.fromkeys(word for pair in pairs for word in pair))
    tokens = ["</s>", "<unk>", *words, "<pad>"]
    number = {token: place for place, token in enumerate(tokens)}
    end, padding = number["</s>"], number["<pad>"]
    config = {
        "model_type": "marian", "architectures": ["MarianMTModel"], "is_encoder_decoder": True,
        "d_model": D, "vocab_size": len(tokens), "decoder_vocab_size": len(tokens),
        "encoder_layers": 1, "encoder_attention_heads": 1, "encoder_ffn_dim": 16,
        "decoder_layers": 1, "decoder_attention_heads": 1, "decoder_ffn_dim": 16,
        "activation_function": "swish", "scale_embedding": False, "max_position_embeddings": 48,
        "static_position_embeddings": True, "bos_token_id": end, "eos_token_id": end,
        "pad_token_id": padding, "decoder_start_token_id": padding, "bad_words_ids": [[padding]],
        "num_beams": 4, "max_length": 48}
    generation = {key: config[key] for key in (
        "bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "bad_words_ids",
        "num_beams", "max_length")}
    for name, content in [
            ("config", config), ("generation_config", generation), ("vocab", number),
            ("tokenizer_config", {"tokenizer_class": "MarianTokenizer", "source_lang": "en",
                                  "target_lang": "de"})]:
        (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False, indent=1),
                                             encoding="utf-8")
    (folder / "source.spm").write_bytes(sentence_pieces(english for english, _ in pairs))
    (folder / "target.spm").write_bytes(sentence_pieces(german for _, german in pairs))
    becomes = {number[english]: number[german] for english, german in pairs}
    becomes |= {end: end, number["<unk>"]: number["<unk>"]}
    write_safetensors(folder / "model.safetensors", weights(becomes.items(), len(tokens)))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
