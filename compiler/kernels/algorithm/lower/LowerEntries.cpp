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

template <typename Op>
static Tensor pointwise(RegionValues &region, Op op, const char *name,
                        Expr (*function)(Expr, Expr)) {
  return region.builder.pointwise(
      name, region.get(op.getLhs()), labelsOf(op.getLhsLabels()),
      region.get(op.getRhs()), labelsOf(op.getRhsLabels()),
      labelsOf(op.getLabels()), function);
}

template <typename Op, typename Function>
static Tensor unary(RegionValues &region, Op op, const char *name,
                    Function function) {
  return region.builder.unary(name, region.get(op.getInput()), function);
}

// The result of a rounding to bfloat16 can also be read as bfloat16.
static Tensor round(RegionValues &region, xf::RoundOp op) {
  Tensor result = unary(region, op, "round", [=](Expr x) mutable {
    return rounded(x, op.getFormat());
  });
  if (op.getFormat() == xf::Format::BF16)
    result.narrow = [input = region.get(op.getInput()).at](const Indices &i) {
      return Halide::reinterpret<Halide::bfloat16_t>(bfloat16Of(input(i)));
    };
  return result;
}

std::optional<Tensor> kernels::lowerArithmetic(RegionValues &region,
                                               Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(op)
      .Case([&](xf::AddOp op) {
        return pointwise(region, op, "add",
                         [](Expr a, Expr b) { return a + b; });
      })
      .Case([&](xf::SubtractOp op) {
        return pointwise(region, op, "subtract",
                         [](Expr a, Expr b) { return a - b; });
      })
      .Case([&](xf::MultiplyOp op) {
        return pointwise(region, op, "multiply",
                         [](Expr a, Expr b) { return a * b; });
      })
      .Case([&](xf::DivideOp op) {
        return pointwise(region, op, "divide",
                         [](Expr a, Expr b) { return a / b; });
      })
      .Case([&](xf::MaximumOp op) {
        return pointwise(region, op, "maximum", largerOf);
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Tensor> kernels::lowerFunction(RegionValues &region,
                                             Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(op)
      .Case(
          [&](xf::ReluOp op) { return unary(region, op, "relu", reluOfFloat); })
      .Case([&](xf::GeluOp op) {
        Expr argument = region.scalar(op.getArgument());
        return unary(region, op, "gelu",
                     [=](Expr x) { return geluOfFloat(x, argument); });
      })
      .Case([&](xf::SigmoidOp op) {
        Expr argument = region.scalar(op.getArgument());
        Expr factor = region.scalar(op.getFactor());
        return unary(region, op, "sigmoid", [=](Expr x) {
          return sigmoidOfFloat(x, argument, factor);
        });
      })
      .Case([&](xf::TanhOp op) {
        Expr argument = region.scalar(op.getArgument());
        Expr factor = region.scalar(op.getFactor());
        return unary(region, op, "tanh",
                     [=](Expr x) { return tanhOfFloat(x, argument, factor); });
      })
      .Case([&](xf::Log2Op op) {
        Expr argument = region.scalar(op.getArgument());
        Expr factor = region.scalar(op.getFactor());
        return unary(region, op, "log2",
                     [=](Expr x) { return log2OfFloat(x, argument, factor); });
      })
      .Case([&](xf::AbsOp op) {
        return unary(region, op, "abs", [](Expr x) { return Halide::abs(x); });
      })
      .Case([&](xf::ClampOp op) {
        auto bound = [](std::optional<xf::ExactAttr> exact) {
          return exact ? Expr(static_cast<float>(exact->getValue().toDouble()))
                       : Expr();
        };
        return unary(region, op, "clamp",
                     [least = bound(op.getLeast()), most = bound(op.getMost())](
                         Expr x) { return clampOfFloat(x, least, most); });
      })
      .Case([&](xf::ExpOp op) { return unary(region, op, "exp", expOfFloat); })
      .Case([&](xf::NegateOp op) {
        return unary(region, op, "negate", [](Expr x) { return -x; });
      })
      .Case([&](xf::ScaleOp op) {
        auto factor = static_cast<float>(op.getFactor().toDouble());
        return unary(region, op, "scale", [=](Expr x) { return x * factor; });
      })
      .Case([&](xf::PowerOp op) {
        double exponent = op.getExponent().toDouble();
        return unary(region, op, "power",
                     [=](Expr x) { return powerOf(x, exponent); });
      })
      .Case([&](xf::RoundOp op) { return round(region, op); })
      .Default([](Operation *) { return std::nullopt; });
}
