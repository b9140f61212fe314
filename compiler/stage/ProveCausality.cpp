// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-prove-causality: an entry that generates token by token must not read
// later tokens.
//
//   result[i] = f(tokens[0], …, tokens[i])
//
// For each value the analysis tracks the axes that correspond to token
// positions: an element depends on no token after the largest of its positions
// along these axes. Operations on single rows keep such axes. A masked softmax
//
//   %P = xf.softmax %S where [j <= i] : <h, n, n>
//
// reads scores that depend on tokens up to max(i, j), only for j <= i, and so
// depends on tokens up to i. It is 0 for later j, so that
//
//   %H = xf.contract %P[a, i, j], %V[a, j, c] -> [a, i, c]
//
// sums over j <= i only. Every other operation that mixes rows looks ahead: a
// softmax with another mask, a mean over the sequence, the selection of a row.
// So does the length of the sequence as a value.
//
// The pass changes nothing. It reports an error for what it cannot prove, at
// the operation that mixes rows.

#include "compiler/stage/MaskedSoftmax.h"
#include "compiler/stage/Passes.h"
#include "compiler/stage/RowReads.h"
#include "dialect/Labels.h"

#include <llvm/ADT/SmallBitVector.h>
#include <llvm/ADT/TypeSwitch.h>

namespace transfold::stage {
#define GEN_PASS_DEF_PROVECAUSALITY
#include "compiler/stage/Passes.h.inc"
} // namespace transfold::stage

using namespace mlir;
using namespace transfold;

namespace {

/// The rows of the argument that an element of a value depends on: none; those
/// up to its largest position along `axes`; or, if there is a `culprit`, any.
struct Reach {
  llvm::SmallBitVector axes;
  Operation *culprit = nullptr;

  static Reach none() { return {}; }
  static Reach along(unsigned axis) {
    Reach reach;
    reach.add(axis);
    return reach;
  }
  static Reach ahead(Operation *culprit) {
    Reach reach;
    reach.culprit = culprit;
    return reach;
  }

  void add(unsigned axis) {
    if (axes.size() <= axis)
      axes.resize(axis + 1);
    axes.set(axis);
  }
  bool isNone() const { return !culprit && axes.none(); }
  /// Returns true if this changes.
  bool join(const Reach &other) {
    if (culprit)
      return false;
    if (other.culprit) {
      culprit = other.culprit;
      return true;
    }
    unsigned before = axes.count();
    axes |= other.axes;
    return axes.count() != before;
  }
};

class Causality {
public:
  explicit Causality(Value argument) { reaches[argument] = Reach::along(0); }

  void visit(Block &block) {
    for (Operation &op : block.without_terminator())
      if (auto layers = dyn_cast<xf::LayersOp>(op))
        visitLayers(layers);
      else
        for (Value result : op.getResults())
          reaches[result] = transfer(op, result);
  }

  Reach of(Value value) const { return reaches.lookup(value); }

private:
  llvm::DenseMap<Value, Reach> reaches;

  /// Iterates to a fixed point: the reaches of carried values only grow.
  void visitLayers(xf::LayersOp layers) {
    Block &body = layers.getBody().front();
    for (auto [carried, init] :
         llvm::zip(layers.getCarried(), layers.getInits()))
      reaches[carried] = of(init);
    bool isChanged = true;
    while (isChanged) {
      visit(body);
      isChanged = false;
      for (auto [carried, next] :
           llvm::zip(layers.getCarried(), layers.getYieldedValues()))
        isChanged |= reaches[carried].join(of(next));
    }
    for (auto [result, carried] :
         llvm::zip(layers.getResults(), layers.getCarried()))
      reaches[result] = of(carried);
  }

  Reach transfer(Operation &op, Value result) {
    bool isIndependent = true;
    for (Value operand : op.getOperands()) {
      if (Reach reach = of(operand); reach.culprit)
        return reach;
      else
        isIndependent &= reach.isNone();
    }
    if (isIndependent)
      return Reach::none();
    return llvm::TypeSwitch<Operation *, Reach>(&op)
        .Case<xf::AddOp, xf::SubtractOp, xf::MultiplyOp, xf::DivideOp,
              xf::MaximumOp, xf::ContractOp>(
            [&](auto labelled) { return byLabel(labelled); })
        .Case([&](xf::SoftmaxOp softmax) { return ofSoftmax(softmax); })
        .Case([&](xf::SliceOp slice) { return ofSlice(slice); })
        .Case([&](xf::TabulateOp table) { return ofTable(table); })
        .Default([&](Operation *) { return byRows(op, result); });
  }

  /// Axes with the same label correspond. A contracted axis is read up to its
  /// end, or as far as a mask allows for row i.
  template <typename Labelled> Reach byLabel(Labelled op) {
    Reach reach;
    auto follow = [&](Value operand, ArrayAttr labels, Value other,
                      ArrayAttr otherLabels) {
      Reach own = of(operand);
      for (unsigned axis : own.axes.set_bits()) {
        StringRef label = xf::getLabel(labels, axis);
        auto found = xf::findLabel(op.getLabels(), label);
        if (!found)
          found = maskedBy(other, otherLabels, label, op.getLabels());
        if (found)
          reach.add(*found);
        else
          reach.culprit = op;
      }
    };
    follow(op.getLhs(), op.getLhsLabels(), op.getRhs(), op.getRhsLabels());
    follow(op.getRhs(), op.getRhsLabels(), op.getLhs(), op.getLhsLabels());
    return reach;
  }

