// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the operations of an xf.kernel to Halide definitions, one by one.

#include "compiler/kernels/algorithm/LowerRegion.h"
#include "compiler/kernels/algorithm/HalideMath.h"
#include "compiler/kernels/algorithm/Roundings.h"
#include "compiler/kernels/algorithm/Tensor.h"
#include "dialect/Mask.h"

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

static std::vector<Axis> axesOf(Type type) {
  std::vector<Axis> axes;
  for (Attribute attribute : xf::getShape(type)) {
    Axis axis;
    if (auto number = xf::getNumber(attribute))
      axis.size = *number;
    else
      axis.length = xf::printAxis(attribute);
    axes.push_back(axis);
  }
  return axes;
}

static Labels labelsOf(ArrayAttr attribute) {
  Labels labels;
  for (StringRef label : attribute.getAsValueRange<StringAttr>())
    labels.push_back(label.str());
  return labels;
}

static std::vector<Labels> groupsOf(ArrayAttr attribute) {
  std::vector<Labels> groups;
  for (auto group : attribute.getAsRange<ArrayAttr>())
    groups.push_back(labelsOf(group));
  return groups;
}

static Expr rounded(Expr x, xf::Format format) {
  switch (format) {
  case xf::Format::BF16:
    return Halide::reinterpret<float>(Halide::cast<uint32_t>(bfloat16Of(x))
                                      << 16);
  case xf::Format::F16:
    return roundedToFloat16(x);
  case xf::Format::F32:
  case xf::Format::F64:
    return x;
  }
  llvm_unreachable("all formats are above");
}

static Stored storedAs(xf::StorageAttr storage) {
  switch (storage.getFormat()) {
  case xf::Format::BF16:
    return Stored::BFloat16;
  case xf::Format::F16:
    return Stored::Float16;
  case xf::Format::F32:
  case xf::Format::F64:
    return Stored::Float32;
  }
  llvm_unreachable("all formats are above");
}

/// The difference of two positions is between -mostPositions and
/// mostPositions. More than that takes 64 bits.
static Expr holds(const xf::MaskAttr::Comparison &c, const Expr &i,
                  const Expr &j) {
  bool isNarrow =
      std::abs(c.query) <= 1 && std::abs(c.key) <= 1 && c.query * c.key <= 0;
  auto times = [&](int64_t factor, const Expr &position) {
    return isNarrow ? position * static_cast<int>(factor)
                    : Halide::cast<int64_t>(position) * Expr(factor);
  };
  Expr form = times(c.query, i) + times(c.key, j);
  int64_t bound = -c.constant;
  if (!isNarrow)
    return c.isEquality ? form == Expr(bound) : form >= Expr(bound);
  if (std::abs(bound) > xf::mostPositions)
    return !c.isEquality && bound < 0 ? Halide::Internal::const_true()
                                      : Halide::Internal::const_false();
  auto narrow = static_cast<int>(bound);
  return c.isEquality ? form == narrow : form >= narrow;
}

/// Linear comparisons of query i and key j; row r is query first + r.
static AlgorithmBuilder::Mask maskOf(xf::MaskAttr attribute,
                                     const Expr &first) {
  if (!attribute)
    return nullptr;
  return [=](const Expr &row, const Expr &j) {
    Expr all, i = first.defined() ? row + first : row;
    for (const auto &comparison : attribute.getComparisons()) {
      Expr one = holds(comparison, i, j);
      all = all.defined() ? all && one : one;
    }
    return all;
  };
}

/// A linear expression of the positions of a first and a last query, in numbers
/// as wide as these.
static Expr valueOf(AffineExpr expr, const Expr &first, const Expr &last) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == 0 ? first : last;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Halide::Internal::make_const(first.type(), constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr lhs = valueOf(binary.getLHS(), first, last);
  Expr rhs = valueOf(binary.getRHS(), first, last);
  // Halide's division rounds down, as floordiv does.
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return lhs / rhs;
  case AffineExprKind::CeilDiv:
    return (lhs + (rhs - 1)) / rhs;
  default:
    throw std::runtime_error("a bound of keys is linear in their queries");
  }
}

