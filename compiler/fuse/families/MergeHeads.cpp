// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-merge-heads: merges several axes of heads into one.
//
//   head[a, b] = softmax(Q[a, b] @ K[a]') @ V[a]
//     = head'[h],  h = a g + b,  K'[h] = K[h div g]
//
// Before:
//   %S = xf.contract %Q[a, b, r, k], %K[a, c, k] -> [a, b, r, c]
//   %P = xf.softmax %S
//   %H = xf.contract %P[a, b, r, c], %V[a, c, e] -> [a, b, r, e]
// After:
//   %q = xf.rearrange %Q[a, b, r, k] -> [(a b), r, k]
//   %k = xf.repeat %K axis 0 times 2                      … and %v
//   %S = xf.contract %q[a, r, k], %k[a, c, k] -> [a, r, c]
//   %P = xf.softmax %S
//   %h = xf.contract %P[a, r, c], %v[a, c, e] -> [a, r, e]
//   %H = xf.rearrange %h[(a b), r, e] -> [a, b, r, e]
//
// The attention kernel supports one axis of heads. Exact: each element is the
// same sum of the same products; only the axes that nothing is summed over are
// merged. Adjacent axes are merged without moving data; tables by index are
// redefined in terms of the merged index.

#include "compiler/fuse/AttentionPattern.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/families/LabelList.h"
#include "dialect/Labels.h"

#include <llvm/ADT/TypeSwitch.h>

namespace transfold::fuse {
#define GEN_PASS_DEF_MERGEHEADS
#include "compiler/fuse/Passes.h.inc"
} // namespace transfold::fuse

using namespace mlir;
using namespace transfold;
using namespace transfold::fuse;

namespace {

/// The head axes (families) of an attention, and conversion of values to one
/// merged axis.
class Heads {
public:
  /// `names` are the labels of the families, outermost first, and `shape` their
  /// sizes, which must be fixed.
  Heads(OpBuilder &builder, ArrayRef<StringRef> names,
        ArrayRef<Attribute> shape)
      : builder(builder), names(names) {
    for (Attribute axis : shape)
      sizes.push_back(*xf::getNumber(axis));
  }

  /// `labels` after the merge: those of families are replaced by the first of
  /// them.
  ArrayAttr merged(ArrayAttr labels) const {
    LabelList result;
    for (StringRef label : listOf(labels))
      if (!llvm::is_contained(names, label))
        result.push_back(label);
    if (result.size() != labels.size())
      result.insert(result.begin(), names.front());
    return builder.getStrArrayAttr(result);
  }

  /// The type of scores after the merge: one axis of heads, then queries and
  /// keys.
  Type merged(Type type) const {
    ArrayRef<Attribute> shape = xf::getShape(type);
    SmallVector<Attribute> result = {count()};
    llvm::append_range(result, shape.drop_front(names.size()));
    return xf::RealType::get(type.getContext(), result);
  }

  /// `value` with all families merged into a leading axis, or unchanged if it
  /// is the same for all members.
  Value merged(Value value, ArrayAttr labels) {
    if (llvm::none_of(listOf(labels), [&](StringRef label) {
          return llvm::is_contained(names, label);
        }))
      return value;
    if (auto table = value.getDefiningOp<xf::TabulateOp>();
        table && table->hasOneUse() && !table.getFirst())
      return mergedTable(table, labels);
    Axes axes;
    for (auto [label, size] :
         llvm::zip(listOf(labels), xf::getShape(value.getType())))
      axes.push_back({{label}, size});
    for (size_t k = 0; k < names.size(); ++k)
      if (!llvm::is_contained(listOf(labels), names[k]))
        value = repeated(value, axes, k);
    // Families that already share an axis stay together, represented by its
    // first label.
    Axis all{{}, count()};
    for (StringRef name : names)
      for (const Axis &axis : axes)
        if (axis.labels.front() == name)
          all.labels.push_back(name);
    Axes result = {all};
    for (Axis &axis : axes) {
      axis.labels.truncate(1);
      if (!llvm::is_contained(names, axis.labels.front()))
        result.push_back(axis);
    }
    if (all.labels.size() == 1 && axes.front().labels == all.labels)
      return value;
    return rearranged(value, axes, result);
  }

  /// Splits the merged axis of `value` into the families again.
  Value apart(Value value, Type type) {
    Axes from = {{LabelList(names), count()}}, to;
    SmallVector<std::string> others;
    ArrayRef<Attribute> shape = xf::getShape(type);
    for (size_t k = names.size(); k < shape.size(); ++k)
      others.push_back("_" + std::to_string(k));
    for (auto [name, size] : llvm::zip(names, shape))
      to.push_back({{name}, size});
    for (auto [name, size] :
         llvm::zip(others, shape.drop_front(names.size()))) {
      from.push_back({{name}, size});
      to.push_back(from.back());
    }
    return rearranged(value, from, to);
  }

private:
  /// An axis of a value, with the families that it combines.
  struct Axis {
    LabelList labels;
    Attribute size;
  };
  using Axes = SmallVector<Axis>;

