# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_hybrid.py NAME OUT.gguf: a model with recurrent layers, of random weights in Q8_0.

NAME is one of those below. The shapes are those of the public models; the measurements do not depend on the weights'
values. The names of tensors and keys are those of llama.cpp's converters (test/end-to-end/tools/gguf_recurrent.py).
"""

import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test/end-to-end/tools"))
import gguf_file  # noqa: E402
import gguf_recurrent  # noqa: E402

COMMON = {"bos_token_id": 1, "eos_token_id": 2, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5}
CONFIGS = {
    "mamba2-130m": {"model_type": "mamba2", "hidden_size": 768, "num_hidden_layers": 24, "expand": 2, "state_size": 128,
                    "head_dim": 64, "n_groups": 1, "conv_kernel": 4, "layer_norm_epsilon": 1e-5, "vocab_size": 50288},
    "lfm2-350m": {"model_type": "lfm2", "hidden_size": 1024, "num_hidden_layers": 16, "num_attention_heads": 16,
                  "num_key_value_heads": 8, "intermediate_size": 6656, "block_multiple_of": 256,
                  "block_ffn_dim_multiplier": 1.0, "conv_L_cache": 3, "norm_eps": 1e-5, "vocab_size": 65536,
                  "rope_parameters": {"rope_theta": 1e6, "rope_type": "default"},
                  "layer_types": ["full_attention" if layer in (2, 5, 8, 10, 12, 14) else "conv"
                                  for layer in range(16)]},
    "granite-4.0-h-350m": {"model_type": "granitemoehybrid", "hidden_size": 768, "num_hidden_layers": 32,
                           "num_attention_heads": 12, "num_key_value_heads": 4, "mamba_d_conv": 4, "mamba_d_head": 32,
                           "mamba_d_state": 128, "mamba_expand": 2, "mamba_n_groups": 1, "mamba_n_heads": 48,
                           "shared_intermediate_size": 2048, "num_local_experts": 0, "num_experts_per_tok": 0,
                           "intermediate_size": 2048, "vocab_size": 100352,
                           "attention_multiplier": 0.015625, "embedding_multiplier": 12.0, "residual_multiplier": 0.246,
                           "logits_scaling": 3.0, "rope_parameters": {"rope_theta": 1e4, "rope_type": "default"},
                           "layer_types": ["full_attention" if layer in (10, 13, 17, 27) else "linear_attention"
                                           for layer in range(32)]},
    "qwen3.5-0.8b": {"model_type": "qwen3_5_text", "hidden_size": 1024, "num_hidden_layers": 24,
                     "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256, "intermediate_size": 3584,
                     "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
                     "linear_num_key_heads": 16, "linear_num_value_heads": 16, "vocab_size": 248320,
                     "rope_parameters": {"rope_theta": 1e7, "rope_type": "default", "partial_rotary_factor": 0.25,
                                         "mrope_section": [11, 11, 10]},
                     "layer_types": ["full_attention" if layer % 4 == 3 else "linear_attention"
                                     for layer in range(24)]},
}


def mamba2(prefix, d, inner, states, groups, heads, kernel):
    width = inner + 2 * groups * states
    return {prefix + "A_log": (heads,), prefix + "D": (heads,), prefix + "dt_bias": (heads,),
            prefix + "conv1d.bias": (width,), prefix + "conv1d.weight": (width, 1, kernel),
            prefix + "in_proj.weight": (inner + width + heads, d), prefix + "norm.weight": (inner,),
            prefix + "out_proj.weight": (d, inner)}


def attention(prefix, config, width, gate=1):
    d = config["hidden_size"]
    heads, keys = config["num_attention_heads"], config["num_key_value_heads"]
    return {prefix + "q_proj.weight": (gate * heads * width, d), prefix + "k_proj.weight": (keys * width, d),
            prefix + "v_proj.weight": (keys * width, d)}


def shapes_of(c):
    """The tensors as Hugging Face names them, with their shapes."""
    d, kind = c["hidden_size"], c["model_type"]
    if kind == "mamba2":
        shapes = {"backbone.embeddings.weight": (c["vocab_size"], d), "backbone.norm_f.weight": (d,)}
        for layer in range(c["num_hidden_layers"]):
            here = f"backbone.layers.{layer}."
            shapes |= {here + "norm.weight": (d,)} | mamba2(
                here + "mixer.", d, c["expand"] * d, c["state_size"], c["n_groups"], c["expand"] * d // c["head_dim"],
                c["conv_kernel"])
        return shapes
    end = "model.embedding_norm.weight" if kind == "lfm2" else "model.norm.weight"
    shapes = {"model.embed_tokens.weight": (c["vocab_size"], d), end: (d,)}
    for layer, word in enumerate(c["layer_types"]):
        here = f"model.layers.{layer}."
        if kind == "lfm2":
            inner = 256 * -(-int(2 * c["intermediate_size"] / 3) // 256)
            shapes |= {here + "operator_norm.weight": (d,), here + "ffn_norm.weight": (d,),
                       here + "feed_forward.w1.weight": (inner, d), here + "feed_forward.w3.weight": (inner, d),
                       here + "feed_forward.w2.weight": (d, inner)}
            width = d // c["num_attention_heads"]
            shapes |= ({here + "conv.conv.weight": (d, 1, c["conv_L_cache"]), here + "conv.in_proj.weight": (3 * d, d),
                        here + "conv.out_proj.weight": (d, d)} if word == "conv" else
                       attention(here + "self_attn.", c, width) | {
                           here + "self_attn.out_proj.weight": (d, d), here + "self_attn.q_layernorm.weight": (width,),
                           here + "self_attn.k_layernorm.weight": (width,)})
            continue
        shapes |= {here + "input_layernorm.weight": (d,), here + "post_attention_layernorm.weight": (d,)}
        if kind == "granitemoehybrid":
            inner, width = c["shared_intermediate_size"], d // c["num_attention_heads"]
            shapes |= {here + "shared_mlp.input_linear.weight": (2 * inner, d),
                       here + "shared_mlp.output_linear.weight": (d, inner)}
            shapes |= (mamba2(here + "mamba.", d, c["mamba_expand"] * d, c["mamba_d_state"], c["mamba_n_groups"],
                              c["mamba_n_heads"], c["mamba_d_conv"]) if word != "full_attention" else
                       attention(here + "self_attn.", c, width) | {here + "self_attn.o_proj.weight": (d, d)})
            continue
        inner, width = c["intermediate_size"], c["head_dim"]
        shapes |= {here + "mlp.gate_proj.weight": (inner, d), here + "mlp.up_proj.weight": (inner, d),
                   here + "mlp.down_proj.weight": (d, inner)}
        if word == "full_attention":
            shapes |= attention(here + "self_attn.", c, width, gate=2) | {
                here + "self_attn.o_proj.weight": (d, c["num_attention_heads"] * width),
                here + "self_attn.q_norm.weight": (width,), here + "self_attn.k_norm.weight": (width,)}
            continue
        keys, values = (c[f"linear_num_{kind}_heads"] * c[f"linear_{kind}_head_dim"] for kind in ("key", "value"))
        heads = c["linear_num_value_heads"]
        here += "linear_attn."
        shapes |= {here + "A_log": (heads,), here + "dt_bias": (heads,), here + "in_proj_a.weight": (heads, d),
                   here + "in_proj_b.weight": (heads, d), here + "in_proj_z.weight": (values, d),
                   here + "in_proj_qkv.weight": (2 * keys + values, d), here + "out_proj.weight": (d, values),
                   here + "conv1d.weight": (2 * keys + values, 1, c["linear_conv_kernel_dim"]),
                   here + "norm.weight": (c["linear_value_head_dim"],)}
    return shapes


def q8_0(array):
    """Blocks of 32 whole numbers with a scale in half precision; the last axis is divided into blocks."""
    blocks = array.reshape(-1, 32)
    scale = numpy.abs(blocks).max(1, keepdims=True) / 127
    content = numpy.empty((len(blocks), 34), numpy.uint8)
    content[:, :2] = scale.astype("<f2").view("u1")
    content[:, 2:] = numpy.rint(blocks / scale).astype(numpy.int8).view("u1")
    return gguf_file.Stored("Q8_0", array.shape, content.tobytes())


def write(name, path):
    config = COMMON | CONFIGS[name]
    architecture = gguf_recurrent.ARCHITECTURES[config["model_type"]]
    random, tensors = numpy.random.default_rng(1), {}
    for old, shape in shapes_of(config).items():
        tensor = random.standard_normal(shape, numpy.float32) * numpy.float32(0.03)
        if len(shape) == 1 and "norm" in old:
            tensor += 0 if config["model_type"] == "qwen3_5_text" and "linear_attn" not in old else 1
        for new, part in (gguf_recurrent.split(old, tensor, config) or
                          [(gguf_recurrent.new_name(old, architecture), tensor)]):
            part = gguf_recurrent.converted(new, part, config, architecture)
            is_float = any(name in new for name in ("conv1d", "shortconv.conv.", "ssm_norm"))
            plain = part.ndim != 2 or part.shape[1] % 32 or is_float
            tensors[new] = part if plain else q8_0(part)
    keys = {"vocab_size": config["vocab_size"], **gguf_recurrent.metadata(config, architecture)}
    gguf_file.write(path, {"general.architecture": architecture, "general.name": name, "general.file_type": 7,
                           "tokenizer.ggml.model": "none", "tokenizer.ggml.eos_token_id": 2,
                           **{f"{architecture}.{key}": value for key, value in keys.items()}}, tensors)


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2])
