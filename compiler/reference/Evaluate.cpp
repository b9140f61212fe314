// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The semantics of each operation, one function each, over any numbers
// (Numbers.h). The interpreter rounds results.

#include "compiler/reference/EvaluateChosen.h"
#include "compiler/reference/EvaluatePositions.h"
#include "compiler/reference/Interpreter.h"
#include "dialect/Labels.h"

#include <fmt/format.h>
#include <llvm/ADT/TypeSwitch.h>

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

using Shape = std::vector<int64_t>;
using Operands = ArrayRef<const Tensor *>;

//===----------------------------------------------------------------------===//
// Index notation
//===----------------------------------------------------------------------===//

/// `x` with its axes in the order of `labels`; stride 0 along labels it lacks.
static Tensor align(const Tensor &x, ArrayAttr own, ArrayRef<StringRef> labels,
                    const Shape &shape) {
  Shape strides, from = x.strides();
  for (StringRef label : labels) {
    auto axis = xf::findLabel(own, label);
    strides.push_back(axis ? from[*axis] : 0);
  }
  return strided(x, shape, strides);
}

namespace {
/// The labels of a contraction by the operands that have them, and their sizes.
struct ContractionLabels {
  SmallVector<StringRef> shared, rows, columns, summed;
  llvm::StringMap<int64_t> sizes;

  /// The number of positions of `labels` together.
  int64_t count(ArrayRef<StringRef> labels) const {
    int64_t product = 1;
    for (StringRef label : labels)
      product *= sizes.lookup(label);
    return product;
  }

  /// `x`, whose labels are `own`, with its axes in the order a, b, c.
  Tensor arrange(const Tensor &x, ArrayAttr own, ArrayRef<StringRef> a,
                 ArrayRef<StringRef> b, ArrayRef<StringRef> c) const {
    SmallVector<StringRef> order(a);
    order.append(b.begin(), b.end());
    order.append(c.begin(), c.end());
    Shape full;
    for (StringRef label : order)
      full.push_back(sizes.lookup(label));
    return align(x, own, order, full);
  }
};
} // namespace

/// Assigns each label of a contraction to the batch (shared), the rows, the
/// columns or the summed axes.
static ContractionLabels labelsOf(xf::ContractOp op, Operands operands) {
  ArrayAttr lhs = op.getLhsLabels(), rhs = op.getRhsLabels(),
            out = op.getLabels();
  ContractionLabels result;
  for (auto [labels, operand] :
       {std::pair(lhs, operands[0]), {rhs, operands[1]}})
    for (unsigned axis = 0; axis < labels.size(); ++axis)
      result.sizes[xf::getLabel(labels, axis)] = operand->shape[axis];
  for (StringRef label : lhs.getAsValueRange<StringAttr>()) {
    bool both = xf::findLabel(rhs, label).has_value();
    bool kept = xf::findLabel(out, label).has_value();
    (!kept  ? result.summed
     : both ? result.shared
            : result.rows)
        .push_back(label);
  }
  for (StringRef label : rhs.getAsValueRange<StringAttr>())
    if (!xf::findLabel(lhs, label))
      result.columns.push_back(label);
  return result;
}

/// Multiplies B matrices M × K in `a` by as many K × N in `b`; `shape` is
/// (B, M, N). Terms are added in the order of k.
static Tensor batchedProduct(const Tensor &a, const Tensor &b,
                             const Shape &shape, int64_t K,
                             const Numbers &numbers) {
  const int64_t B = shape[0], M = shape[1], N = shape[2];
  Tensor product(shape);
  for (int64_t batch = 0; batch < B; ++batch)
    for (int64_t m = 0; m < M; ++m) {
      double *row = product.data.data() + (batch * M + m) * N;
      const double *factors = a.data.data() + (batch * M + m) * K;
      numbers.addProducts({row, static_cast<size_t>(N)},
                          {factors, static_cast<size_t>(K)},
                          b.data.data() + batch * K * N);
    }
  return product;
}

