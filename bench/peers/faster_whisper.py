# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""faster-whisper: Whisper on CTranslate2 with its own spectrogram, windows and decoding rules.

On CPUs, 16-bit weights become float32; int8 rounds them with one scale per row, and
activations with one scale per token.
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
        """The text of a WAV file, decoded greedily, without the retries for uncertain results."""
        segments, _ = self.whisper.transcribe(
            str(recording), language="en", beam_size=1, temperature=0, vad_filter=False,
            condition_on_previous_text=False, without_timestamps=not timestamps)
        return "".join(segment.text for segment in segments)
