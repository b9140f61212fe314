# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gpt_oss.py MODEL [--write]: a tiny model of gpt-oss, in NumPy.

Follows modeling_gpt_oss.py of transformers with eager attention: the sink is an additional key for
the softmax, whose column is then dropped. The golden is compared with this; with --write, the model
and its golden are written again.
"""

import json
import math
import pathlib
import struct
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
golden, hidden = folder / "golden", folder / "hidden"
MOST = 24  # tokens that are generated
CONFIG = {
    "architectures": ["GptOssForCausalLM"], "attention_bias": True, "attention_dropout": 0.0,
    "bos_token_id": 1, "eos_token_id": 2, "experts_per_token": 2, "head_dim": 8,
    "hidden_act": "silu", "hidden_size": 32, "initial_context_length": 16,
    "initializer_range": 0.02, "intermediate_size": 20,
    "layer_types": ["sliding_attention", "full_attention"], "max_position_embeddings": 128,
    "model_type": "gpt_oss", "num_attention_heads": 4, "num_experts_per_tok": 2,
    "num_hidden_layers": 2, "num_key_value_heads": 2, "num_local_experts": 4,
    "output_router_logits": False, "pad_token_id": 0, "rms_norm_eps": 1e-05,
    "rope_scaling": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 8.0,
                     "original_max_position_embeddings": 16, "rope_type": "yarn",
                     "truncate": False},
    "rope_theta": 150000, "router_aux_loss_coef": 0.9, "sliding_window": 5, "swiglu_limit": 7.0,
    "tie_word_embeddings": False, "torch_dtype": "float32", "transformers_version": "4.55.0",
    "use_cache": True, "vocab_size": 96,
}


def made(c, random):
    """Random tensors by name; sinks are as large as scores, and some values are clamped."""
    def normal(scale, *shape):
        return (random.standard_normal(shape) * scale).astype("float32")

    d, d_k, h, h_kv = (c[key] for key in ("hidden_size", "head_dim", "num_attention_heads",
                                          "num_key_value_heads"))
    f, e, v = c["intermediate_size"], c["num_local_experts"], c["vocab_size"]
    tensors = {"model.embed_tokens.weight": normal(1, v, d),
               "model.norm.weight": 1 + normal(0.2, d), "lm_head.weight": normal(2 / d**0.5, v, d)}
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        for name, rows in (("q", h * d_k), ("k", h_kv * d_k), ("v", h_kv * d_k)):
            tensors[f"{p}self_attn.{name}_proj.weight"] = normal(1.3 / d**0.5, rows, d)
            tensors[f"{p}self_attn.{name}_proj.bias"] = normal(0.3, rows)
        tensors |= {
            f"{p}self_attn.o_proj.weight": normal(1 / (h * d_k) ** 0.5, d, h * d_k),
            f"{p}self_attn.o_proj.bias": normal(0.3, d), f"{p}self_attn.sinks": normal(1.5, h),
            f"{p}input_layernorm.weight": 1 + normal(0.2, d),
            f"{p}post_attention_layernorm.weight": 1 + normal(0.2, d),
            f"{p}mlp.router.weight": normal(1.5 / d**0.5, e, d),
            f"{p}mlp.router.bias": normal(0.5, e),
            f"{p}mlp.experts.gate_up_proj": normal(4 / d**0.5, e, d, 2 * f),
            f"{p}mlp.experts.gate_up_proj_bias": normal(0.5, e, 2 * f),
            f"{p}mlp.experts.down_proj": normal(0.3 / f**0.5, e, f, d),
            f"{p}mlp.experts.down_proj_bias": normal(0.3, e, d)}
    return tensors


def stored(tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.astype("<f4").tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def read(path):
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    return {name: numpy.frombuffer(data[8 + size:][slice(*entry["data_offsets"])],
                                   "<f4").reshape(entry["shape"])
            for name, entry in header.items()}


def softmax(x):
    x = numpy.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def angles(c, length):
    """The frequencies of YaRN, and the factor of the cosines and sines."""
    scaling, base, size = c["rope_scaling"], c["rope_theta"], c["head_dim"]
    factor = scaling["factor"]

    def column(turns):
        rows = scaling["original_max_position_embeddings"]
        return size * math.log(rows / (turns * 2 * math.pi)) / (2 * math.log(base))

    low = max(column(scaling["beta_fast"]), 0)
    high = min(column(scaling["beta_slow"]), size - 1)
    stretched = numpy.clip((numpy.arange(size // 2) - low) / (high - low), 0, 1)
    frequency = base ** -(numpy.arange(0, size, 2) / size)
    frequency = frequency / factor * stretched + frequency * (1 - stretched)
    return numpy.arange(length)[:, None] * frequency, 0.1 * math.log(factor) + 1


def forward(c, weights, ids, type):
    """Logits and the input of the head, in `type`."""
    w = {name: array.astype(type) for name, array in weights.items()}
    count, length = ids.shape
    d, d_k, h, h_kv = (c[key] for key in ("hidden_size", "head_dim", "num_attention_heads",
                                          "num_key_value_heads"))
    angle, larger = angles(c, length)
    cosine, sine = ((larger * f(angle)).astype(type) for f in (numpy.cos, numpy.sin))

    def norm(x, name):
        mean = (x**2).mean(-1, keepdims=True, dtype=x.dtype)
        return w[name] * (x / numpy.sqrt(mean + type(c["rms_norm_eps"])))

    def linear(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def heads(x, number):
        return x.reshape(count, length, number, d_k).transpose(0, 2, 1, 3)

    def turned(x):
        a, b = numpy.split(x, 2, -1)
        return numpy.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1)

    i, j = numpy.arange(length)[:, None], numpy.arange(length)[None]
    x = w["model.embed_tokens.weight"][ids]
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        y = norm(x, p + "input_layernorm.weight")
        q = turned(heads(linear(y, p + "self_attn.q_proj"), h))
        k = turned(heads(linear(y, p + "self_attn.k_proj"), h_kv)).repeat(h // h_kv, 1)
        v = heads(linear(y, p + "self_attn.v_proj"), h_kv).repeat(h // h_kv, 1)
        seen = j <= i
        if c["layer_types"][layer] == "sliding_attention":
            seen = seen & (i - j < c["sliding_window"])
        scores = q @ k.transpose(0, 1, 3, 2) * type(d_k**-0.5)
        scores = numpy.where(seen, scores, type(-numpy.inf))
        sinks = numpy.broadcast_to(w[p + "self_attn.sinks"][:, None, None], (count, h, length, 1))
        weighed = softmax(numpy.concatenate([scores, sinks], -1))[..., :-1] @ v
        x = x + linear(weighed.transpose(0, 2, 1, 3).reshape(count, length, -1),
                       p + "self_attn.o_proj")
        x = x + mixture(c, w, norm(x, p + "post_attention_layernorm.weight"), p + "mlp.", type)
    x = norm(x, "model.norm.weight")
    return x @ w["lm_head.weight"].T, x


def mixture(c, w, x, p, type):
    rows = x.reshape(-1, x.shape[-1])
    scores = rows @ w[p + "router.weight"].T + w[p + "router.bias"]
    chosen = numpy.argsort(-scores, -1, kind="stable")[:, :c["num_experts_per_tok"]]
    gates = softmax(numpy.take_along_axis(scores, chosen, -1))
    limit, result = type(c["swiglu_limit"]), numpy.zeros_like(rows)
    for t, row in enumerate(rows):
        for e, weight in zip(chosen[t], gates[t]):
            both = row @ w[p + "experts.gate_up_proj"][e] + w[p + "experts.gate_up_proj_bias"][e]
            gate, up = numpy.minimum(both[::2], limit), numpy.clip(both[1::2], -limit, limit)
            inner = (up + 1) * gate / (1 + numpy.exp(type(-1.702) * gate))
            result[t] += weight * (inner @ w[p + "experts.down_proj"][e] +
                                   w[p + "experts.down_proj_bias"][e])
    return result.reshape(x.shape)


def generate(c, weights, ids):
    """The tokens of greedy search, and the smallest margin between the two best tokens."""
    margin = numpy.inf
    for _ in range(MOST):
        logits = forward(c, weights, ids, numpy.float64)[0][:, -1]
        order = numpy.sort(logits, -1)
        margin = min(margin, float((order[:, -1] - order[:, -2]).min()))
        ids = numpy.concatenate([ids, logits.argmax(-1)[:, None]], 1)
    return ids, margin


def write():
    random = numpy.random.default_rng(11)
    weights = made(CONFIG, random)
    for path in (golden, hidden):
        path.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=1) + "\n")
    (folder / "model.safetensors").write_bytes(stored(weights))
    ids = random.integers(3, CONFIG["vocab_size"], (2, 17))
    exact = dict(zip(("logits", "last_hidden_state"),
                     forward(CONFIG, weights, ids, numpy.float64)))
    single = dict(zip(exact, forward(CONFIG, weights, ids, numpy.float32)))
    generated, margin = generate(CONFIG, weights, ids[:, :9])
    numpy.save(golden / "input_ids.npy", ids)
    numpy.save(golden / "generated_ids.npy", generated)
    numpy.save(golden / "logits_f64.npy", exact["logits"])
    numpy.save(hidden / "last_hidden_state_f64.npy", exact["last_hidden_state"])
    (golden / "meta.json").write_text(json.dumps({
        "model_type": "gpt_oss", "made_by": "test/end-to-end/gpt_oss.py",
        "f32_vs_f64": {name: float(abs(single[name] - exact[name]).max()) for name in exact},
        "greedy": {"max_new_tokens": MOST, "min_top2_margin": margin},
    }, indent=1) + "\n")


if "--write" in sys.argv:
    write()
config = json.loads((folder / "config.json").read_text())
weights = read(folder / "model.safetensors")
logits, states = forward(config, weights, numpy.load(golden / "input_ids.npy"), numpy.float64)
for found, path in ((logits, golden / "logits_f64.npy"),
                    (states, hidden / "last_hidden_state_f64.npy")):
    difference = abs(found - numpy.load(path)).max()
    print(f"{path.stem}: {difference:.3g}")
    assert difference <= 1e-12 * abs(found).max()
