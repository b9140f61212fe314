# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py TRANSFOLD MODEL OUT: `generate` from texts, and the sampling of tokens.

MODEL gets a tokenizer in which every token is one character, so that the expected text follows from
the ids that `--ids` gives.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
(out / "model").mkdir(parents=True)
shutil.copy(model / "model.safetensors", out / "model")
size = json.loads((model / "config.json").read_text(encoding="utf-8"))["vocab_size"]
# The characters that stand for bytes in the byte-level form of a text.
alphabet = ([chr(byte) for byte in range(ord("!"), ord("~") + 1)] + [chr(256 + 32)] +
            [chr(256 + byte) for byte in range(32)] + [chr(256 + byte) for byte in range(33, 256)]
            )[:size]
(out / "model" / "tokenizer.json").write_text(json.dumps({
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
    "normalizer": None, "post_processor": None,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                      "use_regex": False},
    "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                "use_regex": False},
    "model": {"type": "BPE", "dropout": None, "unk_token": None,
              "continuing_subword_prefix": None, "end_of_word_suffix": None,
              "fuse_unk": False, "byte_fallback": False,
              "vocab": {letter: k for k, letter in enumerate(alphabet)}, "merges": []},
}), encoding="utf-8")
program = out / "program"


def compile_with(ends):
    """The program of a model with these end-of-text tokens in its configuration."""
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config.pop("eos_token_id", None)
    (out / "model" / "config.json").write_text(json.dumps(config | ends), encoding="utf-8")
    subprocess.run([transfold, "compile", "--quiet", out / "model", "-o", program], check=True)


compile_with({})


def run(*options):
    return subprocess.run([program, "generate", *map(str, options)], check=True,
                          capture_output=True, input="").stdout.decode()


def ids(prompt, *options):
    numpy.save(out / "in.npy", numpy.array([[alphabet.index(letter) for letter in prompt]]))
    run("--ids", out / "in.npy", "--out", out / "out.npy", *options)
    return numpy.load(out / "out.npy")[0]


prompt = "Hello"
made = ids(prompt, "--max-new", 12, "--ignore-eos")[len(prompt):]
text = run("--max-new", 12, "--ignore-eos", prompt)
letters = {chr(256 + 32): " "} | {chr(256 + byte): chr(byte) for byte in range(32)}
plain = [letters.get(alphabet[k], alphabet[k]) for k in made]
print(f"{prompt} -> {text!r}, ids {made}")
readable = [letter for letter in plain if ord(letter) < 127]
assert all(letter in text for letter in readable), (text, plain)
if len(readable) == len(plain):
    assert text == "".join(plain) + "\n", (text, plain)

# A token, or a text, ends the result; the configuration has no end-of-text token.
whole = [*map(alphabet.index, prompt), *made]
short = whole[:whole.index(made[3], len(prompt)) + 1]
assert list(ids(prompt, "--max-new", 12)) == whole
assert list(ids(prompt, "--max-new", 12, "--eos", made[3])) == short
stop = next(letter for letter in plain[2:] if ord(letter) < 127 and letter.isprintable())
ended = run("--max-new", 12, "--ignore-eos", "--stop", stop, prompt)
assert stop not in ended and text.startswith(ended[:-1]), (ended, stop)

# The likeliest token does not occur if it is suppressed.
assert ids(prompt, "--max-new", 1, "--ignore-eos", "--suppress", made[0])[-1] != made[0]
# If only the likeliest token is left, sampling changes nothing.
for cut in ["--top-k", 1], ["--top-p", 0.0001], ["--min-p", 1]:
    drawn = ids(prompt, "--max-new", 12, "--ignore-eos", "--temperature", 2, *cut)[len(prompt):]
    assert (drawn == made).all(), (cut, drawn)
# The same seed gives the same tokens, another seed others.
draw = ["--max-new", 12, "--ignore-eos", "--temperature", 5]
first, again, other = (ids(prompt, *draw, "--seed", seed) for seed in [7, 7, 8])
assert (first == again).all() and (first != other).any()
# With a large repetition penalty no token occurs twice.
penalised = ids(prompt, "--max-new", 12, "--ignore-eos", "--repetition-penalty", 100)
assert len(set(penalised)) == len(set(prompt)) + 12, penalised
# A beam of 1 is greedy search; more beams give a first result that is at least as likely.
run("--ids", out / "in.npy", "--out", out / "beams.npy", "--scores", out / "scores.npy",
    "--max-new", 12, "--ignore-eos", "--beams", 3)
scores = numpy.load(out / "scores.npy")
assert len(scores) == 3 and (numpy.diff(scores) <= 0).all(), scores


def fails(message, *options):
    ran = subprocess.run([program, "generate", *map(str, options)], capture_output=True, input="",
                         text=True)
    assert ran.returncode == 1 and message in ran.stderr, (ran.returncode, ran.stderr)
    assert "\n" not in ran.stderr.strip(), ran.stderr


numpy.save(out / "bad.npy", numpy.array([[1, size]]))
fails(f"there is no token {size}; the model knows 0 to {size - 1}",
      "--ids", out / "bad.npy", "--out", out / "x.npy")
numpy.save(out / "bad.npy", numpy.array([[1.5]]))
fails("ids are integers", "--ids", out / "bad.npy", "--out", out / "x.npy")
fails("--ids needs --out FILE", "--ids", out / "in.npy")
limit = json.loads((model / "config.json").read_text(encoding="utf-8"))["n_positions"]
numpy.save(out / "long.npy", numpy.zeros((1, limit + 1), int))
fails("is too long; there is room for", "--ids", out / "long.npy", "--out", out / "x.npy")
assert not (out / "x.npy").exists()

# The tokens in the configuration, one or several, end a text, unless they are ignored.
unused = next(token for token in range(size) if token not in whole)
for ends in int(made[3]), [unused, int(made[3])]:
    compile_with({"eos_token_id": ends})
    assert list(ids(prompt, "--max-new", 12)) == short
    assert list(ids(prompt, "--max-new", 12, "--ignore-eos")) == whole

# The profile: the products of a decode step have kernels for few rows.
timed = json.loads(subprocess.check_output(
    [program, "bench", "--prompt", "9", "--generate", "3", "--runs", "1", "--kernels", "--json"]))
assert timed["generate_per_s"] > 0 and timed["weight_bytes"] > 0, timed
# A decode step has the operations of one of the prompt's 9 rows, and those of the head, which the
# prompt also computes only once.
assert 9 * timed["token_operations"] > timed["prompt_operations"] > timed["token_operations"], timed
for part, has_few in ("prompt_kernels", False), ("token_kernels", True):
    assert all(kernel["launches"] > 0 for kernel in timed[part]), timed[part]
    assert all("share" in kernel for kernel in timed[part] if "contract" in kernel["kernel"]), timed
    assert any(kernel["kernel"].endswith("_few") for kernel in timed[part]) or not has_few, timed[part]
