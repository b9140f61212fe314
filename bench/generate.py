# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py PROGRAM MODEL: a compiled Llama beside llama.cpp, in alternation, in one run.

MODEL is what random_llama.py wrote and PROGRAM was compiled from. Needs llama-cpp-python,
gguf and numpy (PyPI). Tokens per second for a prompt of 128 tokens and for the 64 behind it,
medians; ratios above 1: ours is faster.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import gguf
import numpy
from llama_cpp import Llama

prompt, generated, rounds = 128, 64, 3


def read(folder):
    """The tensors of model.safetensors by name; bfloat16 as uint16."""
    raw = (folder / "model.safetensors").read_bytes()
    size = int.from_bytes(raw[:8], "little")
    kinds = {"F32": numpy.float32, "BF16": numpy.uint16}
    return {name: numpy.frombuffer(raw, kinds[entry["dtype"]], numpy.prod(entry["shape"]),
                                   8 + size + entry["data_offsets"][0]).reshape(entry["shape"])
            for name, entry in json.loads(raw[8:8 + size]).items()}


def paired(weight, heads):
    """Rows that rotate together side by side, as llama.cpp has them."""
    rows = weight.shape[0] // heads
    return weight.reshape(heads, 2, rows // 2, -1).swapaxes(1, 2).reshape(weight.shape)


def convert(folder, path):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    heads, keys = config["num_attention_heads"], config["num_key_value_heads"]
    tensors = read(folder)
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(keys)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("llama")
    writer.add_token_list([f"<{k}>".encode() for k in range(config["vocab_size"])])
    writer.add_token_scores([0.0] * config["vocab_size"])
    writer.add_token_types([1] * config["vocab_size"])

    def add(name, weight):
        weight = numpy.ascontiguousarray(weight)
        if weight.dtype == numpy.uint16 and weight.ndim == 2:
            writer.add_tensor(name, weight.view(numpy.uint8),
                              raw_dtype=gguf.GGMLQuantizationType.BF16)
        elif weight.dtype == numpy.uint16:
            writer.add_tensor(name, (weight.astype(numpy.uint32) << 16).view(numpy.float32))
        else:
            writer.add_tensor(name, weight)

    add("token_embd.weight", tensors["model.embed_tokens.weight"])
    add("output_norm.weight", tensors["model.norm.weight"])
    add("output.weight", tensors["lm_head.weight"])
    for layer in range(config["num_hidden_layers"]):
        ours, theirs = f"model.layers.{layer}.", f"blk.{layer}."
        for name, other in {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
                            "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
                            "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
                            "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
                            "ffn_down": "mlp.down_proj"}.items():
            weight = tensors[f"{ours}{other}.weight"]
            if name in ("attn_q", "attn_k"):
                weight = paired(weight, heads if name == "attn_q" else keys)
            add(f"{theirs}{name}.weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def theirs(model):
    model.reset()
    begin = time.perf_counter()
    model.eval([10 + 7 * k for k in range(prompt)])
    middle = time.perf_counter()
    for k in range(generated):
        model.eval([100 + k])
    return prompt / (middle - begin), generated / (time.perf_counter() - middle)


def ours(program, threads):
    found = json.loads(subprocess.check_output(
        [program, "bench", "--prompt", str(prompt), "--generate", str(generated), "--runs", "3",
         "--threads", str(threads), "--json"]))
    return found["prompt_per_s"], found["generate_per_s"]


program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
with tempfile.TemporaryDirectory() as work:
    converted = pathlib.Path(work) / "model.gguf"
    convert(folder, converted)
    for threads in 1, 2:
        model = Llama(str(converted), n_ctx=512, n_threads=threads, n_threads_batch=threads,
                      n_batch=512, verbose=False)
        theirs(model)
        pairs = [(theirs(model), ours(program, threads)) for _ in range(rounds)]
        for k, what in enumerate(["prompt", "generate"]):
            other, own = (statistics.median(pair[side][k] for pair in pairs) for side in (0, 1))
            print(f"{threads} thread(s), {what:9} llama.cpp {other:7.1f}  ours {own:7.1f} tokens/s,"
                  f" ratio {own / other:.2f}", flush=True)
        del model
