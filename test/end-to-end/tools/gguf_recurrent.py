# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts tiny models with recurrent layers, of Hugging Face, as llama.cpp's converters do.

gguf_recurrent.convert(DIRECTORY) returns metadata and tensors (gguf_file.py). Keys, names and transformations of
weights follow llama.cpp's conversion/*.py and gguf-py: a decay is stored as -exp of what Hugging Face has, filters lose
an axis of size one, multipliers are multiplied into weights, gains are stored whole, heads are reordered.
"""

import json
import math
import pathlib
import re

import numpy

from gguf_convert import pairs_together, read_tensors

ARCHITECTURES = {"mamba": "mamba", "mamba2": "mamba2", "lfm2": "lfm2", "qwen3_next": "qwen3next",
                 "falcon_h1": "falcon-h1", "granitemoehybrid": "granitehybrid", "jamba": "jamba",
                 "nemotron_h": "nemotron_h_moe", "rwkv7": "rwkv7", "qwen3_5_text": "qwen35",
                 "kimi_linear": "kimi-linear"}
GROUPED = ["mamba2", "falcon-h1", "granitehybrid", "nemotron_h_moe"]  # with Mamba-2

MODEL = {"backbone.embeddings": "token_embd", "model.embed_tokens": "token_embd", "model.embeddings": "token_embd",
         "backbone.norm_f": "output_norm", "model.final_layernorm": "output_norm", "model.norm": "output_norm",
         "model.embedding_norm": "token_embd_norm", "lm_head": "output"}
LAYER = {"norm": "attn_norm", "input_layernorm": "attn_norm", "operator_norm": "attn_norm", "ffn_norm": "ffn_norm",
         "pre_ff_layernorm": "ffn_norm", "post_attention_layernorm": "ffn_norm"}
STATES = {"in_proj": "ssm_in", "conv1d": "ssm_conv1d", "x_proj": "ssm_x", "dt_proj": "ssm_dt", "A_log": "ssm_a",
          "D": "ssm_d", "norm": "ssm_norm", "o_norm": "ssm_norm", "out_proj": "ssm_out", "dt_layernorm": "ssm_dt_norm",
          "b_layernorm": "ssm_b_norm", "c_layernorm": "ssm_c_norm", "in_proj_ba": "ssm_ba", "in_proj_qkv": "attn_qkv",
          "in_proj_z": "attn_gate", "in_proj_b": "ssm_beta", "in_proj_a": "ssm_alpha",
          **{f"{part}_conv1d": f"ssm_conv1d_{part}" for part in "qkv"}, "f_a_proj": "ssm_f_a", "f_b_proj": "ssm_f_b",
          "g_a_proj": "ssm_g_a", "g_b_proj": "ssm_g_b", "b_proj": "ssm_beta"}
ATTENTION = {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
             "q_norm": "attn_q_norm", "k_norm": "attn_k_norm", "q_layernorm": "attn_q_norm",
             "k_layernorm": "attn_k_norm", "kv_a_proj_with_mqa": "attn_kv_a_mqa", "kv_a_layernorm": "attn_kv_a_norm"}
FEED_FORWARD = {"w1": "ffn_gate", "w3": "ffn_up", "w2": "ffn_down", "gate_proj": "ffn_gate", "up_proj": "ffn_up",
                "down_proj": "ffn_down", "gate": "ffn_gate_inp", "router": "ffn_gate_inp",
                "router.layer": "ffn_gate_inp", "shared_expert_gate": "ffn_gate_inp_shexp",
                "output_linear": "ffn_down_exps",
                "gate.e_score_correction": "exp_probs_b"}
CONVOLUTION = {"conv": "shortconv.conv", "in_proj": "shortconv.in_proj", "out_proj": "shortconv.out_proj"}
PARTS = {"mixer": {**FEED_FORWARD, **ATTENTION, **STATES}, "mamba": STATES, "linear_attn": STATES,
         "self_attn": {**STATES, **ATTENTION, "out_proj": "attn_output"}, "conv": CONVOLUTION,
         "feed_forward": FEED_FORWARD, "mlp": FEED_FORWARD,
         "block_sparse_moe": FEED_FORWARD, "shared_mlp": {"output_linear": "ffn_down_shexp"}}


def new_name(name, architecture):
    """The name in the file, with its end."""
    name = re.sub(r"(dt|e_score_correction)_bias$", r"\1.bias", name)
    name = name.replace(".dt.bias", ".dt_proj.bias")
    stem, end = name.rsplit(".", 1) if name.endswith((".weight", ".bias")) else (name, "")
    layer = re.match(r"(?:model|backbone)\.layers\.(\d+)\.(.*)", stem)
    if not layer:
        return f"{MODEL[stem]}.{end}"
    number, stem = layer.groups()
    part, _, own = stem.partition(".")
    if own.startswith("shared_expert"):
        shared, _, rest = own.rpartition(".")
        new = f"{FEED_FORWARD[rest]}_shexp" if shared else FEED_FORWARD[own]
    else:
        new = PARTS[part][own] if own else LAYER[stem]
    if architecture in ("qwen3next", "qwen35") and stem == "post_attention_layernorm":
        new = "post_attention_norm"
    if architecture == "falcon-h1" and new == "ffn_norm":
        end = ""
    return f"blk.{number}.{new}" + (f".{end}" if end else "")


def experts_stacked(tensors):
    """The weights of a layer's experts, each kind as one tensor."""
    found = {}
    for name in list(tensors):
        match = re.match(r"(.*layers\.(\d+)\..*)experts\.0\.(\w+)\.weight", name)
        if match:
            before, layer, kind = match.groups()
            each = []
            while f"{before}experts.{len(each)}.{kind}.weight" in tensors:
                each.append(tensors.pop(f"{before}experts.{len(each)}.{kind}.weight"))
            found[f"blk.{layer}.{FEED_FORWARD[kind]}_exps.weight"] = numpy.stack(each)
    return found


