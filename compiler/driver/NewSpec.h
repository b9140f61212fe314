// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `transfold new`: a first version of the spec of a model that has none.

#ifndef TRANSFOLD_COMPILER_DRIVER_NEWSPEC_H
#define TRANSFOLD_COMPILER_DRIVER_NEWSPEC_H

#include <string>

namespace transfold::driver {

struct NewOptions {
  std::string model;
  std::string output; // empty: the model_type, in this folder
  std::string like;   // the model whose spec is the start; empty: what fits
};

/// Writes the draft and says what is left to do. Throws std::exception.
void newSpec(const NewOptions &options);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_NEWSPEC_H
