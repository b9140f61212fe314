// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a thread loads from device memory: all loads of a series of sums come
// first, and elements of few bits are loaded as whole words.

#include "compiler/kernels/build/loads/LoadsFirst.h"
#include "compiler/kernels/build/loads/WideLoads.h"

#include <gtest/gtest.h>

using namespace Halide;
using namespace Halide::Internal;
using namespace transfold::kernels;

namespace {

Expr number(const Parameter &buffer, const std::string &name, int first,
            int lanes, int stride = 1) {
  const Expr index =
      lanes == 1 ? Expr(first) : Ramp::make(first, stride, lanes);
  return Load::make(buffer.type().with_lanes(lanes), name, index, Buffer<>(),
                    buffer, const_true(lanes), ModulusRemainder(0, first));
}

Stmt add(const std::string &to, const Expr &value) {
  const Expr index = Ramp::make(0, 1, value.type().lanes());
  const Expr old =
      Load::make(value.type(), to, index, Buffer<>(), Parameter(),
                 const_true(value.type().lanes()), ModulusRemainder());
  return Store::make(to, old + value, index, Parameter(),
                     const_true(value.type().lanes()), ModulusRemainder());
}

/// The number of lets around the first store, each of which is a load.
int letsBefore(Stmt statement) {
  int count = 0;
  while (const auto *let = statement.as<LetStmt>()) {
    EXPECT_TRUE(let->value.as<Load>());
    ++count;
    statement = let->body;
  }
  return count;
}

Stmt sums(const Parameter &buffer, int count, int lanes, int stride = 1,
          const std::string &to = "sum") {
  std::vector<Stmt> all;
  for (int i = 0; i < count; ++i)
    all.push_back(add(to, number(buffer, "W", 4 * i, lanes, stride)));
  return Block::make(all);
}

TEST(LoadsFirst, AreBeforeTheFirstSum) {
  const Parameter buffer(Float(32), true, 1, "W");
  EXPECT_EQ(letsBefore(LoadsFirst().mutate(sums(buffer, 8, 4))), 8);
}

TEST(LoadsFirst, LeaveRegistersForSums) {
  const Parameter buffer(Float(32), true, 1, "W");
  // 128 registers are 32 vectors of four.
  EXPECT_EQ(letsBefore(LoadsFirst().mutate(sums(buffer, 40, 4))), 32);
}

TEST(LoadsFirst, AreNoneOfFew) {
  const Parameter buffer(Float(32), true, 1, "W");
  EXPECT_EQ(letsBefore(LoadsFirst().mutate(sums(buffer, 3, 4))), 0);
}

TEST(LoadsFirst, AreNoneOfWhatIsWritten) {
  const Parameter buffer(Float(32), true, 1, "W");
  EXPECT_EQ(letsBefore(LoadsFirst().mutate(sums(buffer, 8, 4, 1, "W"))), 0);
}

TEST(LoadsFirst, AreOfNeighboursOnly) {
  const Parameter buffer(Float(32), true, 1, "W");
  EXPECT_EQ(letsBefore(LoadsFirst().mutate(sums(buffer, 8, 4, 2))), 0);
}

/// The type that is loaded for a vector of adjacent elements.
Type loadedFor(Type type, int first, int stride = 1) {
  class Loads : public IRVisitor {
  public:
    Type type;

  protected:
    using IRVisitor::visit;
    void visit(const Load *load) override { type = load->type; }
  } loads;
  const Parameter buffer(type.element_of(), true, 1, "W");
  const Expr wide =
      WideLoads().mutate(number(buffer, "W", first, type.lanes(), stride));
  EXPECT_EQ(wide.type(), type);
  wide.accept(&loads);
  return loads.type;
}

TEST(WideLoads, AreWords) {
  EXPECT_EQ(loadedFor(UInt(16, 8), 16), UInt(32, 4));
  EXPECT_EQ(loadedFor(Int(8, 16), 32), UInt(32, 4));
  EXPECT_EQ(loadedFor(UInt(16, 4), 4), UInt(64));
  EXPECT_EQ(loadedFor(UInt(8, 4), 8), UInt(32));
}

TEST(WideLoads, BeginAtMultiplesOfTheirSize) {
  EXPECT_EQ(loadedFor(UInt(16, 8), 4), UInt(16, 8));
  EXPECT_EQ(loadedFor(UInt(16, 4), 2), UInt(16, 4));
}

TEST(WideLoads, AreOfNeighboursOfFewBits) {
  EXPECT_EQ(loadedFor(UInt(16, 8), 0, 2), UInt(16, 8));
  EXPECT_EQ(loadedFor(Float(32, 4), 0), Float(32, 4));
  EXPECT_EQ(loadedFor(UInt(16, 2), 0), UInt(32));
  EXPECT_EQ(loadedFor(UInt(16, 16), 0), UInt(16, 16));
}

} // namespace
