# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes an ONNX graph of a BERT encoder from a Hugging Face directory, for the peers.

It has the operations that PyTorch's exporter writes (MatMul with a transposed weight and
an Add, heads by Reshape and Transpose, GELU by Erf), since the exporter itself needs
PyTorch; peers then apply their usual fusions.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from peers.bert import read_config, read_safetensors


class Graph:
    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def weight(self, array):
        self.count += 1
        name = f"w{self.count}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind, *inputs, **attributes):
        self.count += 1
        name = f"v{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name


def additive_mask(g):
    """0 for keys that are tokens, the lowest finite value for padding."""
    ones = g.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    shaped = g.op("Unsqueeze", ones, g.weight(np.array([1, 2], np.int64)))
    missing = g.op("Sub", g.weight(np.float32(1)), shaped)
    return g.op("Mul", missing, g.weight(np.finfo(np.float32).min))


def encoder(directory, is_masked=False):
    """The graph. Without a mask all positions are tokens, and no time is spent on masking."""
    config, tensors = read_config(directory), read_safetensors(directory / "model.safetensors")
    h, d = config["num_attention_heads"], config["hidden_size"]
    g = Graph()

    def linear(x, name):
        product = g.op("MatMul", x, g.weight(tensors[name + ".weight"].T))
        return g.op("Add", product, g.weight(tensors[name + ".bias"]))

    def norm(x, name):
        return g.op("LayerNormalization", x, g.weight(tensors[name + ".weight"]),
                    g.weight(tensors[name + ".bias"]), axis=-1,
                    epsilon=float(config["layer_norm_eps"]))

    def heads(x, order):
        split = g.op("Reshape", x, g.weight(np.array([0, 0, h, d // h], np.int64)))
        return g.op("Transpose", split, perm=order)

    length = g.op("Shape", "input_ids", start=1, end=2)
    positions = g.op("Slice", g.weight(tensors["embeddings.position_embeddings.weight"]),
                     g.weight(np.array([0], np.int64)), length,
                     g.weight(np.array([0], np.int64)))
    words = g.op("Gather", g.weight(tensors["embeddings.word_embeddings.weight"]), "input_ids")
    kinds = g.weight(tensors["embeddings.token_type_embeddings.weight"][0])
    mask = additive_mask(g) if is_masked else None
    x = norm(g.op("Add", g.op("Add", words, kinds), positions), "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        p = f"encoder.layer.{layer}."
        q = heads(linear(x, p + "attention.self.query"), [0, 2, 1, 3])
        k = heads(linear(x, p + "attention.self.key"), [0, 2, 3, 1])
        v = heads(linear(x, p + "attention.self.value"), [0, 2, 1, 3])
        scores = g.op("Div", g.op("MatMul", q, k), g.weight(np.float32(np.sqrt(d // h))))
        if is_masked:
            scores = g.op("Add", scores, mask)
        mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        joined = g.op("Reshape", g.op("Transpose", mixed, perm=[0, 2, 1, 3]),
                      g.weight(np.array([0, 0, d], np.int64)))
        y = linear(joined, p + "attention.output.dense")
        x = norm(g.op("Add", y, x), p + "attention.output.LayerNorm")
        a = linear(x, p + "intermediate.dense")
        erf = g.op("Erf", g.op("Div", a, g.weight(np.float32(np.sqrt(2)))))
        one = g.op("Add", erf, g.weight(np.float32(1)))
        gelu = g.op("Mul", g.op("Mul", a, one), g.weight(np.float32(0.5)))
        x = norm(g.op("Add", linear(gelu, p + "output.dense"), x), p + "output.LayerNorm")
    g.op("Identity", x)
    inputs = ["input_ids", "attention_mask"][:1 + is_masked]
    graph = helper.make_graph(
        g.nodes, "encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "n"]) for name in inputs],
        [helper.make_tensor_value_info(g.nodes[-1].output[0], TensorProto.FLOAT,
                                       ["batch", "n", d])],
        g.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
