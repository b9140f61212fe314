# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CTranslate2, with the same file layout as its converter for BERT.

(That converter needs PyTorch; this one does not.) int8 rounds weights with one scale per
row and activations with one scale per token, and keeps the rest in float32. It takes
sequences of any lengths and leaves padding out of its products.
"""

import json

from measure.problem import Unavailable
from peers.bert import read_safetensors
from peers.padding import cut, padded
from peers.peer import EncoderPeer

TYPES = {"f32": "float32", "bf16": "bfloat16", "int8": "int8_float32"}


def convert(model, folder):
    from ctranslate2.converters.utils import fuse_linear
    from ctranslate2.specs import common_spec as common, transformer_spec as transformer
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    tensors = read_safetensors(model / "model.safetensors")
    spec = transformer.TransformerEncoderModelSpec(transformer.TransformerEncoderSpec(
        config["num_hidden_layers"], config["num_attention_heads"], pre_norm=False,
        activation=common.Activation.GELU, layernorm_embedding=True, num_source_embeddings=2,
        embeddings_merge=common.EmbeddingsMerge.ADD))

    def linear(place, name):
        place.weight, place.bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
        return place

    def norm(place, name):
        place.gamma, place.beta = tensors[f"{name}.weight"], tensors[f"{name}.bias"]

    encoder = spec.encoder
    encoder.scale_embeddings = False
    encoder.embeddings[0].weight = tensors["embeddings.word_embeddings.weight"]
    encoder.embeddings[1].weight = tensors["embeddings.token_type_embeddings.weight"]
    encoder.position_encodings.encodings = tensors["embeddings.position_embeddings.weight"]
    norm(encoder.layernorm_embedding, "embeddings.LayerNorm")
    for number, layer in enumerate(encoder.layer):
        name = f"encoder.layer.{number}"
        fuse_linear(layer.self_attention.linear[0],
                    [linear(common.LinearSpec(), f"{name}.attention.self.{part}")
                     for part in ("query", "key", "value")])
        linear(layer.self_attention.linear[1], f"{name}.attention.output.dense")
        norm(layer.self_attention.layer_norm, f"{name}.attention.output.LayerNorm")
        linear(layer.ffn.linear_0, f"{name}.intermediate.dense")
        linear(layer.ffn.linear_1, f"{name}.output.dense")
        norm(layer.ffn.layer_norm, f"{name}.output.LayerNorm")
    spec.register_vocabulary([str(each) for each in range(config["vocab_size"])])
    spec.config.unk_token = "0"
    spec.config.layer_norm_epsilon = config["layer_norm_eps"]
    spec.validate()
    spec.optimize()
    spec.save(str(folder))


class CTranslate2(EncoderPeer):
    name = "ctranslate2"
    needs = ("numpy", "ctranslate2")

    def __init__(self, model, precision, threads, folder, samples):
        import ctranslate2
        self.type = TYPES[precision]
        if self.type not in ctranslate2.get_supported_compute_types("cpu"):
            raise Unavailable(f"CTranslate2 has no {self.type} on this processor")
        convert(model, folder)
        self.encoder = ctranslate2.Encoder(str(folder), device="cpu", compute_type=self.type,
                                           inter_threads=1, intra_threads=threads)

    def how(self):
        import ctranslate2
        return f"{ctranslate2.__version__}, {self.encoder.compute_type}"

    def prepare(self, sequences):
        import ctranslate2
        import numpy
        ids, mask = padded(sequences)
        given = [ctranslate2.StorageView.from_array(numpy.ascontiguousarray(array, numpy.int32))
                 for array in (ids, mask.sum(1))]
        return lambda: numpy.array(self.encoder.forward_batch(*given).last_hidden_state)

    def hidden(self, sequences):
        return cut(self.prepare(sequences)(), sequences)
