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
// sums over j <= i only. Earlier rows, x[t - 1], depend on less. Every other
// operation that mixes rows looks ahead: a softmax with another mask, a mean
// over the sequence, the selection of a row. So does the length of the sequence
// as a value.
//
// The pass changes nothing. It reports an error for what it cannot prove, at
// the operation that mixes rows.

#include "compiler/stage/MaskedSoftmax.h"
#include "compiler/stage/Passes.h"
#include "compiler/stage/RowReads.h"
#include "dialect/Labels.h"
#include "dialect/Lengths.h"

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

  /// The reach of values that depend on no token, such as weights.
  static Reach none() { return {}; }
  /// The reach of a value whose position along `axis` is that of a token.
  static Reach along(unsigned axis) {
    Reach reach;
    reach.add(axis);
    return reach;
  }
  /// Any row, because of `culprit`, at which the error is reported.
  static Reach ahead(Operation *culprit) {
    Reach reach;
    reach.culprit = culprit;
    return reach;
  }

  /// Adds an axis; the vector grows on demand, so shorter ones stand for zeros.
  void add(unsigned axis) {
    if (axes.size() <= axis)
      axes.resize(axis + 1);
    axes.set(axis);
  }
  /// Whether no token reaches the value, so that any operation on it is
  /// allowed.
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

/// The reaches of all values of an entry for one causal argument.
class Causality {
public:
  /// The argument is <n>: element t is token t.
  explicit Causality(Value argument) { reaches[argument] = Reach::along(0); }

  /// Computes the reaches of the values that a block defines, in program order.
  void visit(Block &block) {
    for (Operation &op : block.without_terminator())
      if (auto layers = dyn_cast<xf::LayersOp>(op))
        visitLayers(layers);
      else if (auto scan = dyn_cast<xf::ScanOp>(op))
        visitScan(scan);
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

  /// The result of a position depends on the rows up to it, the states after
  /// the last position on all rows. Neither may depend on tokens in any other
  /// way: by the states before the first position, by another axis of the rows,
  /// or by values that the region reads as a whole.
  void visitScan(xf::ScanOp scan) {
    Reach all;
    if (scan.getBackwards())
      all = Reach::ahead(scan);
    auto needNone = [&](const Reach &own) {
      if (!own.isNone())
        all.join(own.culprit ? own : Reach::ahead(scan));
    };
    for (Value init : scan.getInits())
      needNone(of(init));
    scan.getBody().walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (operand.getParentRegion() != &scan.getBody())
          needNone(of(operand));
    });
    bool readsTokens = false;
    for (auto [rows, axis] : llvm::zip(scan.getRows(), scan.getRowAxes())) {
      Reach own = of(rows);
      readsTokens |= !own.isNone();
      if (own.axes.size() > static_cast<size_t>(axis))
        own.axes.reset(axis);
      needNone(own);
    }
    for (auto [result, axis] :
         llvm::zip(scan.getRowResults(), scan.getResultAxes()))
      reaches[result] = all.culprit || !readsTokens ? all : Reach::along(axis);
    for (Value last : scan.getLastStates())
      reaches[last] = all.culprit || !readsTokens ? all : Reach::ahead(scan);
  }

  /// The reach of a result from those of the operands. A culprit passes on
  /// unchanged, so that the error is at the first operation that mixes rows.
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
        .Case([&](xf::DelayOp delay) { return of(delay.getInput()); })
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

  /// Along the axis of the keys each entry depends on all scores of its row;
  /// with a causal mask only on those up to the query, so that axis no longer
  /// counts and that of the query does.
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

  /// The axis of the result that corresponds to an axis of an operand, for an
  /// operation that processes rows in order: the only one with the same length.
  /// Nullopt if two axes have it, as in scores <h, n, n>.
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
      if (Operation *other = otherLength(entry, argument)) {
        mlir::emitError(other->getLoc())
            << "this has a length that follows from that of the text";
        return signalPassFailure();
      }
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
  /// An operation whose result has another number of rows than the text, which
  /// follows from it: rows of steps would have to be counted otherwise.
  static Operation *otherLength(xf::EntryOp entry, BlockArgument argument) {
    Operation *other = nullptr;
    entry.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (isa<xf::RealType, xf::IntegralType>(type))
          for (Attribute axis : xf::getShape(type))
            if (!other && follows(axis, argument.getType()))
              other = op;
    });
    return other;
  }

  /// Whether `axis` is a length that follows from one of `type`.
  static bool follows(Attribute axis, Type type) {
    auto size = xf::isDerived(axis) ? xf::getDim(axis) : std::nullopt;
    return size && llvm::any_of(xf::getShape(type), [&](Attribute own) {
             return size->names().contains(xf::printAxis(own));
           });
  }

  static bool isBackwards(Operation *op) {
    auto scan = dyn_cast<xf::ScanOp>(op);
    return scan && scan.getBackwards();
  }

  /// Reports what looks ahead and how to write the equation instead.
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
    else if (isBackwards(culprit))
      error << "this recurrence begins at the last position";
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
    else if (isBackwards(culprit))
      error.attachNote() << "A state that is read at the position before, "
                            "S[t - 1], begins at the first one.";
    else
      error.attachNote() << "Let a query see itself and earlier positions "
                            "only: softmax(S | M) with a mask M of j <= i.";
  }
};

} // namespace
