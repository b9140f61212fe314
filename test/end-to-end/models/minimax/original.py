# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""original.py [FOLDER]: MiniMax-Text-01 in numpy, with tiny random weights (seed 5003).

The equations are those of MiniMax 2025, "MiniMax-01: Scaling Foundation Models with Lightning Attention", section 2,
and, as for names, configuration and constants, of huggingface/transformers (src/transformers/models/minimax). Rotations
turn the first `rotary_dim` elements of a head, as the model card and MiniMax's own code say; transformers does not read
this key. Lightning attention is computed here as a product with a matrix of decays, without a state.
"""

import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).parent.parent / "rwkv7"))
import made  # noqa: E402

SEED = 5003
WIDTH, HEADS, KEY_HEADS, HEAD, ROTATED, INNER, EXPERTS, CHOSEN, VOCABULARY = 36, 6, 2, 8, 6, 28, 5, 2, 160
KINDS = ["linear_attention", "full_attention", "linear_attention", "linear_attention"]
LAYERS, BLOCK = len(KINDS), 16
THETA, EPSILON = 5000.0, 1e-5
FACTORS = {"full_attn_alpha_factor": 1.7, "full_attn_beta_factor": 0.9, "linear_attn_alpha_factor": 1.4,
           "linear_attn_beta_factor": 1.2, "mlp_alpha_factor": 1.3, "mlp_beta_factor": 0.8}
CONFIG = {
    "architectures": ["MiniMaxForCausalLM"], "model_type": "minimax", "attention_dropout": 0.0, "block_size": BLOCK,
    "bos_token_id": 1, "eos_token_id": 2, **FACTORS, "head_dim": HEAD, "hidden_act": "silu", "hidden_size": WIDTH,
    "initializer_range": 0.02, "intermediate_size": INNER, "layer_types": KINDS, "max_position_embeddings": 4096,
    "num_attention_heads": HEADS, "num_experts_per_tok": CHOSEN, "num_hidden_layers": LAYERS,
    "num_key_value_heads": KEY_HEADS, "num_local_experts": EXPERTS, "output_router_logits": False,
    "rms_norm_eps": EPSILON, "rope_theta": THETA, "rotary_dim": ROTATED, "router_aux_loss_coef": 0.001,
    "router_jitter_noise": 0.0, "sliding_window": None, "tie_word_embeddings": False, "torch_dtype": "float32",
    "transformers_version": "4.57.1", "use_cache": True, "vocab_size": VOCABULARY}


def slope(layer):
    """How fast each head of a layer forgets."""
    return 2 ** (-8 / HEADS * (numpy.arange(HEADS) + 1)) * (1 - layer / (LAYERS - 1 + 1e-5) + 1e-5)


def random_weights(random):
    weights = {}

    def normal(name, *shape, mean=0.0, scale=None):
        weights[name] = mean + (shape[-1] ** -0.5 if scale is None else scale) * random.standard_normal(shape)

    normal("model.embed_tokens.weight", VOCABULARY, WIDTH, scale=1)
    for layer, kind in enumerate(KINDS):
        here = f"model.layers.{layer}."
        for name in "input_layernorm", "post_attention_layernorm":
            normal(f"{here}{name}.weight", WIDTH, mean=1, scale=0.2)
        if kind == "full_attention":
            for name, heads in ("q", HEADS), ("k", KEY_HEADS), ("v", KEY_HEADS):
                normal(f"{here}self_attn.{name}_proj.weight", heads * HEAD, WIDTH)
            normal(f"{here}self_attn.o_proj.weight", WIDTH, HEADS * HEAD)
        else:
            normal(f"{here}self_attn.norm.weight", HEADS * HEAD, mean=1, scale=0.2)
            normal(f"{here}self_attn.qkv_proj.weight", HEADS * 3 * HEAD, WIDTH)
            normal(f"{here}self_attn.output_gate.weight", HEADS * HEAD, WIDTH)
            normal(f"{here}self_attn.out_proj.weight", WIDTH, HEADS * HEAD)
            # Tables that files of transformers contain.
            rate, place = slope(layer)[:, None, None], numpy.arange(BLOCK) + 1
            distance = rate * (place[:, None] - place)[None, None]
            weights[f"{here}self_attn.slope_rate"] = rate
            weights[f"{here}self_attn.query_decay"] = numpy.exp(-rate * place[:, None])
            weights[f"{here}self_attn.key_decay"] = numpy.exp(-rate * (BLOCK - place[:, None]))
            weights[f"{here}self_attn.diagonal_decay"] = numpy.where(distance >= 0, numpy.exp(-distance), 0)
        normal(f"{here}block_sparse_moe.gate.weight", EXPERTS, WIDTH)
        for expert in range(EXPERTS):
            for name, rows, columns in ("w1", INNER, WIDTH), ("w2", WIDTH, INNER), ("w3", INNER, WIDTH):
                normal(f"{here}block_sparse_moe.experts.{expert}.{name}.weight", rows, columns)
    normal("model.norm.weight", WIDTH, mean=1, scale=0.2)
    normal("lm_head.weight", VOCABULARY, WIDTH)
    return weights


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def silu(x):
    return x * sigmoid(x)


def softmax(x):
    powers = numpy.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def logits(weights, tokens):
    kind = weights["lm_head.weight"].dtype.type
    length = len(tokens)
    place = numpy.arange(length)
    distance = place[:, None] - place

    def linear(name, x):
        return x @ weights[f"{name}.weight"].T

    def norm(name, x, epsilon=EPSILON):
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + kind(epsilon)) * weights[f"{name}.weight"]

    def rotated(x):
        """The pairs (c, c + ROTATED / 2) of the first elements of each head, turned by the position."""
        angles = place[:, None] * THETA ** (-2 * numpy.arange(ROTATED // 2) / ROTATED)
        cosine, sine = numpy.cos(angles).astype(kind), numpy.sin(angles).astype(kind)
        first, second, rest = numpy.split(x, [ROTATED // 2, ROTATED], axis=-1)
        return numpy.concatenate([first * cosine - second * sine, second * cosine + first * sine, rest], -1)

    def heads(x, count):
        return x.reshape(length, count, -1).swapaxes(0, 1)

    def attention(name, x):
        queries = rotated(heads(linear(f"{name}q_proj", x), HEADS))
        keys, values = (heads(linear(f"{name}{part}_proj", x), KEY_HEADS) for part in "kv")
        keys, values = (numpy.repeat(u, HEADS // KEY_HEADS, axis=0) for u in (rotated(keys), values))
        scores = numpy.where(distance >= 0, queries @ keys.swapaxes(1, 2) * kind(HEAD ** -0.5), kind(-numpy.inf))
        return linear(f"{name}o_proj", (softmax(scores) @ values).swapaxes(0, 1).reshape(length, -1))

    def lightning(name, x, layer):
        queries, keys, values = numpy.split(heads(silu(linear(f"{name}qkv_proj", x)), HEADS), 3, axis=-1)
        decay = numpy.where(distance >= 0, numpy.exp(-slope(layer)[:, None, None] * abs(distance)), 0).astype(kind)
        out = (queries @ keys.swapaxes(1, 2) * decay) @ values
        out = norm(f"{name}norm", out.swapaxes(0, 1).reshape(length, -1), 1e-6)
        return linear(f"{name}out_proj", sigmoid(linear(f"{name}output_gate", x)) * out)

    def experts(name, x):
        chances = softmax(linear(f"{name}gate", x))
        out = numpy.zeros_like(x)
        for t in range(length):
            chosen = numpy.argsort(-chances[t])[:CHOSEN]
            for expert in chosen:
                here = f"{name}experts.{expert}."
                inner = silu(linear(f"{here}w1", x[t])) * linear(f"{here}w3", x[t])
                out[t] += chances[t, expert] / chances[t, chosen].sum() * linear(f"{here}w2", inner)
        return out

    x = weights["model.embed_tokens.weight"][tokens]
    for layer, word in enumerate(KINDS):
        here = f"model.layers.{layer}."
        x = norm(f"{here}input_layernorm", x)
        mixed = (lightning(f"{here}self_attn.", x, layer) if word == "linear_attention" else
                 attention(f"{here}self_attn.", x))
        factors = [kind(FACTORS[f"{word.split('_')[0]}_attn_{part}_factor"]) for part in ("alpha", "beta")]
        x = norm(f"{here}post_attention_layernorm", factors[0] * x + factors[1] * mixed)
        x = kind(FACTORS["mlp_alpha_factor"]) * x + kind(FACTORS["mlp_beta_factor"]) * experts(
            f"{here}block_sparse_moe.", x)
    return linear("lm_head", norm("model.norm", x))


made.write(sys.argv[1] if sys.argv[1:] else pathlib.Path(__file__).parent, CONFIG,
           random_weights(numpy.random.default_rng(SEED)), logits, SEED)
