// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the factors g of the channels of x W, where (x / g) (g W) is rounded.
//
// With g_k = (mean square of x_k)^(a/2) (mean square of W_k)^(-b/2), a > 0
// gives those rows of W that are multiplied with large values finer steps, and
// b > 0 makes the elements of a block similar in magnitude, so that fewer are
// lost in the steps of the largest. Neither is always better, so a few pairs
// (a, b) are tried on the samples, for each layer separately, including g = 1.

#include "compiler/calibrate/ChooseFactors.h"

#include "base/numeric/BlockFormat.h"
#include "compiler/calibrate/ProductLoss.h"
#include "dialect/weights/Channels.h"
#include "dialect/weights/Storage.h"

#include <llvm/ADT/MapVector.h>
#include <mlir/IR/Threading.h>

#include <algorithm>
#include <atomic>
#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::calibrate;

namespace {

/// The pairs (a, b) that are tried, g = 1 first.
constexpr std::pair<double, double> exponents[] = {
    {0, 0},   {0.25, 0},   {0.5, 0},   {0.75, 0},
    {0, 0.5}, {0.25, 0.5}, {0.5, 0.5}, {0.75, 0.75}};
/// Larger ratios of factors help no block, and cost precision of the divided
/// value.
constexpr double mostApart = 64;

/// A quantized weight that is contracted over channels with factors.
struct Reader {
  xf::StoredOp stored;
  unsigned axis;
  xf::FactorsAttr factors; // null if there are none along the axis

  /// The factors in the order of the axis.
  std::vector<float> along(ArrayRef<float> values) {
    std::vector<float> result;
    if (values.empty())
      return result;
    const size_t width = *xf::getNumber(xf::getShape(stored.getType())[axis]);
    for (size_t k = 0; k < width; ++k)
      result.push_back(
          values[factors.getNumbers().empty() ? k : factors.getNumbers()[k]]);
    return result;
  }
};

/// Chooses factors first, for all weights that share channels together, and
/// then measures each weight with its factors.
class Choice {
public:
  Choice(ModuleOp module, const checkpoint::Checkpoint &checkpoint,
         const Samples &samples, const Options &options)
      : module(module), checkpoint(checkpoint), samples(samples),
        options(options) {
    for (auto stored : module.getOps<xf::StoredOp>())
      if (stored.getRounded() && xf::isInBlocks(*stored.getRounded()))
        if (auto axis = summedAxis(module, stored))
          readers.push_back({stored, *axis, factorsAlong(stored, *axis)});
  }

  Report run() {
    for (auto channels : module.getOps<xf::ChannelScalesOp>())
      choose(channels);
    for (Reader &reader : readers)
      finish(reader);
    if (report.measured) {
      report.before /= static_cast<double>(report.measured);
      report.after /= static_cast<double>(report.measured);
    }
    return report;
  }

private:
  /// The factors of a weight along an axis, if they multiply it; null if there
  /// are none.
  static xf::FactorsAttr factorsAlong(xf::StoredOp stored, unsigned axis) {
    xf::LayoutAttr layout = xf::layoutOfAxes(stored, axis);
    if (ArrayAttr there = stored.getEqualizedAttr())
      for (auto factors : there.getAsRange<xf::FactorsAttr>())
        if (!factors.getInverse() && factors.getLayout() == layout)
          return factors;
    return {};
  }

  /// How a weight is rounded to `format`. Errors are weighed only in formats
  /// whose codes are unsigned.
  Rounding roundingOf(xf::Format format, bool weighs = true) const {
    return {format, options.integerProducts,
            weighs && !xf::blockFormatOf(format)->isSigned};
  }

  //===--------------------------------------------------------------------===//
  // Factors
  //===--------------------------------------------------------------------===//

  /// Sets the factors of all members that have any other than 1.
  void choose(xf::ChannelScalesOp channels) {
    const auto count = static_cast<int64_t>(channels.getCount());
    std::vector<float> numbers(channels.getMembers() * count, 1.0F);
    std::vector<char> found(channels.getMembers());
    forEach(channels.getMembers(), [&](int64_t member) {
      std::vector<float> best = bestFor(channels, member);
      found[member] = !best.empty();
      std::ranges::copy(best, numbers.begin() + member * count);
    });
    if (llvm::is_contained(found, 1))
      channels.setNumbers(ArrayRef<float>(numbers));
    report.factors += llvm::count(found, 1);
  }

