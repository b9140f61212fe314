// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Experts on an OpenCL device: it counts and lists the rows that chose each
// expert; products compute the listed rows in every form of a kernel, without
// reading the weights of a member that no row chose; and each row gets the sum
// of its results.

#include "compiler/kernels/Passes.h"
#include "test/unit/device/DeviceMemory.h"

#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>

#include <cmath>
#include <limits>
#include <random>

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

// The sum has more than one part; the last panel is partly filled.
constexpr int64_t members = 3, depth = 128, columns = 72, panel = 32,
                  panels = (columns + panel - 1) / panel;
constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

constexpr const char *moduleText = R"mlir(
xf.kernel @rank(%G: !xf.real<n, 3>) -> !xf.real<n, 3> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.running_count %G : <n, 3>
  xf.return %0 : !xf.real<n, 3>
}
xf.kernel @list(%R: !xf.real<n, 3>) -> !xf.real<3, n> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.build_row_index %R : <n, 3>
  xf.return %0 : !xf.real<3, n>
}
xf.kernel @product(%x: !xf.real<n, 128>, %l: !xf.real<3, n>,
                   %W: !xf.real<3, 128, 72> {xf.storage = #xf.storage<f32, <32>>}) -> !xf.real<3, n, 72>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.gather_rows %x by %l : <n, 128>, <3, n>
  %1 = xf.contract %0[e, n, k], %W[e, k, c] -> [e, n, c] : <3, n, 128>, <3, 128, 72>
  %2 = xf.bounded_by %1 by %l : <3, n, 72>, <3, n>
  xf.return %2 : !xf.real<3, n, 72>
}
xf.kernel @sum(%y: !xf.real<3, n, 72>, %R: !xf.real<n, 3>, %G: !xf.real<n, 3>) -> !xf.real<n, 72>
    attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.scatter_add %y by %R times %G : <3, n, 72>, <n, 3>
  xf.return %0 : !xf.real<n, 72>
}
xf.entry @main(%x: !xf.real<n, 128>, %G: !xf.real<n, 3>, %W: !xf.real<3, 128, 72>) -> !xf.real<n, 72> {
  %R = xf.launch @rank(%G) : (!xf.real<n, 3>) -> !xf.real<n, 3>
  %l = xf.launch @list(%R) : (!xf.real<n, 3>) -> !xf.real<3, n>
  %y = xf.launch @product(%x, %l, %W) : (!xf.real<n, 128>, !xf.real<3, n>, !xf.real<3, 128, 72>) -> !xf.real<3, n, 72>
  %s = xf.launch @sum(%y, %R, %G) : (!xf.real<3, n, 72>, !xf.real<n, 3>, !xf.real<n, 3>) -> !xf.real<n, 72>
  xf.return %s : !xf.real<n, 72>
}
xf.entry @main.step(%x: !xf.real<n, 128>, %l: !xf.real<3, n>, %W: !xf.real<3, 128, 72>) -> !xf.real<3, n, 72>
    attributes {stage = #xf.stage<step>, stage_of = @main} {
  %y = xf.launch @product(%x, %l, %W) : (!xf.real<n, 128>, !xf.real<3, n>, !xf.real<3, 128, 72>) -> !xf.real<3, n, 72>
  xf.return %y : !xf.real<3, n, 72>
})mlir";

/// The index of W(e, k, c) in memory: panels of columns, each with the rows of
/// all members.
size_t placeOfWeight(int64_t e, int64_t k, int64_t c) {
  return ((c / panel * members + e) * depth + k) * panel + c % panel;
}

/// An array and its extents, innermost first.
struct Array {
  std::vector<float> numbers;
  std::vector<int64_t> extents;
};

