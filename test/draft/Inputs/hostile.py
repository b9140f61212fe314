# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hostile.py FOLDER: writes model directories with unexpected names, shapes and keys."""

import json
import os
import struct
import sys


def make(name, config, tensors):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    header, size = {}, 0
    for tensor, shape in tensors:
        count = 4
        for extent in shape:
            count *= extent
        header[tensor] = {"dtype": "F32", "shape": shape, "data_offsets": [size, size + count]}
        size += count
    text = json.dumps(header).encode()
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes(size))


layer = [("l.0.q.weight", [4, 4]), ("l.0.k.weight", [4, 4]), ("l.0.v.weight", [4, 4])]
make("names", {"model_type": '../x', "hidden_size": 4, "vocab_size": 9},
     [('a"b{x}\n// ?\nmodel evil.weight', [4, 4]), ("emb.weight", [9, 4]),
      ("l.0.q_proj.weight", [4, 4]), ("l.0.é.weight", [4]), ("\x1b[31m.weight", [4]), ("", [1]),
      (".", [1]), ("..0..weight", [2]), ("weight", [4]), ("0.weight", [4, 4]),
      ("l.99999999999999999999.weight", [2]), ("é" * 300, [1])])
make("word", {"model_type": "names"}, [])
make("headless", {"hidden_size": 4, "num_attention_heads": 2, "head_dim": 2,
                  "architectures": ["ACausalLM"]}, layer)
make("norms", {"hidden_size": 4, "num_attention_heads": 2},
     layer + [("l.0.o.weight", [4, 4]), ("l.0.q_norm.weight", [2]), ("l.0.k_norm.weight", [2])])
both = [(side + name, shape) for side in ("encoder.", "decoder.") for name, shape in layer]
make("both", {"hidden_size": 4, "num_heads": 2, "d_kv": 3}, both)
make("empty", {}, [])
make("kinds", {"model_type": 3, "hidden_size": "four", "vocab_size": [1], "rms_norm_eps": "x",
               "num_attention_heads": -4, "architectures": {"x": None}}, [("emb.weight", [9, 4])])
make("large", {"model_type": "a" * 500, "hidden_size": 10**30, "vocab_size": 2**63 - 1},
     [("emb.weight", [9, 4])])
make("zero", {"hidden_size": 0, "num_attention_heads": 0},
     [("emb.weight", [0, 4]), ("l.0.q.weight", [0, 0]), ("l.0.k.weight", [0, 0]),
      ("l.0.v.weight", [0, 0]), ("s.weight", [])])
make("ranks", {"hidden_size": 4, "num_attention_heads": 2},
     layer + [("l.0.q.bias", [4, 4, 4]), ("l.0.k.bias", [1, 2]), ("l.0.norm.weight", [4]),
              ("l.0.norm.bias", [4, 1]), ("l.0.up.weight", [8, 4]), ("l.0.down.weight", [4, 8])])
make("many", {"hidden_size": 4}, [(f"layers.0.x{k}.weight", [1]) for k in range(200)] +
     [("layers.1.y.weight", [1])])
make("gap", {"hidden_size": 4}, [("l.0.q.weight", [4, 4]), ("l.7.q.weight", [4, 4])])
make("deep", {"hidden_size": 4}, [(".".join(["0"] * 500) + ".weight", [4])])
