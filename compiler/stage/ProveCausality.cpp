// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generates token by token may not look at the tokens that come later.
//
//   result[i] = f(tokens[0], …, tokens[i])
//
// Of each value the axes are known along which it lies like the tokens: an
// element depends on no token behind the largest of its positions there. The
// equations of one row keep such axes. A masked softmax
//
//   %P = xf.softmax %S where [j <= i] : <h, n, n>
//
// takes, of scores that depend on tokens up to max(i, j), those with j <= i,
// and depends on tokens up to i. It is 0 for later j, so that
//
//   %H = xf.contract %P[a, i, j], %V[a, j, c] -> [a, i, c]
//
// sums over j <= i only. Everything else that mixes rows looks ahead: a softmax
// with another mask, a mean over the sequence, a row that is picked. So does
// the length of the sequence as a number.
//
// The pass changes nothing. It refuses what it cannot prove, at the operation
// that mixes rows.

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

/// Which rows of the argument an element of a value depends on: none, those up
/// to its largest position along `axes`, or, where there is a `culprit`, any.
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
  /// True where this changes something.
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

  /// Until what is carried no longer changes: it only grows.
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

  /// Axes with the same label lie alike. One that is summed over is read up to
  /// its end, or as far as a mask lets row i see.
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

  /// Where `value` is 0 at positions of `label` behind those of another axis:
  /// where that axis lies in the result.
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

  /// The first rows are where they were.
  Reach ofSlice(xf::SliceOp op) {
    Reach reach = of(op.getInput());
    unsigned axis = op.getAxis();
    bool isAlong = axis < reach.axes.size() && reach.axes.test(axis);
    return isAlong && op.getOffset() ? Reach::ahead(op) : reach;
  }

  /// T[t] = f(x[t], t) has row t of x, B[i, j] = f(x[i], y[j]) rows up to i and
  /// j. What reads a row by anything else than an index looks ahead.
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

  /// An operation on each row by itself, with the rows in their order.
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
    // The one that can exchange axes of one length.
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
    // Without the operation itself: readers know their equations.
    InFlightDiagnostic error = mlir::emitError(culprit->getLoc());
    if (auto softmax = dyn_cast<xf::SoftmaxOp>(culprit))
      error << (softmax.getMask() ? "this mask looks ahead"
                                  : "this softmax looks ahead, without a mask");
    else if (isa<xf::LengthOp>(culprit))
      error << "this depends on how long the whole sequence is";
    else
      error << "this mixes earlier and later rows";
    error.attachNote() << "`" << entry.getSymName()
                       << "` generates token by token, so its row i may depend "
                          "on the first i of `"
                       << (name ? name.getValue() : "its argument")
                       << "` only.";
    if (isa<xf::LengthOp>(culprit))
      error.attachNote() << "Row i knows of i + 1 positions: a function of its "
                            "index, f[i] = …, says what it needs.";
    else
      error.attachNote() << "Let a query see itself and what is before it: "
                            "softmax(S | M) where M says j <= i.";
  }
};

} // namespace