/// The same in 32 bits, or beyond what they hold their ends.
static Expr boundedValueOf(AffineExpr expr, const Expr &first,
                           const Expr &last) {
  bool isNarrow = true;
  expr.walk([&](AffineExpr part) {
    auto constant = dyn_cast<AffineConstantExpr>(part);
    isNarrow &= !constant || std::abs(constant.getValue()) < xf::mostPositions;
    auto product = dyn_cast<AffineBinaryOpExpr>(part);
    if (product && product.getKind() == AffineExprKind::Mul) {
      auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
      isNarrow &= factor && std::abs(factor.getValue()) == 1;
    }
  });
  if (isNarrow)
    return valueOf(expr, first, last);
  Expr value =
      valueOf(expr, Halide::cast<int64_t>(first), Halide::cast<int64_t>(last));
  return Halide::cast<int>(
      clamp(value, Expr(-xf::mostPositions), Expr(xf::mostPositions)));
}

/// All results of a map, joined by `join`; null where it has none. Row r is
/// query start + r.
static AlgorithmBuilder::KeyBound
boundOf(Attribute attribute, const Expr &start, Expr (*join)(Expr, Expr)) {
  auto map = dyn_cast_or_null<AffineMapAttr>(attribute);
  if (!map || map.getValue().getNumResults() == 0)
    return nullptr;
  return [=](const Expr &firstRow, const Expr &lastRow) {
    Expr first = start.defined() ? firstRow + start : firstRow;
    Expr last = start.defined() ? lastRow + start : lastRow;
    Expr bound;
    for (AffineExpr result : map.getValue().getResults()) {
      Expr value = boundedValueOf(result, first, last);
      bound = bound.defined() ? join(bound, value) : value;
    }
    return bound;
  };
}

// The definitions of kernels know no MLIR, and their own number.
static_assert(pairDistance == xf::PanelsAttr::distance);

namespace {
class RegionLowering {
public:
  RegionLowering(xf::KernelOp kernel, int lanes, int depth, int dot,
                 bool isOnDevice)
      : kernel(kernel), builder(kernel.getName().str(),
                                kernel.getAnchor() == xf::Anchor::Attention,
                                lanes, depth, dot, isOnDevice) {}

  Algorithm run() {
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      xf::StorageAttr storage = kernel.getStorage(argument.getArgNumber());
      Type type = argument.getType();
      Stored stored =
          isa<xf::IntegralType>(type) ? Stored::Int32 : storedAs(storage);
      xf::PanelsAttr panels = storage.getPanels();
      tensors[argument] =
          panels ? builder.addPanels(axesOf(type), stored, panels.getWidth(),
                                     panels.getInterleaved())
                 : builder.addArgument(axesOf(type), stored);
    }
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (isa<xf::ContractOp>(op))
        limitKeys();
      tensors[op.getResult(0)] = lower(&op);
    }
    auto end = cast<xf::ReturnOp>(kernel.getBody().front().getTerminator());
    if (end.getNumOperands() != 1)
      throw std::runtime_error("a kernel has one result");
    return builder.finish(get(end.getOperand(0)));
  }

