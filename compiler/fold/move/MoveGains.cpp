// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-move-gains: moves gains into the rows of the matrices that read them.
//
//   (x diag(g)) W = x (diag(g) W)
//
// Before:
//   %y = xf.multiply %x[n, k], %g[k] -> [n, k]
//   %z = xf.contract %y[n, k], %W[k, c] -> [n, c]
// After:
//   %V = xf.multiply %W[k, c], %g[k] -> [k, c]
//   %z = xf.contract %x[n, k], %V[k, c] -> [n, c]
//
// Exact in real arithmetic: the law of each operation between a gain and the
// matrices states that it passes column factors on (GainLaws.cpp); operations
// without a law prevent the move. Each element of a matrix is rounded once
// more, so gains move only on request. A matrix of 16 bits is not rounded
// again, and a matrix is not stored twice, which would happen to a table that
// is both gathered from and the output head. A gain moves in all entries or in
// none.

#include "compiler/fold/Passes.h"
#include "compiler/fold/move/GainWalk.h"
#include "compiler/fold/move/MovedLines.h"
#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>

namespace transfold::fold {
#define GEN_PASS_DEF_MOVEGAINS
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

namespace {

/// Whether the gain is the right or left operand: a vector of weights that
/// scales the columns of the other operand. Nullopt if the product is not such
/// a gain.
std::optional<bool> gainIsRight(xf::MultiplyOp op) {
  bool right = xf::isWeightOnly(op.getRhs());
  if (right == xf::isWeightOnly(op.getLhs()))
    return std::nullopt;
  Value gain = right ? op.getRhs() : op.getLhs();
  if (!gain.getDefiningOp<xf::WeightOp>() ||
      xf::getShape(gain.getType()).size() != 1 ||
      (right ? op.getLhsLabels() : op.getRhsLabels()) != op.getLabels())
    return std::nullopt;
  return right;
}

/// The vector of a gain that `gainIsRight` recognized.
xf::WeightOp gainOf(xf::MultiplyOp op) {
  return (*gainIsRight(op) ? op.getRhs() : op.getLhs())
      .getDefiningOp<xf::WeightOp>();
}

/// Removes one gain from a block, modifying the block on the way.
class GainMove : public fold::GainWalk {
public:
  explicit GainMove(xf::MultiplyOp source) : source(source) {}

  /// Removes the gain; fails if an operation does not let it pass, and has then
  /// possibly changed the block.
  LogicalResult run() {
    bool right = *gainIsRight(source);
    ArrayAttr labels = right ? source.getRhsLabels() : source.getLhsLabels();
    Value vector = right ? source.getRhs() : source.getLhs();
    const unsigned axis =
        *xf::findLabel(source.getLabels(), xf::getLabel(labels, 0));
    const int64_t extent = *xf::getNumber(xf::getShape(vector.getType())[0]);
    if (failed(follow(source.getResult(),
                      {xf::Channels::whole(axis, extent), vector})))
      return failure();
    source.getResult().replaceAllUsesWith(right ? source.getLhs()
                                                : source.getRhs());
    source.erase();
    return success();
  }

  /// Multiplies the rows of a matrix by the gain. The product is an operation
  /// on weights, which DeriveWeights later computes at compile time.
  LogicalResult absorb(OpOperand &operand, const xf::Gain &gain) override {
    Operation *op = operand.getOwner();
    auto weight = operand.get().getDefiningOp<xf::WeightOp>();
    xf::StoredOp stored = xf::storedOf(operand.get());
    if (!stored || !gain.channels.isPlain())
      return refuse(op, "it does not multiply a stored matrix");
    if (!stored.isWide())
      return refuse(op, (stored.getSymName() + " has " +
                         xf::stringifyFormat(stored.getSource()->getFormat()) +
                         ", and would be rounded again")
                            .str());
    OpBuilder builder(op);
    SmallVector<Attribute> labels;
    for (unsigned k = 0; k < xf::getShape(weight.getType()).size(); ++k)
      labels.push_back(builder.getStringAttr("a" + Twine(k)));
    ArrayAttr all = builder.getArrayAttr(labels);
    operand.set(xf::MultiplyOp::create(
        builder, source.getLoc(), weight, gain.vector, all,
        builder.getArrayAttr(labels[gain.channels.axes[0]]), all));
    destinations.insert(stored.getSymName());
    return success();
  }

  llvm::SetVector<StringRef> destinations;

private:
  xf::MultiplyOp source;
};

struct MoveGains : fold::impl::MoveGainsBase<MoveGains> {
  using MoveGainsBase::MoveGainsBase;

  void runOnOperation() override {
    fold::MovedLines lines("gain");
    // Ordered by weight, in program order.
    llvm::MapVector<StringRef, Location> gains;
    for (auto entry : getOperation().getOps<xf::EntryOp>())
      entry.walk([&](xf::MultiplyOp op) {
        if (gainIsRight(op))
          gains.insert({gainOf(op).getStored(), op.getLoc()});
      });
    for (auto &[name, place] : gains)
      lines.add(move(name, place));
    lines.write(getOperation());
  }

private:
  /// Tries to move one weight's gains in copies of all entries, and keeps
  /// either all copies or none.
  fold::MovedLine move(StringRef name, Location place) {
    fold::MovedLine line(place, name.str());
    if (line.isAmong(keep)) {
      line.kept = "--no-fold";
      ++stayed;
      return line;
    }
    SmallVector<std::pair<xf::EntryOp, xf::EntryOp>> copies;
    for (auto entry : getOperation().getOps<xf::EntryOp>())
      copies.push_back({entry, cast<xf::EntryOp>(entry->clone())});
    llvm::SetVector<StringRef> destinations;
    for (auto &[entry, copy] : copies) {
      // Next to the original, where its symbols can be resolved.
      entry->getBlock()->getOperations().insert(entry->getIterator(), copy);
      SmallVector<xf::MultiplyOp> sources;
      copy.walk([&](xf::MultiplyOp op) {
        if (gainIsRight(op) && gainOf(op).getStored() == name)
          sources.push_back(op);
      });
      for (xf::MultiplyOp source : sources) {
        GainMove gain(source);
        if (!line.kept && failed(gain.run()))
          line.kept = gain.objection;
        line.readers += gain.readers;
        destinations.insert(gain.destinations.begin(), gain.destinations.end());
      }
    }
    if (!line.kept)
      line.kept = storedTwice(destinations, copies);
    for (auto &[entry, copy] : copies)
      (line.kept ? copy : entry).erase();
    if (!line.kept)
      line.destinations.append(destinations.begin(), destinations.end());
    line.kept ? ++stayed : ++moved;
    return line;
  }

  /// The reason if a matrix would also be read without the gain.
  static std::optional<std::string>
  storedTwice(const llvm::SetVector<StringRef> &destinations,
              ArrayRef<std::pair<xf::EntryOp, xf::EntryOp>> copies) {
    std::optional<std::string> why;
    for (auto [entry, copy] : copies)
      const_cast<xf::EntryOp &>(copy).walk([&](xf::WeightOp read) {
        if (destinations.contains(read.getStored()) && !why)
          for (Operation *user : read->getUsers())
            if (!xf::isWeightOnly(user->getResult(0)))
              why = (read.getStored() + " would be stored twice").str();
      });
    return why;
  }
};

} // namespace
