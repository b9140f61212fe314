# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenVINO, on the same graph as ONNX Runtime.

bf16 is its hint for the precision of inference. int8 is NNCF's post-training quantization
for transformers: of weights and activations, with scales from samples.
"""

import functools

from measure.problem import Unavailable
from peers.padding import cut, is_even, padded
from peers.peer import EncoderPeer


class OpenVino(EncoderPeer):
    name = "openvino"
    needs = ("numpy", "onnx", "openvino")
    needs_for = {"int8": ("nncf",)}

    def __init__(self, model, precision, threads, folder, samples):
        self.model, self.precision, self.threads = model, precision, threads
        self.folder, self.samples, self.watched = folder, samples, {}
        used = self.compiled(False).get_property("INFERENCE_PRECISION_HINT").get_type_name()
        if precision == "bf16" and used != "bf16":
            raise Unavailable(f"OpenVINO computes in {used} on this processor, which has no "
                              "instructions for bfloat16")

    @functools.cache
    def graph(self, is_masked):
        import onnx
        import openvino
        from peers.onnx_encoder import encoder
        path = f"{self.folder}/{'masked' if is_masked else 'even'}.onnx"
        onnx.save(encoder(self.model, is_masked), path)
        graph = openvino.Core().read_model(path)
        if self.precision != "int8":
            return graph
        import nncf
        names = ("input_ids", "attention_mask")[:1 + is_masked]
        data = nncf.Dataset(self.samples, lambda ids: dict(zip(names, padded([ids]))))
        return nncf.quantize(graph, data, model_type=nncf.ModelType.TRANSFORMER,
                             subset_size=len(self.samples))

    @functools.cache
    def compiled(self, is_masked, **options):
        import openvino
        hint = "bf16" if self.precision == "bf16" else "f32"
        return openvino.Core().compile_model(self.graph(is_masked), "CPU", {
            "INFERENCE_NUM_THREADS": self.threads, "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": hint, **options})

    def how(self):
        import openvino
        notes = {"f32": "", "bf16": ", inference precision bf16",
                 "int8": ", NNCF's quantisation of weights and what meets them"}
        return openvino.__version__.split("-")[0] + notes[self.precision]

    def prepare(self, sequences):
        compiled = self.compiled(not is_even(sequences))
        request, inputs = compiled.create_infer_request(), self.inputs(sequences)
        return lambda: request.infer(inputs)[compiled.output(0)]

    @staticmethod
    def inputs(sequences):
        ids, mask = padded(sequences)
        return {"input_ids": ids} | ({} if is_even(sequences) else {"attention_mask": mask})

    def hidden(self, sequences):
        return cut(self.prepare(sequences)(), sequences)

    def nodes(self, sequences, runs):
        """OpenVINO reports the mean over all runs of a request."""
        compiled = self.compiled(not is_even(sequences), PERF_COUNT="YES")
        request = compiled.create_infer_request()
        for _ in range(runs + 1):
            request.infer(self.inputs(sequences))
        return [(info.node_type, info.real_time.total_seconds() * 1e3)
                for info in request.get_profiling_info()]
