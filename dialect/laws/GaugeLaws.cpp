// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gauge law of each operation (GaugeLaw.h). For operations without one
// here, the gauges of the real operands and results agree: sums, means,
// selections, rearrangements, -x.

#include "dialect/Dialect.h"
#include "dialect/laws/GaugeLaw.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

using Part = GaugeLaw::Part;

//===----------------------------------------------------------------------===//
// Sums of gauges
//===----------------------------------------------------------------------===//

GaugeSum GaugeSum::operator+(const GaugeSum &other) const {
  GaugeSum sum;
  const Term *a = terms.begin(), *b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->first < b->first)) {
      sum.terms.push_back(*a++);
    } else if (a == terms.end() || b->first < a->first) {
      sum.terms.push_back(*b++);
    } else {
      // A term that cancels is dropped: equality compares the lists of terms.
      Exponent both = a->second + b->second;
      if (!both.isZero())
        sum.terms.push_back({a->first, both});
      ++a;
      ++b;
    }
  }
  return sum;
}

GaugeSum GaugeSum::operator*(Exponent factor) const {
  GaugeSum product;
  if (!factor.isZero())
    for (const auto &[unknown, exponent] : terms)
      product.terms.push_back({unknown, exponent * factor});
  return product;
}

GaugeSum GaugeSum::operator-(const GaugeSum &other) const {
  return *this + other * Exponent{-1, 1};
}

//===----------------------------------------------------------------------===//
// Gauges that agree
//===----------------------------------------------------------------------===//

void xf::gaugesAgree(Operation *op, GaugeLaw &law) {
  GaugeSum result = law[op->getResult(0)];
  for (Value operand : op->getOperands())
    if (isa<RealType>(operand.getType()))
      law.equal(result, law[operand]);
}

/// max(s x, 0) = s max(x, 0) only for s > 0.
static void positiveGaugesAgree(Value input, Value result, GaugeLaw &law) {
  law.equal(law[result], law[input]);
  law.positive(law[input]);
}
void ReluOp::gaugeLaw(GaugeLaw &law) {
  positiveGaugesAgree(getInput(), getResult(), law);
}
/// |s x| = s |x| for s > 0; for s < 0 the sign would be lost.
void AbsOp::gaugeLaw(GaugeLaw &law) {
  positiveGaugesAgree(getInput(), getResult(), law);
}
void MaxOp::gaugeLaw(GaugeLaw &law) {
  positiveGaugesAgree(getInput(), getResult(), law);
}

