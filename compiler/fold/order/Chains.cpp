// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:
//   %a = xf.contract %x[n, k], %A[k, r] -> [n, r] : <n, 64>, <64, 256>
//   %b = xf.contract %a[n, r], %B[r, c] -> [n, c] : <n, 256>, <256, 64>
// After:
//   %a = xf.contract %A[k, r], %B[r, c] -> [k, c]     // a weight of its own
//   %b = xf.contract %x[n, k], %a[k, c] -> [n, c]
//
// Exact: the same sums of the same products. A contraction is taken apart only
// if another contraction is its only reader. Any other operation between two
// contractions, such as a norm or a rounding, ends the chain, and so does a
// weight in blocks of few bits: kernels multiply such weights with rows only.

#include "compiler/fold/order/Chains.h"

#include "dialect/Labels.h"
#include "dialect/weights/Storage.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>

#include <deque>
#include <functional>

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;

/// Whether a value is a weight whose elements are in blocks.
static bool isInBlocks(Value value) {
  xf::StoredOp stored = xf::storedOf(value);
  return stored && stored.getSource() &&
         xf::isInBlocks(stored.getSource()->getFormat());
}

/// Whether the product of a value with other weights can be stored instead of
/// it: a weight of floats of 32 bits, so that the product has no more bytes.
static bool isKnown(Value value) {
  xf::StoredOp stored = xf::storedOf(value);
  if (!stored || !stored.getSource() || stored.getRounded())
    return false;
  const xf::Format format = stored.getSource()->getFormat();
  return format == xf::Format::F32 || format == xf::Format::F64;
}

/// Whether a product of an entry that generates has a value for each pair of
/// positions: AbsorbHeads decides about these, together with what is kept.
static bool isOfPairs(xf::ContractOp product) {
  auto isPairs = [](Type type) {
    return llvm::count_if(xf::getShape(type), [](Attribute axis) {
             return !xf::getNumber(axis);
           }) > 1;
  };
  auto entry = product->getParentOfType<xf::EntryOp>();
  bool generates = false;
  for (unsigned k = 0; k < entry.getNumArguments(); ++k)
    generates |= static_cast<bool>(entry.getArgAttr(k, "xf.causal"));
  return generates && (isPairs(product.getType()) ||
                       llvm::any_of(product->getOperandTypes(), isPairs));
}

xf::ContractOp Chain::innerOf(Value value) {
  auto op = value.getDefiningOp<xf::ContractOp>();
  if (!op || !op->hasOneUse() || isOfPairs(op) ||
      llvm::any_of(op->getOperands(), isInBlocks))
    return {};
  auto reader = dyn_cast<xf::ContractOp>(*op->user_begin());
  if (!reader || reader->getBlock() != op->getBlock() || isOfPairs(reader) ||
      llvm::any_of(reader->getOperands(), isInBlocks))
    return {};
  return op;
}

std::pair<Chain::Node, Chain::Node>
Chain::operandsOf(xf::ContractOp op, ArrayRef<unsigned> labels) {
  llvm::StringMap<unsigned> numbers;
  for (auto [axis, number] : llvm::enumerate(labels))
    numbers[xf::getLabel(op.getLabels(), axis)] = number;
  auto node = [&](Value value, ArrayAttr own) {
    Node made{value, {}};
    for (auto [axis, size] : llvm::enumerate(xf::getShape(value.getType()))) {
      auto [found, isNew] = numbers.try_emplace(
          xf::getLabel(own, axis), static_cast<unsigned>(sizes.size()));
      if (isNew)
        sizes.push_back(size);
      made.labels.push_back(found->second);
    }
    return made;
  };
  Node left = node(op.getLhs(), op.getLhsLabels());
  return {left, node(op.getRhs(), op.getRhsLabels())};
}

unsigned Chain::addNode(const Node &node,
                        const llvm::SmallPtrSetImpl<Operation *> &inner,
                        unsigned factorCount) {
  Operation *op = node.value.getDefiningOp();
  if (op && (op == end || inner.contains(op))) {
    auto [left, right] = operandsOf(cast<xf::ContractOp>(op), node.labels);
    unsigned a = addNode(left, inner, factorCount),
             b = addNode(right, inner, factorCount);
    written.emplace_back(a, b);
    return factorCount + static_cast<unsigned>(written.size()) - 1;
  }
  FactorProduct::Factor factor{0, isKnown(node.value)};
  for (unsigned label : node.labels)
    factor.labels |= LabelSet(1) << label;
  factors.push_back(node);
  product.factors.push_back(factor);
  return static_cast<unsigned>(factors.size()) - 1;
}

bool Chain::isSumOfProducts() const {
  if (sizes.size() > 64)
    return false;
  SmallVector<unsigned> counts(sizes.size());
  for (const Node &factor : factors) {
    llvm::SmallDenseSet<unsigned> own;
    for (unsigned label : factor.labels)
      if (!own.insert(label).second)
        return false;
      else
        ++counts[label];
  }
  for (unsigned label : resultLabels)
    counts[label] += 2;
  return llvm::all_of(counts, [](unsigned count) { return count >= 2; });
}

