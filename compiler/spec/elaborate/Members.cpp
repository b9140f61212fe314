// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of families: W[i], K[i div g], K[i mod g], slices by the index of a
// family, and values that all members share.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace transfold::spec {

/// An index has a range if and only if it is that of a family; the indices of
/// index functions have none.
bool Elaborator::isFamilyIndex(const IndexExpr &index) const {
  if (index.kind == IndexExpr::Kind::Index)
    return indices[index.index].range.has_value();
  return index.kind == IndexExpr::Kind::Operation &&
         (index.op == ScalarOp::IntegerDivide ||
          index.op == ScalarOp::Modulo) &&
         index.operands[0]->kind == IndexExpr::Kind::Index &&
         indices[index.operands[0]->index].range.has_value() &&
         (index.operands[1]->isConstant() ||
          transfold::dependsOnLengths(*index.operands[1]));
}

/// The g of `i div g` or `i mod g`.
int64_t Elaborator::groupOf(const IndexExpr &index, const Expr &written,
                            const Expr &expr, const Environment *scope) {
  auto group = index.operands[1]->exact ? index.operands[1]->exact->asInteger()
                                        : std::nullopt;
  if (group && *group >= 1)
    return *group;
  bool isDivision = index.op == ScalarOp::IntegerDivide;
  throw SpecError(Code::NotAnInteger, expr.at,
                  fmt::format("`{}` needs a positive integer here, but has {}",
                              isDivision ? "div" : "mod",
                              index.operands[1]->str({})),
                  written.kind == ExprKind::IntegerDivide
                      ? divisionNote(*written.operands[1], scope)
                      : std::vector<std::string>(),
                  expr.range);
}

/// X[i mod g], i < count: the first g members, cyclically. Each member is
/// repeated; then the axes (member, turn) are exchanged, so that the turns come
/// first.
Tensor Elaborator::inTurns(const Tensor &x, unsigned axis, int64_t group,
                           int64_t count, const Expr &expr) {
  Tensor result = x;
  auto members = x.axes[axis].size.asNumber();
  int64_t used = std::min(group, count);
  if (members && used > *members)
    throw SpecError(
        Code::OutOfRange, expr.at,
        fmt::format("{} has {} members, but `mod {}` counts further",
                    spec::text(*expr.operands[0]), *members, group),
        {}, expr.range);
  int64_t turns = (count + used - 1) / used;
  if (members && *members > used)
    result.value = emit(step::Slice{result.value, axis, 0, Dim(used)}, expr.at);
  if (turns > 1) {
    result.value = emit(step::Repeat{result.value, axis, turns}, expr.at);
    std::vector<Labels> merged, split, exchanged;
    std::vector<std::pair<std::string, Dim>> sizes{{"member", Dim(used)},
                                                   {"turn", Dim(turns)}};
    for (unsigned k = 0; k < x.axes.size(); ++k) {
      std::string label = "a" + std::to_string(k);
      if (k == axis) {
        merged.push_back({"member", "turn"});
        split.insert(split.end(), {{"member"}, {"turn"}});
        exchanged.push_back({"turn", "member"});
        continue;
      }
      for (auto *labels : {&merged, &split, &exchanged})
        labels->push_back({label});
      sizes.emplace_back(label, x.axes[k].size);
    }
    result.value =
        emit(step::Rearrange{result.value, merged, split, sizes}, expr.at);
    result.value =
        emit(step::Rearrange{result.value, split, exchanged, sizes}, expr.at);
    if (turns * used > count)
      result.value =
          emit(step::Slice{result.value, axis, 0, Dim(count)}, expr.at);
  }
  return result;
}

/// Throws SpecError if `x` has an axis of the family already: F[i][:, i * k +:
/// k] would have two axes for one family.
void Elaborator::needOnce(const Tensor &x, int family, const Expr &expr) const {
  for (const Axis &other : x.axes)
    if (other.family == family)
      throw SpecError(Code::IndexTwice, expr.at,
                      fmt::format("the index `{}` occurs twice in {}",
                                  indices[family].name, spec::text(expr)),
                      {}, expr.range);
}