  /// The number of heads in all families together.
  Attribute count() const {
    int64_t product = 1;
    for (int64_t size : sizes)
      product *= size;
    return xf::getAxis(builder.getContext(), product);
  }

  /// `value` with its axes regrouped from `from` to `to`.
  Value rearranged(Value value, ArrayRef<Axis> from, ArrayRef<Axis> to) {
    auto groups = [&](ArrayRef<Axis> axes) {
      SmallVector<Attribute> attributes;
      for (const Axis &axis : axes)
        attributes.push_back(builder.getStrArrayAttr(axis.labels));
      return builder.getArrayAttr(attributes);
    };
    SmallVector<Attribute> shape;
    for (const Axis &axis : to)
      shape.push_back(axis.size);
    return xf::RearrangeOp::create(
        builder, value.getLoc(), xf::RealType::get(builder.getContext(), shape),
        value, groups(from), groups(to));
  }

  /// Repeats `value` for family `number`, which it lacks: each member of the
  /// preceding family several times in a row or, for the first family, the
  /// whole value.
  Value repeated(Value value, Axes &axes, size_t number) {
    Axis *at =
        number == 0 ? nullptr : llvm::find_if(axes, [&](const Axis &axis) {
          return axis.labels.back() == names[number - 1];
        });
    if (!at) {
      Axes from = axes;
      for (Axis &axis : from)
        axis.labels.truncate(1);
      Axes to = from;
      from[0].labels.insert(from[0].labels.begin(), names[0]);
      Axis one{{names[0]}, xf::getAxis(builder.getContext(), 1)};
      to.insert(to.begin(), one);
      axes.insert(axes.begin(), one);
      value = rearranged(value, from, to);
      at = axes.begin();
    } else {
      at->labels.push_back(names[number]);
    }
    at->size = xf::getAxis(builder.getContext(),
                           *xf::getNumber(at->size) * sizes[number]);
    return xf::RepeatOp::create(builder, value.getLoc(), value,
                                at - axes.begin(), sizes[number]);
  }

  /// The table B[h, i, j] with (h div …) mod … as the indices of families.
  Value mergedTable(xf::TabulateOp table, ArrayAttr labels) {
    IndexDefinition definition = table.getDefinition().getValue();
    SmallVector<IndexExprPtr> indices;
    std::vector<std::string> named = {definition.indices.front()};
    SmallVector<Attribute> shape = {count()};
    for (auto [k, label] : llvm::enumerate(listOf(labels))) {
      auto *family = llvm::find(names, label);
      if (family != names.end()) {
        indices.push_back(memberOf(family - names.begin()));
        continue;
      }
      indices.push_back(IndexExpr::variable(static_cast<int>(named.size())));
      named.push_back(definition.indices[k]);
      shape.push_back(table.getType().getShape()[k]);
    }
    while (llvm::is_contained(ArrayRef(named).drop_front(), named.front()))
      named.front() += "_";
    IndexDefinition merged{named, substituted(*definition.body, indices)};
    return xf::TabulateOp::create(
        builder, table.getLoc(), xf::RealType::get(builder.getContext(), shape),
        xf::DefinitionAttr::get(builder.getContext(), merged),
        table.getArrays());
  }

  /// The index of a family as an expression of the merged index.
  IndexExprPtr memberOf(size_t family) const {
    int64_t inner = 1;
    for (size_t k = family + 1; k < sizes.size(); ++k)
      inner *= sizes[k];
    IndexExprPtr index = IndexExpr::variable(0);
    if (inner != 1)
      index = IndexExpr::operation(
          ScalarOp::IntegerDivide,
          {index, IndexExpr::constant(ExactScalar(inner))});
    if (family != 0)
      index = IndexExpr::operation(
          ScalarOp::Modulo,
          {index, IndexExpr::constant(ExactScalar(sizes[family]))});
    return index;
  }

  /// `expr` with each index of a family replaced by its expression of the
  /// merged index.
  static IndexExprPtr substituted(const IndexExpr &expr,
                                  ArrayRef<IndexExprPtr> indices) {
    if (expr.kind == IndexExpr::Kind::Index)
      return indices[expr.index];
    auto copied = std::make_shared<IndexExpr>(expr);
    for (IndexExprPtr &operand : copied->operands)
      operand = substituted(*operand, indices);
    return copied;
  }

