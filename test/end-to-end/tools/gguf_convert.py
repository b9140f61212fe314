# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts a tiny model of Hugging Face as llama.cpp's converters do.

gguf_convert.convert(DIRECTORY) returns its metadata and tensors (gguf_file.py). Names and
transformations of weights follow llama.cpp's conversion/*.py: converters permute queries and keys
for its architecture `llama`, add 1 to Gemma's gains, concatenate queries, keys and values, and
stack experts.
"""

import json
import math
import pathlib
import struct

import numpy

ARCHITECTURES = {"llama": "llama", "mistral": "llama", "mixtral": "llama", "gpt_neox": "gptneox",
                 "phi": "phi2", "cohere": "command-r", "gpt_oss": "gpt-oss",
                 "gemma3_text": "gemma3"}  # others have their own name

# For a layer, and below for the model: the name in the file, and those of Hugging Face.
LAYER = {
    "attn_norm": ["input_layernorm", "ln_1"],
    "ffn_norm": ["post_attention_layernorm", "ln_2"],
    "attn_q": ["self_attn.q_proj"], "attn_k": ["self_attn.k_proj"], "attn_v": ["self_attn.v_proj"],
    "attn_q_norm": ["self_attn.q_norm"], "attn_k_norm": ["self_attn.k_norm"],
    "attn_output": ["self_attn.o_proj", "self_attn.dense", "self_attention.dense",
                    "attention.dense", "attn.c_proj"],
    "attn_qkv": ["self_attention.query_key_value", "attention.query_key_value", "attn.c_attn"],
    "attn_sinks": ["self_attn.sinks"],
    "ffn_gate": ["mlp.gate_proj"],
    "ffn_up": ["mlp.up_proj", "mlp.fc1", "mlp.dense_h_to_4h", "mlp.c_fc"],
    "ffn_down": ["mlp.down_proj", "mlp.fc2", "mlp.dense_4h_to_h", "mlp.c_proj"],
    "ffn_gate_inp": ["mlp.router", "block_sparse_moe.gate"],
}
# Gemma 2 and 3 have four norms per layer, and gpt-oss another name for its second.
FOUR_NORMS = {"ffn_norm": ["pre_feedforward_layernorm"],
              "post_attention_norm": ["post_attention_layernorm"],
              "post_ffw_norm": ["post_feedforward_layernorm"]}
MODEL = {
    "token_embd": ["model.embed_tokens", "transformer.wte", "transformer.word_embeddings",
                   "gpt_neox.embed_in"],
    "token_embd_norm": ["transformer.word_embeddings_layernorm"],
    "position_embd": ["transformer.wpe"],
    "output_norm": ["model.norm", "model.final_layernorm", "transformer.ln_f",
                    "gpt_neox.final_layer_norm"],
    "output": ["lm_head", "embed_out"],
}
LAYERS = ["model.layers.", "transformer.h.", "gpt_neox.layers."]


def read_tensors(path):
    """The tensors of a safetensors file of float32."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name == "__metadata__":
            continue
        assert entry["dtype"] == "F32", entry
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = numpy.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return tensors


def first(config, *names, default=None):
    return next((config[name] for name in names if config.get(name) is not None), default)


