# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns texts into vectors and prints the similarity of the first text to each of the others.

    embed.py all-MiniLM-L6-v2 "A cat sat." "A kitten was sitting." "The market fell."

The model is a Hugging Face directory, or the name under which it was compiled.
"""

import pathlib
import sys

import transfold


def open_model(model: str) -> transfold.Program:
    if pathlib.Path(model).exists():
        return transfold.compile(model, progress=True)
    return transfold.Program.load(model)


def main() -> int:
    if len(sys.argv) < 4:
        print("embed.py MODEL TEXT TEXT...: how alike the first text is to the others", file=sys.stderr)
        return 1
    try:
        program = open_model(sys.argv[1])
        texts = sys.argv[2:]
        vectors = program.embed(texts)  # float32 [texts, d]
    except transfold.TransfoldError as error:
        print(f"embed.py: {error}", file=sys.stderr)
        return 1
    for cosine, text in zip(transfold.similarity(vectors[0], vectors[1:])[0], texts[1:]):
        print(f"{cosine:6.3f}  {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
