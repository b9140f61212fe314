# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gguf.py LLAMA OUT: writes tiny Llamas as GGUF files with wrong or unsupported metadata."""

import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools"))
import gguf_convert
import gguf_file

out = pathlib.Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
metadata, tensors = gguf_convert.convert(sys.argv[1])


def write(name, keys, **more):
    more = {f"{key}.weight": numpy.array(value, "f4") for key, value in more.items()}
    gguf_file.write(out / f"{name}.gguf", {**metadata, **keys}, {**tensors, **more})


write("unknown", {"general.architecture": "star/coder"})
write("nameless", {"general.architecture": 5})
write("tables", {"general.architecture": "opt"})
write("unread", {"llama.attention.temperature": 2.0})
write("experts", {"llama.expert_count": 4, "llama.expert_used_count": 2})
write("many", {"llama.block_count": gguf_file.Value("u64", 2**64 - 1)})
write("negative", {"llama.block_count": gguf_file.Value("i32", -2)})
write("none", {"llama.attention.head_count": 0})
write("list", {"llama.attention.head_count": [4, 4]})
write("text", {"llama.embedding_length": "64"})
write("nan", {"llama.rope.freq_base": float("nan")})
write("divisors", {}, rope_freqs=[1, 2, 3])
write("infinite", {}, rope_freqs=[float("inf")] * 8)
write("longrope", {"llama.rope.scaling.type": "longrope"})
