# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Hugging Face directory of a BERT encoder: its configuration and its tensors.

Peers' graphs are written for BERT; other encoders would need a graph of their own.
"""

import json

from measure.problem import Problem


def read_config(model):
    try:
        config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"--encoder {model}: {error.strerror}: {error.filename}; it takes a Hugging "
                      "Face directory, with config.json and model.safetensors") from None
    if config.get("model_type") != "bert":
        raise Problem(f"--encoder {model}: the model_type is {config.get('model_type')}, and "
                      "peers' graphs here are of bert; 'PROGRAM bench' measures any program alone")
    return config


def read_safetensors(path):
    """The tensors of a file, in float32, by name."""
    import numpy
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], numpy.float32)
            .reshape(entry["shape"])
            for name, entry in header.items() if entry["dtype"] == "F32"}
