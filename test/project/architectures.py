# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No architecture has a name in the code: it is a spec, and only that."""

import re

import files

NAMES = re.compile(
    r"bert|bart(?![a-z])|llama|gpt|mistral|mixtral|qwen|gemma|whisper|bloom|deberta|cohere\b|marian|"
    r"granite|vaswani|falcon|mamba|\bt5\b|\bopt_125m|\bvit\b", re.IGNORECASE)
# In the runtime, "Bert" is a way to split text: tokenizer.json calls it so.
FORMAT = re.compile(r"bert", re.IGNORECASE)
# Help texts name files to try.
EXAMPLES = re.compile(r"examples/\w+\.xf|all-MiniLM-L6-v2")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def blank(match):
    """Nothing, over as many lines."""
    return "\n" * match.group().count("\n")


problems = []
for path in files.tracked(".cpp", ".h", ".td"):
    if path.parts[0] not in ("compiler", "dialect", "runtime"):
        continue
    # Before the comments: in a string, // begins none.
    text = EXAMPLES.sub("", files.read(path))
    if path.parts[0] == "runtime":
        text = FORMAT.sub("", text)
    for number, line in enumerate(COMMENTS.sub(blank, text).split("\n"), 1):
        for name in NAMES.findall(line):
            problems.append(f"{path}:{number}: names an architecture: {name}")
files.finish(problems)