  /// If `value` is 0 where the position along `label` exceeds that along
  /// another axis: the index of the latter axis in the result.
  static std::optional<unsigned> maskedBy(Value value, ArrayAttr labels,
                                          StringRef label, ArrayAttr result) {
    xf::SoftmaxOp softmax = stage::maskedSoftmaxOf(value);
    if (!softmax || !softmax.getMask()->isCausal())
      return std::nullopt;
    unsigned rank = labels.size();
    if (xf::getLabel(labels, rank - 1) != label)
      return std::nullopt;
    return xf::findLabel(result, xf::getLabel(labels, rank - 2));
  }

  Reach ofSoftmax(xf::SoftmaxOp op) {
    Reach reach = of(op.getInput());
    if (Value among = op.getAmong())
      reach.join(of(among));
    unsigned last = xf::getShape(op.getInput().getType()).size() - 1;
    if (reach.axes.size() <= last || !reach.axes.test(last))
      return reach;
    if (!op.getMask() || !op.getMask()->isCausal())
      return Reach::ahead(op);
    reach.axes.reset(last);
    reach.add(last - 1);
    return reach;
  }

  /// A slice of the first rows does not move them.
  Reach ofSlice(xf::SliceOp op) {
    Reach reach = of(op.getInput());
    unsigned axis = op.getAxis();
    bool isAlong = axis < reach.axes.size() && reach.axes.test(axis);
    return isAlong && op.getOffset() ? Reach::ahead(op) : reach;
  }

  /// T[t] = f(x[t], t) depends on row t of x, B[i, j] = f(x[i], y[j]) on rows
  /// up to i and j. Any other index expression for a row looks ahead.
  Reach ofTable(xf::TabulateOp op) {
    Reach reach;
    transfold::walk(*op.getDefinition().getValue().body,
                    [&](const IndexExpr &read) {
                      if (read.kind != IndexExpr::Kind::Read)
                        return;
                      Reach own = of(op.getArrays()[read.array]);
                      for (unsigned axis : own.axes.set_bits())
                        if (auto index = stage::indexOfRead(read, axis))
                          reach.add(*index);
                        else
                          reach.culprit = op;
                    });
    return reach;
  }

  /// An operation that processes rows independently and in order.
  Reach byRows(Operation &op, Value result) {
    auto law = dyn_cast<xf::BatchLawInterface>(op);
    if (!law || law.getBatchLaw() != xf::BatchLaw::Rows)
      return Reach::ahead(&op);
    Reach reach;
    for (Value operand : op.getOperands()) {
      Reach own = of(operand);
      for (unsigned axis : own.axes.set_bits()) {
        auto found = sameAxis(op, operand.getType(), axis, result.getType());
        if (!found)
          return Reach::ahead(&op);
        reach.add(*found);
      }
    }
    return reach;
  }

  static std::optional<unsigned> sameAxis(Operation &op, Type from,
                                          unsigned axis, Type to) {
    ArrayRef<Attribute> source = xf::getShape(from), target = xf::getShape(to);
    // Only a rearrangement can exchange two axes of the same length.
    if (from == to && !isa<xf::RearrangeOp>(op))
      return axis;
    Attribute length = source[axis];
    if (llvm::count(source, length) != 1 || llvm::count(target, length) != 1)
      return std::nullopt;
    return llvm::find(target, length) - target.begin();
  }
};

struct ProveCausality : stage::impl::ProveCausalityBase<ProveCausality> {
  using ProveCausalityBase::ProveCausalityBase;

  void runOnOperation() override {
    xf::EntryOp entry = getOperation();
    Block &body = entry.getBody().front();
    for (BlockArgument argument : body.getArguments()) {
      if (!entry.getArgAttr(argument.getArgNumber(), "xf.causal"))
        continue;
      Causality causality(argument);
      causality.visit(body);
      for (Value result : body.getTerminator()->getOperands())
        if (Operation *culprit = causality.of(result).culprit) {
          refuse(entry, argument, culprit);
          return signalPassFailure();
        }
      ++proven;
    }
  }

private:
  static void refuse(xf::EntryOp entry, BlockArgument argument,
                     Operation *culprit) {
    auto name =
        entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "xf.name");
    // The message does not print the operation: users know their equations, not
    // the IR.
    InFlightDiagnostic error = mlir::emitError(culprit->getLoc());
    if (auto softmax = dyn_cast<xf::SoftmaxOp>(culprit))
      error << (softmax.getMask() ? "this mask looks ahead"
                                  : "this softmax looks ahead, without a mask");
    else if (isa<xf::LengthOp>(culprit))
      error << "this depends on the length of the whole sequence";
    else
      error << "this mixes earlier and later rows";
    error.attachNote() << "`" << entry.getSymName()
                       << "` generates token by token, so its row i may depend "
                          "on the first i of `"
                       << (name ? name.getValue() : "its argument")
                       << "` only.";
    if (isa<xf::LengthOp>(culprit))
      error.attachNote() << "Row i may depend on i + 1 positions: write what "
                            "it needs as a function of its index, f[i] = …";
    else
      error.attachNote() << "Let a query see itself and earlier positions "
                            "only: softmax(S | M) with a mask M of j <= i.";
  }
};

} // namespace
