// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of a warp compute the sums of the loops that they replace:
// each thread's statements are evaluated, and the instruction is executed as
// the PTX ISA defines mma.m16n8k16.

#include "compiler/kernels/build/tiles/FragmentCalls.h"

#include "compiler/kernels/algorithm/product/PairDotMark.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

using namespace Halide;
using namespace Halide::Internal;
using namespace transfold::kernels;

namespace {

constexpr int words = 16, columns = 32, quads = 4, eighths = 8;

Expr variable(const std::string &name) { return Variable::make(Int(32), name); }

Expr loadWord(const std::string &name, const Expr &index) {
  return Load::make(UInt(32), name, index, Buffer<>(), Parameter(),
                    const_true(), ModulusRemainder());
}

Stmt loop(const std::string &name, int extent, ForType type, const Stmt &body) {
  return For::make(name, 0, extent, type, Partition::Auto, DeviceAPI::None,
                   body);
}

/// The loops of a warp over 8 · sides rows and 32 columns, as Halide generates
/// them.
Stmt sumsOfWarp(int sides) {
  const Expr n = variable("s.side") * 8 + variable("s.eighth"),
             c = variable("s.quad") * 8 + variable("s.half") * 4 +
                 variable("s.lane"),
             word = variable("s.word$x"), index = n * columns + c;
  const Expr product = Call::make(
      Float(32), dotOfFragmentsName,
      {loadWord("x", n * words + word), loadWord("w", word * columns + c)},
      Call::PureExtern);
  const Expr sum = Load::make(Float(32), "sum", index, Buffer<>(), Parameter(),
                              const_true(), ModulusRemainder());
  Stmt body = Store::make("sum", sum + product, index, Parameter(),
                          const_true(), ModulusRemainder());
  for (auto [name, extent] : {std::pair("s.word$x", words),
                              {"s.lane", 4},
                              {"s.half", 2},
                              {"s.side", sides}})
    if (extent > 1)
      body = loop(name, extent, ForType::Serial, body);
    else
      body = substitute(name, Expr(0), body);
  body = loop("s.quad", quads, ForType::GPUThread, body);
  return loop("s.eighth", eighths, ForType::GPUThread, body);
}

/// Words with two small integers, by buffer and index.
int wordOf(const std::string &buffer, int64_t index) {
  const auto mixed = static_cast<int>(index * 37 + (buffer == "x" ? 11 : 5));
  return mixed % 13 | (mixed % 17) << 8;
}

double dot(int x, int w) { return (x & 255) * (w & 255) + (x >> 8) * (w >> 8); }

/// Executes the statements of all threads of a warp.
class Warp {
public:
  std::map<int64_t, double> sums;

  void execute(const Stmt &statement) {
    if (const auto *block = statement.as<Block>()) {
      execute(block->first);
      execute(block->rest);
    } else if (const auto *let = statement.as<LetStmt>()) {
      lets[let->name] = let->value;
      execute(let->body);
    } else if (const auto *store = statement.as<Store>()) {
      execute(*store);
    } else {
      FAIL() << "another statement: " << statement;
    }
  }

private:
  using Threads = std::array<std::array<double, 4>, size_t{quads} * eighths>;

  void execute(const Store &store) {
    const auto *call = store.value.as<Call>();
    ASSERT_TRUE(call);
    size_t number = 0;
    if (call->name == multiplyFragmentsName)
      multiply(*call);
    else
      number = static_cast<size_t>(*as_const_int(call->args[0]));
    for (int thread = 0; thread < quads * eighths; ++thread)
      sums[placeOf(store.index, thread)] =
          results[static_cast<size_t>(thread)][number];
  }

