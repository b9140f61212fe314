# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""whisper_real.py PROGRAM GOLDEN OUT: compares Whisper tiny.en with transformers.

GOLDEN holds the log-mel spectrograms of windows of recordings, without the constant columns at
their end, and golden.json: greedy tokens without timestamps. The first window also has the
encoder's result and the logits of the first four tokens in float64.

The error of PyTorch's float32 in the encoder's largest values, 12, is 2.0e-5, that of CTranslate2
2.9e-5, and that of a program 4.3e-5; four times PyTorch's is the limit, as for all models.
"""

import json
import pathlib
import subprocess
import sys

import numpy

program, golden, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
known = json.loads((golden / "golden.json").read_text(encoding="utf-8"))
out.mkdir(parents=True, exist_ok=True)
FRAMES, PROMPT, END = 3000, [50257, 50362], 50256  # starts, and says that no times follow


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def near(name, found, expected, limit):
    difference = numpy.abs(found.astype(float) - expected).max()
    print(f"{name}: {difference:.3g} from float64, limit {limit:.3g}")
    assert difference <= limit


def spectrogram(clip, window):
    mel = numpy.load(golden / f"{clip['name']}_w{window['window']}_mel.npy")
    whole = numpy.full((1, len(mel), FRAMES), window["pad_value"], "f4")
    whole[0, :, :mel.shape[1]] = mel
    path = out / "mel.npy"
    numpy.save(path, whole)
    return path


first = known["clips"][0]
window = first["windows"][0]
tokens = out / "tokens.npy"
numpy.save(tokens, numpy.array([PROMPT + window["ids"][:3]], "i4"))
run(program, "eval", "--in", f"input_features={spectrogram(first, window)}",
    "--in", f"decoder_input_ids={tokens}", "--out", out / "eval")
encoded = numpy.load(golden / "clip1_encoder_f64.npy")
near("encoder", numpy.load(out / "eval" / "encoder_last_hidden_state.npy")[0], encoded, 8e-5)
logits = numpy.load(golden / "clip1_logits_f64_first4.npy")
near("logits", numpy.load(out / "eval" / "logits.npy")[0, 1:], logits, 1e-3)

wrong = 0
for clip in known["clips"]:
    for window in clip["windows"]:
        run(program, "transcribe", "--features", spectrogram(clip, window), "--start", *PROMPT,
            "--max-new", 224, "--out", out / "ids.npy")
        found = numpy.load(out / "ids.npy")[0].tolist()[len(PROMPT):]
        found = found[:found.index(END) + 1] if END in found else found
        same = found == window["ids"]
        wrong += not same
        print(clip["name"], window["window"], len(found), "tokens:", "the same" if same else found)
sys.exit(wrong != 0)
