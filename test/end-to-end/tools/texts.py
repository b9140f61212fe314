# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds a tokenizer to a model without one, and heads that it lacks; checks the results.

texts.py make MODEL DIR       writes copies of a RoBERTa with a masked-token head: `fill` is
                              unchanged, `classify` has a classifier, `rank` one with a single
                              score, `tag` one for each token, `embed` mean pooling; their tokenizer maps TEXT to the first row of
                              golden/input_ids.npy. Further copies have a tokenizer with ids
                              (`ids`) or types of text (`types`) that the model does not have.
texts.py fill MODEL           compares the output of `fill --json TEXT` with the golden's logits
texts.py classify MODEL DIR   the same for `classify --json`: the classifier in float64, on the
                              golden's hidden states
texts.py tag MODEL            the same for `tag --json`, and the offsets of the tokens
"""

import json
import pathlib
import shutil
import struct
import sys

import numpy

TEXT = "Ithe cats\u00e9 sat on <mask> mat."
command, model = sys.argv[1], pathlib.Path(sys.argv[2])
golden = model / "golden"
meta = json.loads((golden / "meta.json").read_text(encoding="utf-8"))
ids = [int(id) for id in numpy.load(golden / "input_ids.npy")[0]]
MASK = ids[8]
NAMES = ["red", "green", "blue"]


def tokenizer():
    """A byte-level tokenizer: the merges that TEXT needs, and the golden's id for each of its
    tokens."""
    tokens = ["<s>", "I", "the", "\u0120cat", "s", "\u00c3\u00a9", "\u0120sat", "\u0120on", "<mask>",
              "\u0120mat", ".", "</s>"]
    merges = ["t h", "th e", "a t", "c at", "\u0120 cat", "\u00c3 \u00a9", "s at", "\u0120 sat",
              "o n", "\u0120 on", "m at", "\u0120 mat"]
    # <s> and the first token have the same id in the golden; the special token gets none.
    vocabulary = dict(zip(tokens[1:-1], ids[1:-1]))
    free = (id for id in range(meta_vocabulary()) if id not in ids)
    parts = {part for merge in merges for part in [*merge.split(), merge.replace(" ", "")]}
    for part in sorted(parts - set(vocabulary)):
        vocabulary[part] = next(free)
    flags = {"single_word": False, "rstrip": False, "normalized": False, "special": True}

    def template(*parts):
        return [{"Sequence": {"id": part, "type_id": 0}} if part in "AB"
                else {"SpecialToken": {"id": part, "type_id": 0}} for part in parts]

    return {
        "version": "1.0", "normalizer": None,
        "added_tokens": [{"id": MASK, "content": "<mask>", "lstrip": True, **flags}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
        "post_processor": {
            "type": "TemplateProcessing", "single": template("<s>", "A", "</s>"),
            "pair": template("<s>", "A", "</s>", "</s>", "B", "</s>"),
            "special_tokens": {name: {"id": name, "ids": [id], "tokens": [name]}
                               for name, id in [("<s>", ids[0]), ("</s>", ids[-1])]}},
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": vocabulary, "merges": merges}}


def meta_vocabulary():
    return json.loads((model / "config.json").read_text(encoding="utf-8"))["vocab_size"]


def head():
    """The classifier: W_H, b_H, W_C, b_C."""
    random = numpy.random.default_rng(7)
    return {name: (random.standard_normal(shape) / 8).astype("float32") for name, shape in [
        ("classifier.dense.weight", (64, 64)), ("classifier.dense.bias", (64,)),
        ("classifier.out_proj.weight", (3, 64)), ("classifier.out_proj.bias", (3,))]}


def rank_head():
    """The same with a single score."""
    return {name: tensor[:1] if name.startswith("classifier.out_proj") else tensor
            for name, tensor in head().items()}


def tag_head():
    """A classifier of tokens: W_G, b_G."""
    random = numpy.random.default_rng(8)
    return {name: (random.standard_normal(shape) / 8).astype("float32") for name, shape in [
        ("classifier.weight", (3, 64)), ("classifier.bias", (3,))]}


def read_tensors(path):
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(content[8 + length:][slice(*entry["data_offsets"])], "<f4")
            .reshape(entry["shape"]) for name, entry in header.items()}


def write_tensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        begin = len(data)
        data += tensor.tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def make(folder):
    def copy(name, change=lambda file: None):
        target = folder / name
        target.mkdir(parents=True)
        for file in ("config.json", "model.safetensors"):
            shutil.copy(model / file, target)
        file = tokenizer()
        change(file)
        (target / "tokenizer.json").write_text(json.dumps(file), encoding="utf-8")
        return target

    copy("fill")
    tensors = {name: tensor for name, tensor in read_tensors(model / "model.safetensors").items()
               if not name.startswith("lm_head.")}
    for name, its_head, labels in (("classify", head(), NAMES), ("tag", tag_head(), NAMES),
                                   ("rank", rank_head(), ["relevance"])):
        target = copy(name)
        config = json.loads((target / "config.json").read_text(encoding="utf-8"))
        config["id2label"] = dict(zip("012", labels))
        (target / "config.json").write_text(json.dumps(config), encoding="utf-8")
        write_tensors(target / "model.safetensors", {**tensors, **its_head})
    target = copy("embed")
    (target / "1_Pooling").mkdir()
    (target / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 64, "pooling_mode_mean_tokens": True}))

    def wrong_id(file):
        file["post_processor"]["special_tokens"]["</s>"]["ids"] = [meta_vocabulary()]

    def wrong_type(file):
        file["post_processor"]["single"][1]["Sequence"]["type_id"] = 1

    for name in ("fill", "classify", "tag", "embed"):
        for wrong, change in ("ids", wrong_id), ("types", wrong_type):
            target = folder / f"{name}-{wrong}"
            shutil.copytree(folder / name, target)
            file = tokenizer()
            change(file)
            (target / "tokenizer.json").write_text(json.dumps(file), encoding="utf-8")


def log_softmax(logits):
    shifted = logits - logits.max()
    return shifted - numpy.log(numpy.exp(shifted).sum())


def compare(found, expected, limit):
    """Compares probabilities with the expected logarithms."""
    difference = numpy.abs(numpy.log(found) - expected).max()
    # Printed values are floats: one more rounding.
    limit = 2 * limit + 2.0 ** -23
    print(f"{difference:.3g} from float64, limit {limit:.3g}")
    sys.exit(not difference <= limit)


if command == "make":
    make(pathlib.Path(sys.argv[3]))
elif command == "fill":
    expected = log_softmax(numpy.load(golden / "logits_f64.npy")[0, 8])
    masks = json.loads(sys.stdin.readline())["masks"]
    assert len(masks) == 1 and masks[0]["token"] == 8, masks
    fillings = masks[0]["fillings"]
    assert [each["id"] for each in fillings] == list(numpy.argsort(-expected)[:len(fillings)])
    compare([each["probability"] for each in fillings],
            expected[[each["id"] for each in fillings]], 4 * meta["f32_vs_f64"]["logits"])
elif command == "tag":
    weight, bias = (tensor.astype(float) for tensor in tag_head().values())
    tokens = json.loads(sys.stdin.readline())["tokens"]
    # <s> and </s> are not listed; the others together are the text.
    assert [token["id"] for token in tokens] == ids[1:-1], tokens
    assert "".join(TEXT[token["begin"]:token["end"]] for token in tokens) == TEXT, tokens
    found, expected = [], []
    for token, hidden in zip(tokens, numpy.load(golden / "last_hidden_state_f64.npy")[0, 1:]):
        logits = log_softmax(weight @ hidden + bias)
        labels = [NAMES.index(each["label"]) for each in token["classes"]]
        assert labels == list(numpy.argsort(-logits)), token
        found += [each["probability"] for each in token["classes"]]
        expected += list(logits[labels])
    compare(found, numpy.array(expected),
            4 * meta["f32_vs_f64"]["last_hidden_state"] * numpy.abs(weight).sum(axis=1).max())
else:
    dense, bias, out, out_bias = (tensor.astype(float) for tensor in head().values())
    hidden = numpy.load(golden / "last_hidden_state_f64.npy")[0, 0]
    expected = log_softmax(numpy.tanh(dense @ hidden + bias) @ out.T + out_bias)
    # The allowed error of the hidden state, propagated through the classifier: tanh' is at most 1.
    limit = (4 * meta["f32_vs_f64"]["last_hidden_state"]
             * (numpy.abs(out) @ numpy.abs(dense).sum(axis=1)).max())
    classes = json.loads(sys.stdin.readline())["classes"]
    assert sorted(each["label"] for each in classes) == sorted(NAMES)
    compare([each["probability"] for each in classes],
            expected[[NAMES.index(each["label"]) for each in classes]], limit)