def tiled(tensor, axis, config, width):
    """Heads of values: from those of one key together to the first of all keys, then the second, and so on."""
    keys, shape = config["linear_num_key_heads"], tensor.shape
    tensor = numpy.moveaxis(tensor, axis, 0)
    moved = tensor.reshape(keys, -1, width, *tensor.shape[1:]).swapaxes(0, 1).reshape(tensor.shape)
    return numpy.moveaxis(moved, 0, axis).reshape(shape)


def split(name, tensor, config):
    """The tensors that converters make of one, by their new names, as pairs; empty if they keep it."""
    here = "blk." + (re.search(r"layers\.(\d+)\.", name) or ["", ""])[1] + "."
    if name.endswith("input_linear.weight"):
        gate, up = numpy.split(tensor, 2, axis=-2)
        end = "_exps" if "sparse" in name else "_shexp" if config["num_local_experts"] else ""
        return [(f"{here}ffn_gate{end}.weight", gate), (f"{here}ffn_up{end}.weight", up)]
    if name.endswith("shared_mlp.output_linear.weight") and not config["num_local_experts"]:
        return [(f"{here}ffn_down.weight", tensor)]
    if name.endswith("in_proj_qkvz.weight"):
        keys, width = config["linear_num_key_heads"], config["linear_key_head_dim"]
        values = config["linear_num_value_heads"] // keys * config["linear_value_head_dim"]
        parts = numpy.split(tensor.reshape(keys, -1, tensor.shape[1]), [width, 2 * width, 2 * width + values], axis=1)
        flat = [part.reshape(-1, tensor.shape[1]) for part in parts]
        return [(f"{here}attn_qkv.weight", numpy.concatenate(flat[:3])), (f"{here}attn_gate.weight", flat[3])]
    if name.endswith("kv_b_proj.weight"):
        heads = tensor.reshape(config["num_key_value_heads"], -1, tensor.shape[1])
        keys, values = numpy.split(heads, [config["qk_nope_head_dim"]], axis=1)
        return [(f"{here}attn_k_b.weight", keys.swapaxes(1, 2)), (f"{here}attn_v_b.weight", values)]
    return []


def converted(name, tensor, config, architecture):
    """A weight under its new name, transformed as converters do."""
    if name.endswith("ssm_a"):
        tensor = -numpy.exp(tensor)
    if architecture in GROUPED and name.endswith(("ssm_a", "ssm_d")):
        tensor = tensor.reshape(-1, 1)
    if architecture in GROUPED and name.endswith("ssm_norm.weight"):
        groups = next(config[key] for key in ("mamba_n_groups", "n_groups") if key in config)
        tensor = tensor.reshape(groups, -1)
    if "ssm_conv1d_" in name:
        tensor = tensor.reshape(1, len(tensor), 1, -1)
    elif name.endswith(("conv1d.weight", "shortconv.conv.weight")):
        tensor = tensor.squeeze(1)
    if architecture in ("granitehybrid", "nemotron_h_moe") and "attn_q" in name:
        tensor = pairs_together(tensor, config["num_attention_heads"])
    if architecture in ("granitehybrid", "nemotron_h_moe") and "attn_k" in name:
        tensor = pairs_together(tensor, config["num_key_value_heads"])
    if architecture.startswith("qwen3") and "norm." in name and "ssm_norm" not in name:
        tensor = tensor + 1
    if architecture == "qwen35":
        tensor = values_in_turn(name, tensor, config)
    if architecture == "falcon-h1":
        tensor = (tensor.T * multiplier(name, config)).T
    return tensor