/// Σ over the labels that the result lacks: both operands are permuted to the
/// order (shared, own, summed) and multiplied as plain matrices.
static Tensor contract(xf::ContractOp op, Operands operands, const Shape &shape,
                       const Numbers &numbers) {
  const ContractionLabels labels = labelsOf(op, operands);
  const auto &[shared, rows, columns, summed, sizes] = labels;
  const Shape matrices{labels.count(shared), labels.count(rows),
                       labels.count(columns)};
  Tensor a =
      labels.arrange(*operands[0], op.getLhsLabels(), shared, rows, summed);
  Tensor b =
      labels.arrange(*operands[1], op.getRhsLabels(), shared, summed, columns);
  Tensor product =
      batchedProduct(a, b, matrices, labels.count(summed), numbers);

  // Permutes (shared, rows, columns) to the order of the result.
  SmallVector<StringRef> order(shared);
  order.append(rows.begin(), rows.end());
  order.append(columns.begin(), columns.end());
  Shape strides(shape.size());
  int64_t stride = 1;
  for (StringRef label : llvm::reverse(order)) {
    strides[*xf::findLabel(op.getLabels(), label)] = stride;
    stride *= sizes.lookup(label);
  }
  return strided(product, shape, strides);
}

/// A pointwise operation of two operands, broadcast to the axes of the result.
template <typename Op, typename Function>
static Tensor binary(Op op, Operands operands, const Shape &shape,
                     Function function) {
  SmallVector<StringRef> order(
      op.getLabels().template getAsValueRange<StringAttr>());
  Tensor a = align(*operands[0], op.getLhsLabels(), order, shape);
  Tensor b = align(*operands[1], op.getRhsLabels(), order, shape);
  for (int64_t k = 0; k < a.size(); ++k)
    a.data[k] = function(a.data[k], b.data[k]);
  return a;
}

//===----------------------------------------------------------------------===//
// Elementwise and row-wise operations
//===----------------------------------------------------------------------===//

/// Applies `function` to each element of the only real operand.
template <typename Function>
static Tensor map(Operands operands, Function function) {
  Tensor result = *operands[0];
  for (double &x : result.data)
    x = function(x);
  return result;
}

/// Calls `function` with each row (last axis) of a copy of the first operand,
/// which it changes in place. A scalar is a row of one element.
template <typename Function>
static Tensor rows(Operands operands, Function function) {
  Tensor result = *operands[0];
  int64_t width = result.shape.empty() ? 1 : result.shape.back();
  for (int64_t start = 0; start < result.size(); start += width)
    function(MutableArrayRef<double>(&result.data[start], width));
  return result;
}

/// The row divided by the root of its mean square plus ε, times `scale`; with
/// `centre` its mean is subtracted first.
static void standardize(const Numbers &numbers, MutableArrayRef<double> row,
                        double epsilon, double scale, bool centre) {
  const double width = numbers.integer(static_cast<int64_t>(row.size()));
  double mean = numbers.integer(0), square = numbers.integer(0);
  for (double x : row)
    mean = centre ? numbers.add(mean, x) : mean;
  mean = numbers.divide(mean, width);
  for (double x : row) {
    double distance = numbers.subtract(x, mean);
    square = numbers.add(square, numbers.multiply(distance, distance));
  }
  double variance = numbers.add(numbers.divide(square, width), epsilon);
  double factor = numbers.divide(scale, numbers.root(variance));
  for (double &x : row)
    x = numbers.multiply(numbers.subtract(x, mean), factor);
}

/// The row divided by its Euclidean norm, times `factor`. A row of zeros
/// becomes NaN.
static void unit(const Numbers &numbers, MutableArrayRef<double> row,
                 double factor) {
  double square = numbers.integer(0);
  for (double x : row)
    square = numbers.add(square, numbers.multiply(x, x));
  const double scale = numbers.divide(factor, numbers.root(square));
  for (double &x : row)
    x = numbers.multiply(x, scale);
}

