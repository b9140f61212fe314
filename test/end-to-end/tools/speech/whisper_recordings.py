# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""whisper_recordings.py PROGRAM GOLDEN OUT: the transcriptions of recordings by Whisper tiny.en.

GOLDEN has WAV files and the results of transformers: the text of each window without timestamps,
its segments with timestamps, and the segments of a recording of 45 seconds, window by window.
"""

import json
import pathlib
import re
import subprocess
import sys
import wave

import numpy

program, golden, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
known = json.loads((golden / "golden.json").read_text(encoding="utf-8"))
out.mkdir(parents=True, exist_ok=True)
END, TIMES, RATE, WINDOW, STEP = 50256, 50363, 16000, 480000, 0.02


def transcribe(*words, **pipes):
    command = [str(word) for word in (program, "transcribe", *words)]
    print("+", *command, flush=True)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **pipes).stdout.decode()


def segments_of(path):
    return json.loads(transcribe("--json", path))["segments"]


def resampled(samples, rate):
    """The samples at another rate, resampled exactly: as a sum of the same sines."""
    spectrum = numpy.fft.rfft(samples)
    count = round(len(samples) * rate / RATE)
    whole = numpy.zeros(count // 2 + 1, complex)
    size = min(len(spectrum), len(whole))
    whole[:size] = spectrum[:size]
    return numpy.fft.irfft(whole, count) * count / len(samples)


def read(path):
    with wave.open(str(path)) as file:
        return numpy.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768


def write(path, samples, rate, channels=1):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        numbers = numpy.clip(numpy.round(samples * 32768), -32768, 32767).astype("<i2")
        file.writeframes(numpy.repeat(numbers, channels).tobytes())


texts = {}
for clip in known["clips"]:
    samples = read(golden / clip["wav"])
    for window in clip["windows"]:
        name = f"{clip['name']}-{window['window']}"
        path = out / f"{name}.wav"
        begin = window["window"] * WINDOW
        write(path, samples[begin:begin + WINDOW], RATE)
        texts[name] = window["text"].strip()
        assert transcribe(path).strip() == texts[name]
        # The ids of the text between timestamps; those after the last pair are decoded again.
        ids = window["ts_greedy_single_pass"]
        expected = [token for token in ids if token < TIMES and token != END]
        found = [token for segment in segments_of(path) for token in segment["tokens"]]
        assert found[:len(expected)] == expected, (name, found, expected)

sequential = known["long40_hf_sequential"]
for segment, expected in zip(segments_of(golden / "long40.wav"), sequential["segments"], strict=True):
    assert abs(segment["start"] - expected["start"]) < STEP / 2, (segment, expected)
    assert abs(segment["end"] - expected["end"]) < STEP / 2, (segment, expected)
    assert segment["tokens"] == [token for token in expected["ids"] if token < TIMES], (segment, expected)
long = transcribe(golden / "long40.wav").strip()
assert long == sequential["text"].strip(), long

clip = read(golden / "clip1.wav")
for rate, channels in ((44100, 2), (8000, 1), (48000, 1)):
    path = out / f"clip1-{rate}.wav"
    write(path, resampled(clip, rate), rate, channels)
    found = transcribe(path).strip()
    print(rate, found)
    assert rate < RATE or found == texts["clip1-0"]

with open(golden / "clip1.wav", "rb") as file:
    assert transcribe("-", stdin=file).strip() == texts["clip1-0"]
assert transcribe("--srt", golden / "clip1.wav") == (
    f"1\n00:00:00,000 --> 00:00:04,160\n{texts['clip1-0']}\n\n")
assert transcribe("--vtt", golden / "clip1.wav") == (
    f"WEBVTT\n\n00:00:00.000 --> 00:00:04.160\n{texts['clip1-0']}\n\n")
lines = transcribe("--timestamps", golden / "long40.wav").splitlines()
assert all(re.fullmatch(r"\[\d\d:\d\d:\d\d\.\d{3} --> \d\d:\d\d:\d\d\.\d{3}\] \S.*", line) for line in lines)

silence = out / "silence.wav"
write(silence, numpy.zeros(10 * RATE), RATE)
assert transcribe(silence) == "\n"