std::optional<Chain> Chain::endingAt(xf::ContractOp end) {
  if (innerOf(end.getResult()))
    return std::nullopt;
  // Breadth first, so that the factors of a long chain are next to each other.
  llvm::SmallPtrSet<Operation *, 8> inner;
  std::deque<Value> open = {end.getLhs(), end.getRhs()};
  size_t count = 2;
  for (; !open.empty() && count < mostFactors; open.pop_front())
    if (xf::ContractOp op = innerOf(open.front())) {
      inner.insert(op);
      open.push_back(op.getLhs());
      open.push_back(op.getRhs());
      ++count;
    }
  if (inner.empty())
    return std::nullopt;
  Chain chain;
  chain.end = end;
  for (Attribute size : end.getType().getShape()) {
    chain.resultLabels.push_back(static_cast<unsigned>(chain.sizes.size()));
    chain.sizes.push_back(size);
  }
  chain.addNode({end.getResult(), chain.resultLabels}, inner,
                static_cast<unsigned>(count));
  if (!chain.isSumOfProducts())
    return std::nullopt;
  for (unsigned label : chain.resultLabels)
    chain.product.result |= LabelSet(1) << label;
  for (Attribute size : chain.sizes)
    if (auto number = xf::getNumber(size))
      chain.product.extents.push_back({static_cast<double>(*number)});
    else
      chain.product.extents.push_back({1, xf::printAxis(size)});
  return chain;
}

std::optional<Order> Chain::better() const {
  const CostPolynomial own = cost();
  std::optional<Order> best;
  for (Order &order : cheapestOrders(product))
    if (order.cost.isAtMost(own) && order.cost != own &&
        (!best || order.cost.atAll(1) < best->cost.atAll(1)))
      best = order;
  return best;
}

/// The last part of a weight's name; empty for other values.
static StringRef shortName(Value value) {
  xf::StoredOp stored = xf::storedOf(value);
  if (!stored)
    return "";
  auto [folder, name] = stored.getSymName().rsplit('.');
  return name.empty() ? folder : name;
}

std::string Chain::nameOf(unsigned factor) const {
  StringRef name = shortName(factors[factor].value);
  if (name.empty())
    return "x";
  const bool isUnique = llvm::count_if(factors, [&](const Node &other) {
                          return shortName(other.value) == name;
                        }) == 1;
  return (isUnique ? name : xf::storedOf(factors[factor].value).getSymName())
      .str();
}

std::string Chain::text(const Steps &steps) const {
  std::function<std::string(unsigned, bool)> of = [&](unsigned node,
                                                      bool inBrackets) {
    if (node < factors.size())
      return nameOf(node);
    auto [left, right] = steps[node - factors.size()];
    std::string text = of(left, true) + " " + of(right, true);
    return inBrackets ? "(" + text + ")" : text;
  };
  return of(static_cast<unsigned>(factors.size() + steps.size()) - 1, false);
}

std::string Chain::names() const {
  SmallVector<StringRef> names;
  for (const Node &factor : factors)
    if (xf::StoredOp stored = xf::storedOf(factor.value);
        stored && !llvm::is_contained(names, stored.getSymName()))
      names.push_back(stored.getSymName());
  return names.empty() ? "products" : llvm::join(names, ", ");
}

void Chain::apply(const Order &order) {
  OpBuilder builder(end);
  std::vector<Node> nodes = factors;
  auto named = [&](ArrayRef<unsigned> labels) {
    SmallVector<std::string> names;
    for (unsigned label : labels)
      names.push_back(std::string(1, static_cast<char>('a' + label % 26)) +
                      (label < 26 ? "" : std::to_string(label / 26)));
    SmallVector<StringRef> all(names.begin(), names.end());
    return builder.getStrArrayAttr(all);
  };
  for (auto [k, step] : llvm::enumerate(order.steps)) {
    Node left = nodes[step.first], right = nodes[step.second];
    if (xf::isWeightOnly(left.value) && !xf::isWeightOnly(right.value))
      std::swap(left, right);
    const bool isLast = k + 1 == order.steps.size();
    Node made;
    if (isLast) {
      made.labels = resultLabels;
    } else {
      // Families first, then rows, then columns.
      const LabelSet kept = labelsOf(product, order.steps,
                                     static_cast<unsigned>(factors.size() + k));
      auto add = [&](const Node &from, const Node &other, bool areShared) {
        for (unsigned label : from.labels)
          if ((kept >> label & 1) &&
              llvm::is_contained(other.labels, label) == areShared)
            made.labels.push_back(label);
      };
      add(left, right, true);
      add(left, right, false);
      add(right, left, false);
    }
    made.value = xf::ContractOp::create(
        builder, end->getLoc(), left.value, right.value, named(left.labels),
        named(right.labels), named(made.labels));
    nodes.push_back(made);
  }
  end.getResult().replaceAllUsesWith(nodes.back().value);
  end.erase();
}
