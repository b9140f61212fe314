# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unsupported settings in files next to the weights: each is refused, with place and cause.

beside.py TRANSFOLD MODELS DIR EXAMPLES
"""

import json
import pathlib
import shutil
import subprocess
import sys

transfold, models, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
TYPE = "sentence_transformers.models."
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n"
TRANSFORMER = {"idx": 0, "name": "0", "path": "", "type": TYPE + "Transformer"}
POOLING = {"idx": 1, "name": "1", "path": "1_Pooling", "type": TYPE + "Pooling"}
MEAN = {"word_embedding_dimension": 64, "pooling_mode_mean_tokens": True}
SENTENCE = {"modules.json": [TRANSFORMER, POOLING], "1_Pooling/config.json": MEAN}
CONFIG = "config_sentence_transformers.json"


def check(model, files, expected, left_out=()):
    path = folder / "model"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(models / model, path, ignore=shutil.ignore_patterns("golden", "*.test", *left_out))
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict) and name == "config.json":
            content = json.loads((path / name).read_text(encoding="utf-8")) | content
        text = content if isinstance(content, str) else json.dumps(content)
        (path / name).write_text(text, encoding="utf-8")
    run = subprocess.run([transfold, "check", spec_of(path), path], capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    if expected is None:
        assert run.returncode == 0, (files, said)
    else:
        assert run.returncode == 1 and expected in said, (files, expected, said)


def spec_of(path):
    try:
        name = json.loads((path / "config.json").read_text(encoding="utf-8"))["model_type"]
    except (OSError, KeyError, ValueError):
        name = "bert"
    return pathlib.Path(sys.argv[4]) / f"{name.replace('-', '_').replace('_text', '')}.xf"


def module(kind, path="2_More", **more):
    return SENTENCE | {"modules.json": [TRANSFORMER, POOLING, {"idx": 2, "name": "2", "path": path, "type": kind, **more}]}


check("bert", SENTENCE, None)
check("bert", SENTENCE | {CONFIG: {"__version__": {"x": "5.1"}, "prompts": {"q": "q: ", "d": ""}, "default_prompt_name": "q",
                                   "similarity_fn_name": "dot", "model_type": "SentenceTransformer"},
                          "sentence_bert_config.json": {"max_seq_length": 30, "do_lower_case": False},
                          "tokenizer_config.json": {"model_max_length": 1000000000000000019884624838656, "truncation_side": "right",
                                                    "anything": 1},
                          "special_tokens_map.json": {"pad_token": "[PAD]"}}, None)
check("bert_seqcls", {"config.json": {"sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity", "version": "4.1.0"}}},
      None)
# Modules, their keys and their files.
check("bert", module(TYPE + "WordWeights"), 'the spec does not know "wordweights"')
check("bert", module("mine.Normalize"), 'the spec does not know "mine"')
check("bert", module(TYPE + "Normalize", kwargs=["task"]), "modules.json:2.kwargs")
check("bert", module(TYPE + "Normalize", path="../x"), "is not the name of a folder in the directory")
check("bert", module(TYPE + "Normalize") | {"2_More/config.json": {"module_input_name": "token_embeddings"}},
      'the spec does not know "token_embeddings"')
check("bert", module(TYPE + "Dense") | {"2_More/config.json": {"in_features": 64, "out_features": 8}, "2_More/pytorch_model.bin": "x"},
      "is a Python pickle")
check("bert", module(TYPE + "Dense") | {"2_More/config.json": {"in_features": 64, "out_features": 8}},
      "the checkpoint has no tensor 2_More/linear.weight")
check("bert", SENTENCE | {"1_Pooling/config.json": MEAN | {"more": 1}}, "1_Pooling/config.json:more = 1")
check("bert", SENTENCE | {"1_Pooling/config.json": {"embedding_dimension": 64, "pooling_mode": "median"}},
      'the spec does not know "median"')
check("bert", SENTENCE | {"1_Pooling/config.json": {"word_embedding_dimension": 64, "pooling_mode_cls_token": True}}, "expect by_words or")
check("bert", SENTENCE | {"1_Pooling/config.json": MEAN | {"word_embedding_dimension": 32}}, "expect (pooled_size ?? d) == d")
# Settings of config_sentence_transformers.json.
check("bert", SENTENCE | {CONFIG: {"prompts": {"q": "q: "}, "default_prompt_name": "d"}}, "expect prompt_name == none or prompt != none")
check("bert", SENTENCE | {CONFIG: {"prompts": {"q": "q: "}, "default_prompt_name": "q"},
                          "1_Pooling/config.json": MEAN | {"include_prompt": False}}, "include_prompt")
check("bert", SENTENCE | {CONFIG: {"mode": "x"}}, f"{CONFIG}:mode")
check("bert", SENTENCE | {CONFIG: {"similarity_fn_name": "maxsim"}}, 'the spec does not know "maxsim"')
check("bert", SENTENCE | {"sentence_bert_config.json": {"do_lower_case": True}}, "do_lower_case")
check("bert", SENTENCE | {"sentence_bert_config.json": {"model_args": {"x": 1}}}, "sentence_bert_config.json:model_args.x")
check("bert", {"tokenizer_config.json": {"truncation_side": "left"}}, 'the spec does not know "left"')
check("bert", {"tokenizer_config.json": {"do_lower_case": True}, "tokenizer.json": {"normalizer": {"lowercase": False}}}, "do_lower_case")
check("bert_seqcls", {"config.json": {"problem_type": "other"}}, 'the spec does not know "other"')
check("bert_seqcls", {"config.json": {"sentence_transformers": {"activation_fn": "mine.Sigmoid"}}}, 'the spec does not know "mine"')
check("bert_seqcls", {"config.json": {"architectures": ["BertForMultipleChoice"]}}, 'the spec does not know "BertForMultipleChoice"')
# A model without text embeddings.
check("llama", {"modules.json": [TRANSFORMER]}, "modules.json:0.type")
check("llama", {"preprocessor_config.json": {"size": 3}}, "preprocessor_config.json:size")
# Adapters, alone and next to the weights that they change; files that Git LFS has not fetched.
for name in ("adapter_config.json", "adapter_model.safetensors"):
    check("llama", {name: "{}"}, "is of an adapter (LoRA)")
check("llama", {"adapter_config.json": "{}"}, "is of an adapter (LoRA)", ("*.safetensors",))
for model, name in (("bert", "model.safetensors"), ("bert", "config.json"), ("bert", "modules.json"),
                    ("llama", "generation_config.json")):
    check(model, {name: POINTER}, f"{name}: is a pointer of Git LFS")
# Kinds of layers.
for model in ("qwen2", "qwen3", "gemma2", "gemma3_text", "gpt_oss"):
    layers = json.loads((models / model / "config.json").read_text(encoding="utf-8"))["num_hidden_layers"]
    check(model, {"config.json": {"layer_types": ["full_attention"] * (layers - 1) + ["chunked_attention"]}},
          'the spec does not know "chunked_attention"')
check("deberta-v2", {"config.json": {"pos_att_type": ["c2p", "p2p"]}}, 'the spec does not know "p2p"')
print("all refused")