namespace {
/// The scalar operands of an operation.
class Scalars {
public:
  Scalars(Operation &op, Operands operands, const Numbers &numbers)
      : op(op), operands(operands), numbers(numbers) {}

  /// The optional operand; null if absent.
  const Tensor *tensor(Value operand) const {
    if (!operand)
      return nullptr;
    for (auto [value, number] : llvm::zip(op.getOperands(), operands))
      if (value == operand)
        return number;
    llvm_unreachable("the value is not an operand");
  }

  /// The value of the optional operand, or `otherwise`.
  double get(Value operand, double otherwise) const {
    const Tensor *number = tensor(operand);
    return number ? number->data[0] : otherwise;
  }
  /// The same for a factor.
  double get(Value operand) const { return get(operand, numbers.integer(1)); }

  /// The same for a position; rows begin at 0 if it is absent.
  int64_t position(Value first) const {
    return static_cast<int64_t>(get(first, 0));
  }

private:
  Operation &op;
  Operands operands;
  const Numbers &numbers;
};
} // namespace

/// `shape[axis]` positions from first + offset on. Throws InterpreterError
/// beyond the end of the axis, which a table that is too short has at run time
/// only.
static Tensor slice(xf::SliceOp op, const Tensor &x, int64_t first,
                    const Shape &shape) {
  int64_t axis = op.getAxis();
  int64_t offset = first + static_cast<int64_t>(op.getOffset());
  if (offset + shape[axis] > x.shape[axis])
    throw InterpreterError(
        fmt::format("positions {} to {} are outside an axis of {}", offset,
                    offset + shape[axis] - 1, x.shape[axis]));
  return strided(x, shape, x.strides(), offset * x.strides()[axis]);
}

template <typename Op>
/// The norms with an ε, which differs by layer where the operation has the
/// operand.
static Tensor norm(Op op, Operands operands, const Scalars &scalars,
                   const Numbers &numbers, bool centre) {
  double epsilon = scalars.get(op.getLayerEpsilon(),
                               numbers.exact(op.getEpsilon().getValue()));
  double factor = scalars.get(op.getFactor());
  return rows(operands, [&](MutableArrayRef<double> row) {
    standardize(numbers, row, epsilon, factor, centre);
  });
}

static Tensor clamp(xf::ClampOp op, Operands operands, const Numbers &numbers) {
  auto bound =
      [&](std::optional<xf::ExactAttr> exact) -> std::optional<double> {
    if (!exact)
      return std::nullopt;
    return numbers.exact(exact->getValue());
  };
  const std::optional<double> least = bound(op.getLeast()),
                              most = bound(op.getMost());
  return map(operands, [&](double x) {
    return least && numbers.isLess(x, *least) ? *least
           : most && numbers.isLess(*most, x) ? *most
                                              : x;
  });
}

/// Each group of a row is rounded to multiples of its scale by itself: groups
/// divide the last axis (verified), so they are consecutive in memory.
static Tensor quantize(xf::QuantizeOp op, Operands operands,
                       const Numbers &numbers) {
  Tensor result = *operands[0];
  const size_t group = op.getGroup();
  for (size_t begin = 0; begin < result.data.size(); begin += group)
    numbers.quantize({result.data.data() + begin, group});
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions and selection
//===----------------------------------------------------------------------===//

/// Folds the elements along `axis` from its beginning to its end with
/// `function`, beginning with `start` or with the first element.
template <typename Function>
static Tensor reduce(Operands operands, unsigned axis,
                     std::optional<double> start, Function function) {
  const Tensor &x = *operands[0];
  int64_t inner = 1, outer = 1, size = x.shape[axis];
  for (unsigned k = 0; k < axis; ++k)
    outer *= x.shape[k];
  for (unsigned k = axis + 1; k < x.shape.size(); ++k)
    inner *= x.shape[k];
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  Tensor result(shape);
  std::fill(result.data.begin(), result.data.end(), start.value_or(-INFINITY));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t s = 0; s < size; ++s)
      for (int64_t i = 0; i < inner; ++i) {
        double &to = result.data[o * inner + i];
        double from = x.data[(o * size + s) * inner + i];
        to = s == 0 && !start ? from : function(to, from);
      }
  return result;
}

