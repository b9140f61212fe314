// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traverses the entries in execution order, loops iteration by iteration, and
// collects the laws of all operations.

#include "compiler/fold/solve/Problem.h"

#include "dialect/Labels.h"
#include "dialect/Places.h"
#include "dialect/positions/Tables.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;
using xf::GaugeSum;

unsigned fold::iterationsAround(Operation *op) {
  unsigned product = 1;
  for (auto loop = op->getParentOfType<xf::LayersOp>(); loop;
       loop = loop->getParentOfType<xf::LayersOp>())
    product *= loop.getCount();
  return product;
}

std::vector<ExactScalar> Problem::values() const {
  std::vector<ExactScalar> values;
  for (const Constant &constant : constants)
    values.push_back(constant.value);
  return values;
}

const Place *Problem::find(Operation *op, StringRef name) const {
  auto found = byName.find({op, name.str()});
  return found == byName.end() ? nullptr : &places[found->second];
}

int64_t fold::numbersIn(Type type) {
  constexpr int64_t ordinaryLength = 128;
  return xf::countNumbers(type, ordinaryLength);
}

/// Whether a stored tensor is a matrix, i.e. a contraction or a gather reads
/// it; what is added or multiplied elementwise is a vector or a small table.
static bool isMatrix(Value weight) {
  return llvm::any_of(weight.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<xf::ContractOp>(user))
      return true;
    if (isa<xf::GatherOp>(user))
      return use.getOperandNumber() == 0;
    return isa<xf::RearrangeOp, xf::SliceOp, xf::SelectOp, xf::RepeatOp,
               xf::StackOp>(user) &&
           isMatrix(user->getResult(0));
  });
}

namespace transfold::fold {

/// Implements the services of laws by numbering unknowns and recording
/// equations. Iterations of a loop are visited one after another: gauges of its
/// values differ, its operations are the same.
class Collector : public xf::GaugeLaw {
public:
  Collector(Problem &problem, ModuleOp module, const ProblemOptions &options)
      : problem(problem), module(module), options(options) {}

  void run() {
    // log2(e) is constant 0. The number 0 can therefore mean "no unknown" for a
    // place.
    Location nowhere = module.getLoc();
    problem.constants.push_back({"log2(e)", ExactScalar::log2OfE(), nowhere});
    for (const ExactScalar &spare : options.spare)
      problem.constants.push_back({"", spare, nowhere});
    for (auto entry : module.getOps<xf::EntryOp>())
      entry.walk([&](xf::WeightOp read) {
        if (isMatrix(read))
          matrices.insert(read.getStored());
      });
    for (auto entry : module.getOps<xf::EntryOp>()) {
      Block &body = entry.getBody().front();
      current = entry;
      for (BlockArgument argument : body.getArguments())
        pinReal(argument);
      visit(body);
    }
    number();
  }

  //===--------------------------------------------------------------------===//
  // References of laws
  //===--------------------------------------------------------------------===//

  GaugeSum operator[](Value value) override {
    auto key = std::pair(value, iterationOf(value));
    auto [found, isNew] =
        problem.gauges.try_emplace(key, gaugeBase + problem.gaugeOrder.size());
    if (isNew)
      problem.gaugeOrder.push_back(key);
    return GaugeSum(found->second);
  }

  GaugeSum constant(xf::ExactAttr value, StringRef written) override {
    if (options.keep.contains(written))
      return {};
    // Calls of one equation share its constants.
    Location place = xf::writtenAt(current->getLoc());
    for (unsigned k = 0; k < problem.constants.size(); ++k) {
      const Constant &known = problem.constants[k];
      if (known.place == place && known.written == written &&
          known.value == value.getValue())
        return GaugeSum(k);
    }
    problem.constants.push_back({written.str(), value.getValue(), place});
    return GaugeSum(problem.constants.size() - 1);
  }

  GaugeSum log2OfE() override { return GaugeSum(0); }

  GaugeSum scalar(MutableOperandRange operand, StringRef name,
                  bool isPresent) override {
    // Operands that an earlier folding made per layer stay as they are.
    OperandRange range = operand;
    if (!range.empty() && !range.front().getDefiningOp<xf::ConstantOp>())
      return {};
    return absorber(current, name, Price::Scalar, 1, iteration(),
                    iterationsAround(current), isPresent);
  }

