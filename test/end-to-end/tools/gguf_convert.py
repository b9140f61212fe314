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
import statistics
import struct

import numpy

ARCHITECTURES = {"gemma3n_text": "gemma3n", "gemma4_text": "gemma4",
                 "deepseek_v2": "deepseek2", "deepseek_v3": "deepseek2",
                 "llama": "llama", "mistral": "llama", "mixtral": "llama", "gpt_neox": "gptneox",
                 "phi": "phi2", "gpt_bigcode": "starcoder", "cohere": "command-r", "gpt_oss": "gpt-oss",
                 "gemma3_text": "gemma3", "ministral3": "mistral3",
                 "qwen2_moe": "qwen2moe", "qwen3_moe": "qwen3moe", "glm4_moe": "glm4moe",
                 "ernie4_5_moe": "ernie4_5-moe", "hunyuan_v1_moe": "hunyuan-moe",
                 "minimax_m2": "minimax-m2"}  # others have their own name

SPARSE = ["deepseek2", "qwen2moe", "qwen3moe", "olmoe", "granitemoe", "glm4moe", "ernie4_5-moe", "hunyuan-moe",
          "minimax-m2"]

# For a layer, and below for the model: the name in the file, and those of Hugging Face.
LAYER = {
    "attn_norm": ["attention_layernorm", "input_layernorm", "ln_1", "ln_mlp", "norm_1"],
    "attn_norm_2": ["ln_attn"],
    "ffn_norm": ["feedforward_layernorm", "post_attention_layernorm", "ln_2", "norm_2"],
    "attn_q": ["self_attn.q_proj"], "attn_k": ["self_attn.k_proj"], "attn_v": ["self_attn.v_proj"],
    "attn_q_norm": ["self_attn.q_norm", "self_attn.query_layernorm", "self_attn.q_layernorm"],
    "attn_k_norm": ["self_attn.k_norm", "self_attn.key_layernorm", "self_attn.k_layernorm"],
    "attn_output": ["self_attn.o_proj", "self_attn.dense", "self_attention.dense",
                    "attention.dense", "attn.c_proj", "attn.out_proj"],
    "attn_qkv": ["self_attention.query_key_value", "attention.query_key_value", "attn.c_attn",
                 "attn.Wqkv", "self_attn.qkv_proj"],
    "attn_sinks": ["self_attn.sinks"],
    **{f"altup_{new}": [f"altup.{old}"] for new, old in {
        "correct_coef": "correction_coefs", "correct_scale": "correct_output_scale",
        "predict_coef": "prediction_coefs", "router": "modality_router",
        "router_norm": "router_norm"}.items()},
    "laurel_l": ["laurel.linear_left"], "laurel_r": ["laurel.linear_right"],
    "laurel_post_norm": ["laurel.post_laurel_norm"], "layer_output_scale": ["layer_scalar"],
    "inp_gate": ["per_layer_input_gate"], "proj": ["per_layer_projection"],
    "post_norm": ["post_per_layer_input_norm"],
    **{f"attn_{new}": [f"self_attn.{old}"] for new, old in {
        "q_a": "q_a_proj", "q_a_norm": "q_a_layernorm", "q_b": "q_b_proj",
        "kv_a_mqa": "kv_a_proj_with_mqa", "kv_a_norm": "kv_a_layernorm", "kv_b": "kv_b_proj",
        "k_b": "k_b_proj", "v_b": "v_b_proj"}.items()},
    "ffn_gate": ["mlp.gate_proj"],
    "ffn_up": ["mlp.up_proj", "mlp.fc1", "mlp.dense_h_to_4h", "mlp.c_fc", "ffn.up_proj",
               "mlp.gate_up_proj"],
    "ffn_down": ["mlp.down_proj", "mlp.fc2", "mlp.dense_4h_to_h", "mlp.c_proj",
                 "ffn.down_proj"],
    "ffn_gate_inp": ["mlp.router", "block_sparse_moe.gate", "block_sparse_moe.router.layer",
                     "mlp.gate", "mlp.gate.wg"],
    "ffn_gate_inp_shexp": ["mlp.shared_expert_gate"],
    "exp_probs_b": ["mlp.gate.e_score_correction", "mlp.moe_statics.e_score_correction",
                    "block_sparse_moe.e_score_correction"],
    **{f"ffn_{name}_shexp": [f"mlp.{shared}.{name}_proj"
                             for shared in ("shared_expert", "shared_experts", "shared_mlp")]
       for name in ("gate", "up", "down")},
}
# Gemma 2 and 3 have four norms per layer, and gpt-oss another name for its second.
FOUR_NORMS = {"ffn_norm": ["pre_feedforward_layernorm"],
              "post_attention_norm": ["post_attention_layernorm"],
              "post_ffw_norm": ["post_feedforward_layernorm"]}
