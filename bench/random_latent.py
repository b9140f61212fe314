# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_latent.py DIR [float32|bfloat16] [LAYERS]: writes a decoder with latent attention and random parameters.

The measurements do not depend on their values. The layers have the sizes of DeepSeek-V2-Lite: d 2048, 16 heads of 128
and 64 rotated channels, rank 512, and a dense feed-forward of 10944, which is as much work as its experts are for each
token. 4 layers, vocabulary 16000, 32768 positions.
"""

import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
dtype = sys.argv[2] if len(sys.argv) > 2 else "float32"
layers = int(sys.argv[3]) if len(sys.argv) > 3 else 4
d, heads, plain, rotated, values, rank, ffn, vocabulary = 2048, 16, 128, 64, 128, 512, 10944, 16000

config = {
    "architectures": ["DeepseekV2ForCausalLM"], "model_type": "deepseek_v2", "hidden_size": d,
    "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": heads,
    "q_lora_rank": None, "kv_lora_rank": rank, "qk_nope_head_dim": plain, "qk_rope_head_dim": rotated,
    "v_head_dim": values, "intermediate_size": ffn, "first_k_dense_replace": layers, "n_routed_experts": 64,
    "n_shared_experts": 2, "num_experts_per_tok": 6, "moe_intermediate_size": 1408, "routed_scaling_factor": 1.0,
    "topk_method": "greedy", "norm_topk_prob": False, "vocab_size": vocabulary, "hidden_act": "silu",
    "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "max_position_embeddings": 32768, "attention_bias": False,
    "tie_word_embeddings": False, "torch_dtype": dtype, "bos_token_id": 1, "eos_token_id": 2,
}
shapes = {"model.embed_tokens.weight": (vocabulary, d), "model.norm.weight": (d,),
          "lm_head.weight": (vocabulary, d)}
for layer in range(layers):
    prefix = f"model.layers.{layer}."
    shapes |= {
        prefix + "input_layernorm.weight": (d,),
        prefix + "post_attention_layernorm.weight": (d,),
        prefix + "self_attn.q_proj.weight": (heads * (plain + rotated), d),
        prefix + "self_attn.kv_a_proj_with_mqa.weight": (rank + rotated, d),
        prefix + "self_attn.kv_a_layernorm.weight": (rank,),
        prefix + "self_attn.kv_b_proj.weight": (heads * (plain + values), rank),
        prefix + "self_attn.o_proj.weight": (d, heads * values),
        prefix + "mlp.gate_proj.weight": (ffn, d),
        prefix + "mlp.up_proj.weight": (ffn, d),
        prefix + "mlp.down_proj.weight": (d, ffn),
    }

size = {"float32": 4, "bfloat16": 2}[dtype]
header, offset = {}, 0
for name, shape in shapes.items():
    end = offset + size * int(numpy.prod(shape))
    header[name] = {"dtype": {4: "F32", 2: "BF16"}[size], "shape": list(shape),
                    "data_offsets": [offset, end]}
    offset = end
folder.mkdir(parents=True, exist_ok=True)
(folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
random = numpy.random.default_rng(1)
with open(folder / "model.safetensors", "wb") as file:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for name, shape in shapes.items():
        values = (numpy.ones(shape, numpy.float32) if len(shape) == 1 else
                  random.standard_normal(shape, numpy.float32) * numpy.float32(0.02))
        if size == 2:  # rounded to the nearest, ties to even
            bits = values.view(numpy.uint32)
            values = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)
        file.write(values.tobytes())
