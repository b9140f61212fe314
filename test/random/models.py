# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random model: a spec with its checkpoint and arguments, and the same in NumPy."""

import json
import random
import struct
import zlib

import numpy
from declarations import Block, Constant, Function, IndexFunction, Let, Loop, Numbers, Weight
from indexed import Indexed
from layouts import Joint, places
from originals import Remarks, names
from trees import MULTIPLY, Node, call, infix, reachable
from values import Memory, Parameter, matrix, transposed

# The share of models that are about recurrences.
RECURRENT = 0.06

# Declarations outside of bodies.
GLOBAL = (Constant, Numbers, Function, IndexFunction)


class Model:
    """The whole model follows from `seed`; `roots` are the entry's results."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.recurrent = random.Random(f"recurrent {seed}").random() < RECURRENT
        r = self.random
        heads = r.choice([1, 2, 2, 3, 4])
        self.sizes = {
            "d": r.choice([4, 6, 8, 8, 12, 16, 24]),
            "e": r.choice([2, 4, 4, 5, 8, 16]),
            "f": r.choice([3, 7, 10, 16, 32]),
            "h": heads,
            "h_kv": heads // 2 if heads % 2 == 0 else heads,
            "v": r.choice([11, 17, 32]),
            "n_max": 160 if self.recurrent else 80,
            "L": r.choice([1, 2, 3]),
        }
        self.generates = r.random() < (0.5 if self.recurrent else 0.25)
        self.plain = self.generates or r.random() < 0.2
        lengths = r.random() < 0.3 and not (self.generates and r.random() < 0.9)
        self.grower = Indexed(
            r,
            self.sizes,
            whole=not self.generates,
            plain=self.plain,
            lengths=lengths,
            division=r.random() < 0.4,
            zero=r.random() < 0.3,
            extreme=r.random() < 0.1,
        )
        self.grower.generates = self.generates
        self.grower.steady = self.recurrent and r.random() < 0.2
        self.grower.choices = r.random() < 0.3
        self.grower.hides = r.random() < 0.03  # masks may hide whole rows
        if self.generates and r.random() < 0.05:  # and equations may look ahead
            self.grower.whole = True
        self.two_lengths = not self.generates and r.random() < 0.15
        if self.two_lengths:
            self.grower.lengths_there = ["n", "m"]
        self.indexed = r.random() < 0.25 and not self.recurrent
        self.type = r.choice(["F32", "F32", "F32", "F32", "BF16", "F16"])
        self.grower.type = self.type
        self.grow()
        while not self.parameters():  # of weights only
            self.grow()
        count = r.choice([1, 2, 3, 3, 4])
        self.arguments = self.make_arguments(count)

    def traits(self):
        """The traits that the model may have."""
        g = self.grower
        named = (
            "lengths division zero extreme hides choices plain generates steady".split()
        )
        own = {name for name in named if getattr(g, name)} | {self.type}
        return own | {name for name in ("indexed", "recurrent") if getattr(self, name)}

    # --- Growing ------------------------------------------------------------------------

    def grow(self):
        g, r = self.grower, self.random
        depth = r.choice([1, 2, 3, 3, 4])
        if self.generates and r.random() < 0.3:
            self.remember_source()
        if self.indexed:
            x = g.indexed()
            self.roots = [self.logits(x) if self.generates else x]
            return
        if self.recurrent:
            x = self.of_states()
        else:
            x = g.matrix("n", "d", depth - 1)
            if r.random() < 0.5:
                x = self.layers(x)
        if self.generates:
            self.roots = [self.logits(x)]
            return
        if self.recurrent and r.random() < 0.7:
            self.roots = [x]
            return
        columns = r.choice(["d", "d", "d", "e", "f", "v"])
        g.remember(Let(g.fresh("x"), x, None).node())
        kind = r.random()
        if kind < 0.08:  # over pairs of positions, or one number for each
            self.roots = [
                g.matrix("n", r.choice(g.lengths_there), depth)
                if r.random() < 0.7
                else g.row("n", depth)
            ]
        elif kind < 0.78:
            self.roots = [g.matrix("n", columns, depth)]
        else:
            self.roots = [g.row(columns, depth)]
        if r.random() < 0.1:
            self.roots.append(g.matrix("n", "d", depth - 1))

    def of_states(self):
        """Recurrences, also in layers, beside attention, or of positions of the source."""
        g, r = self.grower, self.random
        x = g.delayed("n", "d", 1) if r.random() < 0.25 else g.recurrent("n", "d", 1)
        if r.random() < 0.4:
            x = self.layers(g.let(x), recurrent=True)
        if r.random() < 0.25:
            other = r.choice([g.attention, g.heads])("n", "d", 1)
            x = infix(r.choice(["+", "*"]), x.type, x, other)
        if r.random() < 0.3:
            x = infix("+", x.type, x, g.recurrent("n", "d", 1))
        return x

    def remember_source(self):
        """An entry before the one that generates."""
        g, memory = self.grower, Memory()
        kept = g.whole, g.lengths, g.lengths_there
        g.scope, g.whole, g.lengths, g.lengths_there = memory, True, False, ["m"]
        memory.made = g.matrix("m", "d", self.random.choice([0, 1, 2]))
        g.whole, g.lengths, g.lengths_there = kept
        g.scope, g.memory = None, memory

    def logits(self, x):
        """Logits by a separate matrix, or by the table in which the tokens were looked up."""
        tables = [w for w in reachable([x]) if isinstance(w, Weight) and w.dims == ["v", "d"]]
        if tables and self.random.random() < 0.4:
            return infix("@", matrix("n", "v"), x, transposed(tables[0].node()))
        return infix("@", matrix("n", "v"), x, self.grower.kernel("d", "v"))

    def layers(self, x, recurrent=False):
        """x through a block, or through a loop over layers."""
        g, r = self.grower, self.random
        repeated = r.random() < 0.7
        block = Block(g.fresh("B"), matrix("n", "d"), "L" if repeated else None)
        g.scope, lengths, g.lengths_there = block, g.lengths_there, ["n"]
        g.known[block] = [Node(matrix("n", "d"), "x", "x")]
        grow = g.recurrent if recurrent else g.matrix
        body = grow("n", "d", r.choice([1, 2, 3]))
        if repeated and r.random() < 0.3:
            body = self.differing(body)
        block.result = (
            infix("+", body.type, Node(matrix("n", "d"), "x", "x"), body)
            if repeated or r.random() < 0.5
            else body
        )
        g.scope, g.lengths_there = None, lengths
        if not repeated:
            return Node(
                matrix("n", "d"),
                f"part_{block.name}({{0}})",
                f"{block.name}(part(w, '{block.name}.'), {{0}})",
                [x],
                uses=[block],
            )
        loop = Loop(g.fresh("x"), "L", x, None)
        step = Node(
            matrix("n", "d"),
            f"part_{block.name}[l]({{0}})",
            f"{block.name}(part(w, f'{block.name}.{{{{l}}}}.'), {{0}}, l)",
            [loop.carried()],
            uses=[block],
        )
        if r.random() < 0.3:
            s = g.number(1)
            step = infix("+", step.type, loop.carried(), infix("*", step.type, s, step))
        loop.step = (
            call("unit_rms", step.type, step, Node(("number",), "1e-6", "1e-6"))
            if r.random() < 0.3
            else step
        )
        return loop.node()

    def differing(self, x):
        """A part that differs between layers."""
        r = self.random
        kind = r.randrange(3)
        if kind == 0:
            return Node(x.type, "{0:6} / (l + 1)", "({0} / (l + 1))", [x], MULTIPLY)
        if kind == 1:
            s = Constant(
                self.grower.fresh("s"),
                [
                    r.choice([0.5, 1, -1, 2] + [0] * self.grower.zero)
                    for _ in range(self.sizes["L"])
                ],
            )
            return Node(
                x.type, f"{s.name}[l] * {{0:7}}", f"({s.name}[l] * {{0}})", [x], MULTIPLY, uses=[s]
            )
        condition = r.choice(["l mod 2 == 0", "l == L - 1", "l < 1"])
        other = Node(x.type, "tanh({0})", "tanh({0})", [x])
        return Node(
            x.type,
            f"{{1}} if {condition} else {{0}}",
            f"({{1}} if {condition.replace('mod', '%')} else {{0}})",
            [x, other],
            0,
        )

    def make_arguments(self, count):
        """The arguments by name, each a list over the batch."""
        r = self.random
        some = [1, 2, 3, 4, 5, 6, 7, 9, 11, 12] * 3 + [17, 33, 66]
        long = [r.choice([63, 64, 65, 130])] if self.recurrent and r.random() < 0.5 else []
        result = {name: [] for name in ("tokens", "source", "segments", "features")}
        for _ in range(count):
            n, m = long.pop() if long else r.choice(some), r.choice(some)
            result["tokens"].append(numpy.array([r.randrange(self.sizes["v"]) for _ in range(n)]))
            result["source"].append(numpy.array([r.randrange(self.sizes["v"]) for _ in range(m)]))
            result["segments"].append(numpy.array([r.randrange(2) for _ in range(n)]))
            result["features"].append(
                numpy.array(
                    [[r.gauss(0, 1) for _ in range(self.sizes["e"])] for _ in range(n)]
                ).astype("float32")
            )
        return result

    def chunks(self):
        """The numbers of tokens in a step that are tried."""
        longest = max(map(len, self.arguments["tokens"]))
        return [1, 3, 7] + ([63, 64, 65] if self.recurrent and longest > 60 else [])

    # --- As a spec ----------------------------------------------------------------------

    def declared(self, kind):
        return [each for each in reachable(self.roots) if isinstance(each, kind)]

    def parameters(self):
        """The parameters that get arrays."""
        order = ["source", "tokens", "features", "segments"]
        found = [p for p in self.declared(Parameter) if p.name in order]
        return sorted(found, key=lambda p: order.index(p.name))

    def memory(self):
        return next(iter(self.declared(Memory)), None)

    def statements(self, roots, scope):
        return [
            each
            for each in reachable(roots)
            if each.scope is scope
            and hasattr(each, "spec")
            and not isinstance(each, (Weight, *GLOBAL, Block, Parameter))
        ]

    def spec(self):
        weights, blocks = self.declared(Weight), self.declared(Block)
        both = any(p.name == "source" for p in self.parameters())
        lines = ["model random", "lengths n, m" if both else "lengths n"]
        lines += [
            f"parts part_{b.name}{f'[{b.index} < {b.count}]' if b.count else ''}: "
            f"{b.name}{f'[{b.index}]' if b.count else ''}"
            for b in blocks
        ]
        lines += [f"weights {w.spec()}" for w in weights if w.block is None]
        for each in self.declared((Numbers, Function, IndexFunction)):
            lines += each.spec()
        for block in blocks:
            lines += block.spec(
                [w for w in weights if w.block is block], self.statements([block.result], block)
            )
        results = ", ".join(
            f"y_{k}[{', '.join(root.type[1:])}]" for k, root in enumerate(self.roots)
        )
        given, memory = self.parameters(), self.memory()
        if memory:
            lines.append("entry encode(source[m]) -> memory[m, d] {")
            own = self.statements([memory.made], memory)
            lines += ["  " + line for each in own for line in each.spec()]
            lines += [f"  return {memory.made}", "}"]
            given = [memory] + [p for p in given if p.name != "source"]
        parameters = ", ".join(p.spec for p in given)
        lines.append(f"entry run({parameters}) -> {results} {{")
        lines += ["  " + line for each in self.statements(self.roots, None) for line in each.spec()]
        lines += [f"  return {', '.join(map(str, map(format, self.roots)))}", "}"]
        if memory:
            lines.append("task translate from encode, run { start = 0, stop = {} }")
        elif self.generates:
            lines.append("task generate from run { stop = {} }")
        lines.append("config hf {")
        lines += [f"  {name} = .{name}" for name in self.sizes]
        lines += [f"  {each.spec()}" for each in self.declared(Constant)]
        lines += ["}", "names hf {", '  ignore "*"  // what a branch that is not taken would use']
        lines += [f"  {line}" for line in places([w for w in weights if w.block is None])]
        for block in blocks:
            each = block.index
            index, place = (f"[{each}]", f".{{{each}}}.") if block.count else ("", ".")
            lines.append(f'  part_{block.name}{index} = "{block.name}{place}"')
            own = places([w for w in weights if w.block is block])
            if own:
                lines += [f"  {block.name} {{", *("    " + line for line in own), "  }"]
        lines.append("}")
        outside = self.outside()
        if outside:
            said = ", ".join(f'{name} = "{own}"' for name, own in outside.items())
            lines.append(f"interface {{ {said} }}")
        return "\n".join(lines) + "\n"

    def outside(self):
        """The names of token arrays, by the names of their parameters."""
        wanted = [p.name for p in self.parameters()]
        return {
            name: "decoder_input_ids" if name == "tokens" and "source" in wanted else "input_ids"
            for name in ("source", "tokens")
            if name in wanted
        }

    def config(self):
        declared = self.declared(Constant)
        constants = {c.name: c.value for c in declared if c.way != "path"}
        more = {c.name: c.value for c in declared if c.way == "path"}
        return self.sizes | constants | ({"more": more} if more else {})

    # --- As NumPy -----------------------------------------------------------------------

    def python(self):
        lines = [f"{name} = {value}" for name, value in self.sizes.items()]
        lines += [
            f"{c.name} = {c.default_value if c.value is None else c.value}"
            for c in self.declared(Constant)
        ]
        for each in self.declared((Numbers, Function, IndexFunction)):
            lines += each.python()
        for block in self.declared(Block):
            lines += block.python(self.statements([block.result], block))
        memory = self.memory()
        if memory:
            lines += ["def encode(w, source):", "    n, m = None, len(source)"]
            own = self.statements([memory.made], memory)
            lines += ["    " + line for each in own for line in each.python()]
            lines.append(f"    return {memory.made.python()}")
        lines.append("def run(w, tokens, source, segments, features):")
        lines.append("    n, m = len(tokens), len(source)")
        if memory:
            lines.append("    memory = encode(w, source)")
        lines += [
            "    " + line for each in self.statements(self.roots, None) for line in each.python()
        ]
        lines.append(f"    return [{', '.join(root.python() for root in self.roots)}]")
        return "\n".join(lines) + "\n"

    def prefixes(self, block):
        """The prefixes of the weights of a block's parts."""
        if block is None:
            return [""]
        if block.count:
            return [f"{block.name}.{l}." for l in range(self.sizes[block.count])]
        return [f"{block.name}."]

    def tensors(self):
        """By name: the weight, the stored values and their exact values."""
        result = {}
        for weight in self.declared(Weight):
            if weight.there is False:
                continue
            for prefix in self.prefixes(weight.block):
                name = prefix + weight.name
                own = numpy.random.default_rng([self.seed, zlib.crc32(name.encode())])
                result[name] = (weight, *weight.numbers(own, self.sizes, self.type))
        return result

    def files(self):
        """The names and arrays of the file."""
        joint = Joint.of(self.declared(Weight))
        held = {weight: each for each in joint for weight in each.weights}
        parts = {}
        for name, (weight, stored, _) in self.tensors().items():
            if weight in held:
                prefix = name[: -len(weight.name)]
                parts.setdefault((prefix, held[weight]), []).append(stored)
                continue
            for member, file in weight.files(stored, self.sizes):
                yield name + member, file
        for (prefix, each), arrays in parts.items():
            yield prefix + each.name, each.stored(arrays)

    def run(self, T, *, shaken=None):
        """The results for each sequence in type T, and remarks on the run.

        With a random generator `shaken`, weights are perturbed by half an ulp of T."""
        remarks = Remarks(shaken)
        weights = {name: value.astype(T) for name, (_, _, value) in self.tensors().items()}
        if shaken:
            for name, value in weights.items():
                moved = 1 + numpy.finfo(T).eps * shaken.uniform(-1, 1, value.shape).astype(T)
                weights[name] = (value * moved).astype(T)
        scope = names(T, remarks)
        scope["W"] = weights.__getitem__
        scope["part"] = lambda w, prefix: lambda name: weights[prefix + name]
        exec(compile(self.python(), f"seed {self.seed}", "exec"), scope)
        results = []
        with numpy.errstate(all="ignore"):
            for k, tokens in enumerate(self.arguments["tokens"]):
                values = scope["run"](
                    scope["W"],
                    tokens,
                    self.arguments["source"][k],
                    self.arguments["segments"][k],
                    self.arguments["features"][k].astype(T),
                )
                results.append([numpy.asarray(value) for value in values])
        return results, remarks

    # --- As files -----------------------------------------------------------------------

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "random.xf").write_text(self.spec(), encoding="utf-8")
        (folder / "original.py").write_text(self.python(), encoding="utf-8")
        (folder / "config.json").write_text(json.dumps(self.config()), encoding="utf-8")
        header, data = {}, b""
        for name, file in self.files():
            body = file.tobytes()
            header[name] = {
                "dtype": self.type,
                "shape": list(file.shape),
                "data_offsets": [len(data), len(data) + len(body)],
            }
            data += body
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)

    def inputs(self, folder, which):
        """Writes the arguments of the sequences `which`, padded; returns the options --in."""
        wanted = {p.name for p in self.parameters()}
        outside = self.outside()
        folder.mkdir(parents=True, exist_ok=True)
        said = []

        def give(name, array):
            numpy.save(folder / f"{name}.npy", array)
            said.extend(["--in", f"{name}={folder / name}.npy"])

        for name in sorted(wanted):
            arrays = [self.arguments[name][k] for k in which]
            longest = max(map(len, arrays))
            padded = numpy.zeros((len(arrays), longest, *arrays[0].shape[1:]), arrays[0].dtype)
            keep = numpy.zeros((len(arrays), longest), numpy.int64)
            for k, array in enumerate(arrays):
                padded[k, : len(array)], keep[k, : len(array)] = array, 1
            give(outside.get(name, name), padded)
            if name in outside:
                give(outside[name].replace("input_ids", "attention_mask"), keep)
        return said