  GaugeSum attributeScalar(MutableOperandRange operand, StringRef,
                           StringRef name) override {
    if (!OperandRange(operand).empty())
      return {};
    return absorber(current, name, Price::Vector, 1, iteration(),
                    iterationsAround(current));
  }

  GaugeSum literal(xf::ConstantOp op) override {
    return absorber(op, "constant", Price::Scalar, 1, iteration(),
                    iterationsAround(op));
  }

  GaugeSum definition(xf::TabulateOp op) override {
    return absorber(op, "table", Price::Vector, numbersIn(op.getType()), 0, 1);
  }

  GaugeSum stored(xf::WeightOp read) override {
    auto stored =
        module.lookupSymbol<xf::StoredOp>(read.getStoredAttr().getAttr());
    int64_t member = 0;
    for (auto [index, extent] :
         llvm::zip(read.getIndices(), stored.getExtents())) {
      auto argument = dyn_cast<BlockArgument>(index);
      unsigned layer = 0;
      for (auto [loop, at] : loops)
        if (argument && loop.getLayer() == argument)
          layer = at;
      member = member * extent + layer;
    }
    Price price = !matrices.contains(stored.getSymName()) ? Price::Vector
                  : isNarrow(stored)                      ? Price::Forbidden
                                                          : Price::Matrix;
    return absorber(stored, stored.getSymName(), price,
                    numbersIn(stored.getType()), member, stored.getMembers());
  }

  GaugeSum multiplication(OpResult result) override {
    unsigned count = iterationsAround(current);
    // In a loop the multiplication is paid in every layer, even if only one
    // needs it.
    return absorber(current, "result", Price::Multiplication,
                    numbersIn(result.getType()) * count, iteration(), count);
  }

  GaugeSum multiplication(OpOperand &operand) override {
    unsigned count = iterationsAround(current);
    return absorber(current, "operand", Price::Multiplication,
                    numbersIn(operand.get().getType()) * count, iteration(),
                    count);
  }

private:
  // Until all unknowns are known, absorbers and gauges have provisional index
  // ranges.
  static constexpr unsigned absorberBase = 1U << 24, gaugeBase = 1U << 28;

  void zero(const GaugeSum &sum, Part part) override {
    if (sum.terms.empty())
      return;
    if (part != Part::Sign)
      problem.magnitudes.push_back({sum, current});
    if (part != Part::Magnitude)
      problem.signs.push_back({sum, current});
  }

  /// Requires gauge 1; integers have no gauge.
  void pinReal(Value value) {
    if (isa<xf::RealType>(value.getType()))
      pin(value);
  }

  /// Whether a factor would round the weight's elements a second time.
  static bool isNarrow(xf::StoredOp stored) { return !stored.isWide(); }

  /// The number of the current iteration, counted through all loops around the
  /// operation, the innermost fastest.
  unsigned iteration() const {
    unsigned flat = 0;
    for (auto [loop, at] : loops)
      flat = flat * loop.getCount() + at;
    return flat;
  }

  /// The flat iteration index of the loops around the block that `value`
  /// belongs to.
  unsigned iterationOf(Value value) const {
    Operation *parent = value.getParentBlock()->getParentOp();
    unsigned flat = 0;
    for (auto [loop, at] : loops) {
      flat = flat * loop.getCount() + at;
      if (loop == parent)
        return flat;
    }
    return 0;
  }

  /// The unknown of a place in iteration or member `member` of `members`;
  /// created at the first reference, so that all entries that read a weight
  /// share it.
  GaugeSum absorber(Operation *op, StringRef name, Price price, int64_t numbers,
                    unsigned member, unsigned members, bool isPresent = false) {
    auto [found, isNew] =
        problem.byName.try_emplace({op, name.str()}, problem.places.size());
    if (isNew)
      problem.places.push_back({op, name.str(), price, numbers, isPresent,
                                std::vector<unsigned>(members, 0)});
    unsigned &unknown = problem.places[found->second].unknowns[member];
    if (!unknown) {
      unknown = absorberBase + problem.absorbers.size();
      problem.absorbers.push_back({found->second, member});
    }
    return GaugeSum(unknown);
  }

