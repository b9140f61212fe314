# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""solve.py TRANSFOLD_OPT [LAYERS]: measures how long folding takes, for a pre-norm
decoder with constants after the embedding, in both branches, in the scores and after
the tied head."""

import subprocess
import sys


def stored(name, shape, layout, layers):
    index = f"[l = {layers}]" if layers else ""
    source = name + ("{l}" if layers else "")
    return f'xf.stored @{name}{index} : !xf.real<{shape}> from "{source}" as <({layout})>'


def linear(x, name, rows, columns):
    return f"""
%{name}w = xf.weight @{name}[%l] : <{rows}, {columns}>
%{name}c = xf.weight @{name}b[%l] : <{columns}>
%{name}0 = xf.contract {x}[n, k], %{name}w[k, c] -> [n, c] : <n, {rows}>, <{rows}, {columns}>
%{name}1 = xf.add %{name}0[n, c], %{name}c[c] -> [n, c] : <n, {columns}>, <{columns}>"""


def heads(name):
    return f"""
%{name}w = xf.weight @{name}[%l] : <4, 72, 18>
%{name}c = xf.weight @{name}b[%l] : <4, 18>
%{name}0 = xf.contract %h1[n, k], %{name}w[i, k, c] -> [i, n, c] : <n, 72>, <4, 72, 18>
%{name}1 = xf.add %{name}0[i, n, c], %{name}c[i, c] -> [i, n, c] : <4, n, 18>, <4, 18>"""


def norm(x, number):
    return f"""
%g{number} = xf.weight @gain{number}[%l] : <72>
%b{number} = xf.weight @offset{number}[%l] : <72>
%s{number} = xf.standardize {x} epsilon <"1e-5"> : <n, 72>
%m{number} = xf.multiply %s{number}[n, c], %g{number}[c] -> [n, c] : <n, 72>, <72>
%h{number} = xf.add %m{number}[n, c], %b{number}[c] -> [n, c] : <n, 72>, <72>"""


def decoder(layers):
    weights = [stored("E", "64, 72", "[64:72], [72:1]", 0), stored("P", "64, 72", "[64:72], [72:1]", 0)]
    for name in ("q", "k", "v"):
        weights.append(stored(name, "4, 72, 18", "[4:1296], [72:1], [18:72]", layers))
        weights.append(stored(name + "b", "4, 18", "[4:18], [18:1]", layers))
    for name, rows, columns in (("o", 72, 72), ("u", 72, 288), ("d", 288, 72)):
        weights.append(stored(name, f"{rows}, {columns}", f"[{rows}:{columns}], [{columns}:1]", layers))
        weights.append(stored(name + "b", f"{columns}", f"[{columns}:1]", layers))
    for name in ("gain1", "offset1", "gain2", "offset2"):
        weights.append(stored(name, "72", "[72:1]", layers))
    return "\n".join(weights) + f"""
xf.entry @decode(%t: !xf.integer<n>) -> !xf.real<n, 64> {{
%E = xf.weight @E : <64, 72>
%P = xf.weight @P : <64, 72>
%e = xf.gather %E[%t] : <64, 72>, <n>
%s = xf.scale %e by <"12"> "embedding multiplier" : <n, 72>
%p = xf.slice %P axis 0 from 0 : <64, 72> -> <n, 72>
%x0 = xf.add %s[n, c], %p[n, c] -> [n, c] : <n, 72>, <n, 72>
%y = xf.layers %l < {layers} (%x = %x0) : !xf.real<n, 72> {{{norm("%x", 1)}{heads("q")}{heads("k")}{heads("v")}
%S = xf.contract %q1[i, n, c], %k1[i, m, c] -> [i, n, m] : <4, n, 18>, <4, n, 18>
%T = xf.scale %S by <"1/sqrt(18)"> "1 / √d_k" : <4, n, n>
%A = xf.softmax %T where [j <= i] : <4, n, n>
%H = xf.contract %A[i, n, m], %v1[i, m, c] -> [i, n, c] : <4, n, n>, <4, n, 18>
%J = xf.rearrange %H[i, n, c] -> [n, (i c)] : <4, n, 18> -> <n, 72>{linear("%J", "o", 72, 72)}
%r1 = xf.scale %o1 by <"0.22"> "residual multiplier" : <n, 72>
%x1 = xf.add %x[n, c], %r1[n, c] -> [n, c] : <n, 72>, <n, 72>{norm("%x1", 2)}{linear("%h2", "u", 72, 288)}
%G = xf.gelu %u1 : <n, 288>{linear("%G", "d", 288, 72)}
%r2 = xf.scale %d1 by <"0.22"> "residual multiplier" : <n, 72>
%x2 = xf.add %x1[n, c], %r2[n, c] -> [n, c] : <n, 72>, <n, 72>
xf.yield %x2 : !xf.real<n, 72>
}}
%z = xf.standardize %y epsilon <"1e-5"> : <n, 72>
%a = xf.contract %z[n, k], %E[c, k] -> [n, c] : <n, 72>, <64, 72>
%b = xf.scale %a by <"1/13"> "logits scaling" : <n, 64>
xf.return %b : !xf.real<n, 64>
}}
"""


layers = int(sys.argv[2]) if len(sys.argv) > 2 else 100
run = subprocess.run([sys.argv[1], "-xf-fold-gauges", "-mlir-timing"], input=decoder(layers),
                     capture_output=True, text=True, check=True)
print(f"{layers} layers, {run.stdout.count('xf.scale ')} multiplications left")
print("\n".join(line for line in run.stderr.splitlines() if "FoldGauges" in line or "Wall" in line))
