# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py OUT GENERATOR TRANSLATOR TRANSCRIBER: `generate` from files.

The programs are those of FakeGenerator.cpp, whose next tokens can be computed here.
"""

import itertools
import pathlib
import shutil
import signal
import subprocess
import sys

import numpy

out = pathlib.Path(sys.argv[1])
generator, translator, transcriber = sys.argv[2:]
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
result, scores = out / "out.npy", out / "scores.npy"


def save(name, array):
    numpy.save(out / name, numpy.array(array))
    return out / name


def start(program, *options):
    return subprocess.Popen([program, "generate", *map(str, options)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)


def run(program, *options):
    result.unlink(missing_ok=True)
    running = start(program, *options, "--out", result)
    _, messages = running.communicate()
    assert running.returncode == 0, messages
    return numpy.load(result)


def fails(message, program, *options, written=result):
    result.unlink(missing_ok=True)
    running = start(program, *options, "--out", written)
    _, messages = running.communicate()
    assert running.returncode == 1 and message in messages, (running.returncode, messages)
    assert messages.count("\n") == 1 and not result.exists(), messages


def logits(history, shift=0):
    """The logits of FakeGenerator.cpp after a sequence, and their log probabilities."""
    row = numpy.zeros(16)
    last = history[-1]
    row[(last + 1 + shift) % 16] = 2
    row[(last + 2 + shift) % 16] = 1
    return row - numpy.log(numpy.exp(row).sum())


# The model's own end-of-text token; ids of several rows.
letters = save("letters.npy", [[0, 1], [8, 9]])
mask = save("mask.npy", [[1, 1], [1, 0]])
rows = run(generator, "--ids", letters, "--mask", mask, "--max-new", 5)
assert rows.tolist() == [[0, 1, 2, 3, 4, 5, 6], [8, 9, 10, 11, 12, 13, 7]], rows

for wrong in [[1, 1], [1, 2]], [[1, 1], [1.0, numpy.nan]], [[1, 1], [-1, 1]]:
    fails("wrong.npy: a mask must consist of 0 and 1, but has", generator, "--ids", letters,
          "--mask", save("wrong.npy", wrong))
fails("row 1 has no tokens", generator, "--ids", letters, "--mask", save("empty.npy", [[1, 1], [0, 0]]))

# All searches check in the same way which numbers are tokens.
for beams in [], ["--beams", 2]:
    for wrong in 16, 99999999, -1, -1000000:
        for option in "--suppress", "--eos":
            fails(f"{option}: there is no token {wrong}; the model knows 0 to 15",
                  generator, "--ids", letters, f"{option}={wrong}", *beams)
        fails(f"--start: there is no token {wrong}; the model knows 0 to 15",
              translator, "--ids", letters, f"--start={wrong}", *beams)
        for program in generator, translator:
            fails(f"wrong.npy: there is no token {wrong}; the model knows 0 to 15",
                  program, "--ids", save("wrong.npy", [[1, wrong]]), *beams)

# A NaN logit ends the program, with any way to choose tokens.
for choice in [], ["--temperature", 1], ["--beams", 3]:
    more = ["--max-new", 4, *choice]
    # Beams always reach n; sampling does since no other token is left.
    fails("the model returns NaN, as element 1 of 16", generator,
          "--ids", save("n.npy", [[11, 13]]), *more)
    fails("after 2 tokens no token has any probability", generator,
          "--ids", save("o.npy", [[11, 14]]), *more)
fails("row 1: after 3 tokens the model returns NaN", generator,
      "--ids", save("two.npy", [[0, 1], [1, 12]]))
everything = [word for token in range(16) for word in ("--suppress", token)]
for beams in [], ["--beams", 2]:
    fails("every token is suppressed, or has no probability", generator,
          "--ids", letters, *everything, *beams)
# Only one token is left: beams find no second continuation.
fails("only 1 continuations are possible", generator, "--ids", letters, *everything[:-2],
      "--beams", 2, "--max-new", 1)

# At the limit of 40 all searches end alike, one token past it; and a prompt that is too long is
# refused before it is computed.
near = save("near.npy", [[0] * 38])
for beams in [], ["--beams", 2]:
    rows = run(generator, "--ids", near, "--max-new", 10, "--ignore-eos", *beams)
    assert rows.shape == (2 if beams else 1, 41), rows.shape
    fails("a sequence of 60 tokens is too long; there is room for 40",
          generator, "--ids", save("long.npy", [[0] * 60]), "--chunk", 8, *beams)

# Beams, with a repetition penalty as in transformers, compared with all possible continuations.
# With a beam this wide, the search misses none.
prompt, penalty = [3, 4], 1.7
best = []
for made in itertools.product(range(13), repeat=3):  # n, o and p are suppressed
    total, history = 0, prompt
    for token in made:
        likely = logits(history)[token]
        total += likely * penalty if token in history else likely
        history = history + [token]
    best.append(total / 3 ** 0.5)
best.sort(reverse=True)
rows = run(generator, "--ids", save("prompt.npy", [prompt]), "--max-new", 3, "--ignore-eos",
           "--suppress", 13, 14, 15, "--beams", 300, "--repetition-penalty", penalty,
           "--length-penalty", 0.5, "--scores", scores)
assert numpy.allclose(numpy.load(scores), best[:300], atol=1e-6), (numpy.load(scores)[:5], best[:5])
assert 3 not in rows[0, 2:] and 4 not in rows[0, 2:], rows[0]

# With an encoder. The memory has room for as many rows as the encoder returns.
rows = run(translator, "--ids", save("short.npy", [[2, 3]]), "--max-new", 2)
assert rows.tolist() == [[0, 6, 12]], rows
read = numpy.arange(70000) % 16
rows = run(translator, "--ids", save("many.npy", [read]), "--max-new", 2, "--ignore-eos")
shift = int(read.sum()) % 16
assert rows.tolist() == [[0, (1 + shift) % 16, (2 + 2 * shift) % 16]], (rows, shift)
for beams in [], ["--beams", 2]:  # the longest comes last, or first
    rows = run(translator, "--ids", save("three.npy", [[2, 0, 0], [2, 3, 1], [5, 0, 0]]), "--mask",
               save("mask.npy", [[1, 0, 0], [1, 1, 1], [1, 0, 0]]), "--max-new", 1, *beams)
    assert rows[::len(rows) // 3, 1].tolist() == [3, 7, 6], rows

# Arrays of features have the shape and the type of the encoder's argument, as in `eval`.
sound = numpy.arange(15, dtype=numpy.float32).reshape(1, 3, 5)
rows = run(transcriber, "--features", save("sound.npy", sound), "--start", 1, "--max-new", 1)
assert rows.tolist() == [[1, (2 + int(sound.sum())) % 16]], rows
for wrong, message in [
        (sound.reshape(1, 5, 3), "input_features: has shape [1, 5, 3]; expected [3, 5] for each"),
        (sound[0], "input_features: has shape [3, 5]; expected [3, 5] for each"),
        (sound[:0], "its first axis must be the batch, of at least one sequence"),
        (sound.astype(int), "input_features: must hold reals (float32 or float64)")]:
    fails(message, transcriber, "--features", save("wrong.npy", wrong), "--start", 1)
fails("does not define what a result begins with; give --start", transcriber,
      "--features", out / "sound.npy")
fails("the model returns NaN", translator, "--ids", save("thirteen.npy", [[6, 6]]),
      "--max-new", 3)

# Options without an effect are refused.
fails("--features: this model reads tokens", generator, "--features", out / "sound.npy")
fails("--features: this model reads tokens", translator, "--features", out / "sound.npy")
fails("task 'transcribe' reads no tokens; give --features", transcriber, "--ids", letters)
fails("--ids and --features", transcriber, "--ids", letters, "--features", out / "sound.npy")
fails("--start is what a result begins with after an encoder", generator, "--ids", letters,
      "--start", 1)
fails("--stop ends texts; --eos ends results of --ids", generator, "--ids", letters,
      "--stop", "x")
fails('the text "abc" too', generator, "abc", "--ids", letters)
fails("--temperature samples tokens and --beams searches", generator, "--ids", letters, "--beams", 2,
      "--temperature", 1)
fails("limits what --temperature samples from; give --temperature, too", generator, "--ids", letters,
      "--top-k", 2)
fails("--early-stopping belong to --beams", generator, "--ids", letters, "--early-stopping")
fails("--eos and --ignore-eos", generator, "--ids", letters, "--ignore-eos", "--eos", 3)


def interrupt(*options):
    """Sends Ctrl-C at the first slow step; returns the program's output."""
    running = start(generator, *options)
    assert running.stderr.readline() == "slow\n"
    running.send_signal(signal.SIGINT)
    made, messages = running.communicate()
    assert running.returncode == 130, (running.returncode, messages)
    steps = messages.count("slow")
    assert steps < 20, f"went on for {steps} steps"
    return made, messages.replace("slow\n", "")


# Ctrl-C leaves no file that looks complete; it prints the text so far and a message, and exits with
# 130.
for beams in [], ["--beams", 2]:
    _, message = interrupt("--ids", save("slow.npy", [[15]]), "--out", out / "none.npy",
                           "--max-new", 38, *beams)
    assert message == f"fake-generator: error: interrupted; {out}/none.npy is not written\n", message
    assert not (out / "none.npy").exists()
    made, message = interrupt("p", "abc", "--max-new", 38, *beams)
    assert message == "fake-generator: error: interrupted\n", message
    assert made.endswith("\n") and set(made[:-1]) == (set() if beams else {"p"}), made
