// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations with one or two operands.

#include "compiler/kernels/algorithm/lower/RegionValues.h"
#include "compiler/kernels/algorithm/numeric/HalideMath.h"

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

// x rounded to the values of a format.
static Expr rounded(Expr x, xf::Format format) {
  switch (format) {
  case xf::Format::BF16:
    return widenedBfloat16(bfloat16Of(x));
  case xf::Format::F16:
    return roundedToFloat16(x);
  case xf::Format::F32:
    return x;
  default:
    llvm_unreachable("xf.round refuses other formats");
  }
}

// The result of a rounding to bfloat16 can also be read as bfloat16.
static Tensor round(RegionValues &region, xf::RoundOp op) {
  Tensor result = region.builder.unary(
      "round", region.get(op.getInput()),
      [=](Expr x) mutable { return rounded(x, op.getFormat()); });
  if (op.getFormat() == xf::Format::BF16)
    result.narrow = [input = region.get(op.getInput()).at](const Indices &i) {
      return Halide::reinterpret<Halide::bfloat16_t>(bfloat16Of(input(i)));
    };
  return result;
}

std::optional<BinaryEntry> kernels::binaryEntryOf(Operation *op) {
  using Found = std::optional<BinaryEntry>;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([](xf::AddOp) -> Found {
        return {{"add", [](Expr a, Expr b) { return a + b; }}};
      })
      .Case([](xf::SubtractOp) -> Found {
        return {{"subtract", [](Expr a, Expr b) { return a - b; }}};
      })
      .Case([](xf::MultiplyOp) -> Found {
        return {{"multiply", [](Expr a, Expr b) { return a * b; }}};
      })
      .Case([](xf::DivideOp) -> Found {
        return {{"divide", [](Expr a, Expr b) { return a / b; }}};
      })
      .Case([](xf::MaximumOp) -> Found { return {{"maximum", largerOf}}; })
      .Default([](Operation *) -> Found { return std::nullopt; });
}

std::optional<Tensor> kernels::lowerArithmetic(RegionValues &region,
                                               Operation *op) {
  auto entry = binaryEntryOf(op);
  if (!entry)
    return std::nullopt;
  auto labels = [&](StringRef name) {
    return labelsOf(op->getAttrOfType<ArrayAttr>(name));
  };
  return region.builder.pointwise(
      entry->name, region.get(op->getOperand(0)), labels("lhs_labels"),
      region.get(op->getOperand(1)), labels("rhs_labels"), labels("labels"),
      entry->function);
}

std::optional<UnaryEntry> kernels::unaryEntryOf(const RegionValues &region,
                                                Operation *op) {
  using Found = std::optional<UnaryEntry>;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([](xf::ReluOp) -> Found { return {{"relu", reluOfFloat}}; })
      .Case([&](xf::GeluOp op) -> Found {
        Expr argument = region.scalar(op.getArgument());
        return {{"gelu", [=](Expr x) { return geluOfFloat(x, argument); }}};
      })
      .Case([&](xf::SigmoidOp op) -> Found {
        Expr argument = region.scalar(op.getArgument());
        Expr factor = region.scalar(op.getFactor());
        return {{"sigmoid",
                 [=](Expr x) { return sigmoidOfFloat(x, argument, factor); }}};
      })
      .Case([&](xf::TanhOp op) -> Found {
        Expr argument = region.scalar(op.getArgument());
        Expr factor = region.scalar(op.getFactor());
        return {
            {"tanh", [=](Expr x) { return tanhOfFloat(x, argument, factor); }}};
      })
      .Case([&](xf::Log2Op op) -> Found {
        Expr argument = region.scalar(op.getArgument());
        Expr factor = region.scalar(op.getFactor());
        return {
            {"log2", [=](Expr x) { return log2OfFloat(x, argument, factor); }}};
      })
      .Case([&](xf::Log1pOp op) -> Found {
        Expr argument = region.scalar(op.getArgument());
        Expr factor = region.scalar(op.getFactor());
        return {{"log1p",
                 [=](Expr x) { return log1pOfFloat(x, argument, factor); }}};
      })
      .Case([](xf::AbsOp) -> Found {
        return {{"abs", [](Expr x) { return Halide::abs(x); }}};
      })
      .Case([](xf::ClampOp op) -> Found {
        auto bound = [](std::optional<xf::ExactAttr> exact) {
          return exact ? Expr(static_cast<float>(exact->getValue().toDouble()))
                       : Expr();
        };
        return {{"clamp",
                 [least = bound(op.getLeast()), most = bound(op.getMost())](
                     Expr x) { return clampOfFloat(x, least, most); }}};
      })
      .Case([](xf::ExpOp) -> Found { return {{"exp", expOfFloat}}; })
      .Case([](xf::NegateOp) -> Found {
        return {{"negate", [](Expr x) { return -x; }}};
      })
      .Case([](xf::ScaleOp op) -> Found {
        auto factor = static_cast<float>(op.getFactor().toDouble());
        return {{"scale", [=](Expr x) { return x * factor; }}};
      })
      .Case([](xf::PowerOp op) -> Found {
        double exponent = op.getExponent().toDouble();
        return {{"power", [=](Expr x) { return powerOf(x, exponent); }}};
      })
      .Default([](Operation *) -> Found { return std::nullopt; });
}

std::optional<Tensor> kernels::lowerFunction(RegionValues &region,
                                             Operation *op) {
  if (auto rounding = dyn_cast<xf::RoundOp>(op))
    return round(region, rounding);
  auto entry = unaryEntryOf(region, op);
  if (!entry)
    return std::nullopt;
  return region.builder.unary(entry->name, region.get(op->getOperand(0)),
                              entry->function);
}
