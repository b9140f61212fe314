# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""faster-whisper, which is Whisper on CTranslate2: its own spectrogram, windows and rules.

Weights of 16 bits become float32 on processors; int8 rounds them with a scale for each
row and what meets them with a scale for each token.
"""

NEEDS = ("faster_whisper",)
TYPES = {"f32": "float32", "int8": "int8_float32"}


class FasterWhisper:
    name = "faster-whisper"

    def __init__(self, model, precision, threads):
        import faster_whisper
        self.whisper = faster_whisper.WhisperModel(
            str(model), device="cpu", compute_type=TYPES[precision], cpu_threads=threads,
            num_workers=1)
        self.how = f"{faster_whisper.__version__}, {TYPES[precision]}"

    def transcribe(self, recording, timestamps):
        """The text of a WAV file: greedy, without a second try where it is unsure."""
        segments, _ = self.whisper.transcribe(
            str(recording), language="en", beam_size=1, temperature=0, vad_filter=False,
            condition_on_previous_text=False, without_timestamps=not timestamps)
        return "".join(segment.text for segment in segments)