# GLM-4 has four, too; EXAONE 4 and OLMo 2 have two, both after a branch.
GLM4 = {"post_attention_norm": ["post_self_attn_layernorm"],
        "post_ffw_norm": ["post_mlp_layernorm"]}
EXAONE4 = {"post_attention_norm": ["post_attention_layernorm"],
           "post_ffw_norm": ["post_feedforward_layernorm"]}
MODEL = {
    "token_embd": ["model.embed_tokens", "embed_tokens", "transformer.wte",
                   "transformer.word_embeddings", "gpt_neox.embed_in"],
    "token_embd_norm": ["transformer.word_embeddings_layernorm"],
    "position_embd": ["transformer.wpe"],
    "output_norm": ["model.norm", "norm", "model.final_layernorm", "transformer.ln_f",
                    "gpt_neox.final_layer_norm", "transformer.norm_f"],
    "output": ["lm_head", "embed_out"],
    "altup_proj": ["model.altup_projections"],
    "altup_unembd_proj": ["model.altup_unembed_projections"],
    "per_layer_token_embd": ["model.embed_tokens_per_layer"],
    "per_layer_model_proj": ["model.per_layer_model_projection"],
    "per_layer_proj_norm": ["model.per_layer_projection_norm"],
}
LAYERS = ["model.layers.", "layers.", "transformer.h.", "gpt_neox.layers.",
          "transformer.blocks."]


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


def write_tensors(path, tensors):
    """Writes arrays of float32 as a safetensors file."""
    header, data = {}, b""
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": values.shape,
                        "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def first(config, *names, default=None):
    return next((config[name] for name in names if config.get(name) is not None), default)


