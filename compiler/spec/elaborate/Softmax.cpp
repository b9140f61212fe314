// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax(S | mask, sink): the entries that take part, and the additional
// score.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::spec {

/// A mask is either a boolean matrix that the equations compute, as for
/// experts, or an index function, which stays symbolic.
Tensor Elaborator::softmax(const Tensor &x, const Value *mask,
                           const CallArguments &arguments, const Expr &expr) {
  if (x.rank() < 1)
    throw SpecError(Code::WrongRank, expr.at, "a scalar has no rows", {},
                    expr.range);
  Tensor out = settled(x, expr.at);
  out.markComputed();
  step::Softmax softmax{out.value};
  if (auto given = arguments.named.find("sink"); given != arguments.named.end())
    softmax.sink = sinkOf(out, given->second, expr);
  if (auto *chosen = mask ? mask->tensor() : nullptr) {
    // The entries where a matrix of booleans holds: routing.
    Tensor where = settled(*chosen, expr.at);
    bool isSame = where.rank() == out.rank();
    for (unsigned k = 0; isSame && k < out.rank(); ++k)
      isSame = symbols.same(out.axis(k).size, where.axis(k).size);
    if (!isSame)
      throw SpecError(Code::MaskShape, expr.at,
                      fmt::format("the choice from {} has the shape {}",
                                  shown(out), shown(where)),
                      {"It must have one truth value for each entry."},
                      expr.range);
    softmax.among = where.value;
  } else if (mask) {
    softmax.mask = maskOver(out, *mask, expr);
  }
  out.value = emit(std::move(softmax), expr.at);
  return out;
}

/// The families of a value's axes in storage order; their axes come first.
static std::vector<int> familiesOf(const Tensor &x) {
  std::vector<int> families;
  for (const Axis &axis : x.axes)
    if (axis.family)
      families.push_back(axis.family);
  return families;
}

/// A sink must not depend on rows or keys, so that it is the same number in
/// each step of a sequence.
ValueId Elaborator::sinkOf(const Tensor &x, const Value &given,
                           const Expr &expr) {
  auto fail = [&](const std::string &found) {
    throw SpecError(Code::SoftmaxSink, expr.at,
                    fmt::format("a sink must be one number, but {}", found),
                    {"It may be a scalar weight, the member of a weight in a "
                     "family, s[i] of s[h], or a number."},
                    expr.range);
  };
  if (auto *absent = given.as<Absent>())
    failAbsent(*absent, expr);
  if (auto *statics = given.statics()) {
    needKnown(*statics, expr);
    if (!statics->isUnknown() && !statics->isNumber())
      fail(fmt::format("this is {}", statics->kind()));
    return scalar(statics->isUnknown() ? StaticValue(int64_t(0)) : *statics,
                  expr);
  }
  const Tensor *tensor = given.tensor();
  if (!tensor)
    fail(fmt::format("this is {}", kindOf(given)));
  if (tensor->rank() != 0)
    fail(fmt::format("this is {}", shown(*tensor)));
  if (!tensor->isWeight)
    fail("this one is computed");
  Tensor whole = settled(*tensor, expr.at);
  std::vector<int> own = familiesOf(whole), all = familiesOf(x);
  if (own.size() > all.size() ||
      !std::equal(own.begin(), own.end(), all.begin()))
    fail("this one is of families that the scores do not begin with");
  return whole.value;
}

/// Masks are kept as sets of positions that passes can analyze: for caches,
/// windows and causality.
[[noreturn]] static void failMaskOfLengths(const Expr &expr) {
  throw SpecError(Code::MaskForm, expr.at, "this mask depends on a length",
                  {"What a row sees is expressed by sums of i, j and numbers; "
                   "the keys end at their length without a mask."},
                  expr.range);
}

std::optional<IndexFunction>
Elaborator::maskOver(const Tensor &x, const Value &mask, const Expr &expr) {
  if (auto *statics = mask.statics()) {
    if (dependsOnLengths(*statics))
      failMaskOfLengths(expr);
    if (statics->isUnknown() || (statics->boolean() && *statics->boolean()))
      return std::nullopt;
  }
  auto *function = mask.as<IndexClosure>();
  if (!function || function->arity != x.rank())
    throw SpecError(
        Code::MaskShape, expr.at,
        fmt::format("a mask of {} has {} indices{}", shown(x), x.rank(),
                    function ? fmt::format(", but this one {}", function->arity)
                             : fmt::format(", but this is {}", kindOf(mask))),
        {}, expr.range);
  static const char *const letters[] = {"i", "j", "k", "l"};
  std::vector<int> positions;
  Arguments arguments;
  for (unsigned k = 0; k < function->arity; ++k) {
    positions.push_back(newIndex(letters[k % 4]));
    arguments.push_back(IndexedScalar{IndexExpr::variable(positions.back())});
  }
  auto body = asIndexed(function->apply(arguments));
  if (!body || !((*body)->boolean || !checkpoint))
    throw SpecError(Code::MaskForm, expr.at,
                    "a mask is true or false for each i and j", {}, expr.range);
  if (transfold::dependsOnLengths(**body))
    failMaskOfLengths(expr);
  if ((*body)->isConstant() && (*body)->value != 0)
    return std::nullopt;
  std::vector<int> families;
  IndexFunction visible =
      functionOf(function->name, *body, positions, families, expr.at);
  if (families.empty())
    return visible;
  // The step then has indices for all leading axes of the value.
  std::vector<int> all = familiesOf(x), none;
  auto leading = unsigned(all.size());
  all.insert(all.end(), positions.begin(), positions.end());
  IndexFunction wide = functionOf(function->name, *body, all, none, expr.at);
  return IndexFunction(wide.name(), wide.indices(),
                       std::make_shared<IndexExpr>(wide.expression()), leading);
}

} // namespace transfold::spec