  /// The best factors; empty if 1 is the best.
  std::vector<float> bestFor(xf::ChannelScalesOp channels, int64_t member) {
    std::vector<std::pair<Reader *, ProductLoss>> products;
    for (Reader &reader : readers) {
      const Rows *rows = samples.of(reader.stored.getSymName(), member);
      if (rows && reader.factors &&
          reader.factors.getChannels().getAttr() == channels.getSymNameAttr())
        products.emplace_back(
            &reader,
            ProductLoss(reader.stored, member, reader.axis, checkpoint, *rows));
    }
    if (products.empty())
      return {};
    std::vector<double> x(channels.getCount()), w(channels.getCount());
    for (auto &[reader, product] : products)
      for (auto [k, own] :
           llvm::enumerate(llvm::zip(product.channels(), product.weights()))) {
        ArrayRef<int64_t> numbers = reader->factors.getNumbers();
        const size_t number = numbers.empty() ? k : numbers[k];
        x[number] += std::get<0>(own);
        w[number] += std::get<1>(own);
      }
    std::vector<float> best;
    double least = 0;
    for (auto [a, b] : exponents) {
      std::vector<float> g = factorsOf(x, w, a, b);
      double lost = 0;
      for (auto &[reader, product] : products)
        lost += product.of(roundingOf(*reader->stored.getRounded()),
                           reader->along(g));
      if ((a == 0 && b == 0) || lost < least) {
        least = lost;
        best = a == 0 && b == 0 ? std::vector<float>() : g;
      }
    }
    return best;
  }

  /// Factors whose geometric mean is 1.
  static std::vector<float> factorsOf(ArrayRef<double> x, ArrayRef<double> w,
                                      double a, double b) {
    auto floorOf = [](ArrayRef<double> squares) {
      double sum = 0;
      for (double square : squares)
        sum += square;
      return 1e-6 * sum / static_cast<double>(squares.size()) + 1e-300;
    };
    const double leastX = floorOf(x), leastW = floorOf(w);
    std::vector<double> logarithms;
    double mean = 0;
    for (auto [xx, ww] : llvm::zip(x, w)) {
      logarithms.push_back(
          (a * std::log2(xx + leastX) - b * std::log2(ww + leastW)) / 2);
      mean += logarithms.back() / static_cast<double>(x.size());
    }
    std::vector<float> g;
    const double most = std::log2(mostApart);
    for (double logarithm : logarithms)
      g.push_back(static_cast<float>(
          std::exp2(std::clamp(logarithm - mean, -most, most))));
    return g;
  }

  //===--------------------------------------------------------------------===//
  // Weights
  //===--------------------------------------------------------------------===//

  /// Measures the errors of a weight, sets their weights, and gives it more
  /// bits if necessary.
  void finish(Reader &reader) {
    const int64_t members = reader.stored.getMembers();
    std::vector<double> before(members), after(members);
    std::vector<std::vector<float>> counts(members);
    std::atomic<bool> areAllSeen = true;
    xf::Format format = *reader.stored.getRounded();
    forEach(members, [&](int64_t member) {
      const Rows *rows = samples.of(reader.stored.getSymName(), member);
      if (!rows) {
        areAllSeen = false;
        return;
      }
      ProductLoss product(reader.stored, member, reader.axis, checkpoint,
                          *rows);
      std::vector<float> g = factorsOf(reader, member);
      before[member] = product.of(roundingOf(format, /*weighs=*/false));
      after[member] = product.of(roundingOf(format), g);
      counts[member] = product.counts(g);
    });
    if (!areAllSeen)
      return;
    report.measured += members;
    if (options.most > 0 && *llvm::max_element(after) > options.most) {
      giveMoreBits(reader);
      format = reader.stored.getRounded().value_or(xf::Format::F32);
      after = errorsIn(reader, format);
    }
    for (int64_t member = 0; member < members; ++member) {
      report.before += before[member];
      report.after += after[member];
    }
    if (xf::isInBlocks(format) && !xf::blockFormatOf(format)->isSigned)
      weigh(reader, counts);
  }

