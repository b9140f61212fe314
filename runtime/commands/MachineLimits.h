// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can do at most, to measure programs against.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_MACHINELIMITS_H
#define TRANSFOLD_RUNTIME_COMMANDS_MACHINELIMITS_H

#include "runtime/program/Metadata.h"

#include <map>
#include <string>

namespace transfold::runtime {

/// All threads together, a second; 0 where it is unknown.
struct MachineLimits {
  std::map<Products, double> operations;
  double bytesRead = 0;
  double of(Products products) const {
    auto found = operations.find(products);
    return found == operations.end() ? 0 : found->second;
  }

  /// Takes a tenth of a second for each of the kinds, and as long for memory.
  static MachineLimits measure(unsigned threads);
  /// "99,14.5": 10⁹ operations and bytes. Throws Error.
  static MachineLimits parse(const std::string &text);
};

/// "float32", "bfloat16", "int8"
const char *nameOf(Products products);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_MACHINELIMITS_H
