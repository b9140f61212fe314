# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make.py OUT [NAME…]: tiny models of Hugging Face's transformers with random weights, and their results in float64.

Needs torch and transformers (5.24 wrote what is in models/); no test runs it. Each model has a seed in MODELS. For
float64, norms and rotary angles are computed anew: transformers computes them in float32, whatever the weights are.
"""

import importlib
import json
import pathlib
import subprocess
import sys

import numpy
import torch
import transformers

SIZES = {"vocab_size": 160, "hidden_size": 64, "intermediate_size": 80, "num_attention_heads": 4, "pad_token_id": 1,
         "bos_token_id": 0, "eos_token_id": 2}
SMALL = {**SIZES, "num_hidden_layers": 3, "max_position_embeddings": 64}
GROUPED = {**SMALL, "num_key_value_heads": 2}
LOCAL = {**SIZES, "num_hidden_layers": 4, "max_position_embeddings": 64, "cls_token_id": 0, "sep_token_id": 2,
         "local_attention": 8}
FACTORS = [1.0, 1.05, 1.1, 1.3, 1.7, 2.2]
# Folder: class, seed, lengths of the sequences, configuration. Models that generate have sequences of equal length.
MODELS = {
    "modernbert": ("ModernBertForMaskedLM", 2601, [24, 15], LOCAL),
    "modernbert_classes": ("ModernBertForSequenceClassification", 2602, [24, 15], {
        **LOCAL, "num_labels": 5, "attention_bias": True, "mlp_bias": True, "norm_bias": True, "classifier_bias": True,
        "classifier_pooling": "mean"}),
    "olmo2": ("Olmo2ForCausalLM", 2611, [14, 14], {
        **GROUPED, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}),
    "phi3": ("Phi3ForCausalLM", 2612, [14, 14], {
        **GROUPED, "max_position_embeddings": 128, "sliding_window": 9, "original_max_position_embeddings": 64,
        "rope_parameters": {"rope_type": "longrope", "rope_theta": 10000.0, "partial_rotary_factor": 0.75,
                            "short_factor": FACTORS, "long_factor": [3 * factor for factor in FACTORS],
                            "original_max_position_embeddings": 64}}),
    "electra": ("ElectraForMaskedLM", 2613, [20, 13], {**SMALL, "embedding_size": 48}),
    "eurobert": ("EuroBertForSequenceClassification", 2614, [20, 13], {**GROUPED, "num_labels": 3}),
    "starcoder2": ("Starcoder2ForCausalLM", 2615, [14, 14], {**GROUPED, "sliding_window": 9}),
    "stablelm": ("StableLmForCausalLM", 2616, [14, 14], {
        **GROUPED, "use_qkv_bias": True, "qk_layernorm": True, "use_parallel_residual": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25}}),
    "camembert": ("CamembertForSequenceClassification", 2617, [20, 13], {
        **SMALL, "num_labels": 4, "type_vocab_size": 1}),
    "arcee": ("ArceeForCausalLM", 2618, [14, 14], GROUPED),
    "seed_oss": ("SeedOssForCausalLM", 2619, [14, 14], {**GROUPED, "head_dim": 12, "attention_bias": True}),
}
NEW_TOKENS = 24


def root_mean_square(self, x):
    return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon))


def angles(self, x, position_ids, layer_type=None):
    config, given = self.config, self.config.rope_parameters
    given = given[layer_type] if layer_type else given
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    turned = int(head * given.get("partial_rotary_factor", 1.0))
    speed = given["rope_theta"] ** -(torch.arange(0, turned, 2, dtype=torch.float64) / turned)
    scale = 1.0
    if given["rope_type"] == "longrope":
        least = given["original_max_position_embeddings"]
        speed = speed / torch.tensor(given["short_factor"], dtype=torch.float64)
        scale = (1 + numpy.log(config.max_position_embeddings / least) / numpy.log(least)) ** 0.5
    angle = position_ids[..., None].double() * speed
    angle = torch.cat((angle, angle), dim=-1)
    return angle.cos() * scale, angle.sin() * scale


def use_float64(name):
    """Replaces what the module of an architecture computes in float32 in any case."""
    module = importlib.import_module(f"transformers.models.{name}.modeling_{name}")

    def rotated(q, k, cos, sin, unsqueeze_dim=1):
        cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
        return tuple(x * cos + module.rotate_half(x) * sin for x in (q, k))

    for each, kind in list(vars(module).items()):
        if isinstance(kind, type) and kind.__module__ == module.__name__:
            if each.endswith("RMSNorm"):
                kind.forward = root_mean_square
            if each.endswith("RotaryEmbedding"):
                kind.forward = angles
    if name == "modernbert":
        module.apply_rotary_pos_emb = rotated


def with_random_weights(kind, config):
    model = kind(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            scale = 0.5 if "embed" in name else 1.2 / weight.shape[-1] ** 0.5
            one = 1 if "norm" in name.lower() and name.endswith("weight") else 0
            weight.copy_(one + 0.3 * torch.randn_like(weight) if weight.ndim == 1 else torch.randn_like(weight) * scale)
    model.config._attn_implementation = "sdpa"
    return model


def results(model, ids, mask):
    with torch.no_grad():
        base = getattr(model, model.base_model_prefix)
        return {"logits": model(input_ids=ids, attention_mask=mask).logits.double().numpy(),
                "last_hidden_state": base(input_ids=ids, attention_mask=mask).last_hidden_state.double().numpy()}


def greedy(model, begin):
    """The likeliest tokens after `begin`, and the smallest distance of the best two."""
    ids, margins = list(begin), []
    with torch.no_grad():
        for _ in range(NEW_TOKENS):
            best = model(input_ids=torch.tensor([ids])).logits[0, -1].topk(2)
            margins.append(float(best.values[0] - best.values[1]))
            ids.append(int(best.indices[0]))
    return ids, {"max_new_tokens": NEW_TOKENS, "do_sample": False, "num_beams": 1, "eos_token_id": None,
                 "min_top2_margin": min(margins), "distinct": len(set(ids[len(begin):]))}


def make(out, folder):
    kind, seed, lengths, given = MODELS[folder]
    kind = getattr(transformers, kind)
    config = kind.config_class(**given)
    torch.manual_seed(seed)
    model = with_random_weights(kind, config)
    golden = out / folder / "golden"
    golden.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(out / folder)
    (out / folder / "generation_config.json").unlink(missing_ok=True)

    longest = max(lengths)
    ids = torch.randint(5, config.vocab_size, (len(lengths), longest), generator=torch.Generator().manual_seed(seed))
    mask = torch.tensor([[1] * length + [0] * (longest - length) for length in lengths])
    ids = ids * mask + config.pad_token_id * (1 - mask)
    numpy.save(golden / "input_ids.npy", ids.numpy())
    single = results(model.to(torch.float32), ids, mask)
    use_float64(config.model_type)
    model = model.to(torch.float64)
    double = results(model, ids, mask)
    meta = {"arch": config.model_type, "model_class": kind.__name__, "model_type": config.model_type,
            "params": sum(weight.numel() for weight in model.parameters()), "torch": torch.__version__,
            "transformers": transformers.__version__, "f32_vs_f64": {}, "absmax": {}, "seed": seed}
    if generates := kind.__name__.endswith("CausalLM"):
        tokens, meta["greedy"] = greedy(model, ids[0, :5].tolist())
        numpy.save(golden / "generated_ids.npy", numpy.array([tokens]))
    else:
        numpy.save(golden / "attention_mask.npy", mask.numpy())
    for name, exact in double.items():
        rows = slice(None) if exact.ndim == 2 else mask.bool().numpy()
        meta["f32_vs_f64"][name] = float(abs(exact - single[name])[rows].max())
        meta["absmax"][name] = float(abs(exact[rows]).max())
        if name == "logits" or not generates:
            numpy.save(golden / f"{name}_f64.npy", exact)
    (golden / "meta.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")
    print(folder, meta["f32_vs_f64"])


names = sys.argv[2:] or list(MODELS)
if len(names) == 1:
    make(pathlib.Path(sys.argv[1]), names[0])
else:
    for each in names:  # a process for each, since use_float64 changes modules
        subprocess.run([sys.executable, __file__, sys.argv[1], each], check=True)
