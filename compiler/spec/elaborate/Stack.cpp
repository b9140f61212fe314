// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// [a, b; c]: lists of static values, and concatenations of rows and matrices.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::spec {

// Lists that contain the previous list twice have, when they are compared or
// printed, as many elements as all their nested lists together.
static constexpr size_t longestList = 1 << 16;

/// Counts the values in a list and in its lists, up to `longestList`.
static void count(const StaticValue &value, size_t &values) {
  if (const Record *record = value.record(); record && record->fields) {
    for (const auto &[key, field] : *record->fields)
      if (++values <= longestList)
        count(field, values);
  }
  if (!value.list())
    return;
  for (const StaticValue &element : **value.list())
    if (++values <= longestList)
      count(element, values);
}

/// Static values make a list. Otherwise rows of the expression are joined
/// first, each along its last axis, and then stacked along the first axis.
Value Elaborator::stack(const Expr &expr, const Environment *scope) {
  std::vector<Value> values;
  bool allStatic = true;
  for (const ExprPtr &operand : expr.operands) {
    mayBeEmpty = true; // as in [rope(x[:, :k]), x[:, k:]] with k columns
    values.push_back(evaluate(*operand, scope));
    allStatic &= values.back().statics() != nullptr;
  }
  if (std::ranges::any_of(values, [](const Value &value) {
        return value.as<Undetermined>() != nullptr;
      }))
    return Undetermined{};
  if (allStatic) {
    auto list = std::make_shared<std::vector<StaticValue>>();
    for (const Value &value : values)
      list->push_back(*value.statics());
    StaticValue whole = List(list);
    size_t length = 0;
    count(whole, length);
    if (length > longestList)
      throw SpecError(Code::TooLong, expr.at,
                      fmt::format("a list of more than {} values", longestList),
                      {}, expr.range);
    return whole;
  }
  std::optional<Tensor> whole;
  size_t next = 0;
  for (unsigned length : expr.rowLengths) {
    std::optional<Tensor> row;
    for (unsigned k = 0; k < length; ++k, ++next) {
      const Tensor *tensor = values[next].tensor();
      if (!tensor || tensor->rank() < 1 || tensor->rank() > 2)
        throw SpecError(
            Code::StackShapes, expr.operands[next]->range.begin,
            fmt::format("rows and matrices can be stacked, but {} is {}",
                        spec::text(*expr.operands[next]),
                        tensor ? shown(*tensor) : kindOf(values[next])),
            {}, expr.operands[next]->range);
      Tensor matrix = settled(*tensor, expr.at);
      if (matrix.rank() == 1 && (expr.rowLengths.size() > 1 || length == 1)) {
        // A row is a matrix of one row.
        Labels to, from = labelsOf(matrix, {"c"});
        Axis one{Dim(1), "1"};
        Tensor out = result({&matrix}, {one, matrix.axis(0)}, {"r", "c"}, to);
        std::vector<Labels> before, after;
        std::vector<std::pair<std::string, Dim>> sizes{{"r", Dim(1)}};
        for (unsigned a = 0; a < from.size(); ++a) {
          before.push_back(from[a] == "c" ? Labels{"r", "c"} : Labels{from[a]});
          sizes.emplace_back(from[a], matrix.axes[a].size);
        }
        for (const std::string &label : to)
          after.push_back({label});
        out.value =
            emit(step::Rearrange{matrix.value, before, after, sizes}, expr.at);
        matrix = out;
      }
      row = row ? appended(*row, matrix, matrix.rank() - 1, expr) : matrix;
    }
    whole = whole ? appended(*whole, *row, 0, expr) : *row;
  }
  return *whole;
}

/// Concatenates along visible axis `axis`; the other axes must agree.
Tensor Elaborator::appended(const Tensor &first, const Tensor &second,
                            unsigned axis, const Expr &expr) {
  Tensor a = settled(forMembers(first, second, expr.at), expr.at),
         b = settled(forMembers(second, first, expr.at), expr.at);
  bool fits = a.rank() == b.rank() && a.axes.size() == b.axes.size();
  for (unsigned k = 0; fits && k < a.rank(); ++k)
    fits = k == axis || symbols.same(a.axis(k).size, b.axis(k).size);
  if (!fits)
    throw SpecError(
        Code::StackShapes, expr.at,
        axis ? "these cannot be placed side by side"
             : "these cannot be stacked",
        {fmt::format("{} and {}: all but the {} must agree", shown(a), shown(b),
                     axis ? "columns" : "rows")},
        expr.range);
  // An empty operand adds nothing.
  if (b.axis(axis).size.asNumber() == 0)
    return a;
  if (a.axis(axis).size.asNumber() == 0)
    return b;
  Tensor out = a;
  unsigned physical = a.visible[axis];
  out.axes[physical].size = a.axes[physical].size + b.axes[physical].size;
  out.axes[physical].name = symbols.show(out.axes[physical].size);
  out.markComputed();
  out.value = emit(step::Append{a.value, b.value, physical}, expr.at);
  return out;
}

} // namespace transfold::spec
