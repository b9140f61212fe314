# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code contains no name of an architecture: these are only in specs."""

import re

import files

NAMES = re.compile(
    r"bert|bart(?![a-z])|llama|gpt|mistral|mixtral|qwen|gemma|whisper|bloom|deberta|cohere\b|marian|"
    r"granite|vaswani|falcon|mamba|\bt5\b|\bopt_125m|\bvit\b", re.IGNORECASE)
# "Bert" is also the name of a pre-tokenizer in tokenizer.json.
FORMAT = re.compile(r"bert", re.IGNORECASE)
# GGUF files name kinds of tokenizers and pre-tokenizers after the models that had them first; other
# models use them too.
TOKENIZERS = ("compiler", "tokenizer", "gguf")
# The tokenizer_class of Hugging Face's directories is also named after models.
CLASSES = [("compiler", "checkpoint", "huggingface", name) for name in ("TokenIdMapping.cpp", "WordLists.cpp")]
# Help texts mention files to try.
EXAMPLES = re.compile(r"examples/\w+\.xf|all-MiniLM-L6-v2")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def blank(match):
    """Replaces a comment by as many empty lines."""
    return "\n" * match.group().count("\n")


problems = []
for path in files.tracked(".cpp", ".h", ".td"):
    if path.parts[0] not in ("base", "compiler", "dialect", "runtime"):
        continue
    if path.parts[:3] == TOKENIZERS or path.parts in CLASSES:
        continue
    # Before comments are removed: in a string, // does not begin one.
    text = EXAMPLES.sub("", files.read(path))
    if path.parts[0] == "runtime" or path.parts[:2] == TOKENIZERS[:2]:
        text = FORMAT.sub("", text)
    for number, line in enumerate(COMMENTS.sub(blank, text).split("\n"), 1):
        for name in NAMES.findall(line):
            problems.append(f"{path}:{number}: names an architecture: {name}")
files.finish(problems)
