# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts a tiny model of Hugging Face as CTranslate2's converters do.

ct2_convert.convert(DIRECTORY) returns a Converted: variables in float32, aliases, the
configuration, tokens, and what to write (ct2_file.py). It follows
python/ctranslate2/converters/transformers.py: converters concatenate queries, keys and values, omit
unused rows of position tables, and store settings as variables.
"""

import dataclasses
import json
import math
import pathlib

import numpy

from gguf_convert import one_behind_the_other, read_tensors

ACTIVATIONS = {"relu": 0, "gelu_new": 1, "gelu_pytorch_tanh": 1, "silu": 2, "swish": 2, "gelu": 3,
               "quick_gelu": 4}


@dataclasses.dataclass
class Converted:
    variables: dict
    aliases: dict
    config: dict
    vocabulary: dict
    spec: str


class Writer:
    """Collects variables by name; tensors are taken from the model by their names."""

    def __init__(self, tensors):
        self.tensors, self.variables, self.aliases = tensors, {}, {}

    def set(self, name, value, kind="f4"):
        self.variables[name] = numpy.asarray(value, kind, order="C")

    def linear(self, name, *sources, change=lambda weight: weight):
        """A matrix of several stacked ones; a missing bias is zero, as in the original."""
        weights = [change(self.tensors[f"{source}.weight"]) for source in sources]
        self.set(f"{name}/weight", numpy.concatenate(weights))
        if any(f"{source}.bias" in self.tensors for source in sources):
            self.set(f"{name}/bias", numpy.concatenate([
                change(self.tensors[f"{source}.bias"]) if f"{source}.bias" in self.tensors
                else numpy.zeros(len(weight)) for source, weight in zip(sources, weights)]))

    def norm(self, name, source):
        self.set(f"{name}/gamma", self.tensors[f"{source}.weight"])
        if f"{source}.bias" in self.tensors:
            self.set(f"{name}/beta", self.tensors[f"{source}.bias"])

    def choices(self, side, heads, activation, pre_norm, **more):
        for name, value, kind in [("num_heads", heads, "i2"), ("pre_norm", pre_norm, "i1"),
                                  ("activation", ACTIVATIONS[activation], "i1"),
                                  ("scale_embeddings", more.pop("scale", 0), "i1")]:
            # Factors are floats, flags are not.
            self.set(f"{side}/{name}", value, "f4" if isinstance(value, float) else kind)
        if side == "decoder":
            for name in ("alibi", "start_from_zero_embedding"):
                self.set(f"{side}/{name}", more.pop(name, 0), "i1")
            self.set("decoder/alignment_layer", -1, "i2")
            self.set("decoder/alignment_heads", 1, "i2")
            for name in ("alibi_use_positive_positions", "scale_alibi"):
                self.set(f"{side}/{name}", more.pop(name, 0), "i1")
        else:
            self.set("encoder/embeddings_merge", more.pop("embeddings_merge", 0), "i1")
            self.set("encoder/multi_query_attention", 0, "i1")
        assert not more, more

    def embedding(self, name, source):
        self.set(f"{name}/weight", self.tensors[source])

    def alias_equal(self):
        """Of equal arrays the first by name is kept; others become aliases of it."""
        kept = {}
        for name in sorted(self.variables):
            value = self.variables[name]
            if value.ndim == 0:
                continue
            key = (value.dtype.str, value.shape, value.tobytes())
            if key in kept:
                self.aliases[name] = kept[key]
                del self.variables[name]
            else:
                kept[key] = name


def attention(writer, name, source, parts, out, cross=False):
    queries, *others = [source + part for part in parts]
    if cross:
        writer.linear(f"{name}/linear_0", queries)
        writer.linear(f"{name}/linear_1", *others)
        writer.linear(f"{name}/linear_2", source + out)
    else:
        writer.linear(f"{name}/linear_0", queries, *others)
        writer.linear(f"{name}/linear_1", source + out)


def bart_layers(writer, side, count, prefix):
    for k in range(count):
        name, source = f"{side}/layer_{k}", f"{prefix}.layers.{k}."
        parts, out = ["q_proj", "k_proj", "v_proj"], "out_proj"
        attention(writer, f"{name}/self_attention", source + "self_attn.", parts, out)
        writer.norm(f"{name}/self_attention/layer_norm", source + "self_attn_layer_norm")
        if f"{source}encoder_attn.q_proj.weight" in writer.tensors:
            attention(writer, f"{name}/attention", source + "encoder_attn.", parts, out, True)
            writer.norm(f"{name}/attention/layer_norm", source + "encoder_attn_layer_norm")
        writer.norm(f"{name}/ffn/layer_norm", source + "final_layer_norm")
        writer.linear(f"{name}/ffn/linear_0", source + "fc1")
        writer.linear(f"{name}/ffn/linear_1", source + "fc2")


def sines(count, width, before):
    """The position table of M2M-100: all sines first; the first position follows the padding's."""
    half = width // 2
    waves = numpy.exp(numpy.arange(half) * -(math.log(10000) / (half - 1)))
    angles = (numpy.arange(count) + before)[:, None] * waves
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1).astype("f4")


