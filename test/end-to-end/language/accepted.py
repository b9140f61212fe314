# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""accepted.py TRANSFOLD OUT [BF16 CASE…]: plausible equations, as programs.

One model has an entry for each of the cases below; each was written by someone who had only the
documentation, and `check` accepts them all. `verify` compares the folded equations and the program
with the equations, also without any folding, and bits.py checks that a sequence has the same
results alone and in a batch. With BF16, the named cases have weights in bfloat16.
"""

import json
import pathlib
import re
import struct
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from commands import run

transfold, out = sys.argv[1], pathlib.Path(sys.argv[2])
dtype, *wanted = sys.argv[3:] or ["F32"]
tools = pathlib.Path(__file__).parents[1] / "tools"
sizes = {"d": 48, "h": 4, "d_k": 12, "e": 6, "v": 40}
random = numpy.random.default_rng(7)

# For each case: its weights, the equations, and the shape of the result if it is not [n, d]. x is
# the row of E of each token.
CASES = {
    "relative": ("W[h, d, d_k] V[h, d, d_k] R[16, d] b[h, d_k]", """
        Q[a] = x @ W[a]
        P[a] = Q[a] @ (R @ V[a] + b[a])'
        B[a, i, j] = P[a][i, clamp(i - j + 8, 0, 15)]
        head[a] = softmax(Q[a] @ Q[a]' + B[a]) @ Q[a]
        return concat(head)"""),
    "stacked_rows": ("W[d]", """
        S[t] = [W; x[t]]
        T[t] = [W[:12], x[t][:12]]
        r[t] = x[t] @ S[t]'
        return [r, T]""", "[n, 26]"),
    # The product of the keys comes first: as a matrix of its own, without independent columns.
    "product_of_keys": ("W[d, e] V[d, 8]", """
        k = unit(x @ W)
        v = x @ V
        S[t] = S[t - 1] - 0.5 * k[t]' @ k[t] @ S[t - 1] + k[t]' @ v[t]
        o[t] = k[t] @ S[t]
        return o""", "[n, 8]"),
    "product_of_states": ("W[6, 6]", """
        S[t] = 0.1 * (W @ S[t - 1]) + x[t][:6]' @ x[t]
        o[t] = x[t][:6] @ S[t] / 48
        return o"""),
    "attention_to_rows_by_a_state": ("", """
        q[t] = 0.5 * q[t - 1] + x[t]
        return softmax(q @ x' / 48) @ x"""),
    "state_reads_all_rows": ("", """
        h[t] = 0.01 * (h[t - 1] @ x' @ x) / 48 + x[t]
        return h"""),
    "states_of_members": ("W[h, d, d_k] a[h]", """
        decayed(x, b) = h
          where h[t] = b * h[t - 1] + x[t]
        Q[i] = x @ W[i]
        y[i] = decayed(Q[i], sigmoid(a[i]))
        return concat(y)"""),
    "softmax_of_a_state": ("W[h, d, e]", """
        z[a] = x @ W[a]
        S[a, t] = 0.5 * S[a, t - 1] + softmax(S[a, t - 1] - z[a, t], sink = 0.5) * z[a, t]
        return concat(S)""", "[n, 24]"),
    "directions_in_turn": ("", """
        forwards(x) = h
          where h[t] = 0.5 * h[t - 1] + x[t]
        backwards(x) = h
          where h[t] = 0.5 * h[t + 1] + x[t]
        for l < 4 { x = forwards(x) if l mod 2 == 0 else backwards(x) }
        return x"""),
    "diagonal_of_a_state": ("a[d]", """
        o = y
          where A = diag(sigmoid(a)),
                S[t] = A @ S[t - 1] + x[t]' @ x[t][:6],
                y[t] = x[t] @ S[t] / 48
        return o""", "[n, 6]"),
    "recurrence_backwards": ("", """
        S[t] = 0.5 * S[t + 1] + x[t]
        P[t] = 0.9 * P[t + 1] + x[t][:6]' @ x[t]
        y[t] = x[t][:6] @ P[t]
        return S + y / 48"""),
    "state_times_itself": ("", """
        S[t] = 0.5 * S[t - 1] + x[t]
        return softmax(S @ S' / 48) @ S"""),
    "dot_products_of_members": ("W[h, e, d, d_k] V[h, e, d, d_k]", """
        F[a, b] = x @ W[a, b]
        G[a, b] = x @ V[a, b]
        r[a, b, t] = F[a, b, t] @ G[a, b, t]' * x[t]
        return r[1, 2] + r[3, 5]"""),
    "weighted_sum_of_earlier": ("K[3]", """
        S[t] = sum_j (j + 1) * K[j] * x[t - j]
        return S"""),
    "members_of_8": ("W[h, d, 8] V[h, 8, d]", """
        F[a] = x @ W[a]
        return F[0] @ V[0] + F[2] @ V[1]"""),
    "members_of_24": ("W[h, d, 24] V[h, 24, d]", """
        F[a] = x @ W[a]
        return F[0] @ V[0] + F[2] @ V[1]"""),
    "heads_of_5": ("W[h, d, 5] K[h, d, 5] V[h, d, 5]", """
        head[a] = softmax((x @ W[a]) @ (x @ K[a])') @ (x @ V[a])
        return concat(head)""", "[n, 20]"),
    "sinks": ("W[h, d, d_k] V[h, d, d_k] s[h] t[1] u[2]", """
        Q[a] = x @ W[a]
        K[a] = x @ V[a]
        head[a] = softmax(Q[a] @ K[a]' / √d_k, sink = s[a]) @ K[a]
        near[i, j] = i - j <= 3
        one[a] = softmax(Q[a] @ K[a]' | near, sink = t[0]) @ K[a]
        pair[a] = softmax(K[a] @ Q[a]', sink = u[a div 2]) @ Q[a]
        return concat(head) + concat(one) + concat(pair)"""),
    "sinks_of_rows": ("W[h, d, d_k] R[d, e] A[e, d, 20] B[e, 20, d] s[h]", """
        Q[a] = softmax(x @ W[a], sink = s[a])
        G = softmax(x @ R | top(x @ R, 2), sink = 0.5)
        F[i] = diag(G'[i]) @ (relu(x @ A[i]) @ B[i])
        return concat(Q) + sum(F) + softmax(x, sink = 200)"""),
    "gains_of_members": ("W[h, d, d_k] γ[h, d_k]/{i}", """
        Q[a] = unit_rms(x @ W[a], 0.00001) * γ[a]
        return concat(Q)"""),
    "scores_over_positions": ("W[d, d] V[e, d]", """
        A = (x @ W) @ x'
        channels = softmax(x' @ x / 8) @ (x @ W)'
        return softmax((A @ x)[:, :e]) @ V + softmax(A @ x) @ W + channels'"""),
    "columns_of_positions": ("W[d, e]", """
        return max((x @ W)' + x'[:e, :])""", "[n]"),
    "families_of_two": ("W[h, e, d, d_k]", """
        F[a, b] = x @ W[a, b]
        G[a] = F[a, 1] + F[a, 2]
        return concat(G)"""),
    "sum_of_inner": ("W[h, e, d, d_k]", """
        F[a, b] = x @ W[a, b]
        G[a] = sum(F[a])
        return concat(G)"""),
    "sum_of_sums": ("W[h, e, d, d]", """
        F[a, b] = x @ W[a, b]
        S[a] = sum(F[a])
        return sum(S)"""),
    "joined_of_two": ("W[h, 2, d, 6]", """
        F[a, b] = x @ W[a, b]
        return concat(F)"""),
    "in_turns": ("W[h, d, d_k]", """
        F[i < h] = x @ W[i mod 2]
        G[i < 3] = x @ W[i mod 2]
        return [concat(F), concat(G)]""", "[n, 84]"),
    "one_of_two": ("W[h, e, d, d_k]", """
        F[a] = x @ W[a, 1]
        return concat(F)"""),
    "columns_of_weight": ("W[d, 70] V[17, d]", """
        return relu(x @ W[:, 50 +: 17]) @ V + x @ W[:, 3 +: d]"""),
    "rows_of_weight": ("W[70, d]", "return x @ W[2 +: d]"),
    "member_of_weight": ("W[h, d, 48]", "return x @ W[2]"),
    "computed_rows": ("W[d, d] V[d, d]", """
        p = mean(x) @ W
        q = max(x) @ V
        return x * (p @ q)"""),
    "pairs": ("W[d, d]", "return (x @ W) @ x'", "[n, n]"),
    "pairs_of_heads": ("W[h, d, d_k]", """
        Q[i] = x @ W[i]
        P[i] = softmax(Q[i] @ Q[i]')
        return sum(P) @ x"""),
    "squared_weights": ("", """
        A = softmax(x @ x')
        return (A * A) @ x"""),
    "stops": ("", """
        f[i] = 1 if tokens[i] == 3 else 0
        g[i, j] = 2 if tokens[i] == 5 else 0.5
        return diag(f) @ x + x * g"""),
    "column": ("c[d]", "return diag(x @ c) @ x"),
    "column_of_ones": ("c[d]", """
        one[i, j] = 1
        return diag(x @ c) @ (one + 0 * x)"""),
    "experts": ("R[d, e] A[e, d, 20] B[e, 20, d]", """
        G = softmax(x @ R | top(x @ R, 2))
        F[i] = diag(G'[i]) @ (relu(x @ A[i]) @ B[i])
        return sum(F)"""),
    "experts_apart": ("R[d, e] A[e, d, 20]/{i} B[e, 20, d]/{i}", """
        Z = sigmoid(x @ R)
        G = 2.5 * top(Z, 2) * Z
        F[i] = diag(G'[i]) @ (relu(x @ A[i]) @ B[i])
        return sum(F)"""),
    "experts_normalised": ("R[d, e] A[e, d, 20]/{i} B[e, 20, d]/{i} one[e]", """
        Z = sigmoid(x @ R)
        Y = Z * top(Z, 2)
        G = diag(1 / (Y @ one)) @ Y
        F[i] = diag(G'[i]) @ (relu(x @ A[i]) @ B[i])
        return sum(F)"""),
    "experts_sliced": ("R[d, e] A[e, d, 40]/{i} B[e, 20, d]/{i}", """
        G = softmax(x @ R | top(x @ R, 2))
        H[i] = x @ A[i]
        F[i] = diag(G'[i]) @ ((relu(H[i][:, :20]) * H[i][:, 20 +: 20]) @ B[i])
        return sum(F)"""),
    "experts_of_rows": ("R[d, e] A[e, d, 10] w[10, d] r[e, d]", """
        G = softmax(x @ R | top(x @ R, 2))
        F[i] = diag(G'[i]) @ (x @ A[i] @ (w * r[i]))
        return sum(F)"""),
    "beside_shared": ("W[h, d, d_k] V[d, d_k]", """
        K[i] = [x @ W[i], x @ V]
        head[i] = softmax(K[i] @ K[i]') @ (x @ W[i])
        return concat(head)"""),
    "slices_of_members": ("W[h, d, 20]", """
        F[i] = x @ W[i][:, :d_k]
        return concat(F)"""),
    "row_of_members": ("W[h, d, 20] V[20, d]", """
        F[i < h] = W[i, 0]
        return x + sum(F) @ V"""),
    "products_of_weights": ("W[h, d, d_k] A[h, d_k, d_k]", """
        Q[i] = x @ (W[i] @ A[i])
        return concat(Q)"""),
    "scores_of_two": ("W[h, d, d_k] V[h, d, d_k] U[h, d, 5] T[h, d, 5]", """
        Q[i] = x @ W[i]
        K[i] = x @ V[i]
        head[i] = softmax((Q[i] @ K[i]' + (x @ U[i]) @ (x @ T[i])') / 3) @ K[i]
        return concat(head)"""),
    "only_tanh": ("W[d, d]", """
        for l < 2 { x = x @ W + x }
        return tanh(x)"""),
    "soft_cap": ("W[d, d]", """
        for l < 2 { x = x @ W + x }
        return 30 * tanh(x / 30)"""),
    "sum_of_family": ("A[h, d, d_k] B[h, d_k, d] V[d, d]", """
        F[i] = relu(x @ A[i]) @ B[i]
        return (sum(F) + mean(F) + max(F)) @ V"""),
    "taken_apart": ("W[d, d]", """
        q = x @ W
        Q[i < h] = q[:, i * d_k +: d_k]
        head[i] = softmax(Q[i] @ Q[i]') @ Q[i]
        return concat(head)"""),
    "taken_in_part": ("W[d, 50]", """
        q = x @ W
        Q[i < h] = q[:, i * d_k + 2 +: 10]
        return concat(Q)""", "[n, 40]"),
    "listed": ("", """
        s = [1, 2, 3, 4, 5, 6]
        A[t, c] = t / s[c]
        return rotate(x[:, :12], A)""", "[n, 12]"),
    "weighed_experts": ("G[d, e] A[e, d, 10] B[e, 10, d]", """
        W = (x @ G)'
        F[i] = diag(W[i]) @ (x @ A[i] @ B[i])
        return sum(F) + diag(W[2]) @ (x @ A[2] @ B[2])"""),
    "eleven_columns": ("W[d, 11] r[11] V[11, d]", "return (x @ (W * r)) @ V"),
    "by_column": ("r[d] a[d] b[d]", """
        f[i, j] = j / 64
        g[i, j] = r[j] * 2
        p[i, j] = j * (a @ b)
        return x * g + f + p"""),
    "halves": ("", "return f16(x) + round(x + x, \"float16\")"),
    "number_beside_scores": ("a[d]", "return softmax(a @ max(x) + x @ x') @ x"),
    "family_of_one": ("W[1, d, d_k] V[1, d, d_k]", """
        Q[i] = x @ W[i]
        H[i] = softmax(Q[i] @ Q[i]') @ (x @ V[i])
        return sum(H)""", "[n, d_k]"),
    "one_expert": ("W[d, 1] V[d, d]", "return diag(sum(top(x @ W, 1)')) @ (x @ V)"),
    "of_weights": ("W[d, d_k]", "return W", "[d, d_k]"),
    "rounded_definition": ("", """
        f[i, j] = bf16(j / 7) + f16(j / 9)
        return x + f"""),
    "pieces_to_the_end": ("", """
        Q[i < h] = x[:, i * d_k + 1 +: d_k - 1]
        return concat(Q)""", "[n, 44]"),
    "powers": ("", """
        z = x * x + 0.1
        return z ^ 1.7 + z ^ 0 + z ^ (0 - 0.3) + (x - 0.5) ^ 3"""),
    "definition_as_matrix": ("W[d, d] V[d, d]", """
        f[i, j] = i / 10
        return (x @ W + f) @ V"""),
    "clamped": ("", "return clamp(3 * x, -1, 0.7) + min(x, 0.2) + max(0.1, x) + abs(x) * max(x, 0)"),
    "table_of_numbers": ("W[d, d]", """
        R[p < n, c < d] = sin(p / (c + 1))
        return R @ W + R"""),
    "row_of_ones": ("", """
        one[c < d] = 1
        return x * one"""),
    "truths": ("", """
        hit[i] = tokens[i] < 20
        later[i, j] = i > 2
        return diag(hit) @ x + x * later"""),
    "token_numbers": ("", """
        far[i] = 3 * tokens[i] - 1
        return diag(far) @ x"""),
    "turned_scores": ("", """
        y[i] = softmax(x @ x[i]) @ x
        return y"""),
    "tokens_beside_scores": ("W[d, d]", """
        t[i, j] = tokens[i]
        return softmax(5 * tanh((x @ (0.5 * (x @ W))' + t) / 5)) @ x"""),
    "columns_of_a_length": ("", "return (relu(x') @ relu(x @ x' / 8))'"),
    "angles_by_column": ("", """
        A[t, c] = c / 64
        return rotate(x, A)"""),
    "heads_of_two": ("W[h, d, d_k] V[2, d, d_k] t[h] s[2, 2]", """
        F[i] = x @ W[i]
        q = concat(F)
        G[a < 2] = q[:, a * 2 * d_k +: 2 * d_k]
        Q[a < 2, b < 2] = G[a][:, b * d_k +: d_k]
        K[a < 2] = x @ V[a]
        B[a < 2, b < 2, i, j] = t[2 * a + b] * min(j - i, 3)
        head[a, b] = softmax(Q[a, b] @ K[a]' / √d_k + B[a, b], sink = s[a, b]) @ K[a]
        return concat(head)"""),
    "heads_of_grid": ("W[h, d, d_k] V[3, d, d_k] U[3, d, 7]", """
        Q[b < h] = x @ W[b]
        head[a < 3, b < h] = softmax(8 * tanh(x @ V[a] @ Q[b]' / 8)) @ (x @ U[a])
        other[a < 3, b < h] = softmax(Q[b] @ (x @ V[a])') @ Q[b]
        return [concat(head), concat(other)]""", "[n, 228]"),
    "values_alone": ("v[d]", """
        return diag(softmax(x @ x') @ (x @ v)) @ x"""),
    "heads_cut": ("W[h, d, d_k]", """
        head[i] = softmax((x @ W[i]) @ (x @ W[i])') @ x
        part[b < 4, i < h] = head[i][:, b * 12 +: 12]
        return concat(part)""", "[n, 192]"),
    "softmax_of_table": ("W[d, d]", """
        near[i, j] = i - j <= 2
        z[i < n, j < n] = 0
        f[i < n, j < n] = (i - j) / 5
        return softmax(z | near) @ x + softmax(f) @ (x @ W)"""),
    "guarded_products": ("w[3, d]", """
        y[t < n, c < d] = w[1, c] * x[t - 1, c] if t >= 1 else 0
        z[t < n, c < d] = max(w[0, c], x[t - 2, c]) + w[2, c] if t >= 2 and w[0, c] * x[t - 2, c] < 9 else w[0, c]
        return x + y + z"""),
    "convolved_members": ("K[h, 3, d_k, 10] C[3, d, d_k] R[h, 3, 5] S[e, 3, d_k, 2]", """
        X[a < h] = x[:, a * d_k +: d_k]
        Y[a] = conv(X[a], K[a], stride = 1, pad = 1)
        shared[a < h] = conv(diag(X[a][:, 0]) @ x, C, stride = 1, pad = 1)
        rows[a < h] = conv(X[a][:, 3], R[a], stride = 1, pad = 1)
        pairs[a < h, b < e] = conv(X[a], S[b], stride = 1, pad = 1)
        return [concat(Y), concat(shared), concat(rows), concat(pairs)]""",
        "[n, 156]"),
    "earlier_rows": ("K[4, d] μ[d]", """
        y[t] = Σ_j K[j] * x[t - j]
        z[t] = Σ_j K[j] * x[t + j - 3]
        s[t] = x[t] + μ * (x[t - 1] - x[t])
        return y + z + s * (s[0] @ y[0])"""),
    "earlier_heads": ("W[h, d, d_k] K[h, 3, d_k]", """
        Q[i] = x @ W[i]
        y[i, t] = Σ_j K[i, j] * Q[i, t - j]
        before[i, t] = Q[i, t - 2] - Q[i, t]
        return concat(y) + concat(before)"""),
    "linear_attention": ("W[h, d, d_k] V[h, d, d_k] U[h, d, 10] A[d, h]", """
        q[i] = x @ W[i]
        k[i] = x @ V[i]
        v[i] = x @ U[i]
        α = sigmoid(x @ A)'
        S[i, t] = α[i, t] * S[i, t - 1] + k[i, t]' @ v[i, t]
        Z[i, t] = α[i, t] * Z[i, t - 1] + k[i, t]
        o[i, t] = q[i, t] @ S[i, t] / (1 + abs(q[i, t] @ Z[i, t]'))
        return concat(o)""", "[n, 40]"),
    "delta_rule": ("W[h, d, d_k] V[h, d, d_k] U[h, d, 10] A[d, h] B[d, h]", """
        q[i] = x @ W[i]
        k[i] = unit(x @ V[i])
        v[i] = x @ U[i]
        α = sigmoid(x @ A)'
        β = sigmoid(x @ B)'
        S[i, t] = P + β[i, t] * k[i, t]' @ (v[i, t] - k[i, t] @ P)
          where P = α[i, t] * S[i, t - 1]
        o[i, t] = q[i, t] @ S[i, t]
        return concat(o)""", "[n, 40]"),
    "decay_of_channels": ("W[h, d, d_k] V[h, d, d_k] U[h, d, 10]", """
        w[i] = sigmoid(x @ W[i])
        k[i] = x @ V[i]
        v[i] = x @ U[i]
        S[i, t] = diag(w[i, t]) @ S[i, t - 1] + k[i, t]' @ v[i, t]
        o[i, t] = (S[i, t]' @ w[i, t]')'
        return concat(o)""", "[n, 40]"),
    "state_of_channels": ("W[d, d] B[d, e] C[d, e] A[d, e]", """
        Δ = sigmoid(x @ W)
        b = x @ B
        c = x @ C
        H[t] = exp(-(diag(Δ[t]) @ exp(A))) * H[t - 1] + (Δ[t] * x[t])' @ b[t]
        y[t] = (H[t] @ c[t]')'
        return y"""),
    "gated_unit": ("W[d, d]", """
        a = sigmoid(x @ W)
        r[t] = a[t] * r[t - 1] + √(1 - a[t] ^ 2) * x[t]
        return r * x"""),
    "elman": ("W[d, d] V[d, d]", """
        r[t] = tanh(x[t] @ W + r[t - 1] @ V)
        return r"""),
    "stabilised": ("W[d, 1] V[d, 1]", """
        f = x @ W[:, 0]
        i_ = x @ V[:, 0]
        m[t] = max(f[t] + m[t - 1], i_[t])
        c[t] = exp(f[t] + (m[t - 1] ?? 0) - m[t]) * c[t - 1] + exp(i_[t] - m[t]) * x[t]
        return c"""),
    "running": ("", """
        total[t] = total[t - 1] + x[t]
        largest[t] = max(x[t], largest[t - 1] ?? -1e30)
        return total + largest"""),
    "every_second_row": ("C[3, d, 10] K[4, 10, 5] P[9, 10]", """
        y = conv(x, C, stride = 2, pad = 1)
        z = standardize(gelu(y)', 0.001)'
        far[i, j] = (i - j) / 5
        head = softmax(z @ z' + far) @ z + P[:(n + 1) div 2]
        u = conv(head, K, stride = 1, pad = 2)
        whole(v[longer, 5], w[m, 10]) = v[:m]
        return [whole(u, z), z / (n div 3 + 1)]""", "[m, 15]"),
    "two_rates": ("C[2, d, 8] D[3, 8, 6] W[6, 8]", """
        y = conv(x, C, stride = 1, pad = 1)
        z = conv(y, D, stride = 3, pad = 1)
        return softmax(y @ (z @ W)') @ z + sum(z) + 0 * conv(y, D, stride = 1, pad = 1)""", "[m, 6]"),
    "outer": ("W[d, e] V[d, e]", """
        F[t] = (x[t] @ W)' @ (x[t] @ V)
        y[t] = sum(F[t]) + (x[t] @ W) @ F[t]
        return y""", "[n, e]"),
}


def shape(text):
    return [int(size) if size.isdigit() else sizes[size] for size in text.split(", ")]


def write():
    """The model of all cases."""
    weights, names, entries, tensors = ["E[v, d]"], ['E = "E"'], [], {"E": (40, 48)}
    for case, (declared, body, *result) in CASES.items():
        if wanted and case not in wanted:
            continue
        text = body
        for name, axes, member in re.findall(r"(\w+)\[([^\]]+)\](/\{i\})?", declared):
            own = f"{name}_{case}"
            text = re.sub(rf"(?<!\w){name}(?!\w|\[\w+ <|\[\w+(, \w+)?\] =)", own, text)
            weights.append(f"{own}[{axes}]")
            first, *rest = shape(axes)
            if member:
                names.append(f'{own}[i] = "{case}.{{i}}.{name}"')
                tensors.update({f"{case}.{i}.{name}": rest for i in range(first)})
            else:
                names.append(f'{own} = "{case}.{name}"')
                tensors[f"{case}.{name}"] = [first, *rest]
        entries.append(f"entry {case}(tokens[n]) -> {case}_y{(result or ['[n, d]'])[0]} {{\n"
                       f"  x = E[tokens]{text if text[0].isspace() else chr(10) + text}\n}}")
    config = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    (out / "cases.xf").write_text("\n".join([
        "model cases", "lengths n, m, longer", "weights " + ",\n  ".join(weights), *entries,
        'interface { tokens = "input_ids" }', f'config hf {{ {config}, ignore "model_type" }}',
        "names hf {", *names, "}", ""]), encoding="utf-8")
    (out / "config.json").write_text('{"model_type": "cases"}')
    header, data = {}, b""
    for name, size in tensors.items():
        values = random.normal(size=size) / (size[-2] if len(size) > 1 else 1) ** 0.5
        body = values.astype("<f4")
        if dtype == "BF16":  # the upper half, rounded towards zero
            body = (body.view("<u4") >> 16).astype("<u2")
        body = body.tobytes()
        header[name] = {"dtype": dtype, "shape": list(size),
                        "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    text = json.dumps(header).encode()
    (out / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


out.mkdir(parents=True)
write()
spec = ["--spec", out / "cases.xf"]
run(transfold, "check", out / "cases.xf", out)
run(transfold, "compile", out, *spec, "-o", out / "program", "--quiet")
run(transfold, "verify", out, *spec, "--program", out / "program")
run(transfold, "verify", out, *spec, "--no-fold", "all")
golden = out / "golden"
golden.mkdir()
numpy.save(golden / "input_ids.npy", random.integers(0, sizes["v"], (2, 9)).astype("int64"))
mask = numpy.ones((2, 9), "int64")
mask[1, 7:] = 0
numpy.save(golden / "attention_mask.npy", mask)
run(sys.executable, tools / "bits.py", out / "program", golden, out / "bits")
