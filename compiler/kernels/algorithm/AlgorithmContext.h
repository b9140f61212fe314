// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that the builders of one algorithm share: the functions defined so
// far, their names and lengths, and the reduction of the values of a row to
// one.

#pragma once

#include "compiler/kernels/algorithm/tensor/TensorValue.h"

#include <map>

namespace transfold::kernels {

/// How a reduction combines values: the initial value and the operation.
struct Join {
  Halide::Expr start;
  Halide::Expr (*of)(const Halide::Expr &, const Halide::Expr &);
  /// The result does not depend, in any bit, on the order of the values.
  bool isInAnyOrder = false;

  /// The sum of floats, from 0.
  static Join sum();
  /// Maximum of floats; whether a NaN is kept depends on its position.
  static Join maximum();
  /// Maximum of the integers that orderOf makes of floats and of NaN.
  static Join maximumOfOrders();
};

/// The algorithm under construction, and the options that it is made for.
struct AlgorithmContext : LoweringOptions {
  AlgorithmContext(std::string name, const LoweringOptions &options)
      : LoweringOptions(options) {
    algorithm.name = std::move(name);
  }

  /// Returns a name that no other function of the algorithm has.
  std::string uniqueName(const std::string &operation);
  /// Returns the number of positions of an axis. Throws std::runtime_error for
  /// a length that no argument has.
  Halide::Expr extent(const Axis &axis) const;

  /// Folds `width` lanes, the first argument of `lanes`, pairwise into half as
  /// many, and so on down to one. Returns the function of each step.
  std::vector<Halide::Func> inHalves(const std::string &operation,
                                     Halide::Func lanes, int width,
                                     const Join &join);
  /// Defines the functions from the lanes of a reduction to the value of a row;
  /// `rows` are the arguments of that value.
  void reduceLanes(RowReduction &reduction, const std::string &operation,
                   const std::vector<Halide::Var> &rows, int width,
                   const Join &join);
  /// Defines a value that is computed once for each row, such as 1 / √(…).
  Tensor rowNumber(
      const std::string &operation, const Tensor &reduced,
      const std::function<Halide::Expr(const Indices &, const Halide::Expr &)>
          &function);

  Algorithm algorithm;
  /// The lengths by name, each as the extent of an argument.
  std::map<std::string, Halide::Expr> lengths;

private:
  int operations = 0;
};

} // namespace transfold::kernels
