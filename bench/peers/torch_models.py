# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A BERT and a Llama or Gemma 3 of given sizes in plain PyTorch, with random weights, written
for speed but without a library of kernels. Queries, keys and values are one product, as are
gate and up; attention is PyTorch's own fused one."""

import math

import torch
from torch.nn import functional


class Sizes:
    def __init__(self, config):
        self.d, self.layers = config["hidden_size"], config["num_hidden_layers"]
        self.heads, self.vocabulary = config["num_attention_heads"], config["vocab_size"]
        self.keys = config.get("num_key_value_heads", self.heads)
        self.head = config.get("head_dim", self.d // self.heads)
        self.inner = config["intermediate_size"]


class Encoder:
    """Hidden states of whole sequences."""

    def __init__(self, config, new):
        size = self.size = Sizes(config)
        self.tables = [new(rows, size.d) for rows in (size.vocabulary, 512, 2)]
        self.layers = [{"qkv": new(3 * size.d, size.d), "qkv_bias": new(3 * size.d),
                        "out": new(size.d, size.d), "bias": new(size.d),
                        "up": new(size.inner, size.d), "up_bias": new(size.inner),
                        "down": new(size.d, size.inner), "gain": new(size.d)}
                       for _ in range(size.layers)]

    def norm(self, x, layer):
        return functional.layer_norm(x, (self.size.d,), layer["gain"], layer["bias"], 1e-12)

    def __call__(self, ids):
        size, (batch, length) = self.size, ids.shape
        words, positions, kinds = self.tables
        x = self.norm(words[ids] + positions[:length] + kinds[0], self.layers[0])
        for layer in self.layers:
            qkv = functional.linear(x, layer["qkv"], layer["qkv_bias"])
            q, k, v = qkv.view(batch, length, 3, size.heads, size.head).permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(q, k, v)
            mixed = mixed.transpose(1, 2).reshape(batch, length, size.d)
            x = self.norm(x + functional.linear(mixed, layer["out"], layer["bias"]), layer)
            inner = functional.gelu(functional.linear(x, layer["up"], layer["up_bias"]))
            x = self.norm(x + functional.linear(inner, layer["down"], layer["bias"]), layer)
        return x


class Decoder:
    """Logits of the last token, with KV caches of `room` positions, of which a single token
    attends to the first `seen`. Every layer attends to all positions, without sliding windows."""

    def __init__(self, config, new, room):
        size = self.size = Sizes(config)
        self.is_gemma = config["model_type"].startswith("gemma3")
        self.table = new(size.vocabulary, size.d)
        self.scores = self.table if config.get("tie_word_embeddings") else \
            new(size.vocabulary, size.d)
        self.gain, self.head_gain = new(size.d), new(size.head)
        width = (size.heads + 2 * size.keys) * size.head
        self.layers = [{"qkv": new(width, size.d), "out": new(size.d, size.heads * size.head),
                        "gate_up": new(2 * size.inner, size.d), "down": new(size.d, size.inner),
                        "keys": new(1, size.keys, room, size.head),
                        "values": new(1, size.keys, room, size.head)}
                       for _ in range(size.layers)]
        device = self.table.device
        slow = 10000.0 ** (-torch.arange(0, size.head, 2, device=device) / size.head)
        angles = torch.outer(torch.arange(room, device=device), slow).repeat(1, 2)
        self.cos, self.sin = (f(angles).to(self.table.dtype) for f in (torch.cos, torch.sin))
        self.room, self.seen = torch.arange(room, device=device), room

    def norm(self, x):
        return functional.rms_norm(x, (self.size.d,), self.gain, 1e-6)

    def rotated(self, x, positions):
        if self.is_gemma:
            x = functional.rms_norm(x, (self.size.head,), self.head_gain, 1e-6)
        first, second = x.chunk(2, -1)
        return x * self.cos[positions] + torch.cat((-second, first), -1) * self.sin[positions]

    def attention(self, layer, x, positions):
        size, length = self.size, len(positions)
        qkv = functional.linear(x, layer["qkv"]).view(length, -1, size.head).transpose(0, 1)[None]
        q, k, v = qkv.split((size.heads, size.keys, size.keys), 1)
        q, k = self.rotated(q, positions), self.rotated(k, positions)
        layer["keys"].index_copy_(2, positions, k)
        layer["values"].index_copy_(2, positions, v)
        mask, shared = None, size.heads // size.keys
        if length == 1:  # fixed sizes, as a CUDA graph requires
            k, v = (layer[name][:, :, :self.seen] for name in ("keys", "values"))
            mask = (self.room[:self.seen] <= positions)[None, None, None]
        k, v = (each.repeat_interleave(shared, 1) for each in (k, v))
        mixed = functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=length > 1, scale=1 / math.sqrt(size.head))
        return functional.linear(mixed[0].transpose(0, 1).reshape(length, -1), layer["out"])

    def __call__(self, ids, positions):
        x = self.table[ids]
        after = self.norm if self.is_gemma else (lambda y: y)
        for layer in self.layers:
            x = x + after(self.attention(layer, self.norm(x), positions))
            gate, up = functional.linear(self.norm(x), layer["gate_up"]).chunk(2, -1)
            act = functional.gelu(gate, approximate="tanh") if self.is_gemma else \
                functional.silu(gate)
            x = x + after(functional.linear(act * up, layer["down"]))
        return functional.linear(self.norm(x[-1:]), self.scores)