/// The sum over an axis.
static Tensor sum(Operands operands, unsigned axis, const Numbers &numbers) {
  return reduce(operands, axis, numbers.integer(0),
                [&](double a, double b) { return numbers.sum(a, b); });
}

/// The sum divided by the number of positions, which may be 0 for a length:
/// NaN.
static Tensor mean(Operands operands, unsigned axis, const Numbers &numbers) {
  Tensor result = sum(operands, axis, numbers);
  const double count = numbers.integer(operands[0]->shape[axis]);
  for (double &x : result.data)
    x = numbers.divide(x, count);
  return result;
}

/// The largest element along an axis; without positions it is -∞ of doubles.
static Tensor largest(Operands operands, unsigned axis,
                      const Numbers &numbers) {
  return reduce(operands, axis, std::nullopt,
                [&](double a, double b) { return numbers.maximum(a, b); });
}

/// The rows of a table with the given numbers. Throws InterpreterError for a
/// number that is negative, too large or NaN.
static Tensor gather(Operands operands, const Shape &shape) {
  const Tensor &table = *operands[0], &rows = *operands[1];
  int64_t width = table.size() / table.shape[0];
  Tensor result(shape);
  for (int64_t k = 0; k < rows.size(); ++k) {
    double row = rows.data[k];
    if (!(row >= 0 && row < table.shape[0]))
      throw InterpreterError(fmt::format("row {} is outside a table of {} rows",
                                         row, table.shape[0]));
    std::copy_n(&table.data[static_cast<int64_t>(row) * width], width,
                &result.data[k * width]);
  }
  return result;
}

/// One position of an axis; a negative one counts from the end. Throws
/// InterpreterError for a length that is too short.
static Tensor select(xf::SelectOp op, Operands operands, const Shape &shape) {
  const Tensor &x = *operands[0];
  int64_t axis = op.getAxis(), position = op.getPosition();
  if (position < 0)
    position += x.shape[axis];
  if (position < 0 || position >= x.shape[axis])
    throw InterpreterError(fmt::format("position {} is outside an axis of {}",
                                       position, x.shape[axis]));
  Shape strides = x.strides();
  int64_t offset = position * strides[axis];
  strides.erase(strides.begin() + axis);
  return strided(x, shape, strides, offset);
}

/// Views the input with one axis for each label, then permutes the labels to
/// the order of the result. Merging axes needs no further copy: the elements of
/// consecutive axes are consecutive.
static Tensor rearrange(xf::RearrangeOp op, Operands operands,
                        const Shape &shape) {
  // Sizes of the labels: those of single-label groups, then the remaining one
  // of a merged axis, until all are known (the verifier guarantees that they
  // will be).
  llvm::StringMap<int64_t> sizes;
  const Tensor &x = *operands[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [groups, dims] :
         {std::pair(op.getFrom(), &x.shape), {op.getTo(), &shape}})
      for (auto [group, size] :
           llvm::zip(groups.getAsRange<ArrayAttr>(), *dims)) {
        int64_t known = 1;
        SmallVector<StringRef> open;
        for (StringRef label : group.getAsValueRange<StringAttr>()) {
          auto found = sizes.find(label);
          if (found == sizes.end())
            open.push_back(label);
          else
            known *= found->second;
        }
        if (open.size() != 1)
          continue;
        sizes[open[0]] = size / known;
        changed = true;
      }
  }
  llvm::StringMap<int64_t> steps;
  int64_t stride = 1;
  for (auto group : llvm::reverse(op.getFrom().getAsRange<ArrayAttr>()))
    for (Attribute label : llvm::reverse(group)) {
      StringRef name = cast<StringAttr>(label).getValue();
      steps[name] = stride;
      stride *= sizes[name];
    }
  Shape full, strides;
  for (auto group : op.getTo().getAsRange<ArrayAttr>())
    for (StringRef label : group.getAsValueRange<StringAttr>()) {
      full.push_back(sizes[label]);
      strides.push_back(steps[label]);
    }
  Tensor result = strided(x, full, strides);
  result.shape = shape;
  return result;
}

