// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks layouts by the spelling of their factors, without sizes: the same
// table then gives the same message for every checkpoint, and without one.

#include "compiler/spec/names/LayoutCheck.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

using namespace transfold::spec;

//===----------------------------------------------------------------------===//
// Axes and their factors
//===----------------------------------------------------------------------===//

std::vector<AxisFactor>
transfold::spec::declaredFactors(const Weight &weight, const Binding &binding) {
  std::vector<AxisFactor> result;
  for (const std::vector<AxisFactor> &axis : declaredAxes(weight, binding))
    result.insert(result.end(), axis.begin(), axis.end());
  return result;
}

namespace {
/// The stored shape as a table gives it, axis by axis; one axis may be a sum of
/// pieces.
struct Stored {
  Stored(const Weight &weight, const Binding &binding);

  std::vector<AxisFactor> declared;
  /// The terms of the axis that is a sum; empty if no axis is one.
  std::vector<std::vector<AxisFactor>> pieces;
  std::vector<AxisFactor> factors; // of all axes that are not sums
  ExprPtr secondSum;

  bool declares(const std::string &key) const {
    return std::any_of(declared.begin(), declared.end(),
                       [&](const AxisFactor &f) { return f.key == key; });
  }
  /// The factors in `stored` that the weight does not declare, without factors
  /// of 1.
  std::vector<AxisFactor> free(const std::vector<AxisFactor> &stored) const {
    std::vector<AxisFactor> result;
    for (const AxisFactor &factor : stored)
      if (!declares(factor.key) && factor.key != "1")
        result.push_back(factor);
    return result;
  }

private:
  /// The factors of a stored axis, with their spelling as the key.
  std::vector<AxisFactor> named(const ExprPtr &axis) const;
};
} // namespace

std::vector<AxisFactor> Stored::named(const ExprPtr &axis) const {
  std::vector<AxisFactor> result;
  for (const ExprPtr &factor : factorsOf(axis))
    result.push_back({text(*factor), factor});
  return result;
}

Stored::Stored(const Weight &weight, const Binding &binding)
    : declared(declaredFactors(weight, binding)) {
  if (!binding.axes) {
    factors = declared;
    return;
  }
  for (const ExprPtr &axis : *binding.axes) {
    // A sum that is declared as such (N + 1) is an axis; else it is a fusion.
    if (declares(text(*axis))) {
      factors.push_back({text(*axis), axis});
    } else if (axis->kind == ExprKind::Add && pieces.empty()) {
      for (const ExprPtr &term : termsOf(axis))
        pieces.push_back(named(term));
    } else {
      if (axis->kind == ExprKind::Add)
        secondSum = axis;
      for (AxisFactor &factor : named(axis))
        factors.push_back(std::move(factor));
    }
  }
}

