// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the laws of all operations a second time. This time each law's
// references have side effects: a scalar operand of a kernel that absorbs a
// factor is set to its new value.
//
//   %s = xf.scale %S by <"1/sqrt(32)"> "1 / √d_k"
//   %p = xf.softmax %s
// becomes
//   %c = xf.constant <"log2(e)/sqrt(32)"> : <>
//   %p = xf.softmax %S exp2 %c
//
// A scalar that differs by layer becomes a weight without a source:
//   xf.stored @fold.1[l = 2] : !xf.real<> as <()> times [<"1/72">, <"1">]
//   %c = xf.weight @fold.1[%l] : <>

#include "compiler/fold/Apply.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;
using xf::GaugeSum;

namespace {

/// Implements the services of laws by writing the factors of a solution into
/// the module. The sums that it returns are empty: equations were collected
/// before, and `zero` ignores them.
class Applier : public xf::GaugeLaw {
public:
  Applier(ModuleOp module, const Problem &problem, const Solution &solution,
          const llvm::StringSet<> &keep)
      : module(module), problem(problem), solution(solution), keep(keep) {}

  void run() {
    // Must run before values are replaced.
    for (auto entry : module.getOps<xf::EntryOp>())
      for (auto loop : entry.getBody().getOps<xf::LayersOp>())
        writeGauges(loop);
    SmallVector<Operation *> ops;
    for (auto entry : module.getOps<xf::EntryOp>())
      entry.walk([&](xf::GaugeLawInterface op) { ops.push_back(op); });
    for (Operation *op : ops) {
      current = op;
      cast<xf::GaugeLawInterface>(op).gaugeLaw(*this);
    }
    // Erased at the end: `ops` still refers to them, and a law that runs may
    // hold its own operation.
    for (Operation *op : dead)
      op->erase();
    for (auto stored : module.getOps<xf::StoredOp>())
      applyTo(stored);
  }

  //===--------------------------------------------------------------------===//
  // References of laws
  //===--------------------------------------------------------------------===//

  GaugeSum operator[](Value) override { return {}; }
  GaugeSum constant(xf::ExactAttr, StringRef) override { return {}; }
  GaugeSum log2OfE() override { return {}; }
  GaugeSum stored(xf::WeightOp) override { return {}; }

  GaugeSum scalar(MutableOperandRange operand, StringRef name,
                  bool isPresent) override {
    auto factors = factorsOf(current, name);
    // 2^x is not e^x: once there is an exponent it is written even if it is 1.
    if (!problem.find(current, name) || (isOne(factors) && !isPresent))
      return {};
    OperandRange range = operand;
    if (!range.empty())
      multiply(factors, range.front().getDefiningOp<xf::ConstantOp>());
    operand.assign(number(factors));
    return {};
  }

  GaugeSum attributeScalar(MutableOperandRange operand, StringRef attribute,
                           StringRef name) override {
    auto factors = factorsOf(current, name);
    if (isOne(factors))
      return {};
    ExactScalar value =
        current->getAttrOfType<xf::ExactAttr>(attribute).getValue();
    for (ExactScalar &factor : factors)
      factor = factor * value;
    if (isUniform(factors))
      current->setAttr(attribute, exact(factors[0]));
    else
      operand.assign(number(factors));
    return {};
  }

  GaugeSum literal(xf::ConstantOp op) override {
    auto factors = factorsOf(op, "constant");
    if (isOne(factors))
      return {};
    multiply(factors, op);
    if (isUniform(factors)) {
      op.setValueAttr(exact(factors[0]));
    } else {
      op.replaceAllUsesWith(number(factors));
      dead.push_back(op);
    }
    return {};
  }

