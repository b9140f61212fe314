// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers that live across several thread loops of a block are indexed from 0
// in each thread.

#include "compiler/kernels/build/halide/ThreadLocalArrays.h"
#include "test/unit/kernels/SumInABlock.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;
using namespace transfold::kernels;

namespace {

/// The sizes of allocations in registers, and the indices at which they are
/// used.
class Found : public IRMutator {
public:
  Found(std::map<std::string, int> &sizes, std::set<int> &places)
      : sizes(sizes), places(places) {}

protected:
  using IRMutator::visit;
  Stmt visit(const Allocate *allocate) override {
    if (allocate->memory_type == MemoryType::Register)
      sizes[allocate->name.substr(0, 3)] = allocate->constant_allocation_size();
    return IRMutator::visit(allocate);
  }
  Stmt visit(const Store *store) override {
    if (store->name.starts_with("sum")) {
      const auto *ramp = store->index.as<Ramp>();
      auto place = as_const_int(ramp ? ramp->base : store->index);
      places.insert(place ? static_cast<int>(*place) : -1);
    }
    return IRMutator::visit(store);
  }

private:
  std::map<std::string, int> &sizes;
  std::set<int> &places;
};

TEST(ThreadLocalArrays, AreCountedFromZero) {
  SumInABlock made;
  made.build(8, 4);
  std::map<std::string, int> sizes;
  std::set<int> places;
  Pipeline pipeline(made.result);
  pipeline.add_custom_lowering_pass(new ThreadLocalArrays);
  pipeline.add_custom_lowering_pass(new Found(sizes, places));
  pipeline.compile_to_module({made.x}, "f", openCl());
  EXPECT_EQ(sizes, (std::map<std::string, int>{{"sum", 8}}));
  EXPECT_EQ(places, (std::set<int>{0, 4}));
}

// A loop that is not unrolled has no constant indices.
TEST(ThreadLocalArrays, RefusesOtherPlaces) {
  SumInABlock made;
  made.build(8, 4);
  made.sum.update().serial(made.group);
  Pipeline pipeline(made.result);
  pipeline.add_custom_lowering_pass(new ThreadLocalArrays);
  try {
    pipeline.compile_to_module({made.x}, "f", openCl());
    FAIL() << "places that are no constants were accepted";
  } catch (const std::runtime_error &error) {
    EXPECT_NE(std::string(error.what()).find("is not at constant indices"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
