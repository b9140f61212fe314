# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts on a cluster: Ray Data with a pool of actors, each of which opens the program once."""

import dataclasses
import logging
import os
import pathlib

from corpus_parts import Part, Problem, first_line


class Embedder:
    """An actor: holds a program and computes parts one after the other."""

    def __init__(self, program: str, threads: int, options: dict):
        import transfold
        self.options = options
        try:
            self.problem, self.program = None, transfold.Program(program, threads=threads)
        except transfold.TransfoldError as error:
            # If the constructor failed, Ray would restart the actor again and again.
            self.problem = f"{error} (on {os.uname().nodename}; every machine needs the program at this path)"

    def __call__(self, row: dict) -> dict:
        from corpus_work import do_part
        part = Part(**row)
        try:
            if self.problem:
                raise Problem(self.problem)
            return {"rows": do_part(self.program, part, **self.options), "problem": ""}
        except Problem as problem:
            return {"rows": 0, "problem": str(problem)}


def run(parts: list, program: str, options: dict, address, actors: int, threads: int):
    """Yields the number of rows of each part as soon as it is done, in any order. Raises Problem."""
    # Errors arrive as exceptions; Ray's log has only its internal messages.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise Problem(f"Ray is missing ({error}): pip install 'ray[data]', or run here with --local") from None
    folder = str(pathlib.Path(__file__).resolve().parent)
    try:
        ray.init(address=address, include_dashboard=None if address else False, log_to_driver=False,
                 logging_level=logging.ERROR, runtime_env={"working_dir": folder})
    except Exception as error:  # Ray raises plain Exception if a busy machine does not start it in time
        where = f"at {address}" if address else "on this machine"
        raise Problem(f"Ray does not answer {where}: {first_line(error)}; --local does not need it") from None
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        # Each free actor takes the next part; results need not come in order.
        context.execution_options.preserve_order = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        processors = int(ray.cluster_resources().get("CPU", 1))
        most = max(1, min(actors or processors // threads, len(parts)))
        if most * threads > processors:
            raise Problem(f"--actors {most} of {threads} threads: the cluster has only {processors} processors")
        done = ray.data.from_items([dataclasses.asdict(part) for part in parts], override_num_blocks=len(parts)).map(
            Embedder, fn_constructor_args=(program, threads, options), num_cpus=threads,
            compute=ray.data.ActorPoolStrategy(size=most))
        for row in done.iter_rows():
            if row["problem"]:
                raise Problem(row["problem"])
            yield int(row["rows"])
    except ray.exceptions.RayError as error:
        raise Problem(f"Ray ended the run: {str(error).strip().splitlines()[-1]}; start it again to continue") from None
    finally:
        ray.shutdown()
