# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generation.py MODELS OUT: generated tokens, streams, conversations."""

import faulthandler
import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import transfold
from models import command, make_sources, raises
from transfold import _generation
from transfold.errors import ArgumentError, BusyError, CancelledError, UnsupportedError

out = pathlib.Path(sys.argv[2])
source = make_sources(pathlib.Path(sys.argv[1]), out)["talk"]
talk = transfold.compile(source, out, threads=2)
PROMPT = "Say something"


def said(*words):
    return command(out, source, "talk", *words)


# --- The same bits as the command -----------------------------------------------------------

for options, words in (({"max_tokens": 20}, ["--max-new", 20]),
                       ({"max_tokens": 20, "temperature": 1, "seed": 7},
                        ["--max-new", 20, "--temperature", 1, "--seed", 7]),
                       ({"max_tokens": 12, "beams": 3}, ["--max-new", 12, "--beams", 3])):
    expected = said("generate", PROMPT, *words)
    made = talk.generate(PROMPT, **options)
    assert made.text + "\n" == expected and str(made) == made.text, (options, made)
    with talk.generate(PROMPT, stream=True, **options) as stream:
        assert "".join(stream) + "\n" == expected, options
    assert stream.completion.tokens.tolist() == made.tokens.tolist()
    assert (made.score is None) == ("beams" not in options)
made = talk.generate(PROMPT, max_tokens=20, log_probabilities=True)
assert made.end in ("length", "token") and made.log_probabilities.shape == made.tokens.shape
ids = talk.tokenize(PROMPT).ids
assert made.prompt_tokens == len(ids) and made.reused_tokens == 0
for prompt in (ids, ids.astype("int64"), ids.tolist()):
    assert talk.generate(prompt, max_tokens=20).tokens.tolist() == made.tokens.tolist()
stop = made.text[5:7]
for stops in (stop, [stop, "\u20ac"]):
    stopped = talk.generate(PROMPT, max_tokens=20, stop=stops)
    assert stopped.text == made.text[:made.text.index(stop)] and stopped.end == "stop"
first = int(made.tokens[0])
assert talk.generate(PROMPT, max_tokens=5, end_tokens=[first]).end == "token"
assert first not in talk.generate(PROMPT, max_tokens=5, suppress=[first], temperature=None).tokens

# --- Streams that end early ------------------------------------------------------------------

LONG = {"max_tokens": 8000, "ignore_end": True}
stream = talk.generate(PROMPT, stream=True, **LONG)
begin = next(stream) + next(stream)
stream.close()
stream.close()
assert stream.completion.end == "cancelled" and stream.completion.text.startswith(begin)
assert 0 < len(stream.completion.tokens) < 8000
"".join(stream)  # the tokens generated before
assert next(stream, None) is None
# A stream without references ends, too, and returns its session.
stream = talk.generate(PROMPT, stream=True, **LONG)
next(stream)
del stream
gc.collect()
assert len(talk._idle) == 1, talk._idle
# Closed before it is read, whether or not it has begun.
for _ in range(20):
    stream = talk.generate(PROMPT, stream=True, **LONG)
    stream.close()
    assert stream._state.ended.is_set()
assert len(talk._idle) == 1
# A process can exit while streams run.
code = ("import sys, transfold; program = transfold.Program.load(sys.argv[1]); "
        "stream = program.generate('x', stream=True, max_tokens=8000, ignore_end=True); print(next(stream) != '')")
ran = subprocess.run([sys.executable, "-c", code, str(out / "libtalk.so")], capture_output=True, text=True)
assert (ran.returncode, ran.stdout, ran.stderr) == (0, "True\n", ""), ran
# The program may be closed meanwhile.
other = transfold.Program.load(out / "libtalk.so")
with other.generate(PROMPT, stream=True, max_tokens=20) as stream:
    other.close()
    assert "".join(stream) == made.text

# --- Requests give up the GIL ------------------------------------------------------------------

# Without a stream it is one long call, which only another thread can end early: if it held the GIL,
# that thread could neither count nor cancel, and the call would end with all of its tokens.
faulthandler.dump_traceback_later(300, exit=True)
with talk._session() as session:
    ended = []
    worker = threading.Thread(target=lambda: ended.append(_generation.generate(session, PROMPT, None, LONG)))
    worker.start()
    counted = 0
    while worker.is_alive():
        counted += 1
        if counted > 10000:
            session.cancel()
    worker.join()
