# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny random models of GGUF's architecture `llama` with weights in blocks.

Rows have 256 elements or a multiple: a block of the K formats is a whole row.
"""

import numpy

import gguf_blocks

WIDTH, INNER, HEADS, KEY_HEADS, VOCABULARY = 256, 512, 4, 2, 96


def keys(layers, **more):
    own = {"block_count": layers, "context_length": 128, "embedding_length": WIDTH,
           "feed_forward_length": INNER, "attention.head_count": HEADS,
           "attention.head_count_kv": KEY_HEADS, "attention.layer_norm_rms_epsilon": 1e-5,
           "rope.dimension_count": WIDTH // HEADS, "vocab_size": VOCABULARY, **more}
    return {"general.architecture": "llama", **{f"llama.{key}": own[key] for key in own}}


def gain(random):
    return random.uniform(0.5, 1.5, WIDTH).astype("f4")


def dense(kinds, table, head, seed, experts=0):
    """Layers whose linear weights have the formats `kinds`, seven per layer, in this order:
    queries, keys, values, output, gate, up, down. `head` is None if the embedding is also the
    head. With `experts` the last three exist once per expert."""
    random = numpy.random.default_rng(seed)
    layers = len(kinds) // 7
    key_width = WIDTH // HEADS * KEY_HEADS
    shapes = {"attn_q": (WIDTH, WIDTH), "attn_k": (key_width, WIDTH), "attn_v": (key_width, WIDTH),
              "attn_output": (WIDTH, WIDTH), "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH),
              "ffn_down": (WIDTH, INNER)}
    tensors = {"token_embd.weight": gguf_blocks.random_blocks(table, (VOCABULARY, WIDTH), random, 1),
               "output_norm.weight": gain(random)}
    if head:
        tensors["output.weight"] = gguf_blocks.random_blocks(head, (VOCABULARY, WIDTH), random)
    for layer in range(layers):
        prefix = f"blk.{layer}."
        for name in ("attn_norm", "ffn_norm"):
            tensors[f"{prefix}{name}.weight"] = gain(random)
        if experts:
            tensors[f"{prefix}ffn_gate_inp.weight"] = random.standard_normal(
                (experts, WIDTH)).astype("f4")
        for kind, (name, shape) in zip(kinds[7 * layer:], shapes.items()):
            if experts and name.startswith("ffn"):
                name, shape = f"{name}_exps", (experts, *shape)
            tensors[f"{prefix}{name}.weight"] = gguf_blocks.random_blocks(kind, shape, random)
    more = {"expert_count": experts, "expert_used_count": 2} if experts else {}
    return keys(layers, **more), tensors


def widened(tensors):
    """The same model in float32."""
    return {name: gguf_blocks.widen(tensor) if isinstance(tensor, gguf_blocks.Stored) else tensor
            for name, tensor in tensors.items()}
