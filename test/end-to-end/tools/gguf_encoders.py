# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts tiny encoders of Hugging Face, BERT, RoBERTa, NomicBERT, ModernBERT and T5, as llama.cpp's
converters do (conversion/bert.py and t5.py): without poolers and heads, and for RoBERTa without the
unused positions.
"""

import json
import pathlib
import re

from gguf_convert import read_tensors

BERT = {"embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
        "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm",
        "attention.self.query": "attn_q", "attention.self.key": "attn_k",
        "attention.self.value": "attn_v", "attention.output.dense": "attn_output",
        "attention.output.LayerNorm": "attn_output_norm", "intermediate.dense": "ffn_up",
        "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
        "emb_ln": "token_embd_norm", "attn.Wqkv": "attn_qkv", "attn.out_proj": "attn_output",
        "mlp.fc11": "ffn_up", "mlp.fc12": "ffn_gate", "mlp.fc2": "ffn_down",
        "norm1": "attn_output_norm", "norm2": "layer_output_norm",
        "embeddings.tok_embeddings": "token_embd", "embeddings.norm": "token_embd_norm",
        "attn.Wo": "attn_output", "mlp.Wi": "ffn_up", "mlp.Wo": "ffn_down",
        "attn_norm": "attn_norm", "mlp_norm": "ffn_norm", "final_norm": "output_norm"}
ARCHITECTURES = {"t5": "t5", "umt5": "t5", "nomic_bert": "nomic-bert", "modernbert": "modern-bert"}
T5 = {"SelfAttention.relative_attention_bias": "attn_rel_b",
      "EncDecAttention.relative_attention_bias": "cross_attn_rel_b",
      **{f"SelfAttention.{k}": f"attn_{k}" for k in "qkvo"},
      **{f"EncDecAttention.{k}": f"cross_attn_{k}" for k in "qkvo"},
      "DenseReluDense.wi": "ffn_up", "DenseReluDense.wi_0": "ffn_gate",
      "DenseReluDense.wi_1": "ffn_up", "DenseReluDense.wo": "ffn_down"}
T5_NORMS = {"encoder": ["attn_norm", "ffn_norm"],
            "decoder": ["attn_norm", "cross_attn_norm", "ffn_norm"]}


def bert_name(name):
    """The name in the file; None for tensors that converters omit."""
    name = re.sub(r"^(bert|roberta|nomic_bert|model)\.", "", name)
    stem, end = name.rsplit(".", 1)
    layer = re.match(r"(?:encoder\.)?layers?\.(\d+)\.(.*)", stem)
    if layer:
        return f"blk.{layer[1]}.{BERT[layer[2]]}.{end}"
    return f"{BERT[stem]}.{end}" if stem in BERT else None


def t5_name(name):
    stem, end = name.rsplit(".", 1)
    if stem in ("shared", "lm_head"):
        return {"shared": "token_embd.weight", "lm_head": "output.weight"}[stem]
    side, rest = stem.split(".", 1)
    if rest == "embed_tokens":
        return None
    if rest == "final_layer_norm":
        return f"{side[:3]}.output_norm.{end}"
    _, layer, _, part, own = rest.split(".", 4)
    new = T5_NORMS[side][int(part)] if own == "layer_norm" else T5[own]
    return f"{side[:3]}.blk.{layer}.{new}.{end}"


def bert_keys(config, tensors):
    # The positions of RoBERTa begin after that of the padding.
    if config["model_type"] == "roberta":
        tensors["position_embd.weight"] = tensors["position_embd.weight"][config["pad_token_id"] + 1:]
    if config["model_type"] == "nomic_bert":
        positions = {"context_length": config["max_position_embeddings"],
                     "rope.freq_base": config["rope_parameters"]["rope_theta"]}
    elif config["model_type"] == "modernbert":
        kinds, rotations = config["layer_types"], config["rope_parameters"]
        pattern = kinds.index("full_attention", 1)
        assert kinds == ["sliding_attention" if k % pattern else "full_attention" for k in range(len(kinds))]
        positions = {"context_length": config["max_position_embeddings"],
                     "rope.freq_base": rotations["full_attention"]["rope_theta"],
                     "rope.freq_base_swa": rotations["sliding_attention"]["rope_theta"],
                     "attention.sliding_window": config["local_attention"],
                     "attention.sliding_window_pattern": pattern, "rope.scaling.type": "none",
                     "vocab_size": config["vocab_size"]}
    else:
        positions = {"context_length": len(tensors["position_embd.weight"])}
    return {**positions,
            "embedding_length": config["hidden_size"],
            "feed_forward_length": config["intermediate_size"],
            "block_count": config["num_hidden_layers"],
            "attention.head_count": config["num_attention_heads"],
            "attention.layer_norm_epsilon": config.get("layer_norm_eps", config.get("norm_eps")),
            "attention.causal": False}


def t5_keys(config):
    return {"context_length": config.get("n_positions", 512), "embedding_length": config["d_model"],
            "feed_forward_length": config["d_ff"], "block_count": config["num_layers"],
            "decoder_block_count": config["num_decoder_layers"],
            "attention.head_count": config["num_heads"], "attention.key_length": config["d_kv"],
            "attention.value_length": config["d_kv"],
            "attention.layer_norm_epsilon": config["layer_norm_epsilon"],
            "attention.relative_buckets_count": config["relative_attention_num_buckets"],
            "attention.layer_norm_rms_epsilon": config["layer_norm_epsilon"],
            "decoder_start_token_id": config["decoder_start_token_id"]}


def convert(directory):
    """Metadata and tensors of the model in a directory, for gguf_file.write."""
    directory = pathlib.Path(directory)
    config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    is_t5 = config["model_type"] in ("t5", "umt5")
    named = {(t5_name if is_t5 else bert_name)(name): tensor
             for name, tensor in read_tensors(directory / "model.safetensors").items()}
    tensors = {name: tensor for name, tensor in named.items() if name}
    architecture = ARCHITECTURES.get(config["model_type"], "bert")
    keys = t5_keys(config) if is_t5 else bert_keys(config, tensors)
    ends = {"tokenizer.ggml.eos_token_id": config["eos_token_id"]} if is_t5 else {}
    return {"general.architecture": architecture, "general.name": directory.name,
            **{f"{architecture}.{key}": value for key, value in keys.items()}, **ends}, tensors