  /// Collects the equations of a block in program order.
  void visit(Block &block) {
    for (Operation &op : block) {
      current = &op;
      if (auto layers = dyn_cast<xf::LayersOp>(op))
        visit(layers);
      else if (auto scan = dyn_cast<xf::ScanOp>(op))
        visit(scan);
      else if (auto law = dyn_cast<xf::GaugeLawInterface>(op))
        law.gaugeLaw(*this);
      else if (!isa<xf::YieldOp>(op))
        pinAll(op);
    }
  }

  /// Fixes the gauges of operations without a law, and of the results of an
  /// entry, to 1.
  void pinAll(Operation &op) {
    for (Value operand : op.getOperands())
      pinReal(operand);
    for (Value result : op.getResults())
      pinReal(result);
  }

  /// A carried value has a gauge before, between and after the iterations.
  void visit(xf::LayersOp layers) {
    SmallVector<std::optional<GaugeSum>> carried;
    for (Value init : layers.getInits())
      carried.push_back(gaugeOfReal(init));
    Block &body = layers.getBody().front();
    for (unsigned at = 0; at < layers.getCount(); ++at) {
      loops.push_back({layers, at});
      current = layers;
      for (auto [argument, gauge] : llvm::zip(layers.getCarried(), carried))
        if (gauge)
          equal((*this)[argument], *gauge);
      visit(body);
      for (auto [next, gauge] : llvm::zip(layers.getYieldedValues(), carried))
        gauge = gaugeOfReal(next);
      loops.pop_back();
    }
    current = layers;
    for (auto [result, gauge] : llvm::zip(layers.getResults(), carried))
      if (gauge)
        equal((*this)[result], *gauge);
  }

  /// All positions have the same gauges, so a state has one before, between and
  /// after them. Zero, where states usually begin, has any.
  void visit(xf::ScanOp scan) {
    auto same = [&](Value a, Value b) {
      current = scan;
      equal((*this)[a], (*this)[b]);
    };
    for (auto [row, rows] : llvm::zip(scan.getRowArguments(), scan.getRows()))
      same(row, rows);
    for (auto [init, state] : llvm::zip(scan.getInits(), scan.getStates()))
      if (!xf::isZeroTable(init))
        same(init, state);
    visit(scan.getBody().front());
    for (auto [row, rows] :
         llvm::zip(scan.getYieldedRows(), scan.getRowResults()))
      same(row, rows);
    for (auto [state, next, last] : llvm::zip(
             scan.getStates(), scan.getNextStates(), scan.getLastStates())) {
      same(state, next);
      same(next, last);
    }
  }

  /// The gauge of a carried value; nullopt for integers.
  std::optional<GaugeSum> gaugeOfReal(Value value) {
    if (isa<xf::RealType>(value.getType()))
      return (*this)[value];
    return std::nullopt;
  }

  /// Assigns the final indices of unknowns, in the same order.
  void number() {
    unsigned constants = problem.constants.size();
    auto renumbered = [&](unsigned unknown) -> unsigned {
      if (unknown >= gaugeBase)
        return unknown - gaugeBase + constants + problem.absorbers.size();
      if (unknown >= absorberBase)
        return unknown - absorberBase + constants;
      return unknown;
    };
    for (auto *equations : {&problem.magnitudes, &problem.signs})
      for (Equation &equation : *equations)
        for (auto &[unknown, exponent] : equation.sum.terms)
          unknown = renumbered(unknown);
    for (Place &place : problem.places)
      for (unsigned &unknown : place.unknowns)
        if (unknown)
          unknown = renumbered(unknown);
    for (auto &[value, unknown] : problem.gauges)
      unknown = renumbered(unknown);
  }

  Problem &problem;
  ModuleOp module;
  const ProblemOptions &options;
  Operation *current = nullptr;
  SmallVector<std::pair<xf::LayersOp, unsigned>> loops;
  llvm::StringSet<> matrices;
};

} // namespace transfold::fold

Problem Problem::of(ModuleOp module, const ProblemOptions &options) {
  Problem problem;
  Collector(problem, module, options).run();
  return problem;
}
