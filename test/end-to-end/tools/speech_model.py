# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tiny Whisper with a vocabulary: its window is 0.4 s, and its texts have no meaning.

Its 160 tokens are bytes of ASCII, then languages and timestamps, in the order of the real ones:
  0 <pad>  1 <s>  2 <end>  3 <|startoftranscript|>  4 to 131 bytes  132 <|en|>  133 <|de|>  134 <|fr|>
  135 <|translate|>  136 <|transcribe|>  137 <|nospeech|>  138 <|notimestamps|>  139 to 159 times 0.00 to 0.40
"""

import json
import shutil
import struct
import wave

from byte_model import byte_letters

END, START, TEXT = 2, 3, 4
LANGUAGES = {"en": 132, "de": 133, "fr": 134}
TRANSLATE, TRANSCRIBE, NO_SPEECH, NO_TIMES, TIMES, VOCABULARY = 135, 136, 137, 138, 139, 160
LATEST_BEGIN = 5
SPECIAL = {0: "<pad>", 1: "<s>", END: "<end>", START: "<|startoftranscript|>",
           **{token: f"<|{code}|>" for code, token in LANGUAGES.items()},
           TRANSLATE: "<|translate|>", TRANSCRIBE: "<|transcribe|>", NO_SPEECH: "<|nospeech|>",
           NO_TIMES: "<|notimestamps|>",
           **{TIMES + i: f"<|{i / 50:.2f}|>" for i in range(VOCABULARY - TIMES)}}
GENERATION = {
    "eos_token_id": END, "decoder_start_token_id": START, "is_multilingual": True,
    "lang_to_id": {f"<|{code}|>": token for code, token in LANGUAGES.items()},
    "task_to_id": {"transcribe": TRANSCRIBE, "translate": TRANSLATE},
    "no_timestamps_token_id": NO_TIMES, "max_initial_timestamp_index": LATEST_BEGIN,
    "suppress_tokens": [0, 1, START, *LANGUAGES.values(), TRANSLATE, TRANSCRIBE, NO_SPEECH],
    "begin_suppress_tokens": [END],
}


def write_model(source, model, **changes):
    """Writes the folder `model` from the tiny Whisper `source`; `changes` apply to its
    generation_config.json."""
    model.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "model.safetensors"):
        shutil.copy(source / name, model / name)
    (model / "generation_config.json").write_text(json.dumps(GENERATION | changes))
    letters = byte_letters()
    vocabulary = {text: token for token, text in SPECIAL.items()}
    vocabulary |= {letters[byte]: TEXT + byte for byte in range(128)}
    (model / "tokenizer.json").write_text(json.dumps({
        "added_tokens": [{"id": token, "content": text, "special": True, "normalized": False,
                          "single_word": False, "lstrip": False, "rstrip": False}
                         for token, text in SPECIAL.items()],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
        "post_processor": None, "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": vocabulary, "merges": []}}))


def write_wav(path, samples, rate=16000, channels=1, times=1):
    """Writes samples between -1 and 1 as 16 bits, repeated `times` times; all channels are the
    same."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        numbers = [max(-32768, min(32767, round(x * 32768))) for x in samples]
        file.writeframes(times * b"".join(struct.pack("<h", number) * channels for number in numbers))