  /// a0 to a3: rows g and g + 8, k of the lower and of the upper half; b0 and
  /// b1 likewise; sums at rows g and g + 8 and columns 2 q and 2 q + 1, where
  /// g = thread / 4 and q = thread % 4.
  void multiply(const Call &call) {
    std::array<std::array<int, 8>, 16> a = {};
    std::array<std::array<int, 8>, 8> b = {};
    for (int thread = 0; thread < quads * eighths; ++thread) {
      const int g = thread / 4, q = thread % 4;
      for (int k = 0; k < 4; ++k)
        a[static_cast<size_t>(g + k % 2 * 8)]
         [static_cast<size_t>(q + k / 2 * 4)] =
             word(call.args[static_cast<size_t>(4 + k)], thread);
      for (int k = 0; k < 2; ++k)
        b[static_cast<size_t>(g)][static_cast<size_t>(q + k * 4)] =
            word(call.args[static_cast<size_t>(8 + k)], thread);
    }
    for (int thread = 0; thread < quads * eighths; ++thread)
      for (size_t k = 0; k < 4; ++k) {
        const size_t row = static_cast<size_t>(thread) / 4 + k / 2 * 8,
                     column = static_cast<size_t>(thread) % 4 * 2 + k % 2;
        double sum = number(call.args[k], thread);
        for (size_t p = 0; p < 8; ++p)
          sum += dot(a[row][p], b[column][p]);
        results[static_cast<size_t>(thread)][k] = sum;
      }
  }

  static int64_t placeOf(const Expr &index, int thread) {
    auto place = as_const_int(simplify(substitute(
        {{"s.quad", thread % quads}, {"s.eighth", thread / quads}}, index)));
    EXPECT_TRUE(place) << index;
    return place.value_or(0);
  }

  double number(const Expr &value, int thread) {
    const auto *load = value.as<Load>();
    return load ? sums[placeOf(load->index, thread)] : 0;
  }

  int word(const Expr &value, int thread, int lane = 0) {
    if (const auto *name = value.as<Variable>())
      return word(lets.at(name->name), thread, lane);
    if (const auto *one = value.as<Shuffle>())
      return word(one->vectors[0], thread, one->indices[0]);
    if (const auto *load = value.as<Load>()) {
      const auto *ramp = load->index.as<Ramp>();
      return wordOf(load->name, placeOf(ramp ? ramp->base + lane * ramp->stride
                                             : load->index,
                                        thread));
    }
    EXPECT_TRUE(is_const_zero(value)) << value;
    return 0;
  }

  std::map<std::string, Expr> lets;
  Threads results = {};
};

/// The body of the loops of threads.
Stmt bodyOf(Stmt statement) {
  while (const auto *threads = statement.as<For>())
    statement = threads->body;
  return statement;
}

void computeTheSums(int sides) {
  Warp warp;
  warp.execute(bodyOf(FragmentCalls().mutate(sumsOfWarp(sides))));
  EXPECT_EQ(warp.sums.size(), static_cast<size_t>(8 * sides * columns));
  for (int n = 0; n < 8 * sides; ++n)
    for (int c = 0; c < columns; ++c) {
      double expected = 0;
      for (int k = 0; k < words; ++k)
        expected +=
            dot(wordOf("x", n * words + k), wordOf("w", k * columns + c));
      EXPECT_EQ(warp.sums[n * columns + c], expected) << n << ", " << c;
    }
}

TEST(FragmentCalls, ComputeTheSumsOfTheLoops) { computeTheSums(2); }

// Eight of the sixteen rows of an instruction are zero.
TEST(FragmentCalls, ComputeEightRows) { computeTheSums(1); }

// Adjacent words are loaded at once: two of x, four of W.
TEST(FragmentCalls, LoadVectors) {
  int vectors = 0, others = 0;
  Stmt statement = bodyOf(FragmentCalls().mutate(sumsOfWarp(2)));
  while (true) {
    if (const auto *block = statement.as<Block>())
      statement = block->first;
    const auto *let = statement.as<LetStmt>();
    if (!let)
      break;
    (let->value.type().is_vector() ? vectors : others) += 1;
    statement = let->body;
  }
  EXPECT_EQ(vectors, 4);
  EXPECT_EQ(others, 0);
}

// Loops in another form are refused, and not left to be computed by functions
// that do not exist.
TEST(FragmentCalls, RefuseHalfAnInstruction) {
  Stmt body = sumsOfWarp(2);
  class Shorter : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const For *loop) override {
      Stmt body = mutate(loop->body);
      return For::make(loop->name, loop->min,
                       loop->name == "s.word$x" ? Expr(4) : loop->extent,
                       loop->for_type, loop->partition_policy, loop->device_api,
                       body);
    }
  } shorter;
  EXPECT_THROW(FragmentCalls().mutate(shorter.mutate(body)),
               std::runtime_error);
}

} // namespace
