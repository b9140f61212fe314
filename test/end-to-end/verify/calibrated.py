# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""calibrated.py TRANSFOLD MODEL OUT: --calibrate with a model whose tokenizer has letters.

Products lose less accuracy with a calibration than without; a text is equivalent to an array of its
ids.
"""

import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys

transfold, source, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
model = out / "model"
model.mkdir(parents=True)
for name in ("config.json", "model.safetensors"):
    shutil.copy(source / name, model / name)
letters = "Ġabcdefghijklmnopqrstuvwxyz"
(model / "tokenizer.json").write_text(json.dumps({
    "version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {letter: k + 3 for k, letter in enumerate(letters)},
              "merges": []}}))
text = "the stream carries what each layer adds and a norm forgets its size"
(out / "text.txt").write_text(text)


def write_ids(path, ids):
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': (1, {len(ids)}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(ids)}q", *ids))


def calibrate(sample, *options):
    """The message about the calibration, and the module."""
    done = subprocess.run([transfold, "compile", model, "--quantize=int4", "--calibrate", sample,
                           "--emit=folded", "-o", out / "folded.mlir", *options],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    line = re.search("calibrated on .*", done.stderr)[0]
    return line, (out / "folded.mlir").read_text()


line, module = calibrate(out / "text.txt")
after, before = map(float, re.search(r"off by (\S+) \(NMSE\), (\S+) without", line).groups())
assert after < before, line
# The newline at the end of a text is not a letter of the tokenizer.
assert f"on {len(text)} tokens of text" in line, line
assert re.search("equalized .* weighing", module)

known = {letter: k + 3 for k, letter in enumerate(letters)} | {" ": 3}
write_ids(out / "ids.npy", [known[letter] for letter in text])
_, by_array = calibrate(f"input_ids={out / 'ids.npy'}")
assert by_array.count("xf.channel_scales") == module.count("xf.channel_scales") > 0

# Only the beginning of a long text is read, and no character is split.
for before in (b"", b"a", b"aa"):
    (out / "long.txt").write_bytes(before + "aé".encode() * 30000)
    calibrate(out / "long.txt")
for wrong, message in ((b"abc\xff", "the text is not valid UTF-8"),
                       ("é".encode(), "the model's tokenizer finds no token in the text")):
    (out / "wrong.txt").write_bytes(wrong)
    done = subprocess.run([transfold, "compile", model, "--quantize=int4", "--calibrate",
                           out / "wrong.txt", "--emit=folded"], capture_output=True, text=True)
    assert done.returncode == 1 and "error: --calibrate: " + message in done.stderr, done.stderr

# A product that loses more than the limit gets 8 bits, and if that still loses more, it is not
# quantized.
_, careful = calibrate(out / "text.txt", "--max-error=0.0001")
assert "rounded q8_0" in careful and "rounded q4_1" not in careful
line, exact = calibrate(out / "text.txt", "--max-error=1e-9")
assert "rounded" not in re.sub("@E .*", "", exact) and "weights have more bits" in line
