# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes directories of models of given sizes, for programs that are only measured: they have
every tensor, and matrices are zeros in a sparse file, which take no space on the disk."""

import json
import struct


def linear(name, rows, columns, bias):
    return {f"{name}.weight": (rows, columns)} | ({f"{name}.bias": (rows,)} if bias else {})


def bert(c):
    d, inner = c["hidden_size"], c["intermediate_size"]
    shapes = {"embeddings.word_embeddings.weight": (c["vocab_size"], d),
              "embeddings.position_embeddings.weight": (c["max_position_embeddings"], d),
              "embeddings.token_type_embeddings.weight": (c["type_vocab_size"], d)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(c["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        for name in ("query", "key", "value"):
            shapes |= linear(f"{at}attention.self.{name}", d, d, True)
        shapes |= linear(f"{at}attention.output.dense", d, d, True)
        shapes |= linear(f"{at}intermediate.dense", inner, d, True)
        shapes |= linear(f"{at}output.dense", d, inner, True)
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
    return shapes | {f"{norm}.{part}": (d,) for norm in norms for part in ("weight", "bias")}


def decoder(c):
    """A Llama or a Gemma 3."""
    d, inner, head = c["hidden_size"], c["intermediate_size"], c["head_dim"]
    queries, keys = head * c["num_attention_heads"], head * c["num_key_value_heads"]
    is_gemma = c["model_type"].startswith("gemma3")
    shapes = {"model.embed_tokens.weight": (c["vocab_size"], d), "model.norm.weight": (d,)}
    if not c["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (c["vocab_size"], d)
    for layer in range(c["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        for name, rows, columns in (
                ("self_attn.q_proj", queries, d), ("self_attn.k_proj", keys, d),
                ("self_attn.v_proj", keys, d), ("self_attn.o_proj", d, queries),
                ("mlp.gate_proj", inner, d), ("mlp.up_proj", inner, d),
                ("mlp.down_proj", d, inner)):
            shapes |= linear(at + name, rows, columns, False)
        norms = ["input_layernorm", "post_attention_layernorm"]
        if is_gemma:
            norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
            shapes |= {f"{at}self_attn.{which}_norm.weight": (head,) for which in "qk"}
        shapes |= {f"{at}{norm}.weight": (d,) for norm in norms}
    return shapes


SHAPES = {"bert": bert, "llama": decoder, "gemma3_text": decoder}


def write(folder, config):
    """Writes config.json and model.safetensors, in float32; vectors are ones."""
    shapes, header, offset = SHAPES[config["model_type"]](config), {}, 0
    for name, shape in shapes.items():
        end = offset + 4 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes.items():
            if len(shape) == 1:
                file.seek(8 + len(text) + header[name]["data_offsets"][0])
                file.write(struct.pack("<f", 1.0) * shape[0])
        file.truncate(8 + len(text) + offset)
