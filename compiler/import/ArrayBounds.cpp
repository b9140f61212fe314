// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic for the indices of arrays: the smallest and the largest
// value of an index over all positions, as linear functions of at most one
// length, are compared with the bounds of the axis.

#include "compiler/import/ArrayBounds.h"

#include "dialect/Lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace mlir;
using namespace transfold;
using namespace transfold::importer;

/// The first value of a length that makes the size `size` at least `wanted`;
/// where it depends on no single length, the size counts as a length.
static std::pair<std::string, int64_t> firstFor(const std::string &size,
                                                int64_t wanted) {
  auto parsed = Dim::parse(size);
  auto first = parsed ? parsed->leastFor(wanted) : std::nullopt;
  return first.value_or(std::pair(size, wanted));
}

/// Keeps the stricter bound, like `atLeast`.
void LengthBounds::atMost(const std::string &length, int64_t number) {
  auto [name, above] = firstFor(length, number + 1);
  auto [found, isNew] = most.try_emplace(name, above - 1);
  found->second = std::min(found->second, above - 1);
}

void LengthBounds::atLeast(const std::string &length, int64_t number) {
  auto [name, first] = firstFor(length, number);
  int64_t &known = least[name];
  known = std::max(known, first);
}

namespace {

/// factor · length + constant, for one length, or one quotient of lengths.
struct Linear {
  int64_t constant = 0;
  int64_t factor = 0;
  std::string length = {};

  static Linear of(Attribute axis) {
    auto size = xf::getDim(axis);
    const Dim variable = size ? size->withoutNumber() : Dim();
    auto term = variable.asMonomial();
    if (size && variable == Dim())
      return {*size->asNumber()};
    if (!term || term->first.size() != 1)
      return {0, 1, xf::printAxis(axis)};
    return {(*size - variable).asNumber().value_or(0), term->second,
            term->first[0]};
  }
};

/// a + times · b; nullopt if there are two lengths, or on overflow.
std::optional<Linear> sum(const Linear &a, const Linear &b, int64_t times) {
  if (a.factor && b.factor && times && a.length != b.length)
    return std::nullopt;
  Linear result = a;
  if (!a.factor)
    result.length = b.length;
  if (std::abs(times) > INT32_MAX || std::abs(b.constant) > INT32_MAX ||
      std::abs(a.constant) > INT32_MAX)
    return std::nullopt;
  result.constant += times * b.constant;
  result.factor += times * b.factor;
  return result;
}

/// Both ends belong to the range.
struct Range {
  Linear smallest, largest;
};

/// The range of an index over all positions; nullopt if it is not known.
class Ranges {
public:
  Ranges(ArrayRef<Attribute> shape, ValueRange arrays)
      : shape(shape), arrays(arrays) {}

  std::optional<Range> of(const IndexExpr &index) const {
    auto number = [&](size_t operand) -> std::optional<int64_t> {
      const IndexExpr &expr = *index.operands[operand];
      if (!expr.isConstant() || std::abs(expr.value) > INT32_MAX ||
          expr.value != std::nearbyint(expr.value))
        return std::nullopt;
      return static_cast<int64_t>(expr.value);
    };
    if (index.isOperation(ScalarOp::Modulo))
      if (auto divisor = number(1); divisor && *divisor > 0)
        return Range{{0}, {*divisor - 1}};
    if (index.isOperation(ScalarOp::Clamp)) {
      auto low = number(1), high = number(2);
      if (low && high && *low <= *high)
        return Range{{*low}, {*high}};
    }
    return ofSum(index);
  }

private:
  /// Replaces lengths by indices that follow those of the axes.
  IndexExprPtr withLengths(const IndexExpr &expr) const {
    if (expr.kind == IndexExpr::Kind::Read && expr.operands.empty() &&
        arrays[expr.array].getDefiningOp<xf::LengthOp>())
      return IndexExpr::variable(static_cast<int>(shape.size()) + expr.array);
    auto copy = std::make_shared<IndexExpr>(expr);
    for (IndexExprPtr &operand : copy->operands)
      operand = withLengths(*operand);
    return copy;
  }