class Sizes:
    def __init__(self, config):
        self.width = first(config, "hidden_size", "n_embd", "d_model")
        self.heads = first(config, "num_attention_heads", "n_head", "n_heads")
        self.key_heads = first(config, "num_key_value_heads", "num_kv_heads",
                               default=self.heads)
        self.head = first(config, "head_dim", default=self.width // self.heads)
        self.inner = first(config, "intermediate_size", "n_inner", "ffn_hidden_size",
                           default=4 * self.width)
        self.layers = first(config, "num_hidden_layers", "n_layer", "n_layers")
        self.context = first(config, "max_position_embeddings", "n_positions", "max_seq_len",
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
    if kind == "longrope":
        least = keys["rope.scaling.original_context_length"] = given["original_max_position_embeddings"]
        longer = math.log(config["max_position_embeddings"] / least)
        keys["rope.scaling.attn_factor"] = math.sqrt(1 + longer / math.log(least))
        return {f"rope_factors_{name}.weight": numpy.array(given[f"{name}_factor"], "f4")
                for name in ("short", "long")}
    if kind != "llama3":
        return {}
    head = Sizes(config).head
    waves = 2 * math.pi * theta ** (numpy.arange(0, head, 2) / head)
    turns = given["original_max_position_embeddings"] / waves
    low, high = given["low_freq_factor"], given["high_freq_factor"]
    mix = numpy.clip((turns - low) / (high - low), 0, 1)
    return {"rope_freqs.weight": (1 / ((1 - mix) / given["factor"] + mix)).astype("f4")}


def sparse_keys(config, architecture):
    """Keys of models with experts, beyond those of Mixtral."""
    sizes = Sizes(config)
    keys = {key: first(config, *names) for key, names in {
        "expert_count": ["num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"],
        "expert_used_count": ["num_experts_per_tok", "moe_k", "moe_topk"],
        "expert_group_count": ["n_group"], "expert_group_used_count": ["topk_group"],
        "expert_feed_forward_length": ["moe_intermediate_size"],
        "expert_shared_feed_forward_length": ["shared_expert_intermediate_size"],
        "expert_shared_count": ["n_shared_experts", "moe_num_shared_experts"],
        "expert_weights_scale": ["routed_scaling_factor"],
        "leading_dense_block_count": ["first_k_dense_replace", "moe_layer_start_index"],
        "interleave_moe_layer_step": ["moe_layer_interval"]}.items()
        if first(config, *names) is not None}
    if architecture in ("glm4moe", "minimax-m2"):
        part = config["rope_parameters"]["partial_rotary_factor"]
        keys["rope.dimension_count"] = int(part * sizes.head)
        keys["expert_gating_func"] = 2  # the sigmoid
    if architecture == "glm4moe":
        keys["expert_weights_norm"] = config["norm_topk_prob"]
        keys["nextn_predict_layers"] = config["num_nextn_predict_layers"]
    if architecture == "ernie4_5-moe":
        keys["expert_shared_feed_forward_length"] = sizes.inner // sizes.key_heads
    if architecture in ("hunyuan-moe", "minimax-m2"):
        keys["expert_feed_forward_length"] = sizes.inner
    if architecture == "hunyuan-moe":
        given = config["rope_parameters"]
        keys["expert_shared_feed_forward_length"], keys["expert_shared_count"] = sizes.inner, 1
        keys["rope.freq_base"] = given["rope_theta"] * given["alpha"] ** (
            sizes.head / (sizes.head - 2))
        keys["rope.scaling.type"], keys["rope.scaling.factor"] = "none", 1.0
        keys["rope.scaling.original_context_length"] = 256 * 1024
    return keys


def latent(tensors, config, architecture, keys):
    """Models that attend to latent vectors: their keys, and the weights that converters change."""
    rank, rotated, rest = (config[name] for name in (
        "kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim"))
    keys.update({"attention.q_lora_rank": config["q_lora_rank"], "attention.kv_lora_rank": rank,
                 "rope.dimension_count": rotated, "attention.key_length": rest + rotated,
                 "vocab_size": config["vocab_size"]})
    if architecture == "minicpm3":  # readers have the factors of the real model: 12, 256 and 1.4
        keys.pop("attention.value_length")
        scale, table = config["scale_emb"] / 12, "model.embed_tokens.weight"
        tensors[table] = tensors[table] * numpy.float32(scale)
        tensors["model.norm.weight"] = tensors["model.norm.weight"] * numpy.float32(
            config["dim_model_base"] / 256 / scale)
        return
    keys.update({"attention.head_count_kv": 1, "attention.key_length": rank + rotated,
                 "attention.value_length": rank, "attention.key_length_mla": rest + rotated,
                 "attention.value_length_mla": config["v_head_dim"],
                 "expert_gating_func": 2 if config["model_type"] == "deepseek_v3" else 1})
    if config["norm_topk_prob"]:
        keys["expert_weights_norm"] = True
    given = config["rope_parameters"]
    keys["rope.scaling.yarn_log_multiplier"] = 0.1 * given["mscale_all_dim"]
    # Readers assume that both factors of the rotation are equal; queries have their quotient here.
    slowed = [0.1 * given[key] * math.log(given["factor"]) + 1
              for key in ("mscale", "mscale_all_dim")]
    for name in [name for name in tensors if name.endswith("kv_b_proj.weight")]:
        heads = tensors.pop(name).reshape(config["num_attention_heads"], -1, rank)
        tensors[name.replace("kv_b", "k_b")] = heads[:, :rest].swapaxes(1, 2)
        tensors[name.replace("kv_b", "v_b")] = heads[:, rest:]
        queries = tensors[name.replace("kv_b", "q_b")].copy()
        queries = queries.reshape(len(heads), rest + rotated, -1)
        queries[:, rest:] *= numpy.float32((slowed[0] / slowed[1]) ** 2)
        tensors[name.replace("kv_b", "q_b")] = queries.reshape(-1, queries.shape[2])


def per_layer(tensors, config, architecture, keys):
    """Gemma 3n and 4: their keys, and the weights that converters change."""
    local = [kind == "sliding_attention" for kind in config["layer_types"]]
    keys.update({"attention.shared_kv_layers": config["num_kv_shared_layers"],
                 "embedding_length_per_layer_input": config["hidden_size_per_layer_input"],
                 "attention.sliding_window_pattern": local})
    if architecture == "gemma4":
        head = config["per_layer_config"][str(local.index(False))]["head_dim"]
        for kind in ("key", "value"):
            keys[f"attention.{kind}_length_swa"] = config["head_dim"]
            keys[f"attention.{kind}_length"] = head
        keys["rope.dimension_count_swa"], keys["rope.dimension_count"] = config["head_dim"], head
        part = config["rope_parameters"]["full_attention"]["partial_rotary_factor"]
        turning = int(head * part / 2)
        tensors["rope_freqs.weight"] = numpy.array(
            [1] * turning + [1e30] * (head // 2 - turning), "f4")
        owning = len(local) - config["num_kv_shared_layers"]
        keys["feed_forward_length"] = [config["intermediate_size"] * (2 if layer >= owning else 1)
                                       for layer in range(len(local))]
        return
    # Converters write minus infinity for layers that are not sparse; transfold does not read it.
    quantile = statistics.NormalDist().inv_cdf
    keys.update({"altup.active_idx": config["altup_active_idx"],
                 "altup.num_inputs": config["altup_num_inputs"],
                 "activation_sparsity_scale": [quantile(share) if share else -math.inf
                                               for share in config["activation_sparsity_pattern"]]})
    for name in ("altup_projections", "altup_unembed_projections"):
        each = [tensors.pop(f"model.{name}.{k}.weight")
                for k in range(config["altup_num_inputs"] - 1)]
        tensors[f"model.{name}.weight"] = numpy.stack(each)
    # Converters append rows of zeros, where the original reads the first row. Files do not contain
    # by how much weights are clipped.
    name, most = "model.embed_tokens_per_layer.weight", config["altup_coef_clip"]
    more = tensors[name][:1].repeat(config["vocab_size"] - len(tensors[name]), axis=0)
    tensors[name] = numpy.concatenate([tensors[name], more])
    for name in [name for name in tensors if name.endswith("correction_coefs.weight")]:
        tensors[name] = numpy.clip(tensors[name], -most, most)


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
            "attention.layer_norm_epsilon": ["layer_norm_eps", "layer_norm_epsilon", "norm_eps",
                                             "norm_epsilon"],
            "attention.clamp_kqv": ["clip_qkv"],
            "attn_logit_softcapping": ["attn_logit_softcapping"],
            "final_logit_softcapping": ["final_logit_softcapping"],
            "attention.sliding_window": ["sliding_window"],
            "expert_count": ["num_local_experts"], "expert_used_count": ["num_experts_per_tok"],
            "attention.scale": ["attention_multiplier"], "residual_scale": ["residual_multiplier"],
            "embedding_scale": ["embedding_multiplier"],
            "logit_scale": ["logits_scaling", "logit_scale"]}.items():
        if first(config, *names) is not None:
            keys[key] = first(config, *names)
    if architecture in ("llama", "smollm3", "mistral3", "apertus", "cohere2", "arcee"):
        keys["vocab_size"], keys["rope.dimension_count"] = config["vocab_size"], sizes.head
    if architecture in ("gptneox", "phi2", "phi3", "nemotron", "glm4", "stablelm"):
        part = config["rope_parameters"]["partial_rotary_factor"]
        keys["rope.dimension_count"] = int(part * sizes.head)
    if architecture == "falcon":
        keys["tensor_data_layout"] = "jploski"
    if architecture == "mpt":
        keys["attention.clamp_kqv"] = config["attn_config"]["clip_qkv"]
        keys["attention.max_alibi_bias"] = float(config["attn_config"]["alibi_bias_max"])
    if architecture in ("gptneox", "stablelm"):
        keys["use_parallel_residual"] = config["use_parallel_residual"]
    if architecture == "gpt-oss":
        keys["expert_feed_forward_length"] = sizes.inner
    if architecture in ("command-r", "cohere2", "nemotron"):
        keys["rope.scaling.type"] = "none"
    if architecture in ("cohere2", "exaone4"):
        keys["attention.sliding_window_pattern"] = [
            kind == "sliding_attention" for kind in config["layer_types"]]
    if architecture == "olmo":
        keys["attention.layer_norm_epsilon"] = 1e-5
    if architecture == "mistral3":
        given = config["rope_parameters"]
        keys["rope.scaling.yarn_log_multiplier"] = float(given["mscale_all_dim"])
        keys["attention.temperature_scale"] = float(given["llama_4_scaling_beta"])
    if architecture in ("gemma3", "gemma-embedding"):
        types = config["layer_types"]
        keys["attention.sliding_window_pattern"] = types.index("full_attention") + 1
    return keys


def pairs_together(weight, heads):
    """From pairs that are half a head apart to adjacent pairs."""
    return weight.reshape(heads, 2, -1, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


def one_behind_the_other(weight, heads):
    """From queries, keys and values interleaved by head to all queries, all keys, all values."""
    return weight.reshape(heads, 3, -1, *weight.shape[1:]).swapaxes(0, 1).reshape(weight.shape)


def ungrouped(weight, sizes):
    """From groups of queries with their key and value to all queries, all keys, all values."""
    groups = weight.reshape(sizes.key_heads, -1, sizes.head, *weight.shape[1:])
    parts = groups[:, :-2], groups[:, -2], groups[:, -1]
    return numpy.concatenate([part.reshape(-1, *weight.shape[1:]) for part in parts])


def converted(name, tensor, config, architecture):
    """A weight, transformed as converters do."""
    sizes = Sizes(config)
    if architecture in ("llama", "granite", "granitemoe", "olmo", "smollm3", "mistral3",
                        "arcee") and (
            name.startswith(("attn_q.", "attn_k."))):
        return pairs_together(tensor, sizes.heads if "attn_q." in name else sizes.key_heads)
    if architecture in ("bloom", "gptneox") and name.startswith("attn_qkv."):
        return one_behind_the_other(tensor, sizes.heads)
    if architecture == "falcon" and name.startswith("attn_qkv."):
        return ungrouped(tensor, sizes)
    if architecture == "gpt2" and tensor.ndim == 2 and name.startswith(("attn", "ffn")):
        return tensor.T
    if architecture in ("gemma3n", "gemma4"):
        return tensor
    if architecture.startswith(("gemma", "nemotron")) and "norm.weight" in name:
        tensor = tensor + 1
    # A GGUF file has no scale of queries: readers use 1 / sqrt(head). The tiny models have another
    # one, which is multiplied into the last factor of queries.
    scalar = config.get("query_pre_attn_scalar")
    if scalar and name.startswith("attn_q_norm" if architecture in ("gemma3", "gemma-embedding")
                                  else "attn_q."):
        tensor = tensor * math.sqrt(sizes.head / scalar)
    return tensor


def experts(tensors, layer):
    """The weights of a layer's experts, each kind as one tensor."""
    found = {}
    for name, old in {"gate": "w1", "up": "w3", "down": "w2"}.items():
        each = [tensors.pop(key) for key in sorted(
            (key for key in tensors
             if key.startswith((f"{layer}block_sparse_moe.experts.", f"{layer}mlp.experts.")) and
             key.endswith((f".{old}.weight", f".{name}_proj.weight"))),
            key=lambda key: int(key.split(".")[-3]))]
        if each:
            found[f"ffn_{name}_exps.weight"] = numpy.stack(each)
    both = tensors.pop(f"{layer}block_sparse_moe.input_linear.weight", None)
    if both is not None:
        found["ffn_gate_exps.weight"], found["ffn_up_exps.weight"] = numpy.split(both, 2, axis=1)
        found["ffn_down_exps.weight"] = tensors.pop(f"{layer}block_sparse_moe.output_linear.weight")
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


def norms_of_heads(tensors):
    """The gains of StableLM's norms of each head, those of a layer as one tensor."""
    for name in [name for name in tensors if name.endswith("_layernorm.norms.0.weight")]:
        stem = name.removesuffix(".norms.0.weight")
        each = [tensors.pop(f"{stem}.norms.{head}.weight")
                for head in range(sum(other.startswith(f"{stem}.norms.") for other in tensors))]
        tensors[f"{stem}.weight"] = numpy.stack(each)


def convert(directory):
    """Metadata and tensors of the model in a directory, for gguf_file.write."""
    directory = pathlib.Path(directory)
    config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    architecture = ARCHITECTURES.get(config["model_type"], config["model_type"])
    if config.get("use_bidirectional_attention"):
        architecture = "gemma-embedding"
    rest, tensors, keys = read_tensors(directory / "model.safetensors"), {}, {}
    rest = {name.replace("e_score_correction_bias", "e_score_correction.bias"): tensor
            for name, tensor in rest.items()}
    keys = metadata(config, architecture)
    tensors.update(rotation(config, keys))
    if architecture in SPARSE:
        keys.update(sparse_keys(config, architecture))

    if architecture in ("gemma3n", "gemma4"):
        per_layer(rest, config, architecture, keys)
    norms_of_heads(rest)
    if architecture == "eurobert":  # files have no heads
        rest = {name: tensor for name, tensor in rest.items() if name.startswith("model.")}
        keys["attention.causal"] = False
    if "kv_lora_rank" in config:
        latent(rest, config, architecture, keys)

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
    if architecture == "glm4":
        layer_names.update(GLM4)
    if architecture in ("exaone4", "olmo2"):
        layer_names.pop("ffn_norm")
        layer_names.update(EXAONE4)
    if architecture in ("gpt-oss", "glm4moe", "seed_oss"):
        layer_names["post_attention_norm"] = layer_names.pop("ffn_norm")
    if architecture == "gemma-embedding":
        keys["pooling_type"] = 1
    for module in sorted(directory.glob("[23]_Dense")):
        dense = f"dense_{module.name[0]}"
        weight = read_tensors(module / "model.safetensors")["linear.weight"]
        tensors[f"{dense}.weight"] = weight
        keys[f"{dense}_feat_out"], keys[f"{dense}_feat_in"] = weight.shape
    for key in ("alpha_p", "alpha_n", "beta", "eps") if architecture == "apertus" else ():
        keys[f"xielu.{key}"] = [
            rest.pop(f"model.layers.{layer}.mlp.act_fn.{key}").item()
            for layer in range(Sizes(config).layers)]
    if "rope_freqs.weight" in rest:
        tensors["rope_freqs.weight"] = rest.pop("rope_freqs.weight")
    take("", "", MODEL)
    for prefix in LAYERS:
        for layer in range(Sizes(config).layers):
            tensors.update({f"blk.{layer}.{name}": tensor
                            for name, tensor in experts(rest, f"{prefix}{layer}.").items()})
            take(f"{prefix}{layer}.", f"blk.{layer}.", layer_names)
    assert not rest, f"no name in GGUF files for {sorted(rest)}"
    named = {key if key.startswith("xielu.") else f"{architecture}.{key}": value
             for key, value in keys.items()}
    ends = {"tokenizer.ggml.eos_token_id": config["eos_token_id"]}
    return {"general.architecture": architecture, "general.name": directory.name,
            "general.file_type": 0, **named, **ends}, tensors