  OpBuilder &builder;
  LabelList names;
  SmallVector<int64_t> sizes;
};

/// Whether the mixture keeps the families of the scores, in order.
bool keepsFamilies(fuse::AttentionPattern &attention) {
  ArrayRef<Attribute> weights =
      attention.mixture.getLhsLabels().getValue().drop_back();
  ArrayRef<Attribute> mixed =
      attention.mixture.getLabels().getValue().drop_back();
  return weights == mixed &&
         llvm::all_of(
             attention.scores.getType().getShape().drop_back(2),
             [](Attribute axis) { return xf::getNumber(axis).has_value(); });
}

/// Applies one operation between scores and softmax to the merged scores.
Value between(OpBuilder &builder, Operation *op, Value scores, Heads &heads) {
  Value old = fuse::scoresOf(op);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<xf::AddOp, xf::SubtractOp, xf::MultiplyOp, xf::DivideOp,
            xf::MaximumOp>([&](auto pair) -> Value {
        using Op = decltype(pair);
        auto operand = [&](Value value, ArrayAttr labels) {
          return value == old ? scores : heads.merged(value, labels);
        };
        Value lhs = operand(pair.getLhs(), pair.getLhsLabels()),
              rhs = operand(pair.getRhs(), pair.getRhsLabels());
        return Op::create(
            builder, op->getLoc(), lhs, rhs, heads.merged(pair.getLhsLabels()),
            heads.merged(pair.getRhsLabels()), heads.merged(pair.getLabels()));
      })
      .Default([&](Operation *) -> Value {
        Operation *copied = builder.clone(*op);
        copied->replaceUsesOfWith(old, scores);
        copied->getResult(0).setType(heads.merged(op->getResult(0).getType()));
        return copied->getResult(0);
      });
}

/// The families of the scores, with the names that `labels` give them.
Heads headsOf(OpBuilder &builder, ArrayAttr labels, Type type) {
  LabelList names = listOf(labels);
  names.pop_back_n(2);
  return Heads(builder, names, xf::getShape(type).drop_back(2));
}

/// Rewrites one attention; its operations are erased.
void merge(fuse::AttentionPattern &attention) {
  xf::ContractOp scores = attention.scores, mixture = attention.mixture;
  OpBuilder builder(mixture);
  Heads ofScores = headsOf(builder, scores.getLabels(), scores.getType());
  Value queries = ofScores.merged(scores.getLhs(), scores.getLhsLabels()),
        keys = ofScores.merged(scores.getRhs(), scores.getRhsLabels());
  Value current =
      xf::ContractOp::create(builder, scores.getLoc(), queries, keys,
                             ofScores.merged(scores.getLhsLabels()),
                             ofScores.merged(scores.getRhsLabels()),
                             ofScores.merged(scores.getLabels()));
  for (Operation *op : ArrayRef(attention.chain).drop_back()) {
    // Operations with labels have their own names for the same axes.
    auto labels = op->getAttrOfType<ArrayAttr>("labels");
    Heads own = labels ? headsOf(builder, labels, scores.getType()) : ofScores;
    current = between(builder, op, current, own);
  }
  Value sink = attention.softmax.getSink();
  if (sink) {
    LabelList families = listOf(scores.getLabels());
    families.truncate(xf::getShape(sink.getType()).size());
    sink = ofScores.merged(sink, builder.getStrArrayAttr(families));
  }
  auto softmax =
      cast<xf::SoftmaxOp>(builder.clone(*attention.softmax.getOperation()));
  softmax.getInputMutable().assign(current);
  softmax.getResult().setType(cast<xf::RealType>(current.getType()));
  if (sink)
    softmax.getSinkMutable().assign(sink);
  Heads own = headsOf(builder, mixture.getLhsLabels(), scores.getType());
  Value values = own.merged(mixture.getRhs(), mixture.getRhsLabels());
  Value mixed = xf::ContractOp::create(
      builder, mixture.getLoc(), softmax.getResult(), values,
      own.merged(mixture.getLhsLabels()), own.merged(mixture.getRhsLabels()),
      own.merged(mixture.getLabels()));
  mixture.getResult().replaceAllUsesWith(own.apart(mixed, mixture.getType()));
  mixture.erase();
  for (Operation *op : llvm::reverse(attention.chain))
    op->erase();
  scores.erase();
}

struct MergeHeads : fuse::impl::MergeHeadsBase<MergeHeads> {
  void runOnOperation() override {
    SmallVector<xf::SoftmaxOp> softmaxes;
    for (auto entry : getOperation().getOps<xf::EntryOp>())
      entry.walk([&](xf::SoftmaxOp softmax) { softmaxes.push_back(softmax); });
    for (xf::SoftmaxOp softmax : softmaxes)
      if (auto attention = fuse::findAttention(softmax);
          attention && attention->scores.getLabels().size() > 3 &&
          keepsFamilies(*attention)) {
        merge(*attention);
        ++merged;
      }
  }
};

} // namespace
