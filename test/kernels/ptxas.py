# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxas.py ROOT TRANSFOLD OUT MODEL …: the counts of ptxas are those that the schedules assume.

No entry of a model spills. A product of 768 by 384, with the width and depth that the calculation
of a tile in ContractionTilesGpu.cpp assumes, has the registers, the shared memory and the loads
that are given there.
"""

import json
import pathlib
import struct
import sys

root, transfold, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
sys.path.insert(0, str(pathlib.Path(root, "bench")))
from measure.device import gpu  # noqa: E402

MACHINES = ["sm_80", "sm_90"]


def write_model(folder, shapes):
    """A checkpoint of zeros."""
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    header, end = {}, 0
    for name, (rows, columns) in shapes.items():
        header[name] = {"dtype": "F32", "shape": [rows, columns], "data_offsets": [end, end + 4 * rows * columns]}
        end += 4 * rows * columns
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + bytes(end))


SPEC = """model toy
lengths n
weights E[9, 768], A[768, 384]
entry run(tokens[n]) -> y[n, 384] {
  x = E[tokens]
  return x @ A
}
interface { tokens = "input_ids" }
config hf { }
names hf { E = "E", A = "A" }
"""

for target, model in [("cuda", model) for model in sys.argv[4:]] + [("cuda_80", sys.argv[4])]:
    options = ["--quantize=bf16"] if target == "cuda_80" else []
    entries = list(gpu.measure(transfold, [model, *options], MACHINES, target))
    for entry in entries:
        assert entry.spilled == 0, f"{model}: {entry}"
        assert entry.blocks()[0] >= 1, f"{model}: {entry}"
    print(f"{len(entries)} entries of {pathlib.Path(model).name}, {target}")

write_model(out / "model", {"E": (9, 768), "A": (768, 384)})
(out / "toy.xf").write_text(SPEC)
tiles = [entry for entry in gpu.measure(transfold, [out / "model", "--spec", out / "toy.xf"], MACHINES)
         if entry.kernel.startswith("contract")]
assert len(tiles) == len(MACHINES), tiles
for tile in tiles:
    # 64 sums, 16 operands and 24 values of the next step; the upper limit allows three blocks of
    # 128 threads.
    assert tile.spilled == 0 and 104 < tile.registers <= 168 and tile.threads == 128, tile
    # The tiles of W and of x, and the totals.
    assert tile.shared == 4 * (16 * 128 + 16 * (64 + 4) + 64 * 128), tile
    # Loads of four elements each: four loads per 64 multiply-adds from shared memory, and one tile
    # per step from global memory.
    assert abs(tile.counts.per_multiply_add("shared_loads") - 4 / 64) < 0.002, tile
    assert abs(tile.counts.per_multiply_add("global_loads") - (64 + 128) / 4 / (64 * 128)) < 0.0002, tile
print(f"tiles: {max(tile.registers for tile in tiles)} registers at most")

tensor = [entry for entry in gpu.measure(
    transfold, [out / "model", "--spec", out / "toy.xf", "--quantize=bf16"], MACHINES, "cuda_80")
    if entry.kernel.endswith("contract")]
assert len(tensor) == len(MACHINES), tensor
for tile in tensor:
    # At least three blocks of 128 threads; words of x and of W, and no totals in shared memory.
    assert tile.spilled == 0 and tile.registers <= 168 and tile.threads == 128, tile
    assert tile.shared == 4 * (64 * 24 + 16 * 68), tile
print(f"tensor cores: {max(tile.registers for tile in tensor)} registers at most")