def marian_sines(count, width):
    angles = numpy.arange(count)[:, None] / 10000 ** (2 * numpy.arange(width // 2) / width)
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1).astype("f4")


def encoder_decoder(writer, config):
    """BART, Marian and M2M-100."""
    kind, width = config["model_type"], config["d_model"]
    table = "model.shared.weight"
    for side in ("encoder", "decoder"):
        writer.choices(side, config[f"{side}_attention_heads"], config["activation_function"],
                       int(kind == "m2m_100"),
                       scale=math.sqrt(width) if config["scale_embedding"] else 1.0)
        writer.embedding(side + ("/embeddings_0" if side == "encoder" else "/embeddings"), table)
        count = config["max_position_embeddings"]
        rows = (writer.tensors[f"model.{side}.embed_positions.weight"][2:] if kind == "bart"
                else sines(count, width, config["pad_token_id"] + 1) if kind == "m2m_100"
                else marian_sines(count, width))
        writer.set(f"{side}/position_encodings/encodings", rows)
        bart_layers(writer, side, config[f"{side}_layers"], f"model.{side}")
        if kind == "bart":
            writer.norm(f"{side}/layernorm_embedding", f"model.{side}.layernorm_embedding")
        if kind == "m2m_100":
            writer.norm(f"{side}/layer_norm", f"model.{side}.layer_norm")
    writer.embedding("decoder/projection", table)
    bias = writer.tensors.get("final_logits_bias")
    if bias is not None and bias.any():
        writer.set("decoder/projection/bias", bias.reshape(-1))
    return "TransformerSpec"


def t5(writer, config):
    kind = config["feed_forward_proj"]
    gated = kind.startswith("gated")
    activation = {"gated-gelu": "gelu_new", "gated-silu": "silu"}.get(kind, kind)
    if config.get("scale_decoder_outputs", config["tie_word_embeddings"]):
        writer.set("decoder/scale_outputs", config["d_model"] ** -0.5)
    for side, count in (("encoder", config["num_layers"]),
                        ("decoder", config["num_decoder_layers"])):
        writer.choices(side, config["num_heads"], activation, 1)
        writer.embedding(side + ("/embeddings_0" if side == "encoder" else "/embeddings"),
                         "shared.weight")
        writer.norm(f"{side}/layer_norm", f"{side}.final_layer_norm")
        for k in range(count):
            name, source = f"{side}/layer_{k}", f"{side}.block.{k}.layer."
            own = f"{name}/self_attention"
            attention(writer, own, f"{source}0.SelfAttention.", "qkv", "o")
            writer.norm(f"{own}/layer_norm", f"{source}0.layer_norm")
            writer.set(f"{own}/relative_attention_bias", writer.tensors[
                f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"])
            writer.set(f"{own}/relative_attention_max_distance",
                       config["relative_attention_max_distance"], "i4")
            writer.set(f"{own}/queries_scale", 1.0)
            if side == "decoder":
                cross = f"{name}/attention"
                attention(writer, cross, f"{source}1.EncDecAttention.", "qkv", "o", True)
                writer.norm(f"{cross}/layer_norm", f"{source}1.layer_norm")
                writer.set(f"{cross}/queries_scale", 1.0)
            last = f"{source}{2 if side == 'decoder' else 1}."
            writer.norm(f"{name}/ffn/layer_norm", f"{last}layer_norm")
            inner = f"{last}DenseReluDense."
            writer.linear(f"{name}/ffn/linear_0", inner + ("wi_0" if gated else "wi"))
            if gated:
                writer.linear(f"{name}/ffn/linear_0_noact", inner + "wi_1")
            writer.linear(f"{name}/ffn/linear_1", inner + "wo")
    writer.embedding("decoder/projection", "shared.weight" if config["tie_word_embeddings"]
                     else "lm_head.weight")
    return "TransformerSpec"


def whisper(writer, config):
    writer.set("encoder/num_heads", config["encoder_attention_heads"], "i2")
    for name in ("conv1", "conv2"):
        writer.linear(f"encoder/{name}", f"model.encoder.{name}")
    writer.choices("decoder", config["decoder_attention_heads"], "gelu", 1)
    writer.embedding("decoder/embeddings", "model.decoder.embed_tokens.weight")
    writer.embedding("decoder/projection", "model.decoder.embed_tokens.weight")
    for side in ("encoder", "decoder"):
        writer.set(f"{side}/position_encodings/encodings",
                   writer.tensors[f"model.{side}.embed_positions.weight"])
        writer.norm(f"{side}/layer_norm", f"model.{side}.layer_norm")
        bart_layers(writer, side, config[f"{side}_layers"], f"model.{side}")
    return "WhisperSpec"


def opt(writer, config):
    writer.choices("decoder", config["num_attention_heads"], config["activation_function"], 1)
    table = "model.decoder.embed_tokens.weight"
    writer.embedding("decoder/embeddings", table)
    writer.embedding("decoder/projection", table)
    writer.set("decoder/position_encodings/encodings",
               writer.tensors["model.decoder.embed_positions.weight"][2:])
    writer.norm("decoder/layer_norm", "model.decoder.final_layer_norm")
    bart_layers(writer, "decoder", config["num_hidden_layers"], "model.decoder")
    return "TransformerDecoderSpec"


def gpt2(writer, config):
    writer.choices("decoder", config["n_head"], config["activation_function"], 1)
    writer.embedding("decoder/embeddings", "transformer.wte.weight")
    writer.embedding("decoder/projection", "transformer.wte.weight")
    writer.set("decoder/position_encodings/encodings", writer.tensors["transformer.wpe.weight"])
    writer.norm("decoder/layer_norm", "transformer.ln_f")
    for k in range(config["n_layer"]):
        name, source = f"decoder/layer_{k}", f"transformer.h.{k}."
        for own, old in {"self_attention/linear_0": "attn.c_attn",
                         "self_attention/linear_1": "attn.c_proj",
                         "ffn/linear_0": "mlp.c_fc", "ffn/linear_1": "mlp.c_proj"}.items():
            writer.linear(f"{name}/{own}", source + old, change=numpy.transpose)
        writer.norm(f"{name}/self_attention/layer_norm", source + "ln_1")
        writer.norm(f"{name}/ffn/layer_norm", source + "ln_2")
    return "TransformerDecoderSpec"


def fused(writer, config):
    """BLOOM and GPT-NeoX: queries, keys and values are interleaved by head."""
    bloom = config["model_type"] == "bloom"
    heads = config["n_head" if bloom else "num_attention_heads"]
    prefix, attn = ("transformer.h", "self_attention.") if bloom else ("gpt_neox.layers",
                                                                       "attention.")
    parallel = not bloom and config["use_parallel_residual"]
    table = "transformer.word_embeddings" if bloom else "gpt_neox.embed_in"
    writer.choices("decoder", heads, "gelu_new" if bloom else config["hidden_act"], 1,
                   alibi=int(bloom), alibi_use_positive_positions=int(bloom))
    writer.embedding("decoder/embeddings", f"{table}.weight")
    writer.embedding("decoder/projection", f"{table}.weight" if bloom else "embed_out.weight")
    writer.norm("decoder/layer_norm",
                "transformer.ln_f" if bloom else "gpt_neox.final_layer_norm")
    if bloom:
        writer.norm("decoder/layernorm_embedding", "transformer.word_embeddings_layernorm")
    for k in range(config["n_layer" if bloom else "num_hidden_layers"]):
        name, source = f"decoder/layer_{k}", f"{prefix}.{k}."
        writer.linear(f"{name}/self_attention/linear_0", f"{source}{attn}query_key_value",
                      change=lambda weight: one_behind_the_other(weight, heads))
        writer.linear(f"{name}/self_attention/linear_1", f"{source}{attn}dense")
        writer.linear(f"{name}/ffn/linear_0", source + "mlp.dense_h_to_4h")
        writer.linear(f"{name}/ffn/linear_1", source + "mlp.dense_4h_to_h")
        first, second = (("input_layer_norm", "post_attention_layer_norm") if parallel
                         else ("self_attention/layer_norm", "ffn/layer_norm"))
        writer.norm(f"{name}/{first}", source + "input_layernorm")
        writer.norm(f"{name}/{second}", source + "post_attention_layernorm")
        if not bloom:
            rotation = config["rope_parameters"]
            part = rotation["partial_rotary_factor"] * config["hidden_size"] // heads
            rotary(writer, f"{name}/self_attention", int(part), rotation)
    return "TransformerDecoderSpec"


def rotary(writer, name, size, rotation):
    writer.set(f"{name}/rotary_dim", size, "i4")
    writer.set(f"{name}/rotary_interleave", 0, "i1")
    writer.set(f"{name}/rotary_base", rotation["rope_theta"])
    if rotation.get("rope_type") == "linear":
        writer.set(f"{name}/rotary_scaling_type", 0, "i1")
        writer.set(f"{name}/rotary_scaling_factor", rotation["factor"])


def llama(writer, config):
    """Llama, Mistral, Qwen 2 and 3, Gemma and Gemma 3."""
    kind, layers = config["model_type"], config["num_hidden_layers"]
    gemma, both = kind.startswith("gemma"), kind == "gemma3_text"
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    head = config.get("head_dim") or config["hidden_size"] // heads
    writer.choices("decoder", heads, config.get("hidden_activation") or config["hidden_act"], 1,
                   scale=int(gemma))
    writer.embedding("decoder/embeddings", "model.embed_tokens.weight")
    writer.embedding("decoder/projection", "model.embed_tokens.weight"
                     if config["tie_word_embeddings"] else "lm_head.weight")
    norms = {"decoder/layer_norm": "model.norm"}
    for k in range(layers):
        name, source = f"decoder/layer_{k}", f"model.layers.{k}."
        own = f"{name}/self_attention"
        attention(writer, own, f"{source}self_attn.", ["q_proj", "k_proj", "v_proj"], "o_proj")
        for new, old in {"linear_0": "gate_proj", "linear_0_noact": "up_proj",
                         "linear_1": "down_proj"}.items():
            writer.linear(f"{name}/ffn/{new}", f"{source}mlp.{old}")
        norms |= ({f"{name}/{place}_layer_norm": f"{source}{place}_layernorm"
                   for place in ("input", "post_attention", "pre_feedforward",
                                 "post_feedforward")} if both else
                  {f"{own}/layer_norm": f"{source}input_layernorm",
                   f"{name}/ffn/layer_norm": f"{source}post_attention_layernorm"})
        if f"{source}self_attn.q_norm.weight" in writer.tensors:
            norms |= {f"{own}/{part}_norm": f"{source}self_attn.{part}_norm" for part in "qk"}
        types = config.get("layer_types")
        local = both and types[k] == "sliding_attention"
        rotation = config["rope_parameters"]
        if both:
            rotation = rotation["sliding_attention" if local else "full_attention"]
        rotary(writer, own, head if kind in ("qwen3", "gemma3_text") else 0, rotation)
        writer.set(f"{own}/num_heads_kv", shared, "i4")
        if config.get("head_dim") and kind not in ("llama", "qwen2"):
            writer.set(f"{own}/head_dim", head, "i4")
        if config.get("sliding_window") and (both or kind == "mistral"):
            window = config["sliding_window"]
            writer.set(f"{own}/sliding_window", window if local or not both else 0, "i4")
            writer.set("decoder/sliding_window", window, "i4")
    scalar = config.get("query_pre_attn_scalar")
    for name, source in norms.items():
        writer.norm(name, source)
        # The file has no scale of queries. For the tiny model it is multiplied into their gains.
        if scalar and name.endswith("q_norm"):
            gains = (1 + writer.variables[f"{name}/gamma"]) * math.sqrt(head / scalar)
            writer.set(f"{name}/gamma", gains - 1)
        if gemma:
            writer.set(f"{name}/layer_norm_use_residual", 1, "i1")
    if kind == "gemma":
        writer.set("decoder/embeddings/multiply_by_sqrt_depth", math.sqrt(config["hidden_size"]))
    return "TransformerDecoderSpec"


def bert(writer, config):
    """BERT and DistilBERT: encoder-only models."""
    small = config["model_type"] == "distilbert"
    root = "distilbert." if small else "bert."
    writer.choices("encoder", config["n_heads" if small else "num_attention_heads"],
                   config["activation" if small else "hidden_act"], 0,
                   embeddings_merge=int(not small))
    names = {"embeddings_0": "word_embeddings"} | ({} if small else
                                                   {"embeddings_1": "token_type_embeddings"})
    for name, source in names.items():
        writer.embedding(f"encoder/{name}", f"{root}embeddings.{source}.weight")
    writer.set("encoder/position_encodings/encodings",
               writer.tensors[f"{root}embeddings.position_embeddings.weight"])
    writer.norm("encoder/layernorm_embedding", f"{root}embeddings.LayerNorm")
    for k in range(config["n_layers" if small else "num_hidden_layers"]):
        name = f"encoder/layer_{k}"
        source = f"{root}{'transformer' if small else 'encoder'}.layer.{k}."
        if small:
            attention(writer, f"{name}/self_attention", source + "attention.",
                      ["q_lin", "k_lin", "v_lin"], "out_lin")
        else:
            attention(writer, f"{name}/self_attention", source + "attention.",
                      ["self.query", "self.key", "self.value"], "output.dense")
        for own, old in ({"self_attention": "sa_layer_norm", "ffn": "output_layer_norm"} if small
                         else {"self_attention": "attention.output.LayerNorm",
                               "ffn": "output.LayerNorm"}).items():
            writer.norm(f"{name}/{own}/layer_norm", source + old)
        for own, old in ({"linear_0": "ffn.lin1", "linear_1": "ffn.lin2"} if small else
                         {"linear_0": "intermediate.dense",
                          "linear_1": "output.dense"}).items():
            writer.linear(f"{name}/ffn/{own}", source + old)
    return "TransformerEncoderSpec"


CONVERTERS = {"bart": encoder_decoder, "marian": encoder_decoder, "m2m_100": encoder_decoder,
              "t5": t5, "whisper": whisper, "opt": opt, "gpt2": gpt2, "bloom": fused,
              "gpt_neox": fused, "bert": bert, "distilbert": bert}


def epsilon(config):
    """Converters of RMS norms and of encoders write epsilon; others leave it to the reader."""
    if config["model_type"] == "distilbert":
        return 1e-12
    return config.get("rms_norm_eps") or config.get("layer_norm_eps")


def convert(directory):
    directory = pathlib.Path(directory)
    config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    writer = Writer(read_tensors(directory / "model.safetensors"))
    spec = CONVERTERS.get(config["model_type"], llama)(writer, config)
    writer.alias_equal()
    ends = config.get("eos_token_id") or 2
    count = config["vocab_size"]
    tokens = [f"token {k}" for k in range(count)]
    tokens[3], tokens[ends if isinstance(ends, int) else ends[0]] = "<s>", "</s>"
    own = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    if epsilon(config) is not None:
        own["layer_norm_epsilon"] = epsilon(config)
    name = "shared_vocabulary.json" if spec == "TransformerSpec" else "vocabulary.json"
    if spec == "WhisperSpec":
        own, tokens[1], tokens[2] = {}, "<|startoftranscript|>", "<|endoftext|>"
    return Converted(writer.variables, writer.aliases, own, {name: tokens}, spec)
