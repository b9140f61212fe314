// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far float32 may be from double: the error of the equations themselves, if
// each weight, each operation's result and each addition is rounded to float32.

#pragma once

#include "compiler/driver/evaluate/EvaluateModule.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::driver {

/// The float32 error of each result of a module, relative to the result's
/// largest magnitude.
class Float32Loss {
public:
  /// Another order of additions is not much better or worse, so results within
  /// this multiple of the error count as the same.
  static constexpr double times = 4;

  /// From the results in double, and with each operation rounded to float32
  /// (reference::floats). Throws Error if a value exceeds the range of float32.
  Float32Loss(const Outputs &inDouble, const Outputs &inFloat32);

  /// The median over the results: the error of a result with few elements may
  /// be small by chance.
  double usual() const { return median; }
  /// The largest difference of a result that counts as the same.
  double tolerance(const std::string &name) const;
  /// The error of a result, if it exceeds the usual one and determines
  /// `tolerance`; otherwise 0.
  double beyondUsual(const std::string &name, double tolerance) const;

private:
  std::map<std::string, double> losses;
  double median = 0;

  double of(const std::string &name) const;
};

} // namespace transfold::driver
