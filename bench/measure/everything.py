# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures all models in all precisions with all thread counts, one after the other."""

import datetime
import pathlib
import sys

from measure import decoders, machine, ours
from measure.problem import Problem, Unavailable
from peers import llamacpp


def progress(words):
    print(words, file=sys.stderr, flush=True)


class Programs:
    """The programs; each is compiled once, or given by an option."""

    def __init__(self, options, folder):
        self.options, self.folder, self.made = options, folder, {}

    def get(self, model, precision, cpus):
        """Raises Unavailable if transfold does not have the precision."""
        key = model, precision
        if precision in self.options.program:
            self.made[key] = pathlib.Path(self.options.program[precision])
        if key not in self.made:
            progress(f"compiling {model.name} for {precision} …")
            place = self.folder / f"program{len(self.made)}"
            place.mkdir()
            self.made[key] = ours.compile_model(self.options.build, model, precision, place)
        return ours.Program(self.made[key], precision, cpus)


def measure_encoder(model, programs, options, folder):
    # NumPy is not needed before an encoder is measured.
    from measure import encoders
    for threads in options.threads:
        for precision in options.precision:
            program = programs.get(model, precision, machine.processors(threads))
            progress(f"measuring {model.name}, {precision}, {threads} thread(s) …")
            yield encoders.measure(model, precision, program, options, folder)


def file_of(model, folder):
    """The GGUF file of a model for llama.cpp; None if llama.cpp is not installed."""
    if not llamacpp.find() or ours.is_gguf(model):
        return model if llamacpp.find() else None
    try:
        from peers.llama_gguf import convert
    except ImportError as missing:
        raise Problem(f"to make a GGUF file of {model.name} for llama.cpp, python3 -m pip install "
                      f"numpy gguf ({missing.name} is missing)") from None
    path = folder / "converted.gguf"
    convert(model, path)
    return path


def measure_decoder(model, programs, options, folder):
    file = file_of(model, folder)
    for threads in options.threads:
        compiled, without = {}, {}
        for precision in options.precision:
            try:
                compiled[precision] = programs.get(model, precision,
                                                   machine.processors(threads))
            except Unavailable as reason:
                without[f"transfold {precision}"] = str(reason)
        if not compiled:
            continue
        progress(f"measuring {model.name}, {threads} thread(s) …")
        found = decoders.measure(model, compiled, file, options)
        found["without"] |= without
        yield found


def measure(options, folder):
    if options.goldens:
        from measure.goldens import Goldens
        options.goldens = Goldens(options.goldens)
    programs = Programs(options, folder)
    return {"processor": machine.description(), "rounds": options.rounds,
            "date": datetime.date.today().isoformat(),
            "encoders": [found for model in options.encoder
                         for found in measure_encoder(model, programs, options, folder)],
            "decoders": [found for model in options.decoder
                         for found in measure_decoder(model, programs, options, folder)]}
