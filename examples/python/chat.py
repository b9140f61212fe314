# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A conversation on the terminal; Ctrl-C ends an answer, Ctrl-D the conversation.

    chat.py SmolLM2-135M-Instruct.Q4_1.gguf

The model is a GGUF file, a Hugging Face directory, or the name under which it was compiled.
"""

import pathlib
import sys

import transfold


def open_model(model: str) -> transfold.Program:
    if pathlib.Path(model).exists():
        return transfold.compile(model, progress=True)
    return transfold.Program.load(model)


def answer(chat: transfold.Chat, question: str) -> None:
    with chat.ask(question, stream=True) as pieces:
        try:
            for piece in pieces:
                print(piece, end="", flush=True)
        except KeyboardInterrupt:
            pass  # leaving the `with` block cancels the answer
    print()


def main() -> int:
    if len(sys.argv) != 2:
        print("chat.py MODEL: converses", file=sys.stderr)
        return 1
    try:
        chat = open_model(sys.argv[1]).start_chat()
        while True:
            answer(chat, input("> "))
    except (EOFError, KeyboardInterrupt):
        print()
        return 0
    except transfold.TransfoldError as error:
        print(f"chat.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
