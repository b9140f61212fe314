# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tiny Llama that reads and generates bytes: a tokenizer, a context of 16384 tokens, a template.

Its answers have no meaning, but are texts that are tokenized to the same tokens again.
"""

import json

TEMPLATE = ("{{ bos_token }}{% for m in messages %}<{{ m.role[0] }}>{{ m.content }}</s>"
            "{% endfor %}{% if add_generation_prompt %}<a>{% endif %}")


def byte_letters():
    """The letter for each byte, as in GPT-2."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return {byte: chr(byte if byte in plain else next(others)) for byte in range(256)}


def write_weights(source, model, said):
    """Writes the source's weights, with a head that generates only the tokens in `said`: answers
    are printable characters, whose text has the same tokens again."""
    content = bytearray((source / "model.safetensors").read_bytes())
    size = int.from_bytes(content[:8], "little")
    head = json.loads(content[8:8 + size])["lm_head.weight"]
    rows, width = head["shape"]
    for row in set(range(rows)) - set(said):
        begin = 8 + size + head["data_offsets"][0] + 4 * width * row
        content[begin:begin + 4 * width] = bytes(4 * width)
    (model / "model.safetensors").write_bytes(content)


def write_model(source, model):
    """Writes the folder `model` from the tiny Llama `source`."""
    letters = byte_letters()
    special = ["<pad>", "<s>", "</s>", "<u>", "<a>"]
    # 160 ids: for ASCII, and for the bytes of some other characters.
    known = [*range(128), 0xc3, 0xa9, 0xe2, 0x82, 0xac]
    vocabulary = {letters[byte]: 5 + i for i, byte in enumerate(known)}
    vocabulary |= {f"more{i}": i for i in range(5 + len(known), 160)}
    config = json.loads((source / "config.json").read_text())
    config["max_position_embeddings"] = 1 << 14
    (model / "config.json").write_text(json.dumps(config))
    write_weights(source, model, [id for letter, id in vocabulary.items() if " " <= letter <= "~" and len(letter) == 1])
    (model / "tokenizer.json").write_text(json.dumps({
        "added_tokens": [{"id": i, "content": text, "special": True, "normalized": False,
                          "single_word": False, "lstrip": False, "rstrip": False}
                         for i, text in enumerate(special)],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
        "post_processor": None, "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": vocabulary | {t: i for i, t in enumerate(special)},
                  "merges": []}}))
    set_template(model, TEMPLATE)


def set_template(model, text):
    (model / "tokenizer_config.json").write_text(json.dumps(
        {"bos_token": {"content": "<s>"}, "eos_token": "</s>", "chat_template": text}))