  GaugeSum definition(xf::TabulateOp op) override {
    auto factors = factorsOf(op, "table");
    if (isOne(factors))
      return {};
    IndexDefinition table = op.getDefinition().getValue();
    table.body = IndexExpr::operation(
        ScalarOp::Multiply, {table.body, IndexExpr::constant(factors[0])});
    op.setDefinitionAttr(xf::DefinitionAttr::get(op.getContext(), table));
    return {};
  }

  /// An xf.scale is replaced by one with the remaining factor; any other
  /// operation gets an xf.scale after it.
  GaugeSum multiplication(OpResult result) override {
    auto factors = factorsOf(current, "result");
    // The solution's factor of a scale includes the constant, which is a
    // multiplication at that place like any other. A kept constant has no
    // unknown, so it is multiplied in here.
    auto scale = dyn_cast<xf::ScaleOp>(current);
    if (scale && keep.contains(scale.getWritten()))
      for (ExactScalar &factor : factors)
        factor = factor * scale.getFactor().getValue();
    Value input = scale ? scale.getInput() : Value(result);
    if (isOne(factors)) {
      if (scale) {
        scale.replaceAllUsesWith(input);
        dead.push_back(scale);
      }
      return {};
    }
    OpBuilder builder(current->getContext());
    builder.setInsertionPointAfter(current);
    Value product = multiplied(builder, input, factors,
                               scale ? scale.getWritten() : "left of folding");
    // For an operation other than a scale the product reads the result itself.
    result.replaceAllUsesExcept(product, product.getDefiningOp());
    if (scale)
      dead.push_back(scale);
    return {};
  }

  GaugeSum multiplication(OpOperand &operand) override {
    auto factors = factorsOf(current, "operand");
    if (isOne(factors))
      return {};
    OpBuilder builder(current);
    operand.set(multiplied(builder, operand.get(), factors, "left of folding"));
    return {};
  }

private:
  using Factors = std::vector<ExactScalar>;

  /// Sets `gauges` of a loop: the factors by which the values that each layer
  /// yields differ from the equations, unless all are 1.
  void writeGauges(xf::LayersOp loop) {
    SmallVector<Attribute> lists;
    bool allOne = true;
    Block &body = loop.getBody().front();
    for (Value next : body.getTerminator()->getOperands()) {
      SmallVector<Attribute> gauges;
      for (unsigned layer = 0; layer < loop.getCount(); ++layer) {
        bool isInside = next.getParentBlock() == &body;
        auto gauge = solution.yielded.find({next, isInside ? layer : 0});
        bool isKnown = gauge != solution.yielded.end();
        allOne &= !isKnown || gauge->second.isOne();
        gauges.push_back(exact(isKnown ? gauge->second : ExactScalar()));
      }
      lists.push_back(ArrayAttr::get(module.getContext(), gauges));
    }
    if (!allOne)
      loop.setGaugesAttr(ArrayAttr::get(module.getContext(), lists));
  }

  void zero(const GaugeSum &, Part) override {}

  /// The factor in each iteration or for each member; a single 1 for a place
  /// that no law refers to.
  Factors factorsOf(Operation *op, StringRef name) const {
    const Place *place = problem.find(op, name);
    if (!place)
      return {ExactScalar()};
    Factors factors;
    for (unsigned unknown : place->unknowns)
      factors.push_back(unknown ? solution.factor(problem, unknown)
                                : ExactScalar());
    return factors;
  }

  /// Whether all layers have the same factor, so that no scalar per layer is
  /// stored.
  static bool isUniform(const Factors &factors) {
    return llvm::all_equal(factors);
  }
  /// Whether nothing changes in any layer.
  static bool isOne(const Factors &factors) {
    return llvm::all_of(factors,
                        [](const ExactScalar &x) { return x.isOne(); });
  }
  /// Multiplies by the value that the constant has already.
  static void multiply(Factors &factors, xf::ConstantOp constant) {
    for (ExactScalar &factor : factors)
      factor = factor * constant.getValue().getValue();
  }

