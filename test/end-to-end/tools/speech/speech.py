# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""speech.py TRANSFOLD MODELS OUT: compares `transcribe` with a second implementation of Whisper's
rules.

The rules are those of Whisper's own program (whisper/decoding.py and transcribe.py): which
timestamps may follow, how a window's tokens become segments, where the next window begins. Logits
come from the program's `eval`, a whole text at a time.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import speech_model as s  # noqa: E402

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
s.write_model(models / "whisper", out / "model")
program = out / "hear"
subprocess.run([transfold, "compile", "-q", out / "model", "-o", program], check=True)
RATE, WINDOW, STEP, MOST = 16000, 6400, 320, 24


def transcribe(*options, fails=False):
    ran = subprocess.run([program, "transcribe", *map(str, options)], capture_output=True, text=True)
    assert (ran.returncode != 0) == fails, ran
    return ran.stderr if fails else ran.stdout


def logits(samples, tokens):
    numpy.save(out / "samples.npy", samples[None].astype("f4"))
    numpy.save(out / "tokens.npy", numpy.array([tokens], "i4"))
    subprocess.run([program, "eval", "--in", f"samples={out / 'samples.npy'}", "--in",
                    f"decoder_input_ids={out / 'tokens.npy'}", "--out", out / "eval"],
                   check=True, stdout=subprocess.DEVNULL)
    return numpy.load(out / "eval" / "logits.npy")[0, -1].astype("f8")


def apply_rules(scores, made, has_times):
    scores[s.GENERATION["suppress_tokens"]] = -numpy.inf
    if not made:
        scores[s.END] = -numpy.inf
    if not has_times:
        return
    scores[s.NO_TIMES] = -numpy.inf
    was_time = len(made) >= 1 and made[-1] >= s.TIMES
    was_pair = len(made) < 2 or made[-2] >= s.TIMES
    if was_time and was_pair:
        scores[s.TIMES:] = -numpy.inf
    elif was_time:
        end = scores[s.END]
        scores[:s.TIMES] = -numpy.inf
        scores[s.END] = end
    times = [token for token in made if token >= s.TIMES]
    if times:
        scores[s.TIMES:times[-1] + (0 if was_time and not was_pair else 1)] = -numpy.inf
    if not made:
        scores[:s.TIMES] = -numpy.inf
        scores[s.TIMES + s.LATEST_BEGIN + 1:] = -numpy.inf
    together = numpy.logaddexp.reduce(scores[s.TIMES:])
    if together > scores[:s.TIMES].max():
        scores[:s.TIMES] = -numpy.inf


def said(samples, prompt, has_times):
    made = []
    while len(made) < MOST:
        scores = logits(samples, prompt + made)
        apply_rules(scores, made, has_times)
        made.append(int(scores.argmax()))
        if made[-1] == s.END:
            return made[:-1]
    return made


def cut(made, length):
    """Segments [begin, end, tokens], and the start of the next window, in time steps."""
    is_time = [token >= s.TIMES for token in made]
    pairs = [i for i in range(1, len(made)) if is_time[i - 1] and is_time[i]]
    if not pairs:
        times = [token - s.TIMES for token in made if token >= s.TIMES]
        end = times[-1] if len(times) > 1 else length
        return [[times[0] if times else 0, end, made]], length
    ends_alone = is_time[-2:] == [False, True]
    pieces, begin = [], 0
    for end in pairs + [len(made)] * ends_alone:
        part = made[begin:end]
        pieces.append([part[0] - s.TIMES, part[-1] - s.TIMES, part])
        begin = end
    return pieces, length if ends_alone else min(made[begin - 1] - s.TIMES, length)


def expected(samples, language, task, has_times):
    """Segments with their times in seconds, and the language."""
    place, segments = 0, []
    while len(samples) - place >= 0.1 * RATE or place == 0:
        rest = samples[place:place + WINDOW]
        window = numpy.pad(rest, (0, WINDOW - len(rest)))
        if not language:
            scores = logits(window, [s.START])
            language = max(s.LANGUAGES, key=lambda code: scores[s.LANGUAGES[code]])
        prompt = [s.START, s.LANGUAGES[language], task] + [s.NO_TIMES] * (not has_times)
        made = said(window, prompt, has_times)
        length = len(rest) // STEP
        pieces, steps = cut(made, length) if has_times else ([[0, length, made]], length)
        for begin, end, tokens in pieces:
            begin, end = (min(place + i * STEP, len(samples)) / RATE for i in (begin, end))
            text = [token for token in tokens if token < s.TIMES]
            if bytes(token - s.TEXT for token in text if s.TEXT <= token < s.TEXT + 128).strip() and begin < end:
                segments.append((begin, end, text))
        place += steps * STEP if steps < length else len(rest)
    return segments, language


