// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of this machine, with which programs are compared.

#pragma once

#include "runtime/program/metadata/Metadata.h"

#include <map>
#include <string>

namespace transfold::runtime::inline commands {

/// Per second, all threads together; 0: unknown.
struct MachineLimits {
  std::map<Products, double> operations;
  double bytesRead = 0;
  /// Operations of this kind per second; 0: unknown.
  double of(Products products) const {
    auto found = operations.find(products);
    return found == operations.end() ? 0 : found->second;
  }

  /// Takes a tenth of a second for each kind of product, and as long for
  /// memory.
  static MachineLimits measure(unsigned threads);
  /// Parses "99,14.5": 10⁹ operations and bytes per second; a third number is
  /// that of operations in bfloat16. Throws Error.
  static MachineLimits parse(const std::string &text);
};

/// "float32", "bfloat16" or "int8".
const char *nameOf(Products products);

} // namespace transfold::runtime::inline commands
