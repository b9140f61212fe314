// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `transfold new`: drafts the spec of a model that has none.

#pragma once

#include <string>

namespace transfold::driver {

/// The options of `newSpec`.
struct NewOptions {
  std::string model;
  std::string output; // empty: the model_type, in the current folder
  std::string like;   // model whose spec is the start; empty: best fit
};

/// Writes the draft and prints what is left to do. Throws std::exception.
void newSpec(const NewOptions &options);

} // namespace transfold::driver