private:
  const Tensor &get(Value value) { return tensors.find(value)->second; }

  template <typename Op>
  Tensor pointwise(Op op, const char *name, Expr (*function)(Expr, Expr)) {
    return builder.pointwise(
        name, get(op.getLhs()), labelsOf(op.getLhsLabels()), get(op.getRhs()),
        labelsOf(op.getRhsLabels()), labelsOf(op.getLabels()), function);
  }

  template <typename Op, typename Function>
  Tensor unary(Op op, const char *name, Function function) {
    return builder.unary(name, get(op.getInput()), function);
  }

  const Tensor *optional(Value value) { return value ? &get(value) : nullptr; }

  /// A number of an operation's own: a constant, or one that the launch passes.
  Expr scalar(Value value, float otherwise = 1.0f) {
    if (!value)
      return otherwise;
    return get(value).at({});
  }

  /// Where the rows of an operation begin; undefined for the start.
  Expr position(Value first) { return first ? get(first).at({}) : Expr(); }

  /// What the schedule of an attention says about the keys that its mask lets
  /// rows see.
  void limitKeys() {
    DictionaryAttr schedule = kernel.getScheduleAttr();
    auto softmaxes = kernel.getBody().getOps<xf::SoftmaxOp>();
    if (kernel.getAnchor() != xf::Anchor::Attention || softmaxes.empty())
      return;
    auto number = [&](StringRef name) {
      auto attribute = schedule.getAs<IntegerAttr>(name);
      return attribute ? static_cast<int>(attribute.getInt()) : 0;
    };
    Value first = (*softmaxes.begin()).getFirst();
    if (first && !tensors.contains(first))
      return;
    Expr start = position(first);
    builder.limitKeys({number("strip"), number("part"), number("across"),
                       boundOf(schedule.get("keys_from"), start, Halide::max),
                       boundOf(schedule.get("keys_to"), start, Halide::min)});
  }

  /// 2^(exponent x): the factor of x. A positive scale before a softmax that
  /// was not folded goes there too; a sink is compared with what is scaled.
  std::pair<Value, Expr> scoresOf(xf::SoftmaxOp op) {
    constexpr double log2e = 1.4426950408889634;
    if (op.getExponent())
      return {op.getInput(), scalar(op.getExponent())};
    auto scale = op.getInput().getDefiningOp<xf::ScaleOp>();
    double factor = scale ? scale.getFactor().toDouble() : 0;
    if (factor > 0 && !op.getSink())
      return {scale.getInput(), Expr(static_cast<float>(factor * log2e))};
    return {op.getInput(), Expr(static_cast<float>(log2e))};
  }

  template <typename Op> Expr epsilon(Op op) {
    return scalar(op.getLayerEpsilon(),
                  static_cast<float>(op.getEpsilon().toDouble()));
  }

  Tensor lower(Operation *op) {
    return llvm::TypeSwitch<Operation *, Tensor>(op)
        .Case([&](xf::ContractOp op) {
          return builder.contract(get(op.getLhs()), labelsOf(op.getLhsLabels()),
                                  get(op.getRhs()), labelsOf(op.getRhsLabels()),
                                  labelsOf(op.getLabels()));
        })
        .Case([&](xf::AddOp op) {
          return pointwise(op, "add", [](Expr a, Expr b) { return a + b; });
        })
        .Case([&](xf::SubtractOp op) {
          return pointwise(op, "subtract",
                           [](Expr a, Expr b) { return a - b; });
        })
        .Case([&](xf::MultiplyOp op) {
          return pointwise(op, "multiply",
                           [](Expr a, Expr b) { return a * b; });
        })
        .Case([&](xf::DivideOp op) {
          return pointwise(op, "divide", [](Expr a, Expr b) { return a / b; });
        })
        .Case([&](xf::ReluOp op) { return unary(op, "relu", reluOfFloat); })
        .Case([&](xf::GeluOp op) {
          Expr argument = scalar(op.getArgument());
          return unary(op, "gelu",
                       [=](Expr x) { return geluOfFloat(x, argument); });
        })
        .Case([&](xf::SigmoidOp op) {
          Expr argument = scalar(op.getArgument());
          Expr factor = scalar(op.getFactor());
          return unary(op, "sigmoid", [=](Expr x) {
            return sigmoidOfFloat(x, argument, factor);
          });
        })
        .Case([&](xf::TanhOp op) {
          Expr argument = scalar(op.getArgument());
          Expr factor = scalar(op.getFactor());
          return unary(op, "tanh", [=](Expr x) {
            return tanhOfFloat(x, argument, factor);
          });
        })
        .Case([&](xf::AbsOp op) {
          return unary(op, "abs", [](Expr x) { return Halide::abs(x); });
        })
        .Case([&](xf::ClampOp op) {
          auto bound = [](std::optional<xf::ExactAttr> exact) {
            return exact
                       ? Expr(static_cast<float>(exact->getValue().toDouble()))
                       : Expr();
          };
          return unary(op, "clamp",
                       [least = bound(op.getLeast()),
                        most = bound(op.getMost())](Expr x) {
                         return clampOfFloat(x, least, most);
                       });
        })
        .Case([&](xf::ExpOp op) { return unary(op, "exp", expOfFloat); })
        .Case([&](xf::NegateOp op) {
          return unary(op, "negate", [](Expr x) { return -x; });
        })
        .Case([&](xf::ScaleOp op) {
          auto factor = static_cast<float>(op.getFactor().toDouble());
          return unary(op, "scale", [=](Expr x) { return x * factor; });
        })
        .Case([&](xf::PowerOp op) {
          double exponent = op.getExponent().toDouble();
          return unary(op, "power",
                       [=](Expr x) { return powerOf(x, exponent); });
        })
        .Case([&](xf::RoundOp op) {
          Tensor result = unary(op, "round", [=](Expr x) mutable {
            return rounded(x, op.getFormat());
          });
          if (op.getFormat() == xf::Format::BF16)
            result.narrow = [input = get(op.getInput()).at](const Indices &i) {
              return Halide::reinterpret<Halide::bfloat16_t>(
                  bfloat16Of(input(i)));
            };
          return result;
        })
        .Case([&](xf::SoftmaxOp op) {
          auto mask = maskOf(op.getMask().value_or(xf::MaskAttr()),
                             position(op.getFirst()));
          auto [scores, exponent] = scoresOf(op);
          return builder.softmax(get(scores), exponent, scalar(op.getFactor()),
                                 mask, optional(op.getAmong()),
                                 optional(op.getSink()));
        })
        .Case([&](xf::StandardizeOp op) {
          return builder.standardize(get(op.getInput()), epsilon(op),
                                     scalar(op.getFactor()));
        })
        .Case([&](xf::UnitRmsOp op) {
          return builder.unitRms(get(op.getInput()), epsilon(op),
                                 scalar(op.getFactor()));
        })
        .Case([&](xf::UnitOp op) {
          return builder.unit(get(op.getInput()), scalar(op.getFactor()));
        })
        .Case([&](xf::SumOp op) {
          return builder.reduce(get(op.getInput()), op.getAxis(),
                                Reduction::Sum);
        })
        .Case([&](xf::MeanOp op) {
          return builder.reduce(get(op.getInput()), op.getAxis(),
                                Reduction::Mean);
        })
        .Case([&](xf::MaxOp op) {
          return builder.reduce(get(op.getInput()), op.getAxis(),
                                Reduction::Max);
        })
        .Case([&](xf::ConstantOp op) {
          return builder.constant(static_cast<float>(op.getValue().toDouble()));
        })
        .Case([&](xf::IntegersOp op) {
          return builder.constant(static_cast<int>(op.getValue()),
                                  axesOf(op.getType()));
        })
        .Case([&](xf::GatherOp op) {
          return builder.gather(get(op.getTable()), get(op.getRows()));
        })
        .Case([&](xf::SliceOp op) {
          Expr offset = static_cast<int>(op.getOffset());
          if (Expr first = position(op.getFirst()); first.defined())
            offset += first;
          return builder.slice(get(op.getInput()), op.getAxis(), offset,
                               axesOf(op.getType()));
        })
        .Case([&](xf::SelectOp op) {
          return builder.select(get(op.getInput()), op.getAxis(),
                                op.getPosition());
        })
        .Case([&](xf::RepeatOp op) {
          return builder.repeat(get(op.getInput()), op.getAxis(),
                                op.getTimes());
        })
        .Case([&](xf::AppendOp op) {
          return builder.append(get(op.getLhs()), get(op.getRhs()),
                                op.getAxis(), axesOf(op.getType()));
        })
        .Case([&](xf::StackOp op) {
          std::vector<Tensor> members;
          for (Value member : op.getMembers())
            members.push_back(get(member));
          return builder.stack(members);
        })
        .Case([&](xf::TabulateOp op) {
          std::vector<Tensor> arrays;
          for (Value array : op.getArrays())
            arrays.push_back(get(array));
          return builder.tabulate(*op.getDefinition().getValue().body, arrays,
                                  axesOf(op.getType()),
                                  position(op.getFirst()));
        })
        .Case([&](xf::LengthOp op) {
          return builder.length(axesOf(op.getInput().getType())[op.getAxis()]);
        })
        .Case([&](xf::RotateOp op) {
          return builder.rotate(get(op.getInput()), get(op.getCosines()),
                                get(op.getSines()));
        })
        .Case([&](xf::TopOp op) {
          return builder.top(get(op.getInput()), op.getCount());
        })
        .Case([&](xf::RankOp op) { return builder.rank(get(op.getInput())); })
        .Case([&](xf::PickOp op) {
          return builder.pickChosen(get(op.getInput()), get(op.getRanks()),
                                    axesOf(op.getType()));
        })
        .Case([&](xf::SpreadOp op) {
          return builder.spreadChosen(get(op.getInput()), get(op.getRanks()),
                                      axesOf(op.getType()));
        })
        .Case([&](xf::WindowsOp op) {
          return builder.windows(get(op.getInput()), op.getStride(),
                                 op.getPad(), axesOf(op.getType()));
        })
        .Case([&](xf::PatchesOp op) {
          return builder.patches(get(op.getInput()), op.getSize(),
                                 axesOf(op.getType()));
        })
        .Case([&](xf::RearrangeOp op) {
          return builder.rearrange(get(op.getInput()), groupsOf(op.getFrom()),
                                   groupsOf(op.getTo()), axesOf(op.getType()));
        })
        .Default([](Operation *op) -> Tensor {
          throw std::runtime_error("there is no kernel for " +
                                   op->getName().getStringRef().str());
        });
  }

  xf::KernelOp kernel;
  AlgorithmBuilder builder;
  llvm::DenseMap<Value, Tensor> tensors;
};
} // namespace

