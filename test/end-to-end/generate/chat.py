# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""chat.py TRANSFOLD MODEL OUT SANITIZERS: conversations with a compiled program.

The model is the tiny Llama with a context of 16384 tokens, a tokenizer of bytes and its own
template. Its answers have no meaning, but a turn must have the same answer whether its history was
in the cache or is computed again.
"""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time

transfold, source, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
model = out / "model"
model.mkdir(parents=True)
sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import byte_model  # noqa: E402


def compiled(name, *options):
    ran = subprocess.run([transfold, "compile", model, "-q", "-o", out / name, *options],
                         capture_output=True, text=True)
    # Halide compiles on a stack of its own, which the address sanitizer warns about.
    return ran.returncode, "".join(line for line in ran.stderr.splitlines(True) if "swapcontext" not in line)


def run(*options, program="program", input=None):
    ran = subprocess.run([out / program, *map(str, options)], input=input, capture_output=True,
                         text=True, encoding="utf-8", errors="strict")
    return ran.returncode, ran.stdout, ran.stderr


def answer(*options, **more):
    code, text, errors = run("chat", "--max-tokens", 12, *options, **more)
    assert code == 0 and all("warning: cut: the answer has reached its limit" in line
                             for line in errors.splitlines()), (code, errors)
    return text


def user(text):
    return {"role": "user", "content": text}


def messages(content, name="messages.json"):
    (out / name).write_text(json.dumps(content))
    return out / name


byte_model.write_model(source, model)
status, said = compiled("program")
assert status == 0 and not said, said

# The context has the length that the model was made for, and a shorter one, with a note, if memory
# is limited. An address space of 8 GB has room for the KV cache of 16384 tokens, one of 2 GB has
# none for that of millions. The sanitizers need terabytes of address space themselves.
def within(megabytes, *options):
    return subprocess.run(["bash", "-c", 'ulimit -v "$0"; exec "$@"', str(megabytes << 10),
                           out / "program", "chat", "--max-tokens", "4", *options],
                          input="hi\n", capture_output=True, text=True)


if not sys.argv[4]:
    ran = within(8 << 10)
    assert ran.returncode == 0 and "memory" not in ran.stderr, ran
    ran = within(2 << 10, "--context", str(1 << 30))
    assert ran.returncode == 0 and re.search(
        r"warning: the system provides memory for \d+ tokens of \d+ possible", ran.stderr), ran

# The rendered prompt, and that `generate` continues it in the same way.
file = messages([user("Hi é"), {"role": "assistant", "content": "Yes."}, user("Why?")])
prompt = answer("--messages", file, "--show-prompt")
assert prompt == "<s><u>Hi é</s><a>Yes.</s><u>Why?</s><a>", prompt
once = answer("--messages", file)
code, text, _ = run("generate", "--max-new", 12, prompt)
assert code == 0 and text == once, (text, once)
with_tools = messages({"messages": [user("x")], "add_generation_prompt": False}, "object.json")
assert answer("--messages", with_tools, "--show-prompt") == "<s><u>x</s>"
assert answer("--messages", with_tools, "--show-prompt", "--system", "S") \
    == "<s><s>S</s><u>x</s>"

# Lines of standard input: each turn has the same answer as if all previous ones were computed
# again.
turns = ["Hello", "And é?", "/help is text"]
lines = answer(input="".join(turn + "\n" for turn in turns))
history, expected = [], ""
for turn in turns:
    history.append(user(turn))
    said = answer("--messages", messages(history))
    history.append({"role": "assistant", "content": said.removesuffix("\n")})
    expected += said
assert lines == expected, (lines, expected)
# The same with sampling.
draw = ["--temperature", 1, "--seed", 7, "--top-k", 20]
assert answer(*draw, input="Hi\n") == answer(*draw, "--messages", messages([user("Hi")]))
# A stop text ends an answer.
first = answer(input="Hello\n").rstrip("\n")
if len(first) > 3:
    assert answer("--stop", first[2:4], input="Hello\n") \
        == first[:first.index(first[2:4])] + "\n"

# An answer without an end-of-text token ends at its limit, and the message says why, as for
# `generate` and `translate`.
for options, why in [
        ([], "cut: the answer has reached its limit of 8192 tokens; --max-tokens allows more"),
        (["--context", 60], "cut: the conversation and its answer have filled the context of 60 tokens"),
        (["--context", 60, "--max-tokens", 0], "filled the context of 60"),
        (["--context", 60, "--max-tokens", 12], "reached its limit of 12 tokens; --max-tokens allows more")]:
    for given in (["--messages", messages([user("Hello")])], []):
        code, text, errors = run("chat", *options, *given, input="Hello\n")
        assert code == 0 and text.startswith(first), (options, text)
        assert errors.count("\n") == 1 and why in errors, (options, errors)

# Errors.
(out / "text.json").write_text("{")
for options, input, message in [
        (["--context", 20], "x" * 40 + "\n", "line 1: the conversation has 44 tokens, but "
         "there is room for 20 with its answer; /clear starts a new one"),
        (["--messages", out / "none.json"], None, "none.json: "),
        (["--messages", out / "text.json"], None, "text.json: is not JSON"),
        (["--messages", messages([1], "bad.json")], None, "1 is not a message: it is not an object"),
        (["--messages", messages([{"rol": "user", "content": "x"}], "role.json")], None, "has no role; it has 'rol'"),
        (["--messages", messages([{"role": "user", "contents": "x"}], "content.json")], None,
         "has no content; it has 'contents'"),
        (["--messages", messages({"message": [user("x")]}, "key.json")], None,
         "key.json: has no 'messages'; it has 'message'"),
        (["--messages", messages({"messages": [user("x")], "tool": []}, "tools.json")], None,
         "the template has no variable 'tool'; 'tools' is probably meant"),
        (["--messages", messages({"messages": [user("x")], "add_generation_prompt": 1}, "prompt.json")], None,
         "'add_generation_prompt' must be true or false, not number"),
        (["--messages", messages({"messages": [user("x")], "bos_token": "y"}, "token.json")], None,
         "'bos_token' is set for the template"),
        (["--messages", messages([user("x")]), "--variable", "messages=[]"], None, "'messages' is set for the template"),
        (["--messages", messages([{"role": "user", "content": None}], "null.json")], None, "has no content"),
        (["--messages", messages(1, "number.json")], None, "has no list of messages"),
        (["--messages", messages([user(10 ** 30)], "large.json")], None, "has an integer beyond 64 bits"),
        (["--show-prompt"], None, "--show-prompt belongs to --messages"),
        (["--top-k", 3], None, "give --temperature, too"),
        (["--stop", ""], None, "--stop needs a text"),
        (["--variable", "x"], None, "--variable takes NAME=VALUE")]:
    code, text, errors = run("chat", *options, input=input)
    assert code == 1 and message in errors and errors.count("\n") == 1, (options, errors)
# Turns that do not fit into the context are dropped.
code, text, errors = run("chat", "--context", 60, "--max-tokens", 4, "--drop-oldest",
                         input="0123456789\n" * 5)
assert code == 0 and text.count("\n") >= 5, (text, errors)

# A template with an unknown filter: the compiler prints a note with its place, and `chat` fails if
# it is reached.
byte_model.set_template(model, "a\n{{ messages | shout if messages | length > 1 else 'b' }}")
status, said = compiled("unknown")
where = "chat_template:2:15: there is no filter 'shout'"
assert status == 0 and "transfold: note: " in said and where in said, said
pair = messages([user("x"), user("y")], "pair.json")
assert run("chat", "--messages", messages([user("x")]), "--show-prompt", program="unknown")[:2] == (0, "a\nb")
code, text, errors = run("chat", "--messages", pair, "--show-prompt", program="unknown")
assert code == 1 and not text and where in errors and errors.count("\n") == 1, errors
# A template that cannot be parsed is a warning, and `chat` gives the reason.
byte_model.set_template(model, "a\n{% unheard %}")
status, said = compiled("unknown")
where = "tokenizer_config.json: chat_template:2:4: there is no tag 'unheard'"
assert status == 0 and where in said and "--chat-template" in said, said
code, text, errors = run("chat", program="unknown")
assert code == 1 and where in errors and errors.count("\n") == 1, errors
(out / "good.jinja").write_text("<u>{{ messages[-1].content }}{{ x }}<a>")
status, said = compiled("given", "--chat-template", out / "good.jinja")
assert status == 0 and not said, said
code, text, _ = run("chat", "--messages", messages([user("y")]), "--show-prompt",
                    "--variable", "x=[1, true]", program="given")
assert (code, text) == (0, "<u>y[1, True]<a>"), text
code, text, errors = run("chat", program="given", input="")
assert (code, text, errors) == (0, "", "")
# Messages are prepared as in transformers: null keys are removed, reasoning has both names.
(out / "keys.jinja").write_text("{% for m in messages %}{{ m | tojson }}{% endfor %}")
status, said = compiled("keys", "--chat-template", out / "keys.jinja")
assert status == 0 and not said, said
code, text, errors = run("chat", "--messages", messages([{"role": "assistant", "content": None, "reasoning": "r"}]),
                         "--show-prompt", program="keys")
assert json.loads(text) == {"thinking": "r", "role": "assistant", "reasoning": "r", "reasoning_content": "r"}, text
# Ctrl-C ends the rendering of a slow template.
(out / "long.jinja").write_text("{% set s = 'a' * 9000000 %}{% for i in range(99999) %}{% for j in range(99999) %}"
                                "{% endfor %}{% endfor %}")
status, said = compiled("long", "--chat-template", out / "long.jinja")
code, text, errors = run("chat", "--messages", messages([user("x")]), "--show-prompt", program="long")
assert code == 1 and "runs for more than 20000000 steps" in errors, errors
(out / "bad.jinja").write_text("{% if %}")
status, said = compiled("refused", "--chat-template", out / "bad.jinja")
assert status == 1 and "bad.jinja:1:7: a value is expected here" in said, said


class Terminal:
    """A program on a pseudo-terminal."""

    def __init__(self, *options):
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.execv(out / "program", [str(out / "program"), "chat", *map(str, options)])

    def until(self, what, seconds=60):
        seen, limit = "", time.monotonic() + seconds
        while not seen.endswith(what):
            assert time.monotonic() < limit, f"no {what!r} in {seen[-300:]!r}"
            if select.select([self.end], [], [], 1)[0]:
                try:
                    seen += os.read(self.end, 1 << 16).decode(errors="replace")
                except OSError:
                    raise AssertionError(f"ended without {what!r}: {seen[-300:]!r}") from None
        return seen.replace("\r\n", "\n")

    def type(self, text):
        os.write(self.end, text.encode())
        return self

    def status(self):
        while True:  # the remaining output
            try:
                if not os.read(self.end, 1 << 16):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


# Control characters are shown as escapes on a terminal; a pipe gets them unchanged.
steers = messages([user("a\x1b[2J\u202e\u00e9\u9b1a\x9b")], "steers.json")
terminal = Terminal("--messages", steers, "--show-prompt")
assert terminal.until("<a>") == "<s><u>a\\x1b[2J\\u202e\u00e9\u9b1a\\x9b</s><a>"
assert terminal.status() == 0
assert answer("--messages", steers, "--show-prompt") == "<s><u>a\x1b[2J\u202e\u00e9\u9b1a\x9b</s><a>"


def counts(terminal):
    said = terminal.type("/stats\n").until("> ")
    return [int(number) for number in
            re.search(r"(\d+) tokens computed, (\d+) reused", said).groups()]


terminal = Terminal("--max-tokens", 12)
terminal.until("> ")
said = terminal.type("Hello\n").until("> ")
assert first in said and "(cut: " in said, said
assert counts(terminal) == [9, 0]
# The second turn computes only new tokens: its own, and the end of the answer before it.
said = terminal.type("And é?\n").until("> ")
assert lines.split("\n")[1] in said, said
computed, reused = counts(terminal)
assert (computed, reused) == (1 + 1 + 1 + 7 + 1 + 1, 9 + 11), (computed, reused)
terminal.type("/retry\n").until("> ")
assert counts(terminal)[0] <= 2  # the last token is computed again
terminal.type("/undo\n").until("> ")
terminal.type(f"/save {out / 'saved.json'}\n").until(")\r\n> ")
saved = json.loads((out / "saved.json").read_text())
assert saved == [user("Hello"), {"role": "assistant", "content": first}], saved
terminal.type("/clear\n").until("> ")
terminal.type(f"/load {out / 'saved.json'}\n").until(")\r\n> ")
assert lines.split("\n")[1] in terminal.type("And é?\n").until("> ")
# Text that the user types is never a control token: here 4 bytes, not one token.
terminal.type("/new\n").until("> ")
terminal.type("</s>\n").until("> ")
assert sum(counts(terminal)) == 4 + 4
for command, reply in [("/help", "/undo "), ("/what", "there is no command /what"),
                       ("/undo", "> "), ("/undo", "there is no earlier message"),
                       ("/set temperature 2.5", "(temperature is 2.5 now)"),
                       ("/set seed x", "/set seed takes an integer from 0 to 18446744073709551615"),
                       ("/set top-k 2.5", "/set top-k takes an integer"),
                       ("/set temperature nan", "/set temperature takes a number from 0 to 100"),
                       ("/set size 1", "/set changes temperature"),
                       ("/save", "/save needs the name of a file"),
                       ("/load /nowhere.json", "/nowhere.json: "),
                       ("/system Be brief.", "> ")]:
    assert reply in terminal.type(command + "\n").until("> "), command
# Several lines as one message.
terminal.type("/system\n").until("> ")
terminal.type("/set temperature 0\n").until("> ")
terminal.type("one\\\ntwo\n").until("> ")
terminal.type("\"\"\"three\nfour\"\"\"\n").until("> ")
terminal.type(f"/save {out / 'saved.json'}\n").until(")\r\n> ")
saved = json.loads((out / "saved.json").read_text())
assert [m["content"] for m in saved if m["role"] == "user"] == ["one\ntwo", "three\nfour"], saved
# Ctrl-C at the prompt prints how to quit; a second one quits.
terminal.type("\x03").until("exits)\n> ".replace("\n", "\r\n"))
terminal.type("half\x03").until("\n")
assert terminal.status() == 0

# Ctrl-C ends an answer and keeps the session, including the partial answer.
terminal = Terminal()  # more output than an unread terminal buffers
terminal.until("> ")
terminal.type("Go on").until("Go on")
terminal.type("\n")
said = b""
while len(said) < 5:  # the end of the echoed line, and a part of the answer
    said += os.read(terminal.end, 5)
os.kill(terminal.pid, signal.SIGINT)
terminal.until("(ended by Ctrl-C)\r\n> ")
terminal.type(f"/save {out / 'saved.json'}\n").until("saved.json)\r\n> ")
assert terminal.type("\x04").status() == 0
