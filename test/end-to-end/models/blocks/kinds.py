# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contents of tiny models of blocks: arguments of gguf_models.dense."""

# The formats of queries, keys, values, output, gate, up and down of each layer; the embedding; the
# head.
MODELS = {
    "dense": dict(kinds=["Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "IQ4_NL", "MXFP4",
                         "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "F16", "Q4_0"],
                  table="Q6_K", head="Q4_K", seed=1),
    "tied": dict(kinds=["Q4_1"] * 6 + ["Q5_0"], table="Q8_0", head=None, seed=2),
    "experts": dict(kinds=["Q4_K"] * 4 + ["MXFP4", "Q4_K", "Q3_K"], table="Q5_K", head=None, seed=3,
                    experts=4),
    "few-bits": dict(kinds=["IQ4_XS", "NVFP4", "TQ2_0", "IQ4_XS", "NVFP4", "IQ4_XS", "NVFP4"],
                     table="IQ4_XS", head="NVFP4", seed=5),
    "floats": dict(kinds=["F16"] * 5 + ["BF16"] * 2, table="BF16", head="F16", seed=4),
}
