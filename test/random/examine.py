# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Examines one random model with transfold: what it reports, and whether that is correct.

NumPy in 80 bits gives the meaning of the equations; NumPy in 64 and in 32 bits, with weights
perturbed by an ulp, gives the allowed error of arithmetic of that width.
"""

import os
import re
import shutil
import subprocess

import numpy

# Output that only a crash or a library prints.
CRASHED = re.compile(
    r"crashed|Stack dump|what\(\):|Assertion|terminate called|exception\.|std::|LLVM ERROR|"
    r"halide_|Sanitizer|: Error: |internal error: cannot compile this equation|"
    r"does not dominate|'xf\.\w+' op|axes has \d+ labels"
)

FOLDING = [[], [], ["--no-fold=all"], [], ["--fold=gains"]]


class Refused(Exception):
    """A clean message and exit code 1."""


class Finding(Exception):
    """`kind` is preserved while a model is reduced; `text` is for people."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Unfit(Exception):
    """The model gives no information: its results are not finite, or change strongly under small
    perturbations."""


def by_column(values):
    """The maximum of each column over the sequences, one list for each result. Columns that are
    positions extend to the longest sequence."""
    result = []
    for each in zip(*values):
        largest = numpy.zeros((len(each), max(v.shape[-1] for v in each)), each[0].dtype)
        for line, v in zip(largest, each):
            line[: v.shape[-1]] = numpy.abs(v).reshape(-1, v.shape[-1]).max(0)
        result.append(largest.max(0))
    return result


def distance(found, wanted):
    return by_column([[f - w for f, w in zip(*pair)] for pair in zip(found, wanted)])


class Yardstick:
    """The allowed distance of values of type T from `wanted`."""

    def __init__(self, model, T, wanted, times, least):
        runs = [model.run(T)[0]] + [
            model.run(T, shaken=numpy.random.default_rng(k))[0] for k in range(times)
        ]
        self.wanted, self.largest = wanted, by_column(wanted)
        noise = [numpy.max(each, 0) for each in zip(*(distance(run, wanted) for run in runs))]
        self.relative = max(
            float(n.max() / s.max()) if s.max() else 0.0 for n, s in zip(noise, self.largest)
        )
        with numpy.errstate(all="ignore"):
            # Powers below the smallest number of T are rounded to that number, relative to values
            # of 1.
            tiny = 1e4 * float(numpy.finfo(T).tiny)
            self.limits = [
                # If all values are 0 in NumPy, rounding errors are relative to values of 1.
                16 * n + (8 * self.relative + least) * (s if s.max() else 1) + tiny * (1 + s.max())
                for n, s in zip(noise, self.largest)
            ]

    def check(self, found, kind, what):
        """Checks that `found` agrees, with the shapes of `wanted`."""
        for result, limits in enumerate(self.limits):
            for k, (have, want) in enumerate(zip(found, self.wanted)):
                apart = numpy.abs(have[result] - want[result]).astype(float)
                limit = limits[: apart.shape[-1]]
                if not (apart <= limit).all():
                    place = numpy.unravel_index(
                        numpy.argmax(numpy.nan_to_num(apart - limit, nan=numpy.inf)), apart.shape
                    )
                    raise Finding(
                        kind,
                        f"{what}: sequence {k}, y_{result}{list(map(int, place))} is "
                        f"{have[result][place]:.9g}, NumPy says {want[result][place]:.9g}; apart "
                        f"{apart[place]:.3g}, may be {limit[place[-1]]:.3g}",
                    )


