# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""states.py TRANSFOLD MODELS OUT MODEL: conversations with a recurrent model.

A state is that of the last position. The server keeps copies of it (KeptStates.h), so that going
back computes few tokens again. Each answer must be that of `chat`, which computes everything.
"""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from serving import Server, compile_talk  # noqa: E402

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_talk(transfold, models, out, sys.argv[4])
SPACING = 64


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def asked(server, turns, most=12):
    """The answer, the number of tokens of the prompt, and that of computed ones."""
    status, answer = server.post("/v1/chat/completions", {
        "messages": turns, "temperature": 0, "max_tokens": most})
    assert status == 200, answer
    text = answer["choices"][0]["message"]["content"]
    (out / "turns.json").write_text(json.dumps(turns))
    alone = subprocess.run([program, "chat", "--messages", out / "turns.json", "--max-tokens",
                            str(most)], capture_output=True, check=True,
                           encoding="utf-8").stdout.removesuffix("\n")
    assert text == alone, (text, alone)
    prompt = answer["usage"]["prompt_tokens"]
    return text, prompt, prompt - answer["usage"]["prompt_tokens_details"]["cached_tokens"]


with Server(program, "--parallel", 1) as server:
    # 20 turns. The prompt of a turn has everything that was computed before it.
    turns, before = [], 0
    for turn in range(20):
        turns.append(user(f"Question {turn}: " + "why? " * (turn % 7)))
        text, prompt, computed = asked(server, turns)
        assert computed <= prompt - before, (turn, prompt, before, computed)
        before = prompt + 11  # the last token was not run
        turns.append(assistant(text))

    # A template that omits a part of the last answer goes back to where the answer began.
    for turn in range(3):
        turns[-1] = assistant("No.")
        turns.append(user("Think again."))
        begun = prompt
        text, prompt, computed = asked(server, turns, most=200)
        assert computed <= prompt - begun + SPACING, (turn, prompt, begun, computed)
        turns.append(assistant(text))

    # A message in the middle is edited: the end is computed again, the beginning is not.
    edited = turns[:20] + [user("Something else.")]
    _, prompt, computed = asked(server, edited)
    assert computed < prompt, (prompt, computed)

# Conversations that begin with the same long message share its states.
system = {"role": "system", "content": "You answer all questions. " * 20}
with Server(program, "--parallel", 2) as server:
    _, first, computed = asked(server, [system, user("Who are you?")])
    assert computed == first, (first, computed)
    for number in range(3):
        _, prompt, computed = asked(server, [system, user(f"Another question, number {number}")])
        assert computed <= SPACING + 64, (prompt, computed)