faulthandler.cancel_dump_traceback_later()
assert counted > 10000 and ended[0].end == "cancelled" and len(ended[0].tokens) < 8000, (counted, ended)

# --- What is raised in a stream ----------------------------------------------------------------

stream = talk.generate(PROMPT, stream=True, max_tokens=-1)
raises(ArgumentError, "max_tokens is -1", next, stream)
assert next(stream, None) is None
raises(ArgumentError, "max_tokens is -1", lambda: stream.completion)


def wait_until(is_there):
    """Waits until a request's thread exists, or until none does."""
    while any(thread.name == "transfold-stream" for thread in threading.enumerate()) != is_there:
        time.sleep(0.001)


def interrupt():
    """Ctrl-C, once the request runs."""
    wait_until(True)
    os.kill(os.getpid(), signal.SIGINT)


signal.signal(signal.SIGINT, signal.default_int_handler)  # the test runner may ignore this signal
for ask in (talk.generate, talk.chat):
    wait_until(False)
    threading.Thread(target=interrupt).start()
    try:
        ask(PROMPT, **LONG)
        raise AssertionError("Ctrl-C was lost")
    except KeyboardInterrupt:
        pass
    assert len(talk._idle) == 1  # the request has ended and returned its session


def complain(text):
    raise LookupError(text)


with talk._session() as session:
    raises(LookupError, "", _generation.generate, session, PROMPT, complain, {})
assert talk.generate(PROMPT, max_tokens=20).text == made.text

# --- Conversations -------------------------------------------------------------------------------

conversation = [{"role": "user", "content": "Hello"}]
(out / "messages.json").write_text(json.dumps(conversation))
expected = said("chat", "--messages", out / "messages.json", "--max-tokens", 20)
for messages in (conversation, tuple(conversation), {"messages": conversation}, "Hello"):
    assert talk.chat(messages, max_tokens=20).text + "\n" == expected, messages
assert "".join(talk.chat("Hello", stream=True, max_tokens=20)) + "\n" == expected
text, ids = talk.chat_prompt("Hello")
assert text == said("chat", "--messages", out / "messages.json", "--show-prompt") and len(ids) > 5

chat = talk.start_chat()
answer = chat.ask("Hello", max_tokens=20)
assert answer.text + "\n" == expected and chat.messages[1] == {"role": "assistant", "content": answer.text}
again = chat.ask("More \U0001f40d", max_tokens=20)
assert again.reused_tokens > 5 and len(chat.messages) == 4
assert again.text == talk.chat(chat.messages[:3], max_tokens=20).text
stream = chat.ask("And more", stream=True, **LONG)
next(stream)
raises(BusyError, "another message", chat.ask, "Too early")
stream.close()
assert len(chat.messages) == 6 and chat.messages[5]["content"] == stream.completion.text
raises(ArgumentError, "max_tokens", chat.ask, "Wrong", max_tokens=-1)
assert len(chat.messages) == 6 and chat.ask("Now", max_tokens=3).text and len(chat.messages) == 8

# --- Wrong arguments -------------------------------------------------------------------------------

raises(TypeError, "there is no option 'max_token'", talk.generate, PROMPT, max_token=3)
raises(ArgumentError, "top_p is 2", talk.generate, PROMPT, top_p=2)
raises(ArgumentError, "presence_penalty is 3", talk.generate, PROMPT, presence_penalty=3)
raises(TypeError, "float", talk.generate, PROMPT, presence_penalty="much")
raises(ArgumentError, "seed is -1", talk.generate, PROMPT, seed=-1)
raises(ArgumentError, "a stop text is empty", talk.generate, PROMPT, stop="")
raises(TypeError, "float", talk.generate, PROMPT, max_tokens=1.5)
raises(TypeError, "one row of integers", talk.generate, [[1, 2]])
raises(UnsupportedError, "the model reads tokens", talk.generate, __import__("numpy").zeros((1, 3), "float32"))
raises(UnsupportedError, "embed", talk.embed, ["x"])
raises(ArgumentError, "cannot be written as JSON", talk.chat, [{"role": "user", "content": b"x"}])
raises(ArgumentError, "", talk.chat, 3)

# --- Many streams at once ----------------------------------------------------------------------------

streams = [talk.generate(PROMPT, stream=True, max_tokens=20) for _ in range(6)]
assert ["".join(stream) for stream in streams] == [made.text] * 6
assert issubclass(CancelledError, transfold.TransfoldError)