def values_in_turn(name, tensor, config):
    keys, values = (config[f"linear_num_{kind}_heads"] * config[f"linear_{kind}_head_dim"] for kind in ("key", "value"))
    width = config["linear_value_head_dim"]
    if name.endswith(("attn_qkv.weight", "ssm_conv1d.weight")):
        assert len(tensor) == 2 * keys + values
        return numpy.concatenate([tensor[:2 * keys], tiled(tensor[2 * keys:], 0, config, width)])
    if name.endswith("attn_gate.weight"):
        return tiled(tensor, 0, config, width)
    if name.endswith(("ssm_a", "ssm_dt.bias", "ssm_alpha.weight", "ssm_beta.weight")):
        return tiled(tensor, 0, config, 1)
    return tiled(tensor, 1, config, width) if name.endswith("ssm_out.weight") else tensor


def multiplier(name, config):
    """By what a weight of Falcon-H1 is multiplied; for the first of Mamba-2 a number for each row."""
    into, out = config["attention_in_multiplier"], config["attention_out_multiplier"]
    gate, down = config["mlp_multipliers"]
    if name.endswith("ssm_in.weight"):
        states = config["mamba_n_groups"] * config["mamba_d_state"]
        sizes = [config["mamba_d_ssm"], config["mamba_d_ssm"], states, states, config["mamba_n_heads"]]
        return config["ssm_in_multiplier"] * numpy.repeat(config["ssm_multipliers"], sizes).astype("f4")
    return {"attn_q": into, "attn_k": into * config["key_multiplier"], "attn_v": into, "attn_output": out,
            "ffn_gate": gate, "ffn_down": down, "ssm_out": config["ssm_out_multiplier"],
            "token_embd": config["embedding_multiplier"], "output": config["lm_head_multiplier"]}.get(
                name.split(".")[-2] if name.endswith(".weight") else "", 1)


def goose(tensors):
    """The weights of RWKV-7, for which names change most."""
    found = {}
    for name in list(tensors):
        layer = re.match(r"model\.layers\.(\d+)\.(.*)", name)
        if not layer:
            found[new_name(name, "rwkv7")] = tensors.pop(name)
            continue
        number, stem = int(layer[1]), layer[2]
        if stem == "attn.x_r":  # all six together
            found[f"blk.{number}.time_mix_lerp_fused.weight"] = numpy.stack(
                [tensors[f"model.layers.{number}.attn.x_{part}"] for part in "rwkvag"])
        if re.match(r"attn\.x_", stem):
            continue
        tensor = tensors[name].squeeze()
        stem = re.sub(r"attn\.(\w)_lora\.lora\.(\d)\.(weight|bias)",
                      lambda m: f"time_mix_{m[1]}{'0' if m[3] == 'bias' else '1' if m[2] == '0' else '2'}.weight", stem)
        for old, new in {"attn.g_norm": "time_mix_ln", "attn.r_proj": "time_mix_receptance",
                         "attn.k_proj": "time_mix_key", "attn.v_proj": "time_mix_value",
                         "attn.o_proj": "time_mix_output", "attn.k_k": "time_mix_k_k.weight",
                         "attn.k_a": "time_mix_k_a.weight", "attn.r_k": "time_mix_r_k.weight",
                         "ffn.x_k": "channel_mix_lerp_k.weight", "ffn.key": "channel_mix_key",
                         "ffn.value": "channel_mix_value", "ffn_norm": "attn_norm_2"}.items():
            stem = re.sub(rf"^{re.escape(old)}(?=\.|$)", new, stem)
        if stem.startswith("pre_norm"):
            found[stem.replace("pre_norm", "token_embd_norm")] = tensor
            continue
        found[f"blk.{number}.{stem}"] = tensor.flatten() if "r_k" in stem else tensor
        if number == 0 and "time_mix_a" in stem:  # readers want the first layer to have these, too
            found[f"blk.0.{stem.replace('time_mix_a', 'time_mix_v')}"] = tensor
    return found


