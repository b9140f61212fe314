// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the tensors of a checkpoint into modules: names such as
//
//   model.layers.0.self_attn.q_proj.weight, …q_proj.bias, model.layers.1.…
//
// form a stack `model.layers.{l}.` with a module `self_attn.q_proj` in each
// layer.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"

#include <string>
#include <vector>

namespace transfold::draft {

/// Tensors whose names differ only in the last word.
struct Module {
  std::string path;            // "self_attn.q_proj", without its stack
  std::string weightName;      // "weight", or "gamma" in older files
  std::vector<int64_t> weight; // its shape
  std::string biasName;
  std::vector<int64_t> bias;

  /// By the rank of the weight: linear maps and tables, or gains of norms.
  bool isMatrix() const { return weight.size() == 2; }
  bool isRow() const { return weight.size() == 1; }
  bool hasBias() const { return !bias.empty(); }
  /// Whether it is stored as [in, out], the order of the equations; else [out,
  /// in].
  bool isStoredAsWritten() const {
    return isMatrix() && hasBias() && bias[0] == weight[1] &&
           bias[0] != weight[0];
  }
  /// The sizes of a matrix as a linear map, whichever order it is stored in.
  int64_t in() const { return weight[isStoredAsWritten() ? 0 : 1]; }
  int64_t out() const { return weight[isStoredAsWritten() ? 1 : 0]; }
  /// The last part of the path: "q_proj".
  std::string lastWord() const;
};

/// Layers that have the same modules.
struct Stack {
  std::string prefix; // "model.layers."
  int64_t layers = 0;
  std::vector<Module> modules;
};

/// The modules of a checkpoint.
struct Anatomy {
  std::vector<Stack> stacks; // the one with the most modules first
  std::vector<Module> rest;  // outside of all stacks
};

/// Groups the tensors. Those that do not fit anywhere, such as a tensor of only
/// one of two layers, are left out.
Anatomy
anatomyOf(const std::map<std::string, checkpoint::StoredTensor> &tensors);

/// The common prefix of the paths up to a dot: "attention." for
/// "attention.self.query" and "attention.output.dense".
std::string commonPrefix(const std::vector<const Module *> &modules);

/// Whether one of `parts` occurs in `text`; the case of `text` is ignored.
bool mentions(const std::string &text,
              std::initializer_list<const char *> parts);

} // namespace transfold::draft
