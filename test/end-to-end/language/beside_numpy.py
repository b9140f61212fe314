# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""beside_numpy.py TRANSFOLD TARGETS OUT [CASE ...]: small equations compared with NumPy.

Each case is a spec of a few lines, its weights, and an independent NumPy version: integers in
definitions by index, masks with large numbers and over keys whose count is a constant, softmaxes
over top-k choices, NaN. TARGETS are separated by commas. The interpreter must agree to 1e-12 of the
largest value, programs to 4e-6 at most.
"""

import json
import math
import pathlib
import struct
import subprocess
import sys

import numpy

transfold, targets, out = sys.argv[1], sys.argv[2].split(","), pathlib.Path(sys.argv[3])
wanted = sys.argv[4:]
random = numpy.random.default_rng(1)


def write_model(folder, config, weights):
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    header, data = {}, b""
    for name, array in weights.items():
        body = array.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": array.shape,
                        "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def spec(definitions, weights, results, body, task=""):
    """`results` are shapes by name; x is the row of E of each token."""
    shapes = ", ".join(f"{name}[{', '.join(map(str, array.shape))}]"
                       for name, array in weights.items())
    names = ", ".join(f'{name} = "{name}"' for name in weights)
    made = ", ".join(f"{name}[{shape}]" for name, shape in results.items())
    return "\n".join(["model toy", "lengths n", f"weights {shapes}", *definitions,
                      f"entry run(tokens[n]) -> {made} {{", "  x = E[tokens]", *body, "}",
                      task, 'interface { tokens = "input_ids" }',
                      "config hf { w = .window ?? 1 }", f"names hf {{ {names} }}", ""])


def softmax(scores, seen=True):
    scores = numpy.where(seen, scores, -numpy.inf)
    powers = numpy.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def largest(x, count):
    order = numpy.argsort(-x, axis=-1, kind="stable")
    chosen = numpy.zeros(x.shape, bool)
    numpy.put_along_axis(chosen, order[..., :count], True, -1)
    return chosen


cases = []


def case(name, definitions, weights, results, body, expected, length=80, config=None):
    if not wanted or name in wanted:
        cases.append((name, definitions, weights, results, body, expected, length, config or {}))


# Integers in definitions by index: floor division, and a remainder with the sign of the divisor.
E, T = numpy.zeros((9, 64)), random.normal(size=(7, 64))


def integers(tokens, E, T):
    i, c = numpy.arange(len(tokens))[:, None], numpy.arange(64)[None]
    zero = numpy.zeros((len(tokens), 64))
    return [zero + (i + 5) % 7, zero + i * c // 3, zero + (i - 40) % 9 - (i - 40) // 9,
            zero + (c - i) // -7 + (c - i) % -7, T[((i + 5) % 7)[:, 0]],
            T[((3 * i + 2) // 5 % 7)[:, 0]],
            zero + numpy.maximum(i, c) // 7 + numpy.where(i % 3 == 1, c // 49, i // 49)]


case("integers",
     ["a[i, c] = (i + 5) mod 7", "b[i, c] = (i * c) div 3",
      "d[i, c] = (i - 40) mod 9 - (i - 40) div 9", "e[i, c] = (c - i) div (-7) + (c - i) mod (-7)",
      "f[i, c] = T[(i + 5) mod 7, c]", "g[i, c] = T[((3 * i + 2) div 5) mod 7, c]",
      "h[i, c] = max(i, c) div 7 + (c div 49 if i mod 3 == 1 else i div 49)"],
     {"E": E, "T": T}, {name: "n, 64" for name in "abdefgh"},
     ["  return x + a, x + b, x + d, x + e, x + f, x + g, x + h"], integers)

# The same with distances, as in biases of attention.
E = random.normal(size=(9, 16))


def distances(tokens, E):
    x = E[tokens]
    i, j = numpy.indices((len(x), len(x)))
    return [softmax(x @ x.T + (j - i) % 3 - (i - j) // 5 * 0.25) @ x]


case("distances", ["B[i, j] = (j - i) mod 3 - 0.25 * ((i - j) div 5)"], {"E": E}, {"y": "n, 16"},
     ["  y = softmax(x @ x' + B) @ x", "  return y"], distances)

# Blocks of keys extend past the last key, where a bias by position is larger than that of any key,
# or not finite. The scores of each attention differ.
A = random.normal(size=(5, 16, 16)) / 4


def behind(tokens, E, A):
    x = E[tokens]
    i, j = numpy.indices((len(x), len(x))).astype(float)
    biases = [j**2, (i + j)**2 / 1024, 3 * j - i, numpy.log(77 - j), 1 / (79 - j)]
    return [softmax(x @ a @ x.T + bias) @ x for a, bias in zip(A, biases)]


case("behind the last key",
     ["B[i, j] = j^2", "C[i, j] = (i + j)^2 / 1024", "D[i, j] = 3 * j - i", "F[i, j] = log(77 - j)",
      "G[i, j] = 1 / (79 - j)"], {"E": E, "A": A}, {name: "n, 16" for name in "bcdfg"},
     [f"  {name.lower()} = softmax(x @ A[{k}] @ x' + {name}) @ x" for k, name in enumerate("BCDFG")] +
     ["  return b, c, d, f, g"], behind, length=75)

# Windows as wide as integers allow. The scores of each attention differ.
A = random.normal(size=(16, 16)) / 4
for window in (2**32, 2**31, 2**31 - 1, 2**30, 40):
    def windowed(tokens, E, A, window=window):
        x = E[tokens]
        i, j = numpy.indices((len(x), len(x)))
        return [softmax(x @ x.T, (j <= i) & (i - j < window)) @ x,
                softmax(x @ A @ x.T, (j - i < window) & (i - j < 3)) @ x,
                softmax(x @ (x @ A).T, 2 * j <= 3 * i + window) @ x]

    case(f"window {window}",
         ["near[i, j] = 0 <= i - j < w", "far[i, j] = j - i < w and i - j < 3",
          "steep[i, j] = 2 * j <= 3 * i + w"],
         {"E": E, "A": A}, {"y": "n, 16", "z": "n, 16", "u": "n, 16"},
         ["  y = softmax(x @ x' | near) @ x", "  z = softmax(x @ A @ x' | far) @ x",
          "  u = softmax(x @ (x @ A)' | steep) @ x", "  return y, z, u"],
         windowed, config={"window": window})

# A mask over a constant number of keys needs the row's position.
K, L, V = (random.normal(size=(10, 16)) for _ in range(3))


def over_numbers(tokens, E, K, L, V):
    x = E[tokens]
    i, j = numpy.indices((len(x), 10))
    return [softmax(x @ K.T, j <= i) @ V, softmax(x @ L.T, j < 4) @ V,
            softmax((x * x) @ K.T, j <= i)]


case("keys that are a number", ["causal[i, j] = j <= i", "first[i, j] = j < 4"], {"E": E, "K": K, "L": L, "V": V},
     {"y": "n, 16", "z": "n, 16", "p": "n, 10"},
     ["  y = softmax(x @ K' | causal) @ V", "  z = softmax(x @ L' | first) @ V",
      "  return y, z, softmax((x * x) @ K' | causal)"], over_numbers)

# A softmax over chosen scores that are far below the maximum.
E, W = random.normal(size=(9, 8)), random.normal(size=(8, 8))


def chosen(tokens, E, W):
    x = E[tokens]
    return [softmax(60 * x, largest(-x, 2)), softmax(1000 * x, largest(-x, 2)),
            softmax(x, largest(x @ W, 3)), softmax(x, largest(x, 1))]


case("chosen", [], {"E": E, "W": W}, {name: "n, 8" for name in "abcd"},
     ["  a = softmax(60 * x | top(-x, 2))", "  b = softmax(1000 * x | top(-x, 2))",
      "  c = softmax(x | top(x @ W, 3))", "  d = softmax(x | top(x, 1))",
      "  return a, b, c, d"], chosen)

# NaN results in NaN, in its own row only.
E, W = random.normal(size=(9, 40)), random.normal(size=(40, 40))
E[3, 5] = E[4, 39] = numpy.nan


def not_numbers(tokens, E, W):
    x = E[tokens]
    y = x @ W
    gelu = numpy.vectorize(lambda t: t * 0.5 * (1 + math.erf(t / 2**0.5)))
    return [numpy.maximum(x, 0), gelu(x), 1 / (1 + numpy.exp(-x)), numpy.tanh(x), numpy.exp(x),
            numpy.maximum(y, 0), gelu(y), 1 / (1 + numpy.exp(-y)), numpy.tanh(y), numpy.exp(y / 9),
            softmax(x), x.max(1), x.max(0), softmax(x, largest(-x, 4)) + 0 * x.sum(1, keepdims=True),
            softmax(y, largest(x, 4)),
            softmax(x @ x.T) @ x, x / (1 + numpy.exp(-x))]


case("NaN", [], {"E": E, "W": W},
     {**{name: "n, 40" for name in "abcdefghij"}, "k": "n, 40", "l": "n", "m": "40",
      "o": "n, 40", "p": "n, 40", "q": "n, 40", "r": "n, 40"},
     ["  y = x @ W",
      "  return relu(x), gelu(x), sigmoid(x), tanh(x), exp(x), relu(x @ W), gelu(x @ W), "
      "sigmoid(x @ W), tanh(x @ W), exp(x @ W / 9), softmax(x), max(x'), max(x), "
      "softmax(x | top(-x, 4)), softmax(y | top(x, 4)), softmax(x @ x') @ x, x * sigmoid(x)"],
     not_numbers)

# Tiles of a GPU: of every width, with rows and columns that end within a tile; a sum in parts and
# one with few terms; families.
E = random.normal(size=(9, 768))
F, G = random.normal(size=(9, 588)) / 24, random.normal(size=(9, 67)) / 8
A, B, C, L, M = (random.normal(size=(768, width)) / 28 for width in (384, 100, 45, 4, 5))
D, H, K = (random.normal(size=shape) for shape in ((588, 64), (67, 40), (3, 768, 32)))
K /= 28


def products(tokens, E, F, G, A, B, C, D, H, K, L, M):
    x = E[tokens]
    return [numpy.maximum(x @ A, 0), x @ B, x @ C, F[tokens] @ D, G[tokens] @ H, x @ K, x @ L, x @ M]


case("products", [], {"E": E, "F": F, "G": G, "A": A, "B": B, "C": C, "D": D, "H": H, "K": K,
      "L": L, "M": M},
     {"a": "n, 384", "b": "n, 100", "c": "n, 45", "d": "n, 64", "h": "n, 40",
      "k": "3, n, 32", "l": "n, 4", "m": "n, 5"},
     ["  y = F[tokens]", "  z = G[tokens]", "  k[e] = x @ K[e]",
      "  return relu(x @ A), x @ B, x @ C, y @ D, z @ H, k, x @ L, x @ M"], products, length=150)

# Attentions over several parts of keys, whose maxima grow and shrink; masks that hide whole parts;
# heads wider and narrower than a GPU's groups of threads; values on their own.
E = random.normal(size=(9, 64))
for width in (7, 24, 80, 160):
    Q, K, V = (random.normal(size=(2, 64, width)) / 8 for _ in range(3))

    def attention(tokens, E, Q, K, V):
        x = E[tokens]
        i, j = numpy.indices((len(x), len(x)))
        q, k, v = x @ Q, x @ K, x @ V
        scores = 4 * q @ k.transpose(0, 2, 1) / Q.shape[2]**0.5
        return [numpy.concatenate(softmax(part, seen) @ v, axis=1)
                for part, seen in ((scores, True), (scores, j <= i), (scores, (j <= i) & (i - j < 40)),
                                   (20 * numpy.tanh(scores / 20) + (j - i) * 0.25, abs(i - j) < 70))]

    heads = [f"  {y}[a] = softmax(({scores}){mask}) @ (x @ V[a])" for y, scores, mask in (
        ("y", "S", ""), ("z", "S", " | causal"), ("u", "S", " | near"),
        ("w", "20 * tanh(S / 20) + B", " | wide"))]
    S = f"4 * (x @ Q[a]) @ (x @ K[a])' / √{width}"
    case(f"attention {width}",
         ["causal[i, j] = j <= i", "near[i, j] = 0 <= i - j < 40", "wide[i, j] = i - j < 70 and j - i < 70",
          "B[i, j] = 0.25 * (j - i)"], {"E": E, "Q": Q, "K": K, "V": V},
         {name: f"n, {2 * width}" for name in "yzuw"},
         [head.replace("S", S) for head in heads] + ["  return concat(y), concat(z), concat(u), concat(w)"],
         attention, length=230)

# A kernel's operand and result may have ten axes.
E, F = random.normal(size=(9, 8)), random.normal(size=(9, 2, 1, 3, 1, 2, 1, 2, 1, 8))


def many_axes(tokens, E, F):
    return [E[tokens], numpy.exp(F[tokens])]


case("ten axes", [], {"E": E, "F": F}, {"x": "n, 8", "y": "n, 2, 1, 3, 1, 2, 1, 2, 1, 8"},
     ["  return x, exp(F[tokens])"], many_axes)


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def compare(what, names, folder, sequences, expected, limit):
    for name, *values in zip(names, *expected):
        found = numpy.load(folder / f"{name}.npy").astype(float)
        for row, (tokens, value) in enumerate(zip(sequences, values)):
            part = found[row]
            if value.ndim == part.ndim:
                part = part[tuple(slice(len(tokens) if size == len(tokens) else None)
                                  for size in value.shape)]
            assert part.shape == value.shape, (what, name, part.shape, value.shape)
            assert (numpy.isnan(part) == numpy.isnan(value)).all(), (what, name, row, part, value)
            there = ~numpy.isnan(value)
            scale = max(1.0, numpy.abs(value[there]).max(initial=0))
            difference = numpy.abs(part[there] - value[there]).max(initial=0) / scale
            assert difference <= limit, (what, name, row, difference, part, value)
    print(f"{what}: agrees")


for name, definitions, weights, results, body, expected, length, config in cases:
    folder = out / name.replace(" ", "-")
    weights = {key: array.astype("f4").astype(float) for key, array in weights.items()}
    write_model(folder / "model", config, weights)
    (folder / "toy.xf").write_text(spec(definitions, weights, results, body))
    # A sequence, followed by a shorter one.
    ids = random.integers(0, 9, size=(2, length))
    mask = numpy.ones((2, length), int)
    mask[1, length // 2:] = 0
    numpy.save(folder / "ids.npy", ids)
    numpy.save(folder / "mask.npy", mask)
    sequences = [ids[0], ids[1, :length // 2]]
    with numpy.errstate(all="ignore"):
        values = [expected(tokens, **weights) for tokens in sequences]
    inputs = ["--in", f"input_ids={folder / 'ids.npy'}", "--in", f"attention_mask={folder / 'mask.npy'}"]
    model = [folder / "model", "--spec", folder / "toy.xf"]
    run(transfold, "eval", *model, *inputs, "--out", folder / "xf")
    compare(f"{name}, interpreter", results, folder / "xf", sequences, values, 1e-12)
    for target in targets:
        program = folder / target
        run(transfold, "compile", *model, f"--target={target}", "-q", "-o", program)
        run(program, "eval", *inputs, "--out", folder / f"{target}.out")
        compare(f"{name}, {target}", results, folder / f"{target}.out", sequences, values, 4e-6)

# A model that generates needs only the last row; its position determines what is visible.
if not wanted:
    folder = out / "generate"
    weights = {"E": random.normal(size=(9, 16)), "K": random.normal(size=(10, 16)),
               "V": random.normal(size=(10, 9))}
    write_model(folder / "model", {}, weights)
    (folder / "toy.xf").write_text(spec(
        ["causal[i, j] = j <= i"], weights, {"logits": "n, 9"},
        ["  return softmax(x @ K' | causal) @ V"], "task generate from run { stop = {} }"))
    ids = random.integers(0, 9, size=(8, 5))
    numpy.save(folder / "ids.npy", ids)
    continued = [list(row) for row in ids]
    for row in continued:
        for _ in range(12):
            scores = weights["E"][row[-1]] @ weights["K"].T
            row.append(int((softmax(scores, numpy.arange(10) < len(row)) @ weights["V"]).argmax()))
    for target in targets:
        program = folder / target
        run(transfold, "compile", folder / "model", "--spec", folder / "toy.xf",
            f"--target={target}", "-q", "-o", program)
        run(program, "generate", "--ids", folder / "ids.npy", "--max-new", 12, "--out",
            folder / "out.npy")
        found = numpy.load(folder / "out.npy")
        assert (found == numpy.array(continued)).all(), (found, continued)
        print(f"generate, {target}: agrees")
