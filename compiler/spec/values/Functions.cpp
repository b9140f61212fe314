// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of functions. It has numbers of arguments and names only; the
// elaborator checks their kinds.

#include "compiler/spec/values/Functions.h"

namespace transfold::spec {

const std::map<std::string, Function> &functions() {
  static const std::map<std::string, Function> all = {
      {"sqrt", {1, 1}},
      {"log", {1, 1}},
      {"log2", {1, 1, {}, Unary::Log2}},
      {"log1p", {1, 1, {}, Unary::Log1p}},
      {"exp", {1, 1, {}, Unary::Exp}},
      {"sin", {1, 1}},
      {"cos", {1, 1}},
      {"floor", {1, 1}},
      {"ceil", {1, 1}},
      {"abs", {1, 1, {}, Unary::Abs}},
      {"sign", {1, 1}},
      {"min", {2, 2}},
      {"max", {1, 2}},
      {"clamp", {3, 3}},
      {"relu", {1, 1, {}, Unary::Relu}},
      {"gelu", {1, 1, {}, Unary::Gelu}},
      {"sigmoid", {1, 1, {}, Unary::Sigmoid}},
      {"tanh", {1, 1, {}, Unary::Tanh}},
      {"softmax", {1, 2, {"sink"}}},
      {"sum", {1, 1}},
      {"mean", {1, 1}},
      {"unit", {1, 1}},
      {"concat", {1, 1}},
      {"diag", {1, 1}},
      {"rotate", {2, 2}},
      {"round", {2, 2}},
      {"f32", {1, 1}},
      {"f16", {1, 1}},
      {"bf16", {1, 1}},
      {"top", {2, 2, {"k"}}},
      {"patches", {2, 2, {"p"}}},
      {"unit_rms", {2, 2, {"ε"}}},
      {"standardize", {2, 2, {"ε"}}},
      {"conv", {4, 5, {"stride", "pad", "border"}}},
  };
  return all;
}

} // namespace transfold::spec
