// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows as 8-bit integers. For each group of values along the last axis
//
//   r = max |x| / 127        q = round(x / r)        x becomes r q
//
// If r is below 2^-126, the group becomes 0. The largest value is found among
// the bits of the floats: those of NaN are above all others, so that a group
// with a NaN has r = NaN.

#include "compiler/kernels/algorithm/tensor/Tensor.h"

#include <bit>
#include <numeric>

using namespace Halide;

namespace transfold::kernels {

constexpr float largestInteger = 127;
/// Number of lanes in which the largest value of a group is searched.
constexpr int lanesOfGroup = 16;

// For values far below 2^22 in magnitude. From 1.5 · 2^23 on, floats are
// integers, so the addition rounds, ties to even, and the integer is in the
// lowest bits. (Halide merges a cast to int32 followed by one to uint32 into
// one cast, which is undefined for negative values.)
static Expr nearestInteger(const Expr &number) {
  constexpr float border = 0x1.8p23F;
  return reinterpret<int32_t>(number + border) - std::bit_cast<int32_t>(border);
}

// The largest bits of |x| in each lane: (lane, group, rows…).
static Func lanesOfLargest(const std::string &name, const Tensor &input,
                           const std::vector<Var> &variables, int group,
                           int lanes) {
  Var lane("lane");
  std::vector<Var> own = innermostFirst(variables);
  own.insert(own.begin(), lane);
  Indices place(variables.begin(), variables.end());
  Expr largest;
  for (int k = 0; k < group; k += lanes) {
    place.back() = variables.back() * group + k + lane;
    Expr bits = reinterpret<int32_t>(abs(input.at(place)));
    largest = largest.defined() ? max(largest, bits) : bits;
  }
  Func function(name);
  function(own) = largest;
  return function;
}

Tensor AlgorithmBuilder::quantize(const Tensor &input, int group) {
  const std::string name = uniqueName("quantize");
  const std::vector<Var> variables = indexVariables(input.axes.size());
  const std::vector<Var> own = innermostFirst(variables);
  const int lanes = std::gcd(group, lanesOfGroup);
  QuantizedRows rows{
      lanesOfLargest(name + "_lanes", input, variables, group, lanes),
      Func(name + "_largest"), Func(name + "_scales"), Func(name + "_inverses"),
      group};
  std::vector<Expr> place(own.begin(), own.end());
  RDom over(0, lanes, name + "_over");
  std::vector<Expr> ofLane = place;
  ofLane.insert(ofLane.begin(), over.x);
  rows.largest(own) = 0;
  rows.largest(own) = max(rows.largest(place), rows.lanes(ofLane));
  constexpr float smallest = 0x1p-126F;
  Expr scale = reinterpret<float>(rows.largest(place)) * (1 / largestInteger);
  // Keeps NaN and sufficiently large scales.
  rows.scales(own) = Halide::select(scale < smallest, 0.0f, scale);
  Expr known = rows.scales(place);
  rows.inverses(own) = Halide::select(known > 0.0f, 1.0f / known, 0.0f);
  algorithm.quantizedRows.push_back(rows);

  auto ofGroup = [group](Indices i) {
    i.back() = i.back() / group;
    return i;
  };
  QuantizedRow quantized{group, entriesOf(rows.scales), nullptr};
  quantized.code = [=, inverse = entriesOf(rows.inverses),
                    x = input.at](const Indices &i) {
    Expr number =
        clamp(x(i) * inverse(ofGroup(i)), -largestInteger, largestInteger);
    return nearestInteger(number);
  };
  auto at = [=](const Indices &i) -> Expr {
    return cast<float>(quantized.code(i)) * quantized.scale(ofGroup(i));
  };
  Tensor result{input.axes, at};
  result.quantized = quantized;
  return result;
}

} // namespace transfold::kernels