  /// The chosen factors along the axis of a weight; empty if there are none.
  std::vector<float> factorsOf(Reader &reader, int64_t member) {
    if (!reader.factors)
      return {};
    auto channels =
        module.lookupSymbol<xf::ChannelScalesOp>(reader.factors.getChannels());
    return reader.along(channels.getNumbersOf(member));
  }

  /// Whether `format` uses more bits per element, including scales, than
  /// `than`.
  static bool hasMoreBits(xf::Format format, xf::Format than) {
    const auto own = xf::blockSizeOf(format), other = xf::blockSizeOf(than);
    return own.bytes * other.numbers > other.bytes * own.numbers;
  }

  /// Tries formats with more bits in ascending order; the last resort is not to
  /// round the weight.
  void giveMoreBits(Reader &reader) {
    ++report.moreBits;
    xf::StoredOp stored = reader.stored;
    for (xf::Format format : {xf::Format::Q5_1, xf::Format::Q8_0}) {
      if (!hasMoreBits(format, *stored.getRounded()))
        continue;
      if (isEnough(reader, format)) {
        stored.setRounded(format);
        return;
      }
    }
    stored.removeRoundedAttr();
    stored.removeApartAttr();
  }

  /// The errors of all members in a format; zeros if they are not rounded.
  std::vector<double> errorsIn(Reader &reader, xf::Format format) {
    xf::StoredOp stored = reader.stored;
    std::vector<double> errors(stored.getMembers());
    if (format == xf::Format::F32)
      return errors;
    forEach(stored.getMembers(), [&](int64_t member) {
      ProductLoss product(stored, member, reader.axis, checkpoint,
                          *samples.of(stored.getSymName(), member));
      errors[member] =
          product.of(roundingOf(format), factorsOf(reader, member));
    });
    return errors;
  }

  /// Whether the errors of all members are small enough in a format.
  bool isEnough(Reader &reader, xf::Format format) {
    return *llvm::max_element(errorsIn(reader, format)) <= options.most;
  }

  /// Adds the weights of errors, one for each channel, which rounding reads
  /// later.
  void weigh(Reader &reader, ArrayRef<std::vector<float>> counts) {
    xf::StoredOp stored = reader.stored;
    xf::LayoutAttr layout = xf::layoutOfAxes(stored, reader.axis);
    if (!layout)
      return;
    std::vector<float> numbers;
    for (const auto &own : counts)
      llvm::append_range(numbers, own);
    OpBuilder builder(stored);
    auto channels = xf::ChannelScalesOp::create(
        builder, stored.getLoc(), (stored.getSymName() + ".weighing").str(),
        stored.getIndices(), stored.getExtents(), counts[0].size(),
        builder.getDenseF32ArrayAttr(numbers));
    stored.setWeighingAttr(xf::FactorsAttr::get(
        stored.getContext(), FlatSymbolRefAttr::get(channels.getSymNameAttr()),
        layout, {}, /*inverse=*/false));
  }

  /// Runs `function` on all cores. Rethrows the first exception.
  template <typename Function> void forEach(int64_t count, Function function) {
    std::vector<std::string> problems(count);
    parallelFor(module.getContext(), 0, count, [&](size_t k) {
      try {
        function(static_cast<int64_t>(k));
      } catch (const std::exception &error) {
        problems[k] = error.what();
      }
    });
    for (const std::string &problem : problems)
      if (!problem.empty())
        throw reference::InterpreterError(problem);
  }

  ModuleOp module;
  const checkpoint::Checkpoint &checkpoint;
  const Samples &samples;
  const Options &options;
  std::vector<Reader> readers;
  Report report;
};

} // namespace

Report calibrate::chooseFactors(ModuleOp module,
                                const checkpoint::Checkpoint &checkpoint,
                                const Samples &samples,
                                const Options &options) {
  return Choice(module, checkpoint, samples, options).run();
}