def shared_keys(config):
    """What converters write for all models that attend."""
    keys = {}
    for key, names in {
            "block_count": ["num_hidden_layers"], "context_length": ["max_position_embeddings", "model_max_length"],
            "embedding_length": ["hidden_size"], "feed_forward_length": ["intermediate_size"],
            "attention.head_count": ["num_attention_heads"], "attention.head_count_kv": ["num_key_value_heads"],
            "attention.layer_norm_rms_epsilon": ["rms_norm_eps", "norm_eps"],
            "attention.layer_norm_epsilon": ["layer_norm_epsilon"], "vocab_size": ["vocab_size"],
            "expert_count": ["num_local_experts", "num_experts"],
            "expert_used_count": ["num_experts_per_tok", "num_experts_per_token"], "expert_group_count": ["n_group"],
            "expert_group_used_count": ["topk_group"],
            "attention.key_length": ["head_dim"], "attention.value_length": ["head_dim"]}.items():
        for name in names:
            if config.get(name) is not None:
                keys[key] = config[name]
    rotation = config.get("rope_parameters") or {}
    if "rope_theta" in rotation:
        keys["rope.freq_base"] = float(rotation["rope_theta"])
    if "mrope_section" in rotation:
        keys["rope.dimension_sections"] = (rotation["mrope_section"] + [0])[:4]
    return keys


def attending(config, words=("attention", "full_attention")):
    """The number of heads of keys of each layer; 0 for the others."""
    return [config["num_key_value_heads"] if word in words else 0 for word in config["layer_types"]]


def states(kernel, inner, size, steps, groups=None):
    keys = {"ssm.conv_kernel": kernel, "ssm.inner_size": inner, "ssm.state_size": size, "ssm.time_step_rank": steps}
    return {**keys, "ssm.group_count": groups} if groups else keys


def plain(config):
    """What the converters of Mamba write, which have no attention."""
    return {"block_count": config["num_hidden_layers"], "context_length": 1 << 20,
            "embedding_length": config["hidden_size"], "feed_forward_length": 0, "attention.head_count": 0,
            "attention.layer_norm_rms_epsilon": config["layer_norm_epsilon"]}