  /// A sum is largest at the last position of each axis with a positive
  /// coefficient and at position 0 of the others, and smallest the other way
  /// round. Lengths occur in both ends alike.
  std::optional<Range> ofSum(const IndexExpr &index) const {
    auto form = linearForm(*withLengths(index), shape.size() + arrays.size());
    if (!form)
      return std::nullopt;
    std::optional<Linear> low = Linear{form->constant}, high = low;
    for (auto [k, times] : llvm::enumerate(form->coefficients)) {
      if (!times)
        continue;
      if (k >= shape.size()) {
        auto counted = arrays[k - shape.size()].getDefiningOp<xf::LengthOp>();
        Linear length = Linear::of(
            xf::getShape(counted.getInput().getType())[counted.getAxis()]);
        low = low ? sum(*low, length, times) : low;
        high = high ? sum(*high, length, times) : high;
        continue;
      }
      Linear last = Linear::of(shape[k]);
      last.constant -= 1;
      std::optional<Linear> &end = times > 0 ? high : low;
      end = end ? sum(*end, last, times) : end;
    }
    if (!low || !high)
      return std::nullopt;
    return Range{*low, *high};
  }

  ArrayRef<Attribute> shape;
  ValueRange arrays;
};

/// Bounds lengths so that `form` is at most 0. False if no length achieves
/// that.
bool requireNotAbove(const Linear &form, LengthBounds &bounds) {
  if (form.factor == 0)
    return form.constant <= 0;
  if (form.factor > 0) {
    int64_t most = -form.constant / form.factor;
    if (form.constant > 0 || most < 1)
      return false;
    bounds.atMost(form.length, most);
    return true;
  }
  int64_t least = llvm::divideCeil(std::max<int64_t>(form.constant, 0),
                                   static_cast<uint64_t>(-form.factor));
  if (least > 1)
    bounds.atLeast(form.length, least);
  return true;
}

/// Whether the only length for which `form` is at most 0 is 1.
bool leavesOne(const std::optional<Linear> &form) {
  return form && form->factor > 0 && -form->constant / form->factor == 1;
}

/// Calls `visit` for each read that is executed at every position.
void forEachRead(const IndexExpr &expr,
                 llvm::function_ref<void(const IndexExpr &)> visit) {
  for (auto [k, operand] : llvm::enumerate(expr.operands))
    if (!isGuarded(expr, k))
      forEachRead(*operand, visit);
  if (expr.kind == IndexExpr::Kind::Read)
    visit(expr);
}

} // namespace

void importer::boundReads(const IndexDefinition &definition,
                          ArrayRef<Attribute> shape, ValueRange arrays,
                          LengthBounds &bounds) {
  Ranges ranges(shape, arrays);
  forEachRead(*definition.body, [&](const IndexExpr &read) {
    ArrayRef<Attribute> axes = xf::getShape(arrays[read.array].getType());
    for (auto [index, axis] : llvm::zip(read.operands, axes)) {
      auto range = ranges.of(*index);
      if (!range)
        continue;
      // 0 <= smallest, largest <= size - 1.
      auto below = sum({}, range->smallest, -1);
      Linear last = Linear::of(axis);
      last.constant -= 1;
      auto beyond = sum(range->largest, last, -1);
      if ((below && !requireNotAbove(*below, bounds)) ||
          (beyond && !requireNotAbove(*beyond, bounds)))
        throw std::domain_error(
            fmt::format("index {} of an axis with {} positions",
                        index->str(definition.indices), xf::printAxis(axis)));
      if (!xf::getNumber(axis) && (leavesOne(below) || leavesOne(beyond)))
        bounds.leavingOne.push_back(
            fmt::format("index {} of an axis with {} positions",
                        index->str(definition.indices), xf::printAxis(axis)));
    }
  });
}