  /// The factor as an attribute; it is rounded only when a kernel or a weight
  /// is written.
  xf::ExactAttr exact(const ExactScalar &value) {
    return xf::ExactAttr::get(module.getContext(), value);
  }
  /// The factors as `times` of a weight: one if all are equal, otherwise one
  /// per member.
  ArrayAttr times(const Factors &factors) {
    SmallVector<Attribute> list;
    for (const ExactScalar &factor :
         ArrayRef(factors).take_front(isUniform(factors) ? 1 : factors.size()))
      list.push_back(exact(factor));
    return ArrayAttr::get(module.getContext(), list);
  }

  /// The scalar, or one per layer, as an operand of `current`.
  Value number(const Factors &factors) {
    OpBuilder builder(current);
    auto scalar = xf::RealType::get(builder.getContext(), {});
    if (isUniform(factors))
      return xf::ConstantOp::create(builder, current->getLoc(), scalar,
                                    exact(factors[0]));
    // One scalar per layer: stored next to the weights.
    SmallVector<Value> indices;
    SmallVector<Attribute> names;
    SmallVector<int64_t> extents;
    for (auto loop = current->getParentOfType<xf::LayersOp>(); loop;
         loop = loop->getParentOfType<xf::LayersOp>()) {
      indices.insert(indices.begin(), loop.getLayer());
      names.insert(names.begin(),
                   builder.getStringAttr(
                       "l" + (names.empty() ? "" : Twine(names.size()))));
      extents.insert(extents.begin(), static_cast<int64_t>(loop.getCount()));
    }
    OpBuilder atTop(builder.getContext());
    atTop.setInsertionPointToStart(module.getBody());
    auto stored = xf::StoredOp::create(
        atTop, current->getLoc(), atTop.getStringAttr(freshName()),
        atTop.getArrayAttr(names), atTop.getDenseI64ArrayAttr(extents), scalar);
    stored.setTimesAttr(times(factors));
    return xf::WeightOp::create(builder, current->getLoc(), scalar,
                                stored.getSymName(), indices);
  }

  /// A name fold.1, fold.2, … that the module does not have yet.
  std::string freshName() {
    std::string name;
    do
      name = "fold." + std::to_string(++numbered);
    while (module.lookupSymbol(name));
    return name;
  }

  /// The product of `input` with the factor of the layer, as an operation.
  Value multiplied(OpBuilder &builder, Value input, const Factors &factors,
                   StringRef written) {
    if (isUniform(factors))
      return xf::ScaleOp::create(builder, current->getLoc(), input,
                                 exact(factors[0]), written);
    SmallVector<Attribute> labels;
    for (unsigned axis = 0; axis < xf::getShape(input.getType()).size(); ++axis)
      labels.push_back(builder.getStringAttr("a" + Twine(axis)));
    ArrayAttr all = builder.getArrayAttr(labels);
    Value factor = number(factors);
    return xf::MultiplyOp::create(builder, current->getLoc(), input, factor,
                                  all, builder.getArrayAttr({}), all);
  }

  /// Multiplies the factors of a weight's members, on top of those from an
  /// earlier folding.
  void applyTo(xf::StoredOp stored) {
    auto factors = factorsOf(stored, stored.getSymName());
    if (isOne(factors))
      return;
    for (auto [member, factor] : llvm::enumerate(factors))
      factor = factor * stored.getFactor(member);
    stored.setTimesAttr(isOne(factors) ? ArrayAttr() : times(factors));
  }

  ModuleOp module;
  const Problem &problem;
  const Solution &solution;
  const llvm::StringSet<> &keep;
  Operation *current = nullptr;
  /// Replaced operations; their laws may still be running.
  SmallVector<Operation *> dead;
  unsigned numbered = 0;
};

} // namespace

void fold::apply(ModuleOp module, const Problem &problem,
                 const Solution &solution, const llvm::StringSet<> &keep) {
  Applier(module, problem, solution, keep).run();
}