class DeviceExperts : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<xf::XfDialect>();
    module = parseSourceString<ModuleOp>(moduleText, &context);
    PassManager passes(&context);
    passes.addPass(kernels::createAssignSchedules({"opencl"}));
    ASSERT_TRUE(module && succeeded(passes.run(*module)));
    loaded = DeviceKernels::load(*module);
    ASSERT_TRUE(loaded);
    if (!loaded->device())
      GTEST_SKIP() << "OpenCL finds no device";
  }

  /// Runs a kernel, and returns the contents of `result`.
  std::vector<float> run(StringRef kernel, const std::vector<Array> &arguments,
                         const Array &result) {
    const halide_type_t floats(halide_type_float, 32);
    DeviceMemory memory(loaded->device());
    for (const Array &own : arguments)
      memory.add(bytesOf(own.numbers), floats, own.extents);
    const size_t number =
        memory.add(bytesOf(result.numbers), floats, result.extents);
    memory.copyToDevice();
    auto function = loaded->find(kernel);
    EXPECT_TRUE(function.address);
    EXPECT_EQ(function(memory.buffers()), 0);
    return memory.read(number);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<DeviceKernels> loaded;
};

TEST_F(DeviceExperts, ReadWhatWasChosen) {
  std::mt19937 random(1);
  // No row chooses the second expert.
  std::vector<float> W =
      randomNumbers(members * depth * panels * panel, random);
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t c = 0; c < columns; ++c)
      W[placeOfWeight(1, k, c)] = nothing;
  const Array matrix{W, {panel, members * depth, panels}};
  for (int64_t n : {1, 3, 9, 70, 200}) {
    const Array x{randomNumbers(n * depth, random), {depth, n}};
    Array G{randomNumbers(n * members, random), {members, n}};
    for (int64_t row = 0; row < n; ++row) {
      G.numbers[row * members + 1] = 0;
      G.numbers[row * members + (row % 4 ? 2 : 0)] = row % 3 ? 0 : 0.5F;
    }
    const Array perRow{std::vector<float>(n * members, nothing), {members, n}};
    const Array R{run("rank", {G}, perRow), {members, n}};
    const Array l{run("list", {R}, perRow), {members, n}};

    std::vector<std::vector<int64_t>> chosen(members);
    for (int64_t row = 0; row < n; ++row)
      for (int64_t e = 0; e < members; ++e) {
        if (G.numbers[row * members + e] != 0)
          chosen[e].push_back(row);
        EXPECT_EQ(R.numbers[row * members + e], chosen[e].size());
      }
    for (int64_t e = 0; e < members; ++e)
      for (int64_t r = 0; r < n; ++r)
        EXPECT_EQ(l.numbers[r * members + e],
                  r < int64_t(chosen[e].size()) ? chosen[e][r] : -1);

    std::vector<std::vector<float>> products;
    for (const char *form : {"product", "product_several", "product_few"}) {
      SCOPED_TRACE(form);
      const Array y{run(form, {x, l, matrix},
                        {std::vector<float>(n * members * columns, nothing),
                         {columns, members, n}}),
                    {columns, members, n}};
      products.emplace_back();
      for (int64_t e = 0; e < members; ++e)
        for (int64_t r = 0; r < int64_t(chosen[e].size()); ++r)
          for (int64_t c = 0; c < columns; ++c) {
            const float found = y.numbers[(r * members + e) * columns + c];
            double sum = 0, size = 1;
            for (int64_t k = 0; k < depth; ++k) {
              const double term = double(x.numbers[chosen[e][r] * depth + k]) *
                                  W[placeOfWeight(e, k, c)];
              sum += term;
              size += std::abs(term);
            }
            ASSERT_NEAR(found, sum, 2e-7 * size)
                << n << " rows: " << e << ", " << r << ", " << c;
            products.back().push_back(found);
          }
      EXPECT_EQ(products.back(), products.front());
      // GPU blocks past the end of a list write nothing.
      for (int64_t r = 0; r < n; ++r)
        EXPECT_TRUE(std::isnan(y.numbers[(r * members + 1) * columns]));

      const std::vector<float> sums =
          run("sum", {y, R, G},
              {std::vector<float>(n * columns, nothing), {columns, n}});
      for (int64_t row = 0; row < n; ++row)
        for (int64_t c = 0; c < columns; ++c) {
          double sum = 0;
          for (int64_t e = 0; e < members; ++e) {
            const float weight = G.numbers[row * members + e];
            const auto r = int64_t(R.numbers[row * members + e]) - 1;
            if (weight != 0)
              sum +=
                  double(weight) * y.numbers[(r * members + e) * columns + c];
          }
          ASSERT_NEAR(sums[row * columns + c], sum, 1e-6 * (1 + std::abs(sum)));
        }
    }
  }
}

} // namespace