/// Repeats each position with a new axis of stride 0 right after its own.
static Tensor repeat(xf::RepeatOp op, Operands operands, const Shape &shape) {
  const Tensor &x = *operands[0];
  Shape full = x.shape, strides = x.strides();
  full.insert(full.begin() + op.getAxis() + 1, op.getTimes());
  strides.insert(strides.begin() + op.getAxis() + 1, 0);
  Tensor result = strided(x, full, strides);
  result.shape = shape;
  return result;
}

/// [c, (y a), (x b)] → [(y x), (c a b)]
static Tensor patches(xf::PatchesOp op, Operands operands, const Shape &shape) {
  const Tensor &image = *operands[0];
  int64_t size = op.getSize();
  Shape steps = image.strides();
  Tensor result =
      strided(image,
              {image.shape[1] / size, image.shape[2] / size, image.shape[0],
               size, size},
              {size * steps[1], size * steps[2], steps[0], steps[1], steps[2]});
  result.shape = shape;
  return result;
}

/// Copies, for each position of the axes before, the elements of the first
/// operand and then those of the second.
static Tensor append(xf::AppendOp op, Operands operands, const Shape &shape) {
  Tensor result(shape);
  int64_t outer = 1, axis = op.getAxis();
  for (int64_t k = 0; k < axis; ++k)
    outer *= shape[k];
  auto to = result.data.begin();
  for (int64_t o = 0; o < outer; ++o)
    for (const Tensor *x : operands) {
      int64_t width = x->size() / outer;
      to = std::copy_n(x->data.begin() + o * width, width, to);
    }
  return result;
}