/// W[i], K[i div g], K[i mod g]: hides the axis of the family.
Tensor Elaborator::memberOf(const Tensor &x, const IndexExpr &index,
                            const Expr &written, const Expr &expr,
                            const Environment *scope) {
  Tensor result = x;
  unsigned axis = x.visible[0];
  bool isGrouped = index.kind == IndexExpr::Kind::Operation;
  bool inTurn = isGrouped && index.op == ScalarOp::Modulo;
  int number = isGrouped ? index.operands[0]->index : index.index;
  const IndexInfo &family = indices[number];
  needOnce(x, number, expr);
  Dim members = x.axes[axis].size;
  if (isGrouped && !checkpoint) {
    members = *family.range; // the size of a group is not known yet
  } else if (isGrouped) {
    int64_t group = groupOf(index, written, expr, scope);
    auto count = family.range->asNumber();
    if (inTurn && count) {
      result = inTurns(x, axis, group, *count, expr);
      members = *family.range;
    } else {
      members = members * Dim(group);
      if (group != 1)
        result.value = emit(step::Repeat{x.value, axis, group}, expr.at);
    }
  }
  result.axes[axis].size = members;
  if (!symbols.same(members, *family.range))
    throw SpecError(
        Code::RangesDiffer, expr.at,
        fmt::format("the index `{}` ranges differently in two places",
                    family.name),
        {fmt::format("{} has {} members{}", spec::text(*expr.operands[0]),
                     shown(x.axes[axis]),
                     isGrouped
                         ? fmt::format(", with `div` {}", symbols.show(members))
                         : ""),
         fmt::format("`{}` counts to {}", family.name,
                     family.rangeName.empty()
                         ? symbols.show(*family.range)
                         : shown(Axis{*family.range, family.rangeName}))},
        expr.range);
  result.axes[axis].family = number;
  result.axes[axis].name = family.rangeName;
  result.visible.erase(result.visible.begin());
  result.argument = -1;
  return result;
}

/// Splits axis `axis` of `value`, whose axes are `axes`, into `count` times
/// `rest` positions; the outer part becomes a new first axis.
ValueId Elaborator::splitInFront(ValueId value, const std::vector<Axis> &axes,
                                 unsigned axis, int64_t count, const Dim &rest,
                                 Place at) {
  std::vector<Labels> before, after{{"member"}};
  std::vector<std::pair<std::string, Dim>> sizes{{"member", Dim(count)},
                                                 {"piece", rest}};
  for (unsigned k = 0; k < axes.size(); ++k) {
    std::string label = "a" + std::to_string(k);
    bool isCut = k == axis;
    before.push_back(isCut ? Labels{"member", "piece"} : Labels{label});
    after.push_back({isCut ? "piece" : label});
    if (!isCut)
      sizes.emplace_back(label, axes[k].size);
  }
  return emit(step::Rearrange{value, before, after, sizes}, at);
}

/// The family index that `first` depends on; SpecError if it depends on others,
/// too.
int Elaborator::onlyFamilyOf(const IndexExpr &first, const Expr &range) const {
  std::set<int> used;
  transfold::walk(first, [&](const IndexExpr &node) {
    if (node.kind == IndexExpr::Kind::Index)
      used.insert(node.index);
    if (node.kind == IndexExpr::Kind::Read)
      used.insert(-1);
  });
  int number = used.size() == 1 ? *used.begin() : -1;
  if (number < 0 || !indices[number].range)
    throw SpecError(
        Code::FamilyAxis, range.range.begin,
        "a slice must begin at a number, or at one for each member of a family",
        {}, range.range);
  return number;
}

