# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ctc.py TRANSFOLD MODEL OUT SPEC: recordings are transcribed by the likeliest token of each frame.

MODEL reads samples (`input_values`). The expected text is computed here from the logits of the
interpreter: of the whole recording, and with a window of a second, of overlapping windows.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import wave

import numpy

transfold, model, out, spec = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
RATE = 16000
WORDS = ["<pad>", "<s>", "</s>", "<unk>", "|", *"ETAONIHSRDLUMWCFGYPBVK'XJQZ"]
shutil.rmtree(out, ignore_errors=True)
(out / "model").mkdir(parents=True)
for name in ("config.json", "model.safetensors"):
    shutil.copy(model / name, out / "model")
(out / "model/vocab.json").write_text(json.dumps({word: k for k, word in enumerate(WORDS)}))
(out / "model/preprocessor_config.json").write_text(json.dumps(
    {"do_normalize": True, "feature_size": 1, "sampling_rate": RATE, "padding_side": "right", "padding_value": 0.0,
     "return_attention_mask": False, "feature_extractor_type": "Wav2Vec2FeatureExtractor"}))
(out / "model/tokenizer_config.json").write_text(json.dumps({"word_delimiter_token": "|", "do_lower_case": False}))
short = out / "window.xf"
text = spec.read_text(encoding="utf-8")
assert "delimiter = delimiter }" in text
short.write_text(text.replace("delimiter = delimiter }", "delimiter = delimiter, window = 1 }"), encoding="utf-8")


def recording(name, count):
    """A recording of noise with a slow change of loudness, and its samples."""
    random = numpy.random.default_rng(count)
    t = numpy.arange(count) / RATE
    samples = random.normal(size=count) * (1 + numpy.sin(9 * t)) * 3000 + 2000 * numpy.sin(700 * t * (1 + t))
    samples = samples.astype("<i2")
    with wave.open(str(out / name), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    return samples.astype(numpy.float64) / 32768


def frames(samples):
    """The likeliest token of each frame."""
    values = (samples - samples.mean()) / numpy.sqrt(samples.var() + 1e-7)
    numpy.save(out / "values.npy", values[None].astype("float32"))
    subprocess.run([transfold, "eval", out / "model", "--in", f"input_values={out / 'values.npy'}", "--out",
                    out / "logits", "--entry", "spell"], check=True, stdout=subprocess.DEVNULL)
    return numpy.load(out / "logits/logits.npy")[0].argmax(1)


def written(tokens):
    """Equal neighbors count once, the blank 0 not at all."""
    kept = [token for k, token in enumerate(tokens) if token and (k == 0 or tokens[k - 1] != token)]
    return "".join(" " if WORDS[token] == "|" else WORDS[token] for token in kept).strip()


def by_windows(samples, most):
    tokens, place, context = [], 0, most // 6
    while place < len(samples):
        begin = max(place - context, 0)
        end = min(begin + most, len(samples))
        kept = len(samples) if end == len(samples) else end - context
        found = frames(samples[begin:end])
        at = lambda sample: int(numpy.floor((sample - begin) * len(found) / (end - begin) + 0.5))
        tokens += list(found[at(place):len(found) if kept == len(samples) else at(kept)])
        place = kept
    return written(tokens)


def run(*command):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


samples = recording("a.wav", 4000)
long = recording("long.wav", 40000)
recording("click.wav", 12)
run(transfold, "compile", out / "model", "--quiet", "-o", out / "program")
run(transfold, "compile", out / "model", "--spec", short, "--quiet", "-o", out / "windows")
expected = written(frames(samples))
assert len(set(expected)) > 1, expected
found = run(out / "program", "transcribe", out / "a.wav")
assert found.strip() == expected, (found, expected)
found = json.loads(run(out / "program", "transcribe", "--json", out / "a.wav"))
assert found["text"] == expected and found["segments"][0]["end"] == 4000 / RATE, found
found = run(out / "windows", "transcribe", out / "long.wav")
assert found.strip() == by_windows(long, RATE), (found, by_windows(long, RATE))
found = json.loads(run(out / "windows", "transcribe", "--json", out / "long.wav"))
assert len(found["segments"]) > 2 and found["segments"][-1]["end"] == 40000 / RATE, found
short = subprocess.run([out / "program", "transcribe", out / "click.wav"], check=False, capture_output=True, text=True)
assert short.returncode == 1 and "the model takes at least 30" in short.stderr, short
