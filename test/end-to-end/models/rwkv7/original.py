# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""original.py [FOLDER]: RWKV-7 in numpy, step by step, with tiny random weights (seed 7002).

The equations are those of Peng et al. 2025, "RWKV-7 Goose with Expressive Dynamic State Evolution", section 4, and, as
for names, configuration and constants, of fla-org/flash-linear-attention (fla/layers/rwkv7.py, fla/models/rwkv7).
"""

import pathlib
import sys

import numpy

import made

SEED = 7002
WIDTH, HEADS, KEY, VALUE, INNER, LAYERS, VOCABULARY = 40, 5, 8, 16, 96, 3, 160
RANKS = {"w": 6, "a": 7, "v": 5, "g": 9}
EPSILON = 1e-5
CONFIG = {
    "architectures": ["RWKV7ForCausalLM"], "model_type": "rwkv7", "attn": None, "attn_mode": "chunk",
    "a_low_rank_dim": RANKS["a"], "decay_low_rank_dim": RANKS["w"], "gate_low_rank_dim": RANKS["g"],
    "v_low_rank_dim": RANKS["v"], "bos_token_id": 1, "eos_token_id": 2, "fuse_cross_entropy": True,
    "fuse_linear_cross_entropy": False, "fuse_norm": True, "head_dim": KEY, "hidden_act": "sqrelu",
    "hidden_ratio": INNER / WIDTH, "hidden_size": WIDTH, "initializer_range": 0.02, "intermediate_size": INNER,
    "max_position_embeddings": 2048, "norm_bias": True, "norm_eps": EPSILON, "norm_first": True, "num_heads": HEADS,
    "num_hidden_layers": LAYERS, "tie_word_embeddings": False, "torch_dtype": "float32",
    "transformers_version": "4.57.1", "use_cache": True, "use_l2warp": True, "value_dim": [HEADS * VALUE] * LAYERS,
    "vocab_size": VOCABULARY}


def random_weights(random):
    weights = {}

    def normal(name, *shape, mean=0.0, scale=None):
        weights[name] = mean + (shape[-1] ** -0.5 if scale is None else scale) * random.standard_normal(shape)

    def norm(name, width):
        normal(f"{name}.weight", width, mean=1, scale=0.2)
        normal(f"{name}.bias", width, scale=0.2)

    normal("model.embeddings.weight", VOCABULARY, WIDTH, scale=1)
    keys, values = HEADS * KEY, HEADS * VALUE
    for layer in range(LAYERS):
        here = f"model.layers.{layer}."
        if layer == 0:
            norm(f"{here}pre_norm", WIDTH)
        norm(f"{here}attn_norm", WIDTH)
        for name in "rwkvag":
            weights[f"{here}attn.x_{name}"] = random.uniform(0, 1, (1, 1, WIDTH))
        normal(f"{here}attn.k_k", keys, mean=0.7, scale=0.2)
        normal(f"{here}attn.k_a", keys, mean=1, scale=0.2)
        normal(f"{here}attn.r_k", HEADS, KEY, scale=0.3)
        for name, rows, columns in ("r", keys, WIDTH), ("k", keys, WIDTH), ("v", values, WIDTH), ("o", WIDTH, values):
            normal(f"{here}attn.{name}_proj.weight", rows, columns)
        for name, width in ("w", keys), ("v", values), ("a", keys), ("g", values):
            if name == "v" and layer == 0:
                continue
            normal(f"{here}attn.{name}_lora.lora.0.weight", RANKS[name], WIDTH)
            normal(f"{here}attn.{name}_lora.lora.2.weight", width, RANKS[name])
            if name != "g":
                normal(f"{here}attn.{name}_lora.lora.2.bias", width, mean=-1 if name == "w" else 0, scale=1)
        norm(f"{here}attn.g_norm", values)
        norm(f"{here}ffn_norm", WIDTH)
        weights[f"{here}ffn.x_k"] = random.uniform(0, 1, WIDTH)
        normal(f"{here}ffn.key.weight", INNER, WIDTH)
        normal(f"{here}ffn.value.weight", WIDTH, INNER)
    norm("model.norm", WIDTH)
    normal("lm_head.weight", VOCABULARY, WIDTH)
    return weights


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def standard(x, epsilon):
    centered = x - x.mean(-1, keepdims=True)
    return centered / numpy.sqrt((centered * centered).mean(-1, keepdims=True) + x.dtype.type(epsilon))


def logits(weights, tokens):
    kind = weights["lm_head.weight"].dtype

    def norm(name, x):
        return standard(x, EPSILON) * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def low_rank(name, x, inner):
        hidden = inner(x @ weights[f"{name}_lora.lora.0.weight"].T)
        out = hidden @ weights[f"{name}_lora.lora.2.weight"].T
        return out + weights[f"{name}_lora.lora.2.bias"] if f"{name}_lora.lora.2.bias" in weights else out

    def shifts(x):
        """How much a row differs from the one before, which is zero for the first."""
        return numpy.concatenate([numpy.zeros_like(x[:1]), x[:-1]]) - x

    def time_mixing(name, x, first):
        delta = shifts(x)
        to_r, to_w, to_k, to_v, to_a, to_g = (x + delta * weights[f"{name}x_{part}"][0, 0] for part in "rwkvag")
        receptance, key, value = (u @ weights[f"{name}{part}_proj.weight"].T
                                  for u, part in ((to_r, "r"), (to_k, "k"), (to_v, "v")))
        decay = numpy.exp(-kind.type(numpy.exp(-0.5)) * sigmoid(low_rank(f"{name}w", to_w, numpy.tanh)))
        rate = sigmoid(low_rank(f"{name}a", to_a, lambda u: u))
        gate = low_rank(f"{name}g", to_g, sigmoid)
        if first is None:
            first = value
        else:
            mix = sigmoid(low_rank(f"{name}v", to_v, lambda u: u))
            value = value * (1 - mix) + first * mix
        removed = (key * weights[f"{name}k_k"]).reshape(-1, HEADS, KEY)
        removed = removed / numpy.sqrt((removed * removed).sum(-1, keepdims=True) + kind.type(1e-6))
        key = key + key * (rate - 1) * weights[f"{name}k_a"]
        receptance, decay, key, rate = (u.reshape(-1, HEADS, KEY) for u in (receptance, decay, key, rate))
        value = value.reshape(-1, HEADS, VALUE)
        state = numpy.zeros((HEADS, KEY, VALUE), kind)
        rows = []
        for t in range(len(x)):
            answer = numpy.einsum("hk,hkv->hv", removed[t], state)
            state = (decay[t][:, :, None] * state
                     - (removed[t] * rate[t])[:, :, None] * answer[:, None, :]
                     + key[t][:, :, None] * value[t][:, None, :])
            rows.append(numpy.einsum("hk,hkv->hv", receptance[t], state))
        out = standard(numpy.stack(rows), KEY * EPSILON).reshape(len(x), -1)
        out = out * weights[f"{name}g_norm.weight"] + weights[f"{name}g_norm.bias"]
        bonus = (receptance * key * weights[f"{name}r_k"]).sum(-1, keepdims=True) * value
        return ((out + bonus.reshape(len(x), -1)) * gate) @ weights[f"{name}o_proj.weight"].T, first

    def channel_mixing(name, x):
        inner = (x + shifts(x) * weights[f"{name}x_k"]) @ weights[f"{name}key.weight"].T
        return numpy.maximum(inner, 0) ** 2 @ weights[f"{name}value.weight"].T

    x, first = norm("model.layers.0.pre_norm", weights["model.embeddings.weight"][tokens]), None
    for layer in range(LAYERS):
        here = f"model.layers.{layer}."
        mixed, first = time_mixing(f"{here}attn.", norm(f"{here}attn_norm", x), first)
        x = x + mixed
        x = x + channel_mixing(f"{here}ffn.", norm(f"{here}ffn_norm", x))
    return norm("model.norm", x) @ weights["lm_head.weight"].T


made.write(sys.argv[1] if sys.argv[1:] else pathlib.Path(__file__).parent, CONFIG,
           random_weights(numpy.random.default_rng(SEED)), logits, SEED)