def compare(name, samples, *options, language=None, task=s.TRANSCRIBE):
    s.write_wav(out / "in.wav", samples)
    samples = numpy.round(samples * 32768) / 32768
    found = json.loads(transcribe("--json", out / "in.wav", *options))
    wanted, language = expected(samples, language, task, has_times=True)
    segments = [(each["start"], each["end"], each["tokens"]) for each in found["segments"]]
    assert [each[2] for each in segments] == [each[2] for each in wanted], (name, segments, wanted)
    assert numpy.allclose([each[:2] for each in segments], [each[:2] for each in wanted], atol=1e-3)
    assert found["language"] == language, (found["language"], language)
    assert abs(found["duration"] - len(samples) / RATE) < 1e-3
    print(name, len(segments), "segments in", language, "as expected")
    return found


random = numpy.random.default_rng(5)
noise = numpy.clip(0.2 * random.standard_normal(3 * WINDOW + 1000), -0.9, 0.9)
compare("several windows", noise)
compare("a short one", noise[:4000])
compare("in German", noise[:WINDOW], "--language", "de", language="de")
compare("translated", noise[:9000], "--language", "fr", "--translate",
        language="fr", task=s.TRANSLATE)

# Text without timestamps, of a recording that fits into a window: its tokens differ.
wanted, _ = expected(numpy.round(noise[:4000] * 32768) / 32768, "de", s.TRANSCRIBE, has_times=False)
s.write_wav(out / "short.wav", noise[:4000])
text = bytes(token - s.TEXT for token in wanted[0][2]).decode() if wanted else ""
assert transcribe("--language", "de", out / "short.wav").strip() == text.strip(), text
print("without times as expected")

message = transcribe("--language", "xx", out / "short.wav", fails=True)
assert "does not know the language 'xx'; it knows de en fr" in message, message
empty = out / "empty.wav"
s.write_wav(empty, [])
assert "empty.wav: has no samples" in transcribe(empty, fails=True)
several = out / "several"
transcribe("--srt", "--output", several, out / "in.wav", out / "short.wav")
assert sorted(path.name for path in several.iterdir()) == ["in.srt", "short.srt"]
assert "two recordings would be written to in.srt" in transcribe(
    "--srt", "--output", several, out / "in.wav", several / "../in.wav", fails=True)
assert "--output FOLDER" in transcribe("--vtt", out / "in.wav", out / "short.wav", fails=True)
assert "give a WAV file" in transcribe(fails=True)
# An input file is never overwritten: the shell expands `--output *.wav` to a list, and the first
# file becomes the output.
linked, other = out / "linked.wav", out / "other.mp3"
shutil.copy(out / "short.wav", out / "precious.wav")
linked.unlink(missing_ok=True)
linked.hardlink_to(out / "in.wav")
other.write_bytes(b"ID3" + bytes(100))
before = [each.read_bytes() for each in (out / "precious.wav", linked, other)]
for to in (out / "in.wav", linked):
    assert "is the same file as" in (said := transcribe("--output", to, out / "in.wav", fails=True)) \
        or "is read here" in said, said
for to in (out / "precious.wav", other):
    assert f"{to}: is a recording and would be overwritten" in transcribe("--output", to, out / "in.wav", fails=True)
assert before == [each.read_bytes() for each in (out / "precious.wav", linked, other)]

# A model of one language, without timestamps.
s.write_model(models / "whisper", out / "plain", is_multilingual=False, no_timestamps_token_id=None)
program = out / "hear-plain"
subprocess.run([transfold, "compile", "-q", out / "plain", "-o", program], check=True)
assert "knows the language 'en' alone, and not 'de'" in transcribe("--language", "de", out / "in.wav", fails=True)
assert "does not translate" in transcribe("--translate", out / "in.wav", fails=True)
assert "does not determine when" in transcribe("--timestamps", out / "in.wav", fails=True)
assert len(json.loads(transcribe("--json", "--language", "en", out / "in.wav"))["segments"]) == 2

program = out / "no-tokenizer"
subprocess.run([transfold, "compile", "-q", models / "whisper", "-o", program], check=True)
assert "the program has no tokenizer" in transcribe(out / "in.wav", fails=True)

# If a configuration lists the ids of language tokens without codes, the codes come from the tokens'
# texts.
s.write_model(models / "whisper", out / "listed", lang_to_id=list(s.LANGUAGES.values()))
program = out / "hear-listed"
subprocess.run([transfold, "compile", "-q", out / "listed", "-o", program], check=True)
assert "it knows en de fr" in transcribe("--language", "xx", out / "in.wav", fails=True)
assert json.loads(transcribe("--json", "--language", "fr", out / "in.wav"))["language"] == "fr"
print("speech: as expected")
