# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""few_rows.py ROOT TRANSFOLD OUT KIND …: what ptxas counts for products with few rows agrees with
FewRowsGpu.cpp, for models of kinds.py: no spills, the registers, and loads of 16 bytes.
"""

import pathlib
import sys

root, transfold, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
sys.path[:0] = [str(pathlib.Path(root, "bench")), str(pathlib.Path(__file__).parents[2] / "tools")]
import gguf_file  # noqa: E402
import gguf_models  # noqa: E402
from kinds import MODELS  # noqa: E402
from measure.device import gpu  # noqa: E402

out.mkdir(parents=True)
for kind in sys.argv[4:]:
    model = out / f"{kind}.gguf"
    gguf_file.write(model, *gguf_models.dense(**MODELS[kind]))
    most = {"_few": 0, "_several": 0}
    for entry in gpu.measure(transfold, [model], ["sm_80", "sm_90"]):
        form = next((form for form in most if entry.kernel.endswith(form)), None)
        if form and "softmax" not in entry.kernel:
            assert entry.spilled == 0 and entry.blocks()[0] >= 1, entry
            most[form] = max(most[form], entry.registers)
    print(f"{kind}: {most['_few']} registers of one row, {most['_several']} of several, at most")
    # Prefetched values are in registers: more of them than without, and up to the limit of a thread
    # if blocks have few threads.
    assert all(64 < count <= 255 for count in most.values()), most
