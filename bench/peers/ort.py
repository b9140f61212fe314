# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime, on a graph like that of PyTorch's exporter.

int8 is its dynamic quantization: weights with one scale per column, activations with one
scale per call.
"""

import functools

from measure.machine import has
from measure.problem import Unavailable
from peers.padding import cut, is_even, padded
from peers.peer import EncoderPeer


class OnnxRuntime(EncoderPeer):
    name = "onnxruntime"
    needs = ("numpy", "onnx", "onnxruntime")

    def __init__(self, model, precision, threads, folder, samples):
        if precision == "bf16":
            raise Unavailable("ONNX Runtime has no bfloat16 on x86 processors")
        self.model, self.precision, self.threads, self.folder = model, precision, threads, folder
        self.session(False)

    @functools.cache
    def session(self, is_masked):
        """A model for sequences of one length, or one that also takes a mask."""
        import onnx
        import onnxruntime
        from peers.onnx_encoder import encoder
        path = f"{self.folder}/{'masked' if is_masked else 'even'}.onnx"
        onnx.save(encoder(self.model, is_masked), path)
        if self.precision == "int8":
            from onnxruntime.quantization import QuantType, quantize_dynamic
            # Without VNNI, sums of two products overflow 16 bits: its guide recommends 7-bit weights.
            quantize_dynamic(path, path + ".int8", weight_type=QuantType.QInt8, per_channel=True,
                             reduce_range=not self.has_vnni())
            path += ".int8"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    @staticmethod
    def has_vnni():
        return has("avx512_vnni") or has("avx_vnni")

    def how(self):
        import onnxruntime
        notes = {"f32": "", "int8": ", dynamic int8, weights of 8 bits" if self.has_vnni() else
                 ", dynamic int8, weights of 7 bits since this processor has no VNNI"}
        return onnxruntime.__version__ + notes[self.precision]

    def prepare(self, sequences):
        ids, mask = padded(sequences)
        inputs = {"input_ids": ids} | ({} if is_even(sequences) else {"attention_mask": mask})
        session = self.session(not is_even(sequences))
        return lambda: session.run(None, inputs)[0]

    def hidden(self, sequences):
        return cut(self.prepare(sequences)(), sequences)