/// For each member, `part` positions of axis `axis`, starting at the value of
/// `first`, with the members as a new first axis. The axis is cut into pieces
/// of `step` positions, and each member takes a part of one piece. The pieces
/// may begin before the first member's positions do.
ValueId Elaborator::takenApart(const Tensor &x, unsigned axis,
                               const IndexExpr &first, int number, int64_t part,
                               const Expr &range, const Expr &expr) {
  int64_t whole = *x.axes[axis].size.asNumber();
  int64_t count = *indices[number].range->asNumber();
  std::vector<int64_t> place(indices.size(), 0);
  auto at = [&](int64_t member) {
    place[number] = member;
    return static_cast<int64_t>(transfold::evaluate(first, place));
  };
  int64_t begin = at(0), step = count > 1 ? at(1) - begin : part;
  bool isEven = step >= part && begin >= 0;
  for (int64_t k = 0; isEven && k < count; ++k)
    isEven = at(k) == begin + k * step;
  int64_t from = std::max<int64_t>(std::min(begin, whole - count * step), 0);
  int64_t inner = begin - from;
  if (!isEven || from + count * step > whole || inner + part > step)
    throw SpecError(
        Code::UnevenPieces, range.range.begin,
        fmt::format(
            "{} is {}: its members are not {} consecutive pieces of {} columns",
            spec::text(*expr.operands[0]), shown(x), count, step),
        {}, range.range);
  ValueId value = x.value;
  if (from != 0 || count * step != whole)
    value = emit(step::Slice{value, axis, from, Dim(count * step)}, expr.at);
  value = splitInFront(value, x.axes, axis, count, Dim(step), expr.at);
  return step == part
             ? value
             : emit(step::Slice{value, axis + 1, inner, Dim(part)}, expr.at);
}

/// q[:, i * k +: k]: the inverse of the `concat` of members. The positions must
/// advance by a constant step from member to member.
Tensor Elaborator::sliceOfMember(const Tensor &x, unsigned position,
                                 const IndexExpr &first, const Expr &range,
                                 const Expr &expr, const Environment *scope) {
  int number = onlyFamilyOf(first, range);
  needOnce(x, number, expr);
  const IndexInfo &family = indices[number];
  unsigned axis = x.visible[position];
  Dim length = size(*range.operands[1], scope);
  Tensor result = x;
  bool areNumbers = x.axes[axis].size.asNumber() && family.range->asNumber() &&
                    length.asNumber();
  if (checkpoint && areNumbers)
    result.value =
        takenApart(x, axis, first, number, *length.asNumber(), range, expr);
  result.axes[axis].size = length;
  result.axes[axis].name = spec::text(*range.operands[1]);
  for (unsigned &visible : result.visible)
    ++visible;
  result.axes.insert(result.axes.begin(),
                     Axis{*family.range, family.rangeName, number});
  result.markComputed();
  return result;
}

/// `x` for each position of `axis`, which becomes the first one: its number is
/// a length, so this is the product with a column of ones.
ValueId Elaborator::repeatedOver(const Axis &axis, const Tensor &x, Place at) {
  Labels own;
  for (size_t k = 0; k < x.axes.size(); ++k)
    own.push_back("a" + std::to_string(k));
  Labels all = own;
  all.insert(all.begin(), "t");
  IndexFunction one("", {"t"}, IndexExpr::constant(ExactScalar()));
  ValueId ones = emit(step::Tabulate{one, {axis.size}}, at);
  return emit(
      step::Elementwise{Binary::Multiply, {ones, {"t"}}, {x.value, own}, all},
      at);
}

/// Repeats `x` for each member of the families that `other` has and `x` lacks.
Tensor Elaborator::forMembers(const Tensor &x, const Tensor &other, Place at) {
  Tensor whole = x;
  for (const Axis &axis : other.axes) {
    bool isThere =
        std::any_of(whole.axes.begin(), whole.axes.end(),
                    [&](const Axis &own) { return own.family == axis.family; });
    if (axis.family == 0 || isThere)
      continue;
    if (auto count = axis.size.asNumber()) {
      whole.value =
          splitInFront(whole.value, whole.axes, 0, 1, whole.axes[0].size, at);
      whole.value = emit(step::Repeat{whole.value, 0, *count}, at);
    } else {
      whole.value = repeatedOver(axis, whole, at);
    }
    for (unsigned &visible : whole.visible)
      ++visible;
    whole.axes.insert(whole.axes.begin(), axis);
  }
  return whole;
}

} // namespace transfold::spec
