# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch as a process that measures itself: it answers each line of JSON with another.

python3 -m peers.torch_gpu CONFIG PRECISION DEVICE, where CONFIG is a configuration as JSON.
A decode step is a CUDA graph, so that the time does not include Python's kernel launches.
"""

import json
import statistics
import sys
import time

import torch

from peers.torch_models import Decoder, Encoder

RUNS = 5
ROOM = 4096


class Measured:
    def __init__(self, config, precision, device):
        self.device, self.vocabulary = torch.device(device), config["vocab_size"]
        dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[precision]
        torch.manual_seed(1)

        def new(*shape):
            return (torch.randn(shape, device=self.device) * 0.02).to(dtype)
        self.is_encoder = config["model_type"] == "bert"
        self.model = Encoder(config, new) if self.is_encoder else Decoder(config, new, ROOM)
        self.graph = None

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def seconds(self, run):
        """The median of some runs; the first ones warm up."""
        times = []
        for _ in range(RUNS + 2):
            self.wait()
            start = time.perf_counter()
            run()
            self.wait()
            times.append(time.perf_counter() - start)
        return statistics.median(times[2:])

    def ids(self, *shape):
        return torch.randint(self.vocabulary, shape, device=self.device)

    def encode(self, batch, length):
        """Milliseconds of a batch."""
        ids = self.ids(batch, length)
        return self.seconds(lambda: self.model(ids)) * 1e3

    def prompt(self, length):
        """Tokens per second of a prompt."""
        ids, positions = self.ids(length), torch.arange(length, device=self.device)
        return length / self.seconds(lambda: self.model(ids, positions))

    def decode(self, behind, tokens):
        """Tokens per second of greedy decode steps after a prompt of `behind` tokens."""
        if self.graph is None:
            self.token, self.position = self.ids(1), torch.zeros(1, dtype=torch.long,
                                                                 device=self.device)
            self.model.seen = -(-(behind + tokens) // 64) * 64
            self.graph = self.captured()

        def run():
            self.position.fill_(behind)
            for _ in range(tokens):
                self.graph()
        return tokens / self.seconds(run)

    def step(self):
        self.token.copy_(self.model(self.token, self.position).argmax(-1))
        self.position.add_(1)

    def captured(self):
        """A decode step as a CUDA graph; on other devices the step itself."""
        if self.device.type != "cuda":
            return self.step
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):
                self.step()
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step()
        return graph.replay


@torch.inference_mode()
def main():
    config, precision, device = sys.argv[1:]
    measured = Measured(json.loads(config), precision, device)
    print(json.dumps(f"{torch.__version__}, plain modules, float32 without TF32, on {device}; "
                     "a token is a CUDA graph"), flush=True)
    for line in sys.stdin:
        what, *numbers = json.loads(line)
        print(json.dumps(getattr(measured, what)(*numbers)), flush=True)


if __name__ == "__main__":
    main()
