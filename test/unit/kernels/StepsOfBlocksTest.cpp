// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block's loop over steps: the operands of the next step are prefetched, and
// barriers order reads before them and writes after them.

#include "compiler/kernels/build/halide/FullFenceBarriers.h"
#include "compiler/kernels/build/loads/PrefetchNextStep.h"
#include "test/unit/kernels/SumInABlock.h"

#include <gtest/gtest.h>

#include <set>

using namespace Halide;
using namespace Halide::Internal;
using namespace transfold::kernels;

namespace {

struct Counts {
  int loadsAhead = 0, storesAhead = 0, loadsToShared = 0;
  std::set<int64_t> fences;
};

/// Counts statements, and changes nothing.
class Found : public IRMutator {
public:
  explicit Found(Counts &counts) : counts(counts) {}

protected:
  using IRMutator::visit;
  Stmt visit(const Store *store) override {
    const bool isAhead = store->name.find("ahead") != std::string::npos;
    const auto *load = store->value.as<Load>();
    counts.storesAhead += isAhead;
    if (load && !isAhead)
      counts.loadsToShared += load->name == "x";
    return IRMutator::visit(store);
  }
  Expr visit(const Load *load) override {
    counts.loadsAhead += load->name.find("ahead") != std::string::npos;
    return IRMutator::visit(load);
  }
  Expr visit(const Call *call) override {
    if (call->is_intrinsic(Call::gpu_thread_barrier))
      counts.fences.insert(*as_const_int(call->args[0]));
    return IRMutator::visit(call);
  }

private:
  Counts &counts;
};

template <typename Pass> Counts countAfter(int columns, bool unrolled) {
  SumInABlock made;
  made.build(8, columns, unrolled);
  Counts counts;
  Pipeline pipeline(made.result);
  pipeline.add_custom_lowering_pass(new Pass);
  pipeline.add_custom_lowering_pass(new Found(counts));
  pipeline.compile_to_module({made.x}, "f", openCl());
  return counts;
}

// Two vectors of two for 16 channels: loaded before the first step, and in each
// step for the next.
TEST(PrefetchNextStep, AreKeptInRegisters) {
  Counts counts = countAfter<PrefetchNextStep>(2, /*unrolled=*/true);
  EXPECT_EQ(counts.loadsAhead, 2 * 16);
  EXPECT_EQ(counts.storesAhead, 2 * 2 * 16);
  EXPECT_EQ(counts.loadsToShared, 0);
}

// The number of a thread's loads must be constant: registers cannot be indexed.
TEST(PrefetchNextStep, AreNoneOfLoops) {
  Counts counts = countAfter<PrefetchNextStep>(2, /*unrolled=*/false);
  EXPECT_EQ(counts.storesAhead, 0);
  EXPECT_GT(counts.loadsToShared, 0);
}

// 2 · 16 vectors of four would leave too few for the sums.
TEST(PrefetchNextStep, AreNotTooMany) {
  Counts counts = countAfter<PrefetchNextStep>(4, /*unrolled=*/true);
  EXPECT_EQ(counts.storesAhead, 0);
  EXPECT_GT(counts.loadsToShared, 0);
}

// 1 is the device's memory, 2 what the block shares.
TEST(FullFenceBarriers, FenceAllMemory) {
  EXPECT_EQ(countAfter<FullFenceBarriers>(2, false).fences,
            (std::set<int64_t>{3}));
}

} // namespace
