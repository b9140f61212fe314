# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_llama.py DIR [float32|bfloat16]: writes a Llama with 125 M random parameters.

The measurements do not depend on their values. d 768, 12 layers, 12 heads that share
4 key heads, feed-forward 2048, vocabulary 32000.
"""

import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
dtype = sys.argv[2] if len(sys.argv) > 2 else "float32"
d, layers, heads, keys, ffn, vocabulary = 768, 12, 12, 4, 2048, 32000
head = d // heads

config = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": d,
    "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": keys,
    "head_dim": head, "intermediate_size": ffn, "vocab_size": vocabulary,
    "hidden_act": "silu", "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
    "max_position_embeddings": 2048, "tie_word_embeddings": False, "torch_dtype": dtype,
    "bos_token_id": 1, "eos_token_id": 2,
}
shapes = {"model.embed_tokens.weight": (vocabulary, d), "model.norm.weight": (d,),
          "lm_head.weight": (vocabulary, d)}
for layer in range(layers):
    prefix = f"model.layers.{layer}."
    shapes |= {
        prefix + "input_layernorm.weight": (d,),
        prefix + "post_attention_layernorm.weight": (d,),
        prefix + "self_attn.q_proj.weight": (heads * head, d),
        prefix + "self_attn.k_proj.weight": (keys * head, d),
        prefix + "self_attn.v_proj.weight": (keys * head, d),
        prefix + "self_attn.o_proj.weight": (d, heads * head),
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
