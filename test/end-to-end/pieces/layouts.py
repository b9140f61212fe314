# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""layouts.py PROGRAM WORK: the ids that Hugging Face directories assign to the pieces of one model.

The ids are those of transformers' tokenizers (4.57, without the Rust library) for these files; but
languages of NLLB and mBART, if files have no ids for them, follow the pieces in the order of the
list, and <mask> follows them, as in published models.
"""

import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "translate"))
import dictionary

WORDS = ["▁", "▁a", "▁cat", "▁sat", "a", "c", "t", "s", "ab", "."]  # pieces 3 to 12
VOCABULARY = ["</s>", "<unk>", "▁a", "▁cat", ">>de<<", "▁sat", "zz", ".", "<pad>"]
FAIRSEQ = "sentencepiece.bpe.model"
LANGUAGES = {"additional_special_tokens": ["ar_AR", "de_DE", "en_XX"]}
TEXT = "a cat sat. zz"

# For each directory: files, and texts with their ids.
CASES = {
    "marian": ({"source.spm": 0, "target.spm": 0, "vocab.json": VOCABULARY},
               {TEXT: [2, 3, 5, 7, 1, 6, 0], ">>de<< a cat": [4, 2, 3, 0], "a >>de<<": [2, 1, 4, 0],
                "a</s>t": [2, 0, 1, 1, 0]}),
    "m2m": ({FAIRSEQ: 0, "vocab.json": ["<s>", "<pad>", "</s>", "<unk>", *VOCABULARY[2:4]],
             "tokenizer_config.json": {"src_lang": "de"}},
            {"a cat": [22, 4, 5, 2]}),
    "xlmr": ({FAIRSEQ: 0}, {TEXT: [0, 5, 6, 7, 13, 4, 3, 2], "a <mask> cat": [0, 5, 14, 6, 2]}),
    "nllb": ({FAIRSEQ: 0, "tokenizer_config.json": {"tokenizer_class": "NllbTokenizer"},
              "special_tokens_map.json": {"additional_special_tokens": ["deu_Latn", "eng_Latn"]}},
             {"a cat": [15, 5, 6, 2], "a <mask>": [15, 5, 16, 2]}),
    "nllb-former": ({FAIRSEQ: 0, "tokenizer_config.json": {
        "tokenizer_class": "NllbTokenizerFast", "legacy_behaviour": True,
        "additional_special_tokens": ["deu_Latn", "eng_Latn"], "src_lang": "deu_Latn"}},
                    {"a cat": [5, 6, 2, 14]}),
    "mbart50": ({FAIRSEQ: 0, "special_tokens_map.json": LANGUAGES, "tokenizer_config.json": {
        "tokenizer_class": "MBart50Tokenizer", "src_lang": "de_DE"}},
                {"a cat": [15, 5, 6, 2]}),
    "mbart": ({FAIRSEQ: 0, "special_tokens_map.json": LANGUAGES, "tokenizer_config.json": {
        "tokenizer_class": "MBartTokenizer"}}, {"a cat": [5, 6, 2, 16]}),
    "t5": ({"spiece.model": 0, "config.json": {"tokenizer_class": "T5Tokenizer"}},
           {"a cat<extra_id_0> sat": [4, 5, 112, 6, 2], "a <extra_id_99>": [4, 13, 2]}),
    "t5-ten": ({"spiece.model": 0, "tokenizer_config.json": {"extra_ids": 10}},
               {"<extra_id_1>": [21, 2]}),
    "pegasus": ({"spiece.model": 0, "tokenizer_config.json": {"tokenizer_class": "PegasusTokenizer"}},
                {"a cat zz": [107, 108, 106, 103, 1], "<mask_1><mask_2>": [2, 3, 1]}),
    "llama": ({"tokenizer.model": 0}, {"a cat": [1, 4, 5], "a</s>a": [1, 4, 2, 4]}),
    "llama-ends": ({"tokenizer.model": 0, "tokenizer_config.json": {
        "tokenizer_class": "LlamaTokenizer", "add_bos_token": False, "add_eos_token": True,
        "legacy": False, "added_tokens_decoder": {
            "0": {"content": "<unk>"}, "1": {"content": "<s>"}, "2": {"content": "</s>"},
            "40": {"content": "<|im_start|>", "special": True},
            "41": {"content": "<tool>", "special": False, "lstrip": True, "rstrip": True}}}},
                   {"a cat": [4, 5, 2], "<|im_start|>cat": [40, 8, 7, 9, 2], "a <tool> cat": [4, 41, 8, 7, 9, 2]}),
    "deberta": ({"spm.model": 0, "added_tokens.json": {"[MASK]": 50}, "special_tokens_map.json": {
        "cls_token": "<s>", "sep_token": "</s>", "unk_token": "<unk>", "pad_token": "<unk>"}},
                {"a cat": [1, 4, 5, 2], "a [MASK]": [1, 4, 50, 2]}),
}


def write(folder, files):
    folder.mkdir(parents=True)
    for name, content in files.items():
        if content == 0:
            (folder / name).write_bytes(dictionary.sentence_pieces(WORDS))
            continue
        if isinstance(content, list):
            content = {token: number for number, token in enumerate(content)}
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def main(program, work):
    shutil.rmtree(work, ignore_errors=True)
    wrong = 0
    for name, (files, texts) in CASES.items():
        write(work / name, files)
        lines = "".join(json.dumps(text) + "\n" for text in texts)
        ran = subprocess.run([program, work / name], input=lines, stdout=subprocess.PIPE, text=True,
                             check=True)
        for (text, wanted), line in zip(texts.items(), ran.stdout.split("\n"), strict=False):
            found = json.loads(line)["ids"]
            if found != wanted:
                wrong += 1
                print(f"{name}: {text!r}: {found}, not {wanted}")
    print(f"{len(CASES)} layouts, {wrong} texts differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
