# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch, with the unmodified model of the library transformers.

int8 is PyTorch's dynamic quantization of linear layers.
"""

from measure.problem import Unavailable
from measure.machine import has
from peers.padding import cut, padded
from peers.peer import EncoderPeer


class PyTorch(EncoderPeer):
    name = "pytorch"
    needs = ("numpy", "torch", "transformers")

    def __init__(self, model, precision, threads, folder, samples):
        if precision == "bf16" and not has("avx512_bf16"):
            raise Unavailable("this processor has no instructions for bfloat16; PyTorch would "
                              "imitate them")
        import torch
        from transformers import AutoModel
        torch.set_num_threads(threads)
        self.precision = precision
        self.model = AutoModel.from_pretrained(str(model), add_pooling_layer=False).eval()
        if precision == "bf16":
            self.model = self.model.to(torch.bfloat16)
        if precision == "int8":
            self.model = torch.ao.quantization.quantize_dynamic(self.model, {torch.nn.Linear},
                                                                dtype=torch.qint8)

    def how(self):
        import torch
        notes = {"f32": "", "bf16": ", bfloat16", "int8": ", dynamic int8 of linear layers"}
        return torch.__version__ + notes[self.precision]

    def prepare(self, sequences):
        import torch
        ids, mask = map(torch.from_numpy, padded(sequences))

        def run():
            with torch.inference_mode():
                return self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        return run

    def hidden(self, sequences):
        return cut(self.prepare(sequences)().float().numpy(), sequences)
