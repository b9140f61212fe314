# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""listens.py TRANSFOLD MODEL OUT: compares the log-mel spectrogram of Whisper's equations with an
FFT.

The spec uses convolutions with cosines and sines; NumPy computes the same with its FFT in float64,
and the bands as in librosa (Slaney's mels, triangles of area 1).
"""

import json
import pathlib
import subprocess
import sys

import numpy

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
out.mkdir(parents=True, exist_ok=True)
config = json.loads((model / "config.json").read_text(encoding="utf-8"))
FRAMES, BANDS = 2 * config["max_source_positions"], config["num_mel_bins"]
SIZE, HOP, RATE = 400, 160, 16000


def mels(hertz):
    return numpy.where(hertz < 1000, hertz * 3 / 200,
                       15 + 27 * numpy.log(numpy.maximum(hertz, 1) / 1000) / numpy.log(6.4))


def bands():
    steps = numpy.linspace(0, mels(numpy.array(RATE / 2)), BANDS + 2)
    edges = numpy.where(steps < 15, steps * 200 / 3,
                        1000 * numpy.exp((steps - 15) * numpy.log(6.4) / 27))
    frequencies = numpy.fft.rfftfreq(SIZE, 1 / RATE)[:, None]
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (frequencies - low) / (middle - low), (high - frequencies) / (high - middle)
    return numpy.maximum(0, numpy.minimum(rising, falling)) * 2 / (high - low)


def spectrogram(samples):
    padded = numpy.pad(samples.astype("f8"), SIZE // 2, mode="reflect")
    frames = numpy.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP][:FRAMES]
    window = numpy.hanning(SIZE + 1)[:-1]
    power = numpy.abs(numpy.fft.rfft(frames * window)) ** 2
    log = numpy.log10(numpy.maximum(power @ bands(), 1e-10))
    return (numpy.maximum(log, log.max() - 8).T + 4) / 4


random = numpy.random.default_rng(19)
time = numpy.arange(FRAMES * HOP) / RATE
recordings = numpy.stack([
    0.3 * random.standard_normal(time.size),
    numpy.sin(2 * numpy.pi * 440 * time) + 1e-3 * random.standard_normal(time.size),
    numpy.where(time < 0.1, 0.5 * random.standard_normal(time.size), 0),  # then silence
    numpy.zeros(time.size),
]).astype("f4")
expected = numpy.stack([spectrogram(samples) for samples in recordings])
assert expected.std() > 0.1
numpy.save(out / "samples.npy", recordings)
arguments = ["eval", "--entry", "listen", "--in", f"samples={out / 'samples.npy'}"]
program = out / "whisper"
subprocess.run([transfold, "compile", model, "-q", "-o", program], check=True)
# Values close to the cut-off of the logarithm have lost most of their digits: float32 holds the
# largest power to 6e-8, so at 8 powers of ten below it no digit is left.
for name, command, limit in [("equations", [transfold, arguments[0], model, *arguments[1:]], 1e-9),
                             ("program", [program, *arguments], 2e-4)]:
    subprocess.run([*command, "--out", out / name], check=True, stdout=subprocess.DEVNULL)
    found = numpy.load(out / name / "input_features.npy")
    difference = numpy.abs(found - expected).max()
    print(f"{name}: {difference:.2g} from Fourier's, limit {limit:.2g}")
    assert found.shape == expected.shape and difference <= limit