class Sizes:
    def __init__(self, config):
        self.width = first(config, "hidden_size", "n_embd")
        self.heads = first(config, "num_attention_heads", "n_head")
        self.key_heads = first(config, "num_key_value_heads", default=self.heads)
        self.head = first(config, "head_dim", default=self.width // self.heads)
        self.inner = first(config, "intermediate_size", "n_inner", default=4 * self.width)
        self.layers = first(config, "num_hidden_layers", "n_layer")
        self.context = first(config, "max_position_embeddings", "n_positions",
                             default=self.width)


def rotation(config, keys):
    """Keys of rotary positions, and the tensor of Llama 3.1's scaling."""
    given = {**(config.get("rope_scaling") or {}), **(config.get("rope_parameters") or {})}
    local = given.get("sliding_attention")
    if local:
        keys["rope.freq_base_swa"] = float(local["rope_theta"])
        given = given["full_attention"]
    theta = first(given, "rope_theta", default=config.get("rope_theta"))
    if theta:
        keys["rope.freq_base"] = float(theta)
    kind = given.get("rope_type", "default")
    if kind in ("linear", "yarn"):
        keys["rope.scaling.type"] = kind
        keys["rope.scaling.factor"] = float(given["factor"])
    if kind == "yarn":
        keys["rope.scaling.original_context_length"] = given["original_max_position_embeddings"]
        for name in ("beta_fast", "beta_slow"):
            keys[f"rope.scaling.yarn_{name}"] = float(given[name])
    if kind != "llama3":
        return {}
    head = Sizes(config).head
    waves = 2 * math.pi * theta ** (numpy.arange(0, head, 2) / head)
    turns = given["original_max_position_embeddings"] / waves
    low, high = given["low_freq_factor"], given["high_freq_factor"]
    mix = numpy.clip((turns - low) / (high - low), 0, 1)
    return {"rope_freqs.weight": (1 / ((1 - mix) / given["factor"] + mix)).astype("f4")}


def metadata(config, architecture):
    sizes, keys = Sizes(config), {}
    keys["block_count"], keys["context_length"] = sizes.layers, sizes.context
    keys["embedding_length"], keys["feed_forward_length"] = sizes.width, sizes.inner
    keys["attention.head_count"] = sizes.heads
    keys["attention.head_count_kv"] = sizes.key_heads
    if config.get("head_dim"):
        keys["attention.key_length"] = keys["attention.value_length"] = sizes.head
    for key, names in {
            "attention.layer_norm_rms_epsilon": ["rms_norm_eps"],
            "attention.layer_norm_epsilon": ["layer_norm_eps", "layer_norm_epsilon"],
            "attn_logit_softcapping": ["attn_logit_softcapping"],
            "final_logit_softcapping": ["final_logit_softcapping"],
            "attention.sliding_window": ["sliding_window"],
            "expert_count": ["num_local_experts"], "expert_used_count": ["num_experts_per_tok"],
            "attention.scale": ["attention_multiplier"], "residual_scale": ["residual_multiplier"],
            "embedding_scale": ["embedding_multiplier"],
            "logit_scale": ["logits_scaling", "logit_scale"]}.items():
        if first(config, *names) is not None:
            keys[key] = first(config, *names)
    if architecture == "llama":
        keys["vocab_size"], keys["rope.dimension_count"] = config["vocab_size"], sizes.head
    if architecture in ("gptneox", "phi2"):
        part = config["rope_parameters"]["partial_rotary_factor"]
        keys["rope.dimension_count"] = int(part * sizes.head)
    if architecture == "gptneox":
        keys["use_parallel_residual"] = config["use_parallel_residual"]
    if architecture == "gpt-oss":
        keys["expert_feed_forward_length"] = sizes.inner
    if architecture == "command-r":
        keys["rope.scaling.type"] = "none"
    if architecture == "gemma3":
        types = config["layer_types"]
        keys["attention.sliding_window_pattern"] = types.index("full_attention") + 1
    return keys


def pairs_together(weight, heads):
    """From pairs that are half a head apart to adjacent pairs."""
    return weight.reshape(heads, 2, -1, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


def one_behind_the_other(weight, heads):
    """From queries, keys and values interleaved by head to all queries, all keys, all values."""
    return weight.reshape(heads, 3, -1, *weight.shape[1:]).swapaxes(0, 1).reshape(weight.shape)


def converted(name, tensor, config, architecture):
    """A weight, transformed as converters do."""
    sizes = Sizes(config)
    if architecture in ("llama", "granite") and name.startswith(("attn_q.", "attn_k.")):
        return pairs_together(tensor, sizes.heads if "attn_q." in name else sizes.key_heads)
    if architecture in ("bloom", "gptneox") and name.startswith("attn_qkv."):
        return one_behind_the_other(tensor, sizes.heads)
    if architecture == "gpt2" and tensor.ndim == 2 and name.startswith(("attn", "ffn")):
        return tensor.T
    if architecture.startswith("gemma") and "norm." in name:
        tensor = tensor + 1
    # A GGUF file has no scale of queries: readers use 1 / sqrt(head). The tiny models have another
    # one, which is multiplied into the last factor of queries.
    scalar = config.get("query_pre_attn_scalar")
    if scalar and name.startswith("attn_q_norm" if architecture == "gemma3" else "attn_q."):
        tensor = tensor * math.sqrt(sizes.head / scalar)
    return tensor


def experts(tensors, layer):
    """The weights of a layer's experts, each kind as one tensor."""
    found = {}
    for name, old in {"gate": "w1", "up": "w3", "down": "w2"}.items():
        each = [tensors.pop(key) for key in sorted(
            (key for key in tensors if key.startswith(f"{layer}block_sparse_moe.experts.") and
             key.endswith(f".{old}.weight")), key=lambda key: int(key.split(".")[-3]))]
        if each:
            found[f"ffn_{name}_exps.weight"] = numpy.stack(each)
    both = tensors.pop(f"{layer}mlp.experts.gate_up_proj", None)
    if both is not None:
        bias = tensors.pop(f"{layer}mlp.experts.gate_up_proj_bias")
        down = tensors.pop(f"{layer}mlp.experts.down_proj")
        for k, name in enumerate(["gate", "up"]):
            found[f"ffn_{name}_exps.weight"] = both[..., k::2].swapaxes(1, 2)
            found[f"ffn_{name}_exps.bias"] = bias[..., k::2]
        found["ffn_down_exps.weight"] = down.swapaxes(1, 2)
        found["ffn_down_exps.bias"] = tensors.pop(f"{layer}mlp.experts.down_proj_bias")
    return found


def convert(directory):
    """Metadata and tensors of the model in a directory, for gguf_file.write."""
    directory = pathlib.Path(directory)
    config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    architecture = ARCHITECTURES.get(config["model_type"], config["model_type"])
    rest, tensors, keys = read_tensors(directory / "model.safetensors"), {}, {}
    keys = metadata(config, architecture)
    tensors.update(rotation(config, keys))

    def take(prefix, target, names):
        for new, olds in names.items():
            for old in olds:
                for end in (".weight", ".bias", ""):
                    found = rest.pop(f"{prefix}{old}{end}", None)
                    if found is not None:
                        name = f"{new}{end or '.weight'}"
                        tensors[target + name] = converted(name, found, config, architecture)

    layer_names = dict(LAYER)
    if any("pre_feedforward_layernorm" in name for name in rest):
        layer_names.update(FOUR_NORMS)
    if architecture == "gpt-oss":
        layer_names["post_attention_norm"] = layer_names.pop("ffn_norm")
    take("", "", MODEL)
    for prefix in LAYERS:
        for layer in range(Sizes(config).layers):
            tensors.update({f"blk.{layer}.{name}": tensor
                            for name, tensor in experts(rest, f"{prefix}{layer}.").items()})
            take(f"{prefix}{layer}.", f"blk.{layer}.", layer_names)
    assert not rest, f"no name in GGUF files for {sorted(rest)}"
    named = {f"{architecture}.{key}": value for key, value in keys.items()}
    ends = {"tokenizer.ggml.eos_token_id": config["eos_token_id"]}
    return {"general.architecture": architecture, "general.name": directory.name,
            "general.file_type": 0, **named, **ends}, tensors