std::vector<AxisFactor>
transfold::spec::undeclaredFactors(const Weight &weight,
                                   const Binding &binding) {
  Stored stored(weight, binding);
  std::vector<AxisFactor> result = stored.free(stored.factors);
  for (const auto &piece : stored.pieces)
    for (AxisFactor &factor : stored.free(piece))
      result.push_back(std::move(factor));
  return result;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The weight with the factors of its axes, for messages: "W_Q[h, d, d_k]".
static std::string shape(const Weight &weight, const Binding &binding) {
  std::string result;
  for (const AxisFactor &factor : declaredFactors(weight, binding))
    result += (result.empty() ? "" : ", ") + factor.key;
  return fmt::format("{}[{}]", weight.name, result);
}

/// The `as` clause, for messages.
static std::string said(const Binding &binding) {
  return "`as " + text(*binding.axes) + "`";
}

/// The range of the axes after `as`; empty without `as`.
static Range axesRange(const Binding &binding) {
  if (!binding.axes)
    return {};
  return {binding.axes->front()->range.begin, binding.axes->back()->range.end};
}

/// Whether the binding is one of several names on the left that share a tensor:
/// then the parser made its `at`, with the place of the name.
static bool isShared(const Binding &binding) {
  return binding.at && binding.at->range.begin.line == binding.place.line &&
         binding.at->range.begin.column == binding.place.column;
}

/// The value of a literal with at most six digits; nullopt for other
/// expressions.
static std::optional<size_t> literal(const ExprPtr &expr) {
  if (!expr || expr->kind != ExprKind::Number || expr->text.size() > 6 ||
      expr->text.find_first_not_of("0123456789") != std::string::npos)
    return {};
  return std::stoul(expr->text);
}

/// Throws SpecError unless each declared axis occurs exactly once in `factors`.
static void checkOnce(const Weight &weight, const Binding &binding,
                      const Stored &stored,
                      const std::vector<AxisFactor> &factors) {
  for (const AxisFactor &axis : stored.declared) {
    auto times = std::count_if(
        factors.begin(), factors.end(),
        [&](const AxisFactor &factor) { return factor.key == axis.key; });
    if (times == 0)
      throw SpecError(Code::LayoutAxes, binding.place,
                      fmt::format("{} has the axis {}, {} has not",
                                  shape(weight, binding), axis.key,
                                  said(binding)),
                      {}, axesRange(binding));
    if (times == 1)
      continue;
    std::vector<std::string> notes;
    if (stored.declares(axis.key + "'"))
      notes.push_back(fmt::format("Of those that {} declares, the second is "
                                  "{}'.",
                                  shape(weight, binding), axis.key));
    throw SpecError(
        Code::LayoutAxes, binding.place,
        fmt::format("{} has the axis {} twice", said(binding), axis.key), notes,
        axesRange(binding));
  }
}

/// Checks a layout with an axis that is a sum: `at` must be the number of a
/// term.
static void checkPieces(const Weight &weight, const Binding &binding,
                        const Stored &stored) {
  size_t count = stored.pieces.size();
  if (!binding.at)
    throw SpecError(Code::PieceSelection, binding.place,
                    fmt::format("a stored axis is a sum of {} pieces: select "
                                "one with `at`",
                                count),
                    {}, axesRange(binding));
  auto at = literal(binding.at);
  if (!at || *at >= count)
    throw SpecError(Code::PieceSelection, binding.place,
                    isShared(binding)
                        ? fmt::format("`{}` is name number {} on the left, but "
                                      "the stored axis has {} pieces",
                                      binding.name, at.value_or(0) + 1, count)
                        : fmt::format("`at` selects a piece by its number, 0 "
                                      "to {}",
                                      count - 1),
                    {}, axesRange(binding));
  std::vector<AxisFactor> factors = stored.factors;
  const auto &piece = stored.pieces[*at];
  factors.insert(factors.end(), piece.begin(), piece.end());
  checkOnce(weight, binding, stored, factors);
  auto free = stored.free(factors);
  if (!free.empty())
    throw SpecError(Code::PieceSelection, binding.place,
                    fmt::format("the stored axis {} is not declared by {}, and "
                                "`at` already selects a piece of a sum",
                                free[0].key, shape(weight, binding)),
                    {}, free[0].expr->range);
}

/// Checks a layout without a sum: `at` must select one position of each factor
/// in `free`, the stored factors that the weight does not declare.
static void checkFree(const Weight &weight, const Binding &binding,
                      const std::vector<AxisFactor> &free) {
  if (free.empty() && binding.at)
    throw SpecError(
        Code::PieceSelection, binding.place,
        isShared(binding)
            ? fmt::format("several names share this tensor, but all its axes "
                          "are declared by {}: say how many there are, as in "
                          "[d, 3 * h * d_k]",
                          shape(weight, binding))
            : fmt::format("`at` has nothing to select: all stored axes are "
                          "declared by {}",
                          shape(weight, binding)),
        {}, binding.axes ? axesRange(binding) : Range());
  if (free.empty())
    return;
  if (!binding.at)
    throw SpecError(Code::PieceSelection, binding.place,
                    fmt::format("the stored axis {} is not declared by {}: "
                                "select with `at`",
                                free[0].key, shape(weight, binding)),
                    {}, free[0].expr->range);
  size_t selected =
      binding.at->kind == ExprKind::Stack ? binding.at->operands.size() : 1;
  if (selected != free.size())
    throw SpecError(Code::PieceSelection, binding.place,
                    fmt::format("{} stored axes are not declared by {}, `at` "
                                "selects {}",
                                free.size(), shape(weight, binding), selected),
                    {"Several are selected by a list: at [a, b]."},
                    axesRange(binding));
  for (size_t i = 0; i < free.size(); ++i) {
    auto at =
        literal(binding.at->kind == ExprKind::Stack ? binding.at->operands[i]
                                                    : binding.at);
    auto count = literal(free[i].expr);
    if (at && count && *at >= *count)
      throw SpecError(
          Code::PieceSelection, binding.place,
          fmt::format(
              "there are {} pieces, counted from 0: {} is not one of them",
              *count, *at),
          {}, free[i].expr->range);
  }
}

void transfold::spec::checkLayout(const Weight &weight,
                                  const Binding &binding) {
  if (binding.indices.size() > weight.dims.size())
    throw SpecError(Code::LayoutAxes, binding.place,
                    fmt::format("{}{} has {} axes, not {} indices", weight.name,
                                text(weight.dims), weight.dims.size(),
                                binding.indices.size()));
  Stored stored(weight, binding);
  if (stored.secondSum)
    throw SpecError(Code::PieceSelection, binding.place,
                    "only one stored axis may be a sum of pieces", {},
                    stored.secondSum->range);
  if (!stored.pieces.empty())
    return checkPieces(weight, binding, stored);
  checkOnce(weight, binding, stored, stored.factors);
  checkFree(weight, binding, stored.free(stored.factors));
}