/// max(s x, s y) = s max(x, y) for s > 0.
void MaximumOp::gaugeLaw(GaugeLaw &law) {
  gaugesAgree(*this, law);
  law.positive(law[getResult()]);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void ContractOp::gaugeLaw(GaugeLaw &law) {
  GaugeSum product = law[getLhs()] + law[getRhs()] +
                     law.multiplication((*this)->getOpResult(0));
  // x @ W may be scaled on either side; the smaller one is cheaper.
  if (getRhs().getDefiningOp<WeightOp>())
    product = product + law.multiplication(getLhsMutable());
  law.equal(law[getResult()], product);
}

void MultiplyOp::gaugeLaw(GaugeLaw &law) {
  law.equal(law[getResult()], law[getLhs()] + law[getRhs()]);
}

void DivideOp::gaugeLaw(GaugeLaw &law) {
  law.equal(law[getResult()], law[getLhs()] - law[getRhs()]);
}

/// A factor 0 has no logarithm: 0 (s x) = t (0 x) for any s and t. The scale
/// stays where it is, and only the sign of its zeros follows the input.
void ScaleOp::gaugeLaw(GaugeLaw &law) {
  if (getFactor().getValue().isZero()) {
    law.equal(law[getResult()], law[getInput()], Part::Sign);
    return;
  }
  law.equal(law[getResult()] + law.constant(getFactor(), getWritten()),
            law[getInput()] + law.multiplication((*this)->getOpResult(0)));
}

void GatherOp::gaugeLaw(GaugeLaw &law) {
  law.equal(law[getResult()],
            law[getTable()] + law.multiplication((*this)->getOpResult(0)));
}

/// (s x)^q = s^q x^q; a root needs s > 0, and an even power drops the sign.
void PowerOp::gaugeLaw(GaugeLaw &law) {
  ExactScalar exponent = getExponent().getValue();
  auto fraction = exponent.asRational();
  // A larger exponent would raise every base of a gauge to that power. Both
  // values then stay as they are.
  if (!fraction || fraction->first > 64 || fraction->first < -64 ||
      fraction->second > 64) {
    law.pin(getInput());
    law.pin(getResult());
    return;
  }
  Exponent q{static_cast<int64_t>(fraction->first),
             static_cast<int64_t>(fraction->second)};
  law.equal(law[getResult()], law[getInput()] * q,
            q.isInteger() ? Part::Both : Part::Magnitude);
  if (!q.isInteger()) {
    law.positive(law[getInput()]);
    law.positive(law[getResult()]);
  }
}

/// A rotation is linear in the row, and in the cosines and sines together.
void RotateOp::gaugeLaw(GaugeLaw &law) {
  law.equal(law[getResult()], law[getInput()] + law[getCosines()]);
  law.equal(law[getCosines()], law[getSines()]);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// x Φ(βx) is homogeneous of degree 1 in x if β is scaled inversely.
void GeluOp::gaugeLaw(GaugeLaw &law) {
  positiveGaugesAgree(getInput(), getResult(), law);
  law.equal(law.scalar(getArgumentMutable(), "gelu argument") + law[getInput()],
            {});
}

/// factor f(argument x): input and output each have a scalar that absorbs
/// factors.
template <typename Op> static void scaledFunction(Op op, GaugeLaw &law) {
  std::string name = op->getName().stripDialect().str();
  law.equal(law.scalar(op.getArgumentMutable(), name + " argument") +
                law[op.getInput()],
            {});
  law.equal(law[op.getResult()],
            law.scalar(op.getFactorMutable(), name + " output"));
}
void SigmoidOp::gaugeLaw(GaugeLaw &law) { scaledFunction(*this, law); }
void TanhOp::gaugeLaw(GaugeLaw &law) { scaledFunction(*this, law); }
void Log2Op::gaugeLaw(GaugeLaw &law) { scaledFunction(*this, law); }
void Log1pOp::gaugeLaw(GaugeLaw &law) { scaledFunction(*this, law); }

void ExpOp::gaugeLaw(GaugeLaw &law) {
  law.pin(getInput());
  law.pin(getResult());
}

/// The selection of the largest entries is invariant under a positive gauge.
void TopKMaskOp::gaugeLaw(GaugeLaw &law) {
  law.positive(law[getInput()]);
  law.pin(getResult());
}

/// Gauges are nonzero, so they do not change which entries are zero.
void RunningCountOp::gaugeLaw(GaugeLaw &law) { law.pin(getResult()); }
void CompressOp::gaugeLaw(GaugeLaw &law) {
  law.equal(law[getResult()], law[getInput()]);
}
void ExpandOp::gaugeLaw(GaugeLaw &law) {
  law.equal(law[getResult()], law[getInput()]);
}

/// The bounds are constants of the equations.
void ClampOp::gaugeLaw(GaugeLaw &law) {
  law.pin(getInput());
  law.pin(getResult());
}

/// The rounded value must be that of the equations.
void RoundOp::gaugeLaw(GaugeLaw &law) {
  law.pin(getInput());
  law.pin(getResult());
}

/// Groups of a row share a scale, so only gauges common to a whole group could
/// pass; products are quantized after folding.
void QuantizeOp::gaugeLaw(GaugeLaw &law) {
  law.pin(getInput());
  law.pin(getResult());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// e^x = 2^(log2(e) x): the exponent absorbs log2(e) and the inverse of the
/// input's gauge. The largest entry of a row is subtracted, so the gauge must
/// be positive. Rows sum to 1 whatever the input, or to the factor; with a sink
/// they sum to less, but to the same if the sink has the input's gauge.
void SoftmaxOp::gaugeLaw(GaugeLaw &law) {
  law.equal(law.scalar(getExponentMutable(), "softmax scale",
                       /*isPresent=*/true) +
                law[getInput()],
            getExponent() ? GaugeSum() : law.log2OfE());
  law.positive(law[getInput()]);
  if (getSink()) // one more score
    law.equal(law[getSink()], law[getInput()]);
  if (getAmong()) // only whether entries are above 0 matters
    law.positive(law[getAmong()]);
  law.equal(law[getResult()],
            law.scalar(getFactorMutable(), "softmax normalizer"));
}

/// x / √(mean(x²) + ε) keeps the sign of a gauge and drops its magnitude, if ε
/// is scaled accordingly.
template <typename Op> static void normLaw(Op op, GaugeLaw &law) {
  GaugeSum factor = law.scalar(op.getFactorMutable(), "norm row factor");
  law.equal(law[op.getResult()], factor, Part::Magnitude);
  law.equal(law[op.getResult()], factor + law[op.getInput()], Part::Sign);
}

/// (s x) / √(mean(s² x²) + s² ε) = x / √(mean(x²) + ε): ε is scaled by the
/// square of the gauge. As a square it is positive for either sign of the
/// gauge.
template <typename Op> static void epsilonLaw(Op op, GaugeLaw &law) {
  // An ε of 0 is invariant under scaling.
  if (!op.getLayerEpsilon() && op.getEpsilon().getValue().isZero())
    return;
  GaugeSum epsilon =
      law.attributeScalar(op.getLayerEpsilonMutable(), "epsilon", "ε");
  law.equal(epsilon, law[op.getInput()] * Exponent{2, 1}, Part::Magnitude);
  law.positive(epsilon);
}

void UnitOp::gaugeLaw(GaugeLaw &law) { normLaw(*this, law); }
void UnitRmsOp::gaugeLaw(GaugeLaw &law) {
  normLaw(*this, law);
  epsilonLaw(*this, law);
}
void StandardizeOp::gaugeLaw(GaugeLaw &law) {
  normLaw(*this, law);
  epsilonLaw(*this, law);
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

void ConstantOp::gaugeLaw(GaugeLaw &law) {
  // A constant 0 is invariant under scaling.
  if (getValue().getValue().isZero())
    return;
  law.equal(law[getResult()], law.literal(*this));
}

/// A definition that is a single array read has the array's gauge; any other
/// definition absorbs a factor and reads arrays as the equations have them.
void TabulateOp::gaugeLaw(GaugeLaw &law) {
  IndexDefinition table = getDefinition().getValue();
  unsigned reads = 0;
  transfold::walk(*table.body, [&](const IndexExpr &node) {
    reads += node.kind == IndexExpr::Kind::Read;
  });
  if (reads == 1 && table.body->kind == IndexExpr::Kind::Read)
    if (Value array = getArrays()[table.body->array];
        isa<RealType>(array.getType())) { // tokens are not scalable
      law.equal(law[getResult()], law[array]);
      return;
    }
  for (Value array : getArrays())
    if (isa<RealType>(array.getType()))
      law.pin(array);
  law.equal(law[getResult()], law.definition(*this));
}

/// The length is counted when the program runs.
void LengthOp::gaugeLaw(GaugeLaw &law) { law.pin(getResult()); }

void WeightOp::gaugeLaw(GaugeLaw &law) {
  law.equal(law[getResult()], law.stored(*this));
}
