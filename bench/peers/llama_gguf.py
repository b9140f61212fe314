# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts a Llama in a Hugging Face directory to a GGUF file for llama.cpp, with unchanged
values. Needs the packages gguf and numpy."""

import json

import gguf
import numpy

from measure.problem import Problem

NAMES = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
         "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
         "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
         "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}


def read(folder):
    """The tensors of model.safetensors by name; bfloat16 as uint16."""
    raw = (folder / "model.safetensors").read_bytes()
    size = int.from_bytes(raw[:8], "little")
    kinds = {"F32": numpy.float32, "BF16": numpy.uint16}
    return {name: numpy.frombuffer(raw, kinds[entry["dtype"]], numpy.prod(entry["shape"]),
                                   8 + size + entry["data_offsets"][0]).reshape(entry["shape"])
            for name, entry in json.loads(raw[8:8 + size]).items() if name != "__metadata__"}


def paired(weight, heads):
    """Puts the rows of each rotated pair side by side, as llama.cpp expects them."""
    rows = weight.shape[0] // heads
    return weight.reshape(heads, 2, rows // 2, -1).swapaxes(1, 2).reshape(weight.shape)


def describe(writer, config):
    heads = config["num_attention_heads"]
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_rope_dimension_count(config.get("head_dim", config["hidden_size"] // heads))
    writer.add_vocab_size(config["vocab_size"])
    # The measurements pass ids, so the names of tokens do not matter.
    writer.add_tokenizer_model("llama")
    writer.add_token_list([f"<{k}>".encode() for k in range(config["vocab_size"])])
    writer.add_token_scores([0.0] * config["vocab_size"])
    writer.add_token_types([1] * config["vocab_size"])


def add(writer, name, weight):
    weight = numpy.ascontiguousarray(weight)
    if weight.dtype == numpy.uint16 and weight.ndim == 2:
        writer.add_tensor(name, weight.view(numpy.uint8),
                          raw_dtype=gguf.GGMLQuantizationType.BF16)
    elif weight.dtype == numpy.uint16:
        writer.add_tensor(name, (weight.astype(numpy.uint32) << 16).view(numpy.float32))
    else:
        writer.add_tensor(name, weight)


def convert(folder, path):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] != "llama":
        raise Problem(f"--decoder {folder}: only a llama is turned into a GGUF file for llama.cpp "
                      f"here, and this is a {config['model_type']}; give the GGUF file")
    tensors = read(folder)
    writer = gguf.GGUFWriter(str(path), "llama")
    describe(writer, config)
    embeddings = tensors["model.embed_tokens.weight"]
    add(writer, "token_embd.weight", embeddings)
    add(writer, "output_norm.weight", tensors["model.norm.weight"])
    add(writer, "output.weight", tensors.get("lm_head.weight", embeddings))
    for layer in range(config["num_hidden_layers"]):
        for name, other in NAMES.items():
            weight = tensors[f"model.layers.{layer}.{other}.weight"]
            if name in ("attn_q", "attn_k"):
                weight = paired(weight, config["num_attention_heads" if name == "attn_q"
                                               else "num_key_value_heads"])
            add(writer, f"blk.{layer}.{name}.weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
