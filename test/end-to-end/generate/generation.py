# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generation.py TRANSFOLD MODEL OUT: the settings of generation_config.json for tokens.

MODEL is an encoder-decoder. The file next to it forces the first and the last token, suppresses
some, and forbids words; the expected results of greedy and beam search follow from the logits of
whole sequences, by the rules of transformers' logits processors.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
most, beams = 6, 3
shutil.rmtree(out, ignore_errors=True)
(out / "model").mkdir(parents=True)
for name in "config.json", "model.safetensors":
    shutil.copy(model / name, out / "model")
config = json.loads((out / "model" / "config.json").read_text(encoding="utf-8"))
source = numpy.load(model / "golden" / "input_ids.npy")[:1]
numpy.save(out / "source.npy", source)


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def compiled(name, keys=None, **changed):
    """A program of the model with this generation_config.json, or without one."""
    file = out / "model" / "generation_config.json"
    file.unlink(missing_ok=True)
    if keys is not None:
        file.write_text(json.dumps(keys), encoding="utf-8")
    (out / "model" / "config.json").write_text(json.dumps(config | changed), encoding="utf-8")
    run(transfold, "compile", "--quiet", out / "model", "-o", out / name)
    return out / name


def generate(program, *options):
    run(program, "generate", "--ids", out / "source.npy", "--max-new", most, "--out",
        out / "ids.npy", "--scores", out / "scores.npy", *options)
    return numpy.load(out / "ids.npy").tolist(), numpy.load(out / "scores.npy")


def log_probabilities(program, tokens):
    """The log-probabilities of the token after `tokens`."""
    numpy.save(out / "tokens.npy", numpy.array([tokens]))
    run(program, "eval", "--in", f"input_ids={out / 'source.npy'}", "--in",
        f"decoder_input_ids={out / 'tokens.npy'}", "--out", out / "eval")
    logits = numpy.load(out / "eval" / "logits.npy")[0, -1].astype(float)
    logits -= logits.max()
    return logits - numpy.log(numpy.exp(logits).sum())


def processed(scores, tokens, keys):
    """The scores after the rules; `tokens` begin with the decoder's start token."""
    scores, made = scores.copy(), len(tokens) - 1
    forced = None
    if made == 0:
        forced = keys.get("forced_bos_token_id")
    if made == most - 1 and keys.get("forced_eos_token_id") is not None:
        forced = keys["forced_eos_token_id"]
    if forced is not None:
        scores[:] = -numpy.inf
        scores[forced] = 0
        return scores
    scores[keys.get("suppress_tokens", [])] = -numpy.inf
    if made == ("forced_bos_token_id" in keys):
        scores[keys.get("begin_suppress_tokens", [])] = -numpy.inf
    for word in keys.get("bad_words_ids", []):
        if tokens[len(tokens) - len(word) + 1:] == word[:-1]:
            scores[word[-1]] = -numpy.inf
    return scores


def greedy(program, start, keys):
    tokens = [start]
    for _ in range(most):
        tokens.append(int(processed(log_probabilities(program, tokens), tokens, keys).argmax()))
    return tokens


def beam_search(program, start, keys):
    """Without end-of-text tokens: the best of all continuations in each step."""
    alive = [(0.0, [start])]
    for _ in range(most):
        candidates = []
        for total, tokens in alive:
            scores = processed(log_probabilities(program, tokens), tokens, keys)
            candidates += [(total + scores[token], tokens + [int(token)])
                           for token in numpy.flatnonzero(numpy.isfinite(scores))]
        alive = sorted(candidates, key=lambda each: -each[0])[:beams]
    return [tokens for _, tokens in alive], [total / most for total, _ in alive]


def agree(program, start, keys):
    end = keys["eos_token_id"]
    ids, _ = generate(program)
    assert ids == [greedy(program, start, keys)], ids
    ids, scores = generate(program, "--beams", beams)
    wanted, totals = beam_search(program, start, keys)
    assert ids == wanted, f"{ids}\ninstead of\n{wanted}"
    assert numpy.abs(scores - totals).max() < 1e-4, f"{scores} instead of {totals}"
    sampled, _ = generate(program, "--temperature", 2, "--seed", 1)
    print(ids[0], sampled[0])
    for row in [*ids, sampled[0]]:
        assert end not in row[1:-1]
        assert row[0] == start
        if "forced_bos_token_id" in keys:
            assert row[1] == keys["forced_bos_token_id"]
        assert row[-1] == keys["forced_eos_token_id"]


# With the configuration alone, without the file.
free = compiled("free")
start, end = config["decoder_start_token_id"], config["eos_token_id"]
[plain], _ = generate(free, "--ignore-eos")
assert plain == greedy(free, start, {}), plain
assert plain[0] == start

# Tokens that would otherwise occur are suppressed, so that each rule has an effect.
keys = {"decoder_start_token_id": 5, "eos_token_id": end, "forced_eos_token_id": end,
        "suppress_tokens": [end, plain[2]], "do_sample": True, "temperature": 0.3}
agree(compiled("last", keys), 5, keys)
[second] = generate(compiled("second", keys))[0]
keys |= {"forced_bos_token_id": 9, "begin_suppress_tokens": [second[2], plain[1]],
         "bad_words_ids": [[second[3]], [9, second[1]]]}
agree(compiled("all", keys), 5, keys)

# The settings of config.json apply only if the file does not exist.
keys = {"forced_eos_token_id": 7, "suppress_tokens": [end, plain[1]], "eos_token_id": end}
agree(compiled("older", None, **keys), start, keys)
[row], _ = generate(compiled("newer", {"eos_token_id": [plain[3]]}, **keys))
assert row == plain[:plain.index(plain[3], 1) + 1], f"{row} of {plain}"

# Unsupported settings are reported, and so are numbers that are not tokens of this model.
for key, value, said in [
        ("sequence_bias", [[[4], -1.0]], "generation_config.json:sequence_bias"),
        ("forced_bos_token_id", config["vocab_size"], "takes tokens of this model"),
        ("suppress_tokens", [-1], "takes tokens of this model"),
        ("bad_words_ids", [["a"]], "takes tokens of this model"),
        ("bad_words_ids", [3], "takes lists of tokens"),
        ("begin_suppress_tokens", 2.5, "takes tokens of this model")]:
    (out / "model" / "generation_config.json").write_text(json.dumps({key: value}))
    ran = subprocess.run([transfold, "compile", "--quiet", out / "model", "-o", out / "none"],
                         stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 1 and said in ran.stderr, (key, value, ran.stderr)
    assert not (out / "none").exists()
