// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A weight of the equations, and where the checkpoint stores it.

#pragma once

#include "base/exact/Dim.h"
#include "base/exact/ExactScalar.h"
#include "compiler/spec/syntax/Source.h"

#include <string>
#include <utility>
#include <vector>

namespace transfold::spec {

/// Where a weight lies in one stored tensor: element (i_1, …, i_k) of the
/// factors in `axes` is at offset + Σ i_j * stride_j (in elements) of tensor
/// `tensor`. The factors of axis a are axes[a], slowest first; their product is
/// its size. A permutation, never arithmetic: layouts of the name tables are
/// translated to this.
struct Storage {
  struct Factor {
    int64_t size;
    int64_t stride;
    bool operator==(const Factor &) const = default;
  };
  std::string tensor;
  int64_t offset = 0;
  std::vector<std::vector<Factor>> axes;
  /// `γ = 1 + "weight"`: a constant that is added to each element.
  ExactScalar added = ExactScalar(int64_t(0));
  std::string dtype; // of the stored values: "bf16"
  bool operator==(const Storage &) const = default;
};

/// A weight of the spec bound to the checkpoint. A weight inside a family of
/// parts (layers[l < L]), or bound to one tensor per member (W[e] = "…{e}…"),
/// has one Storage for each combination of `indices`, last index fastest.
struct BoundWeight {
  std::string name; // path of parts in ASCII: "layers.attn.W_Q", "norm.gamma"
  Place place;
  /// The line of the tables that defines the form of its tensor names; its
  /// source is null without a checkpoint.
  Place named;
  std::vector<std::pair<std::string, int64_t>> indices; // {"l", 6}
  /// How many of the last `indices` are families instead of loops: their
  /// members form one value with these axes in front of `shape` (experts, one
  /// tensor each).
  unsigned families = 0;
  std::vector<Dim> shape; // of one member
  std::string pattern;    // "encoder.layer.{l}.attention.self.query.weight"
  std::vector<Storage> storage; // empty without a checkpoint
};

} // namespace transfold::spec