def metadata(config, architecture):
    if architecture == "mamba":
        return {**plain(config), "ssm.dt_b_c_rms": False,
                **states(config["conv_kernel"], config["intermediate_size"], config["state_size"],
                         config["time_step_rank"])}
    if architecture == "mamba2":
        inner = config["expand"] * config["hidden_size"]
        return {**plain(config), **states(config["conv_kernel"], inner, config["state_size"],
                                          inner // config["head_dim"], config["n_groups"])}
    if architecture == "rwkv7":
        return {"block_count": config["num_hidden_layers"], "context_length": 1 << 20, "attention.head_count": 0,
                "embedding_length": config["hidden_size"], "feed_forward_length": config["intermediate_size"],
                "attention.layer_norm_epsilon": config["norm_eps"], "wkv.head_size": config["head_dim"],
                **{f"attention.{key}_lora_rank": config[f"{name}_low_rank_dim"] for key, name in {
                    "decay": "decay", "iclr": "a", "value_residual_mix": "v", "gate": "gate"}.items()}}
    keys = shared_keys(config)
    if architecture == "lfm2":
        keys["attention.head_count_kv"] = attending(config)
        keys["shortconv.l_cache"] = config["conv_L_cache"]
        inner, several = int(2 * config["intermediate_size"] / 3), config["block_multiple_of"]
        keys["feed_forward_length"] = math.ceil(int(config["block_ffn_dim_multiplier"] * inner) / several) * several
    if architecture.startswith("qwen3"):
        keys.update(states(config["linear_conv_kernel_dim"],
                           config["linear_value_head_dim"] * config["linear_num_value_heads"],
                           config["linear_key_head_dim"], config["linear_num_value_heads"],
                           config["linear_num_key_heads"]))
        keys["full_attention_interval"] = config["layer_types"].index("full_attention") + 1
        keys["rope.dimension_count"] = int(config["head_dim"] * config["rope_parameters"]["partial_rotary_factor"])
        del keys["vocab_size"]
    if architecture == "qwen3next":
        keys["expert_feed_forward_length"] = config["moe_intermediate_size"]
        keys["expert_shared_feed_forward_length"] = config["shared_expert_intermediate_size"]
    if architecture in ("falcon-h1", "granitehybrid"):
        keys.update(states(config["mamba_d_conv"], config["mamba_n_heads"] * config["mamba_d_head"],
                           config["mamba_d_state"], config["mamba_n_heads"], config["mamba_n_groups"]))
    if architecture == "granitehybrid":
        keys["attention.head_count_kv"] = attending(config)
        keys["rope.dimension_count"] = config["hidden_size"] // config["num_attention_heads"]
        keys["rope.scaling.finetuned"] = False
        keys["expert_shared_feed_forward_length"] = config["shared_intermediate_size"]
        for key, name in {"attention.scale": "attention_multiplier", "embedding_scale": "embedding_multiplier",
                          "residual_scale": "residual_multiplier", "logit_scale": "logits_scaling"}.items():
            keys[key] = config[name]
    if architecture == "jamba":
        keys.update(states(config["mamba_d_conv"], config["mamba_expand"] * config["hidden_size"],
                           config["mamba_d_state"], config["mamba_dt_rank"]))
        keys["attention.head_count_kv"] = [
            config["num_key_value_heads"] if layer % config["attn_layer_period"] == config["attn_layer_offset"] else 0
            for layer in range(config["num_hidden_layers"])]
        del keys["vocab_size"]
    if architecture == "nemotron_h_moe":
        words = config["layers_block_type"]
        keys.update(states(config["conv_kernel"], config["mamba_num_heads"] * config["mamba_head_dim"],
                           config["ssm_state_size"], config["mamba_num_heads"], config["n_groups"]))
        keys["attention.layer_norm_rms_epsilon"] = config["layer_norm_epsilon"]
        keys["block_count"] = len(words)
        keys["attention.head_count_kv"] = attending({**config, "layer_types": words})
        inner = {"moe": config["moe_intermediate_size"], "mlp": config["intermediate_size"]}
        keys["feed_forward_length"] = [inner.get(word, 0) for word in words]
        keys.update({"expert_count": config["n_routed_experts"], "rope.scaling.finetuned": False,
                     "expert_feed_forward_length": config["moe_intermediate_size"],
                     "expert_shared_feed_forward_length": config["moe_shared_expert_intermediate_size"],
                     "expert_shared_count": config["n_shared_experts"], "expert_weights_norm": config["norm_topk_prob"],
                     "expert_weights_scale": config["routed_scaling_factor"]})
        keys["rope.dimension_count"] = config["head_dim"]
    if architecture == "kimi-linear":
        keys["attention.head_count_kv"] = [int(word == "full_attention") for word in config["layer_types"]]
        rank, rotated = config["kv_lora_rank"], config["qk_rope_head_dim"]
        keys.update({"ssm.conv_kernel": config["linear_conv_kernel_dim"], "kda.head_dim": config["linear_head_dim"],
                     "attention.kv_lora_rank": rank, "rope.dimension_count": rotated,
                     "attention.key_length": rank + rotated,
                     "attention.key_length_mla": config["qk_nope_head_dim"] + rotated,
                     "attention.value_length_mla": config["v_head_dim"], "expert_gating_func": 2,
                     "expert_feed_forward_length": config["moe_intermediate_size"],
                     "expert_shared_count": config["num_shared_experts"],
                     "leading_dense_block_count": config["mlp_layer_types"].index("sparse"),
                     "expert_weights_scale": config["routed_scaling_factor"]})
        keys["attention.value_length"] = keys.pop("attention.value_length", config["head_dim"])
    return keys


def convert(directory):
    """Metadata and tensors of the model in a directory, for gguf_file.write."""
    directory = pathlib.Path(directory)
    config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    architecture = ARCHITECTURES[config["model_type"]]
    rest = read_tensors(directory / "model.safetensors")
    tensors = goose(rest) if architecture == "rwkv7" else experts_stacked(rest)
    for name, tensor in {} if architecture == "rwkv7" else rest.items():
        for new, part in split(name, tensor, config) or [(new_name(name, architecture), tensor)]:
            tensors[new] = converted(new, part, config, architecture)
    named = {f"{architecture}.{key}": value for key, value in metadata(config, architecture).items()}
    return {"general.architecture": architecture, "general.name": directory.name, "general.file_type": 0, **named,
            "tokenizer.ggml.eos_token_id": config["eos_token_id"]}, tensors