static Tensor stack(Operands operands, const Shape &shape) {
  Tensor result(shape);
  auto to = result.data.begin();
  for (const Tensor *member : operands)
    to = std::copy(member->data.begin(), member->data.end(), to);
  return result;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

namespace {
/// An operation with the values of its operands and the shape of its result.
struct Evaluation {
  Operation &op;
  Operands operands;
  Scalars scalars;
  const Shape &shape;
  const Numbers &numbers;

  /// A result that is one number: an integer, or the same as a real number.
  Tensor scalar(int64_t value) const {
    Tensor result(shape);
    const bool isReal = isa<xf::RealType>(op.getResult(0).getType());
    std::fill(result.data.begin(), result.data.end(),
              isReal ? numbers.integer(value) : static_cast<double>(value));
    return result;
  }
};
} // namespace

/// Evaluates contractions and elementwise operations of two operands; nullopt
/// for other operations.
static std::optional<Tensor> evaluateBinary(const Evaluation &evaluation) {
  Operands operands = evaluation.operands;
  const Shape &shape = evaluation.shape;
  const Numbers &numbers = evaluation.numbers;
  using Combine = double (Numbers::*)(double, double) const;
  auto pointwise = [&](auto op, Combine combine) {
    return binary(op, operands, shape,
                  [&](double a, double b) { return (numbers.*combine)(a, b); });
  };
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(&evaluation.op)
      .Case([&](xf::ContractOp op) {
        return contract(op, operands, shape, numbers);
      })
      .Case([&](xf::AddOp op) { return pointwise(op, &Numbers::add); })
      .Case(
          [&](xf::SubtractOp op) { return pointwise(op, &Numbers::subtract); })
      .Case(
          [&](xf::MultiplyOp op) { return pointwise(op, &Numbers::multiply); })
      .Case([&](xf::DivideOp op) { return pointwise(op, &Numbers::divide); })
      .Case([&](xf::MaximumOp op) { return pointwise(op, &Numbers::maximum); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Evaluates elementwise operations of one operand; nullopt for other
/// operations.
static std::optional<Tensor> evaluateElementwise(const Evaluation &evaluation) {
  Operands operands = evaluation.operands;
  const Scalars &scalars = evaluation.scalars;
  const Numbers &numbers = evaluation.numbers;
  auto apply = [&](auto op, Function function) {
    const double argument = scalars.get(op.getArgument()),
                 factor = scalars.get(op.getFactor());
    return map(operands, [&](double x) {
      return numbers.apply(function, x, argument, factor);
    });
  };
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(&evaluation.op)
      .Case([&](xf::ReluOp) {
        const double zero = numbers.integer(0);
        return map(operands,
                   [&](double x) { return numbers.maximum(x, zero); });
      })
      .Case([&](xf::GeluOp op) {
        const double argument = scalars.get(op.getArgument());
        return map(operands,
                   [&](double x) { return numbers.gelu(x, argument); });
      })
      .Case([&](xf::SigmoidOp op) { return apply(op, Function::Sigmoid); })
      .Case([&](xf::TanhOp op) { return apply(op, Function::Tanh); })
      .Case([&](xf::Log2Op op) { return apply(op, Function::Log2); })
      .Case([&](xf::Log1pOp op) { return apply(op, Function::Log1p); })
      .Case([&](xf::AbsOp) {
        return map(operands, [&](double x) { return numbers.absolute(x); });
      })
      .Case([&](xf::ClampOp op) { return clamp(op, operands, numbers); })
      .Case([&](xf::ExpOp) {
        return map(operands, [&](double x) {
          return numbers.exponential(x, std::nullopt);
        });
      })
      .Case([&](xf::NegateOp) {
        return map(operands, [&](double x) { return numbers.negate(x); });
      })
      .Case([&](xf::ScaleOp op) {
        const double factor = numbers.exact(op.getFactor().getValue());
        return map(operands,
                   [&](double x) { return numbers.multiply(x, factor); });
      })
      .Case([&](xf::PowerOp op) {
        const ExactScalar exponent = op.getExponent().getValue();
        return map(operands,
                   [&](double x) { return numbers.power(x, exponent); });
      })
      .Case([&](xf::RoundOp op) {
        return map(operands,
                   [&](double x) { return numbers.round(op.getFormat(), x); });
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Evaluates operations on whole rows and reductions; nullopt for other
/// operations.
static std::optional<Tensor> evaluateRows(const Evaluation &evaluation) {
  Operands operands = evaluation.operands;
  const Scalars &scalars = evaluation.scalars;
  const Numbers &numbers = evaluation.numbers;
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(&evaluation.op)
      .Case([&](xf::QuantizeOp op) { return quantize(op, operands, numbers); })
      .Case([&](xf::SoftmaxOp op) {
        std::optional<double> exponent;
        if (op.getExponent())
          exponent = scalars.get(op.getExponent());
        return softmax(numbers, *operands[0],
                       {.mask = op.getMask().value_or(xf::MaskAttr()),
                        .among = scalars.tensor(op.getAmong()),
                        .sink = scalars.tensor(op.getSink()),
                        .first = scalars.position(op.getFirst()),
                        .exponent = exponent,
                        .factor = scalars.get(op.getFactor()),
                        .isRounded = op.getRounded().has_value()});
      })
      .Case([&](xf::UnitOp op) {
        double factor = scalars.get(op.getFactor());
        return rows(operands, [&](MutableArrayRef<double> row) {
          unit(numbers, row, factor);
        });
      })
      .Case([&](xf::StandardizeOp op) {
        return norm(op, operands, scalars, numbers, /*centre=*/true);
      })
      .Case([&](xf::UnitRmsOp op) {
        return norm(op, operands, scalars, numbers, /*centre=*/false);
      })
      .Case([&](xf::SumOp op) { return sum(operands, op.getAxis(), numbers); })
      .Case(
          [&](xf::MeanOp op) { return mean(operands, op.getAxis(), numbers); })
      .Case([&](xf::MaxOp op) {
        return largest(operands, op.getAxis(), numbers);
      })
      .Case([&](xf::TopKMaskOp op) {
        return top(numbers, *operands[0], op.getCount());
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Evaluates constants and the operations that depend on positions; nullopt for
/// other operations.
static std::optional<Tensor> evaluatePositions(const Evaluation &evaluation) {
  Operands operands = evaluation.operands;
  const Scalars &scalars = evaluation.scalars;
  const Shape &shape = evaluation.shape;
  const Numbers &numbers = evaluation.numbers;
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(&evaluation.op)
      .Case([&](xf::ConstantOp op) {
        Tensor result(shape);
        result.data[0] = numbers.exact(op.getValue().getValue());
        return result;
      })
      .Case([&](xf::IntegersOp op) {
        return evaluation.scalar(static_cast<int64_t>(op.getValue()));
      })
      .Case([&](xf::TabulateOp op) {
        return tabulate(numbers, op, operands, scalars.position(op.getFirst()),
                        shape);
      })
      .Case([&](xf::LengthOp op) {
        return evaluation.scalar(operands[0]->shape[op.getAxis()]);
      })
      .Case([&](xf::RotateOp) { return rotate(numbers, operands); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Evaluates the operations that select, copy or reorder elements; nullopt for
/// other operations. Throws InterpreterError for positions out of range.
static std::optional<Tensor> evaluateSelection(const Evaluation &evaluation) {
  Operands operands = evaluation.operands;
  const Scalars &scalars = evaluation.scalars;
  const Shape &shape = evaluation.shape;
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(&evaluation.op)
      .Case([&](xf::GatherOp) { return gather(operands, shape); })
      .Case([&](xf::SliceOp op) {
        return slice(op, *operands[0], scalars.position(op.getFirst()), shape);
      })
      .Case([&](xf::SelectOp op) { return select(op, operands, shape); })
      .Case([&](xf::RearrangeOp op) { return rearrange(op, operands, shape); })
      .Case([&](xf::RepeatOp op) { return repeat(op, operands, shape); })
      .Case([&](xf::AppendOp op) { return append(op, operands, shape); })
      .Case([&](xf::StackOp) { return stack(operands, shape); })
      .Case([&](xf::UnfoldOp op) { return windows(op, *operands[0], shape); })
      .Case([&](xf::DelayOp op) {
        return delayed(op, *operands[0], scalars.position(op.getFirst()),
                       shape);
      })
      .Case([&](xf::PatchesOp op) { return patches(op, operands, shape); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Evaluates the operations on chosen rows; nullopt for other operations.
static std::optional<Tensor> evaluateChosen(const Evaluation &evaluation) {
  Operands operands = evaluation.operands;
  const Shape &shape = evaluation.shape;
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(&evaluation.op)
      .Case([&](xf::RunningCountOp) { return rank(*operands[0]); })
      .Case([&](xf::CompressOp) {
        return pick(*operands[0], *operands[1], shape);
      })
      .Case([&](xf::ExpandOp) {
        return spread(*operands[0], *operands[1], shape);
      })
      .Case([&](xf::BuildRowIndexOp) { return list(*operands[0]); })
      .Case([&](xf::GatherRowsOp) {
        return take(*operands[0], *operands[1], shape);
      })
      .Case([&](xf::BoundedByOp) { return listed(*operands[0], *operands[1]); })
      .Case([&](xf::ScatterAddOp) {
        return sumListed(evaluation.numbers, *operands[0], *operands[1],
                         *operands[2], shape);
      })
      .Default([](Operation *) { return std::nullopt; });
}

Tensor reference::evaluateOp(Operation &op, Operands operands,
                             const Shape &shape, const Numbers &numbers) {
  const Evaluation evaluation{op, operands, Scalars(op, operands, numbers),
                              shape, numbers};
  for (auto *evaluate : {evaluateBinary, evaluateElementwise, evaluateRows,
                         evaluatePositions, evaluateSelection, evaluateChosen})
    if (std::optional<Tensor> result = evaluate(evaluation))
      return std::move(*result);
  throw InterpreterError(
      fmt::format("cannot evaluate {}", op.getName().getStringRef().str()));
}