namespace {
/// How regions around an anchor are lowered and scheduled.
struct Anchor {
  xf::Anchor name;
  /// The number of the schedule that says in how many lanes rows are reduced.
  /// Attention reduces a row in the panels of its keys; lanes of a contraction
  /// are the columns of a tile.
  const char *lanes;
  /// Long sums are made in parts.
  bool isInParts;
  void (*onProcessor)(Algorithm &, const Schedule &);
  void (*onGpu)(Algorithm &, const Schedule &);
};
} // namespace

static const Anchor anchors[] = {
    {xf::Anchor::Attention, "keys", false, scheduleAttention,
     scheduleAttentionOnGpu},
    {xf::Anchor::Contraction, "columns", true, scheduleContraction,
     scheduleContractionOnGpu},
    {xf::Anchor::Reduction, "lanes", false, scheduleReduction,
     scheduleReductionOnGpu},
    {xf::Anchor::Rows, "lanes", false, scheduleRows, scheduleRowsOnGpu},
};

Algorithm kernels::lowerKernel(xf::KernelOp kernel) {
  Schedule schedule;
  DictionaryAttr numbers = kernel.getScheduleAttr();
  if (!numbers || !kernel.getTarget())
    throw std::runtime_error("the kernel has no schedule or no target");
  for (NamedAttribute entry : numbers)
    if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      schedule.entries[entry.getName().str()] = number.getInt();

  Halide::Target target(kernel.getTarget()->str());
  bool isGpu = target.has_gpu_feature();
  xf::Anchor anchor = kernel.getAnchor();
  const auto *known = llvm::find_if(
      anchors, [&](const Anchor &known) { return known.name == anchor; });
  assert(known != std::end(anchors) && "one for each anchor");
  int lanes = schedule.get(known->lanes);
  int depth = known->isInParts ? schedule.get("depth") : 0;
  int dot = schedule.entries.contains("dot") ? schedule.get("dot") : 1;
  Algorithm algorithm = RegionLowering(kernel, lanes, depth, dot, isGpu).run();
  if (hasFixedRoundings(target))
    fixRoundings(algorithm);
  (isGpu ? known->onGpu : known->onProcessor)(algorithm, schedule);
  return algorithm;
}
