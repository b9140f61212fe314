# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""published.py TRANSFOLD MODELS OUT: keys that published models contain do not stop a compilation.

Each tiny model gets the further keys that files of its kind have: those of older versions, of
training, of generation. Keys that would change the equations are refused if they have another
value.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])

# For any model: transformers 4 wrote all keys that differ from a default.
COMMON = {"max_length": 20, "min_length": 0, "num_beams": 4, "num_beam_groups": 1,
          "do_sample": False, "early_stopping": True, "length_penalty": 1.0, "prefix": " ",
          "diversity_penalty": 0.0, "repetition_penalty": 1.0, "no_repeat_ngram_size": 3,
          "encoder_no_repeat_ngram_size": 0, "temperature": 1.0, "top_k": 50, "top_p": 1.0,
          "typical_p": 1.0, "num_return_sequences": 1, "bad_words_ids": [[3]],
          "suppress_tokens": None, "begin_suppress_tokens": None, "pruned_heads": {},
          "exponential_decay_length_penalty": None, "remove_invalid_values": False,
          "cross_attention_hidden_size": None, "tie_encoder_decoder": False,
          "forced_bos_token_id": None, "torchscript": False, "tf_legacy_loss": False,
          "use_bfloat16": False, "task_specific_params": {"text": {"do_sample": True}}}
FAIRSEQ = {"_num_labels": 3, "add_bias_logits": False, "add_final_layer_norm": False,
           "classif_dropout": 0.1, "normalize_before": False, "extra_pos_embeddings": 2,
           "num_hidden_layers": 2}
OWN = {
    "bart": {**FAIRSEQ, "normalize_embedding": True, "static_position_embeddings": False,
             "force_bos_token_to_be_generated": True},
    "bert": {"directionality": "bidi", "pooler_fc_size": 768, "pooler_num_attention_heads": 12,
             "pooler_num_fc_layers": 3, "pooler_size_per_head": 128,
             "pooler_type": "first_token_transform", "gradient_checkpointing": False},
    "bloom": {"attention_softmax_in_fp32": True, "bias_dropout_fusion": True, "seq_length": 64,
              "masked_softmax_fusion": True, "offset_alibi": 100, "skip_bias_add": True,
              "skip_bias_add_qkv": False, "n_inner": None, "unk_token_id": 0},
    "gemma2": {"cache_implementation": "hybrid"},
    "gpt2": {"n_ctx": 64},
    "llama": {"is_llama_config": True, "rope_interleaved": False, "rope_scaling": None,
              "transformers.js_config": {"dtype": "q4"}},
    "marian": {**FAIRSEQ, "normalize_embedding": False, "static_position_embeddings": True},
    "opt": {"_remove_final_layer_norm": False, "enable_bias": True, "activation_dropout": 0.0,
            "layer_norm_elementwise_affine": True},
    "qwen2": {"use_mrope": False},
    "t5": {"output_past": True, "n_positions": 512},
    "vit": {"encoder_stride": 16, "qkv_bias": True},
    "whisper": {"forced_decoder_ids": [[1, 2]], "median_filter_width": 7, "mask_time_prob": 0.05,
                "apply_spec_augment": False, "use_weighted_layer_sum": False},
}
# Values that change the equations, and so must be refused.
REFUSED = {
    "bart": {"normalize_before": True}, "marian": {"static_position_embeddings": False},
    "bert": {"pruned_heads": {"0": [1]}}, "llama": {"rope_interleaved": True},
    "qwen2": {"use_mrope": True}, "gpt2": {"add_cross_attention": True},
}


def check(model, keys, absent=()):
    folder = out / model
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = json.loads((models / model / "config.json").read_text(encoding="utf-8"))
    for key in absent:
        config.pop(key, None)
    (folder / "config.json").write_text(json.dumps(config | keys), encoding="utf-8")
    shutil.copy(models / model / "model.safetensors", folder)
    ran = subprocess.run([transfold, "compile", folder, "--emit=xf", "-q"], capture_output=True,
                         text=True)
    return ran.returncode, ran.stderr


wrong = False
# Not the layers that a sentence-transformers directory has in folders of their own.
for model in sorted(str(path.parent.relative_to(models)) for path in models.rglob("config.json")
                    if "model_type" in path.read_text(encoding="utf-8")):
    status, said = check(model, COMMON | OWN.get(model, {}))
    print(model, "fine" if status == 0 else said)
    wrong |= status != 0
for model, keys in REFUSED.items():
    status, said = check(model, keys)
    refused = status == 1 and re.search(r"error: this model is not what the spec expects", said)
    print(model, keys, "refused" if refused else f"not refused: {said}")
    wrong |= not refused
# T5's first files have no key for the (ungated) feed-forward.
status, said = check("t5", {}, ["feed_forward_proj", "is_gated_act", "dense_act_fn"])
print("t5 without feed_forward_proj", "fine" if status == 0 else said)
sys.exit(wrong or status != 0)
