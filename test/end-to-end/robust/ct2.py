# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ct2.py LLAMA BART OUT: writes tiny models as inconsistent or unsupported directories of
CTranslate2."""

import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools"))
import ct2_convert
import ct2_file

llama, bart, out = (pathlib.Path(word) for word in sys.argv[1:])


def write(name, model, change=None, spec=None, **files):
    made = ct2_convert.convert(model)
    if change:
        change(made)
    directory = out / name
    ct2_file.write(directory, made.variables, made.aliases, made.config, made.vocabulary,
                   spec=spec or made.spec)
    for file, content in files.items():
        (directory / file.replace("_json", ".json")).write_bytes(content)


def setting(name, value, kind="i1"):
    def change(made):
        made.variables[name] = numpy.asarray(value, kind)
    return change


def without(name):
    return lambda made: made.variables.pop(name)


def key(name, value):
    return lambda made: made.config.update({name: value})


write("unknown", llama, spec="Wav2Vec2Spec")
write("unread", llama, setting("decoder/final_logit_softcapping", 30, "f4"))
write("alibi", llama, setting("decoder/alibi", 1))
write("interleaved", llama, setting("decoder/layer_1/self_attention/rotary_interleave", 1))
write("base", llama, setting("decoder/layer_1/self_attention/rotary_base", 500, "f4"))
write("slowed", llama, setting("decoder/layer_0/self_attention/rotary_scaling_type", 2))
write("activation", llama, setting("decoder/activation", 77))
write("heads", llama, setting("decoder/num_heads", 0, "i2"))
write("missing", llama, without("decoder/layer_1/ffn/linear_1/weight"))
write("integers", llama, lambda made: made.variables.update({
    "decoder/layer_0/ffn/linear_1/weight": numpy.zeros((64, 112), "i1")}))
write("factor", bart, setting("decoder/scale_embeddings", 3, "f4"))
write("awq", llama, key("quantization_type", 1))
write("key", llama, key("temperature", 2))
write("token", llama, key("eos_token", "</nobody>"))
write("list", llama, config_json=b"[]")
write("vocabulary", llama, vocabulary_json=b'{"a": 0}')
whole = (out / "list" / "model.bin").read_bytes()
write("cut", llama)
(out / "cut" / "model.bin").write_bytes(whole[:5000])
write("other", llama)
(out / "other" / "model.bin").write_bytes(b"\x80\x02}q\x00." * 9)  # a pickle
