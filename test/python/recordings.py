# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""recordings.py MODELS OUT: recordings as files and as samples, compared with the command."""

import json
import pathlib
import sys

import numpy

import transfold
from models import command, raises
from transfold.errors import ArgumentError, FileError, UnsupportedError
import speech_model

out = pathlib.Path(sys.argv[2])
source = out / "hear"
speech_model.write_model(pathlib.Path(sys.argv[1]) / "whisper", source)
hear = transfold.compile(source, out, threads=2)
file = out / "noise.wav"
noise = numpy.clip(numpy.random.default_rng(1).normal(0, 0.2, 15000), -0.9, 0.9)
speech_model.write_wav(file, noise)
samples = numpy.round(noise * 32768) / 32768

known = json.loads(command(out, source, "hear", "transcribe", "--json", file))
found = hear.transcribe(file, timestamps=True)
assert (found.text, found.language) == (known["text"], known["language"]), (found, known)
assert abs(found.duration - 15000 / 16000) < 1e-3
assert [tuple(each) for each in found.segments] == [
    (each["start"], each["end"], each["text"], each["tokens"]) for each in known["segments"]]
assert hear.transcribe(samples, timestamps=True) == found
assert hear.transcribe(samples.astype("f4"), rate=16000, timestamps=True) == found
assert hear.transcribe(samples[:4000]).text == hear.transcribe(samples[:4000], rate=16000).text
half = hear.transcribe(samples, rate=8000)
assert abs(half.duration - 2 * found.duration) < 1e-3
german = hear.transcribe(str(file), language="de", translate=True, beams=2)
assert german.language == "de"

raises(UnsupportedError, "does not know the language 'xx'; it knows de en fr", hear.transcribe, file, language="xx")
raises(FileError, "missing.wav: cannot open the file", hear.transcribe, out / "missing.wav")
raises(FileError, "", hear.transcribe, __file__)
raises(ArgumentError, "recordings have 1000 to", hear.transcribe, samples, rate=3)
raises(TypeError, "rate is a float; give an int", hear.transcribe, samples, rate=16000.0)
raises(ArgumentError, "rate is 1180591620717411303424; it can be", hear.transcribe, samples, rate=2**70)
raises(ArgumentError, "beams is 18446744073709551617; it can be", hear.transcribe, samples, beams=2**64 + 1)
raises(TypeError, "beams is a str; give an int", hear.transcribe, samples, beams="two")
raises(UnsupportedError, "no task 'nope'; it has transcribe", hear.labels, "nope")
raises(ArgumentError, "-1 beams", hear.transcribe, samples, beams=-1)
raises(TypeError, "give one row", hear.transcribe, samples.reshape(2, -1))
raises(ArgumentError, "not a number", hear.transcribe, numpy.full(4000, numpy.nan))
assert not hear.transcribe(numpy.empty(0)).segments
