# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""layers.py CONFIG FOLDER COUNT: writes the configuration with another number of layers, without weights."""

import json
import pathlib
import sys

config = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
config["num_hidden_layers"] = int(sys.argv[3])
pathlib.Path(sys.argv[2], "config.json").write_text(json.dumps(config), encoding="utf-8")
