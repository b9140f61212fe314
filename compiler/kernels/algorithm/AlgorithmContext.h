// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the builders of one algorithm share: what is defined so far, its names
// and lengths, and how the numbers of a row become one.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ALGORITHMCONTEXT_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ALGORITHMCONTEXT_H

#include "compiler/kernels/algorithm/TensorValue.h"

#include <map>

namespace transfold::kernels {

/// How many numbers become one: from where, and by what.
struct Join {
  Halide::Expr start;
  Halide::Expr (*of)(const Halide::Expr &, const Halide::Expr &);
  /// The order of the numbers changes no bit.
  bool isInAnyOrder = false;

  static Join sum();
  /// Of numbers: whether NaN is kept depends on where it is.
  static Join maximum();
  /// Of what orderOf makes of numbers and of NaN.
  static Join maximumOfOrders();
};

struct AlgorithmContext : LoweringOptions {
  AlgorithmContext(std::string name, const LoweringOptions &options)
      : LoweringOptions(options) {
    algorithm.name = std::move(name);
  }

  /// A name that no other function of the algorithm has.
  std::string uniqueName(const std::string &operation);
  /// Positions of an axis. Throws std::runtime_error for a length that no
  /// argument has.
  Halide::Expr extent(const Axis &axis) const;

  /// Half as many lanes, the first argument, and so on to one.
  std::vector<Halide::Func> inHalves(const std::string &operation,
                                     Halide::Func lanes, int width,
                                     const Join &join);
  /// From the lanes of a reduction to the number of a row; `rows` are the
  /// arguments of that.
  void reduceLanes(RowReduction &reduction, const std::string &operation,
                   const std::vector<Halide::Var> &rows, int width,
                   const Join &join);
  /// A number of each row, computed once: 1 / √(…).
  Tensor rowNumber(
      const std::string &operation, const Tensor &reduced,
      const std::function<Halide::Expr(const Indices &, const Halide::Expr &)>
          &function);

  Algorithm algorithm;
  /// How long they are, as the extent of an argument.
  std::map<std::string, Halide::Expr> lengths;

private:
  int operations = 0;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ALGORITHMCONTEXT_H