class Examination:
    def __init__(self, transfold, model, folder):
        self.transfold, self.model, self.folder = transfold, model, folder
        self.commands, self.done, self.refused = [], [], {}
        # The folding options: the default, none, or more than by default.
        self.folding = FOLDING[model.seed % len(FOLDING)]

    # --- Commands -----------------------------------------------------------------------

    def run(self, *command, **environment):
        command = [str(part) for part in command]
        self.commands.append(" ".join([f"{k}={v}" for k, v in environment.items()] + command))
        ran = subprocess.run(
            command, capture_output=True, env=os.environ | environment, check=False
        )
        said = ran.stderr.decode(errors="replace")
        if ran.returncode == 0:
            return
        message = said + ran.stdout.decode(errors="replace")
        if ran.returncode != 1 or CRASHED.search(said) or not said.strip():
            raise Finding(
                "crash", f"{self.commands[-1]}\nended with {ran.returncode}\n{message[-3000:]}"
            )
        raise Refused(message)

    def arrays(self, folder, which):
        """The results that the run wrote to `folder`, without padding."""
        files = [numpy.load(folder / f"y_{k}.npy") for k in range(len(self.model.roots))]
        results = []
        for k, sequence in enumerate(which):
            lengths = {
                "n": len(self.model.arguments["tokens"][sequence]),
                "m": len(self.model.arguments["source"][sequence]),
            }
            results.append(
                [
                    file[k][tuple(slice(lengths.get(axis)) for axis in root.type[1:])]
                    for file, root in zip(files, self.model.roots)
                ]
            )
        return results

    def results(self, name, command, which, *options, **environment):
        out = self.folder / name
        said = self.model.inputs(self.folder / f"{name}.in", which)
        self.run(*command, *said, "--out", out, *options, **environment)
        return self.arrays(out, which)

    # --- The examination ----------------------------------------------------------------

    def measure(self):
        """Computes the tolerances; raises Unfit if there are none."""
        if not self.model.parameters():
            raise Unfit("without arguments")
        wanted, remarks = self.model.run(numpy.longdouble)
        self.hidden, self.ties = remarks.hidden_rows, remarks.ties
        self.all = list(range(len(wanted)))
        if self.hidden:
            return
        if not all(numpy.isfinite(v).all() for each in wanted for v in each):
            raise Unfit("not finite")
        if remarks.constant_rows:
            raise Unfit("a constant is standardised")
        if remarks.closest < 1e-4:
            raise Unfit("two choices are too near")
        with numpy.errstate(all="ignore"):
            self.double = Yardstick(self.model, numpy.float64, wanted, 2, 1e-12)
            self.single = Yardstick(self.model, numpy.float32, wanted, 4, 1e-6)
        if not self.double.relative < 1e-11:
            raise Unfit("badly conditioned")

    def looks_ahead(self):
        """Whether rows of a generating model depend on later tokens."""
        m = self.model
        whole = m.run(numpy.float64)[0]
        kept = dict(m.arguments)
        for name in ("tokens", "segments", "features"):
            m.arguments[name] = [t[: max(1, len(t) - 1)] for t in kept[name]]
        part = m.run(numpy.float64)[0]
        m.arguments = kept
        return any(
            numpy.abs(w[0][: len(p[0])] - p[0]).max() > 1e-9 * numpy.abs(w[0]).max()
            for w, p in zip(whole, part)
        )

    def examine(self, program, thorough, device=False):
        """Runs all checks; a refused step is skipped together with the steps that depend on it."""
        self.measure()
        self.model.write(self.folder)
        spec = self.folder / "random.xf"
        self.step("check", lambda: self.run(self.transfold, "check", spec, self.folder))
        if self.hidden:
            self.step("hidden", self.must_refuse)
            return
        self.step("eval", self.evaluate)
        if "check" in self.refused:
            self.step("agree", self.compile_refuses)
        if "check" in self.refused or "eval" in self.refused:
            return
        self.step("kernels", lambda: self.after("kernels"))
        self.step("verify", self.verify)
        if self.model.generates:
            self.step("chunk", self.chunks)
        if program and "kernels" not in self.refused:
            self.step("compile", lambda: self.compile(thorough))
        for name in ("kernels", "compile"):
            if name in self.refused:
                raise Finding("agree", f"check accepts what is refused:\n{self.refused[name]}")
        if device and "kernels" not in self.refused:
            self.step("opencl", self.on_device)

    def must_refuse(self):
        """A mask hides whole rows: neither results nor a program may be made."""
        for command in (
            lambda: self.results("eval", self.equations(), self.all),
            self.make_program,
        ):
            try:
                command()
            except Refused as refusal:
                kept = refusal
            else:
                raise Finding(
                    "hidden", f"a mask hides whole rows, and nothing says so: {self.commands[-1]}"
                )
        raise kept

    def compile_refuses(self):
        """Checks that `compile` refuses what `check` refuses."""
        self.make_program()
        raise Finding("agree", f"check refuses what compiles:\n{self.refused['check']}")

    def step(self, name, act):
        try:
            act()
            self.done.append(name)
        except Refused as refusal:
            self.refused[name] = str(refusal)

    def equations(self):
        return [self.transfold, "eval", self.folder, "--spec", self.folder / "random.xf"]

    def evaluate(self):
        """The equations in double."""
        found = self.results("eval", self.equations(), self.all)
        if self.model.generates and self.looks_ahead():
            raise Finding("ahead", "what generates looks ahead, and nothing says so")
        self.double.check(found, "eval", "eval")

    def after(self, stage):
        """The same after the passes, still in double."""
        options = ["--after", stage, *self.folding]
        found = self.results(stage, self.equations(), self.all, *options)
        self.double.check(found, stage, f"eval {' '.join(options)}")

    def chunks(self):
        for chunk in self.model.chunks():
            found = self.results(f"chunk{chunk}", self.equations(), self.all, "--chunk", str(chunk))
            self.double.check(found, "chunk", f"eval --chunk {chunk}")

    def verify(self):
        spec = self.folder / "random.xf"
        said = self.model.inputs(self.folder / "verify.in", self.all)
        try:
            self.run(self.transfold, "verify", self.folder, "--spec", spec, "--no-program", *said)
        except Refused as refusal:
            if "comparisons differ" not in str(refusal):
                raise
            # Otherwise the difference may be due to rounding, as it is if NumPy gives 0.
            if self.double.relative < 1e-14 and all(s.max() for s in self.double.largest):
                raise Finding(
                    "verify", f"what NumPy says is the same differs for verify\n{refusal}"
                ) from None

    def compile(self, thorough):
        """Checks the program in float32: each sequence alone and in a batch, in chunks, for both
        processors."""
        program = self.make_program()
        command = [program, "eval"]
        if not self.single.relative < 1e-3:
            raise Unfit("badly conditioned in float32")
        if self.ties:
            raise Unfit("between two numbers to round to")
        pairs = []  # pairs of results that must have the same bits
        for name, environment in [("program", {}), ("avx2", {"TRANSFOLD_CPU": "avx2"})]:
            found = self.results(name, command, self.all, **environment)
            self.single.check(found, "program", f"the program ({name})")
            for k in self.all if thorough else self.all[:2]:
                alone = self.results(f"{name}.alone", command, [k], **environment)
                pairs.append((alone[0], found[k], f"{name}: sequence {k} alone and among others"))
            for chunk in self.model.chunks() if self.model.generates else ():
                options = ["--chunk", str(chunk)]
                parts = self.results(f"{name}.chunk", command, self.all, *options, **environment)
                self.single.check(parts, "steps", f"the program ({name}) with --chunk {chunk}")
                for k in self.all:
                    what = f"{name}: sequence {k} with --chunk {chunk} and whole"
                    pairs.append((parts[k], found[k], what))
        for pair in pairs:
            self.same_bits(*pair)

    def on_device(self):
        """Checks the program for OpenCL, also in float32."""
        program = self.make_program("--target", "opencl")
        if not self.single.relative < 1e-3 or self.ties:
            raise Unfit("badly conditioned in float32")
        found = self.results("opencl", [program, "eval"], self.all)
        self.single.check(found, "opencl", "the program (opencl)")
        alone = self.results("opencl.alone", [program, "eval"], [0])
        self.same_bits(alone[0], found[0], "opencl: sequence 0 alone and among others")

    def make_program(self, *more):
        program, spec = self.folder / "executable", self.folder / "random.xf"
        options = ["-q", "-j", "1", "-o", program, *self.folding, *more]
        self.run(self.transfold, "compile", self.folder, "--spec", spec, *options)
        return program

    @staticmethod
    def same_bits(one, other, what):
        for result, (a, b) in enumerate(zip(one, other)):
            if not numpy.array_equal(a, b, equal_nan=True):
                raise Finding(
                    "bits",
                    f"{what}: {int((a != b).sum())} of {a.size} numbers of y_{result} differ, "
                    f"by up to {float(numpy.abs(a - b).max()):.3g}",
                )

    def clean_up(self):
        shutil.rmtree(self.folder, ignore_errors=True)
