# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""features.py TRANSFOLD MODEL OUT kaldi|parakeet BANDS: compares the features that `listen` computes
with an FFT in float64.

The steps are those of the feature extractors of transformers: of SeamlessM4T (Kaldi's mel bands,
two frames in a row) and of Parakeet (Slaney's bands, normalized over time).
"""

import pathlib
import subprocess
import sys

import numpy

transfold, model, out, kind, bands = *map(pathlib.Path, sys.argv[1:4]), sys.argv[4], int(sys.argv[5])
RATE, SIZE, WINDOW, HOP = 16000, 512, 400, 160
out.mkdir(parents=True, exist_ok=True)
frequencies = numpy.fft.rfftfreq(SIZE, 1 / RATE)[:, None]


def triangles(edges, at):
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    return numpy.maximum(0, numpy.minimum((at - low) / (middle - low), (high - at) / (high - middle)))


def kaldi(samples):
    mels = lambda hertz: 1127 * numpy.log(1 + hertz / 700)
    frames = numpy.lib.stride_tricks.sliding_window_view(samples * 2**15, WINDOW)[::HOP]
    frames = frames - frames.mean(1, keepdims=True)
    before = numpy.concatenate([frames[:, :1], frames[:, :-1]], 1)
    frames = (frames - 0.97 * before) * numpy.hanning(WINDOW)**0.85
    power = numpy.abs(numpy.fft.rfft(frames, SIZE))**2
    edges = numpy.linspace(mels(20), mels(8000), bands + 2)
    mel = numpy.log(numpy.maximum(power @ triangles(edges, mels(frequencies)), 2.0**-23))
    mel = (mel - mel.mean(0)) / numpy.sqrt(mel.var(0, ddof=1) + 1e-7)
    rows = len(mel) // 2
    return mel[:2 * rows].reshape(rows, 2 * bands)


def parakeet(samples):
    emphasized = numpy.concatenate([samples[:1], samples[1:] - 0.97 * samples[:-1]])
    padded = numpy.pad(emphasized, SIZE // 2)
    frames = numpy.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP][:len(samples) // HOP]
    window = numpy.pad(numpy.hanning(WINDOW), (SIZE - WINDOW) // 2)
    power = numpy.abs(numpy.fft.rfft(frames * window))**2
    top = 15 + 27 * numpy.log(8) / numpy.log(6.4)
    steps = numpy.linspace(0, top, bands + 2)
    edges = numpy.where(steps < 15, steps * 200 / 3, 1000 * numpy.exp((steps - 15) * numpy.log(6.4) / 27))
    mel = numpy.log(power @ (triangles(edges, frequencies) * 2 / (edges[2:] - edges[:-2])) + 2.0**-24)
    return (mel - mel.mean(0)) / (mel.std(0, ddof=1) + 1e-5)


program = out / "compiled"
subprocess.run([transfold, "compile", model, "-q", "-o", program], check=True)
for count in (8000, 8123, 16160):
    random = numpy.random.default_rng(count)
    time = numpy.arange(count) / RATE
    samples = (0.1 * random.standard_normal(count) * (1 + numpy.sin(20 * time)) +
               0.3 * numpy.sin(3000 * time * (1 + time))).astype("f4")
    expected = {"kaldi": kaldi, "parakeet": parakeet}[kind](samples.astype("f8"))
    numpy.save(out / "samples.npy", samples[None])
    arguments = ["--entry", "listen", "--in", f"samples={out / 'samples.npy'}"]
    for name, command, limit in [("equations", [transfold, "eval", model, *arguments], 1e-9),
                                 ("program", [program, "eval", *arguments], 2e-3)]:
        subprocess.run([*map(str, command), "--out", str(out / name)], check=True, stdout=subprocess.DEVNULL)
        found = numpy.load(out / name / "input_features.npy")[0]
        assert found.shape == expected.shape, (found.shape, expected.shape)
        difference = numpy.abs(found - expected).max()
        print(f"{name}, {count} samples: {difference:.2g} from Fourier's, limit {limit:.2g}")
        assert difference <= limit
