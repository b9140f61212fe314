// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helper kernels of a device, which do not come from equations, as the runtime
// calls them: the argmax of rows is the one that the host finds, and combined
// copies move the same as single ones.

#include "dialect/Dialect.h"
#include "runtime/program/device/Device.h"
#include "test/unit/device/DeviceMemory.h"

#include <mlir/Parser/Parser.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

using namespace mlir;
using namespace transfold;

namespace {

constexpr const char *target = "x86-64-linux-opencl";

/// Any kernel: the program's device is that of its kernels.
constexpr const char *program = R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {
    anchor = #xf.anchor<rows>, schedule = {lanes = 64 : i64},
    target = "x86-64-linux-opencl"} {
  %0 = xf.unit_rms %x epsilon <"1/1000000"> : <n, 8>
  xf.return %0 : !xf.real<n, 8>
})mlir";

class DeviceHelpersTest : public ::testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<xf::XfDialect>();
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program, &context);
    ASSERT_TRUE(module);
    auto loaded = test::DeviceKernels::load(*module);
    ASSERT_TRUE(loaded);
    interface = loaded->device();
    if (!interface)
      GTEST_SKIP() << "OpenCL finds no device";
    auto find = [&](auto *&function, const char *name, const char *suffix) {
      using Function = std::remove_reference_t<decltype(function)>;
      function = loaded->symbol<Function>(
          kernels::symbolOfHelper(name, target) + suffix);
      ASSERT_TRUE(function) << name;
    };
    find(helpers.copyWords, "copy_words", "");
    find(helpers.copySeveral, "copy_several", "_argv");
    find(helpers.largest, "largest", "");
  }

  MLIRContext context;
  const halide_device_interface_t *interface = nullptr;
  runtime::DeviceHelpers helpers = {};
};

/// The token that the host's sampler takes; -1 if it refuses.
int32_t expectedPlace(std::span<const float> row) {
  auto isBad = [](float value) { return !(value < INFINITY); };
  auto largest = std::ranges::max_element(row);
  if (std::ranges::any_of(row, isBad) || *largest == -INFINITY)
    return -1;
  return static_cast<int32_t>(largest - row.begin());
}

/// Rows with the maximum anywhere, twice, or with values that are not finite.
std::vector<float> makeRows(int64_t rows, int64_t numbers,
                            std::mt19937 &random) {
  const float odd[] = {-0.0F,
                       0.0F,
                       -INFINITY,
                       INFINITY,
                       NAN,
                       -NAN,
                       std::numeric_limits<float>::denorm_min(),
                       -std::numeric_limits<float>::denorm_min(),
                       std::numeric_limits<float>::max(),
                       std::numeric_limits<float>::lowest()};
  std::vector<float> values;
  for (int64_t row = 0; row < rows; ++row) {
    const int kind = static_cast<int>(row % 6);
    for (int64_t i = 0; i < numbers; ++i) {
      const float few = static_cast<float>(random() % 7) - 3;
      values.push_back(kind == 0   ? std::ldexp(few, -20)
                       : kind == 1 ? few
                       : kind == 2 ? odd[random() % 2]
                       : kind == 3 ? odd[random() % 3 + 6]
                       : kind == 4 ? -INFINITY
                                   : -1e30F);
    }
    if (kind == 5)
      values[values.size() - 1 - random() % static_cast<size_t>(numbers)] =
          odd[random() % std::size(odd)];
  }
  return values;
}

TEST_F(DeviceHelpersTest, FindTheLargest) {
  const uint8_t weight[4] = {};
  runtime::DeviceWeights weights(interface, "", weight);
  runtime::Device device(weights, helpers);
  std::mt19937 random(1);
  for (int64_t numbers : {1, 17, 160, 4096, 4097, 9000, 49152}) {
    const int64_t rows = 30;
    const auto bytes = static_cast<int64_t>(rows * numbers * sizeof(float));
    const int64_t offset = 64 * (1 + static_cast<int64_t>(random() % 100));
    const std::vector<float> values = makeRows(rows, numbers, random);
    device.reserveArena(offset + bytes);
    transfold_device &functions = device.functions();
    ASSERT_EQ(functions.upload(&functions, offset, values.data(), bytes, 0), 0);
    std::vector<int32_t> places(rows, -7);
    std::vector<float> back(values.size());
    ASSERT_EQ(functions.largest(&functions, places.data(), back.data(), offset,
                                rows, numbers),
              0);
    for (int64_t row = 0; row < rows; ++row)
      EXPECT_EQ(places[static_cast<size_t>(row)],
                expectedPlace(std::span(values).subspan(
                    static_cast<size_t>(row * numbers),
                    static_cast<size_t>(numbers))))
          << "row " << row << " of " << numbers;
    // Some rows have no valid maximum: then all rows are copied back.
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(std::bit_cast<int32_t>(back[i]),
                std::bit_cast<int32_t>(values[i]));
  }
}

TEST_F(DeviceHelpersTest, CopyTogether) {
  const uint8_t weight[4] = {};
  runtime::DeviceWeights weights(interface, "", weight);
  runtime::Device device(weights, helpers);
  constexpr int64_t bytes = 1 << 20;
  runtime::DeviceMemory from(interface), to(interface), other(interface);
  std::vector<int32_t> sent(bytes / 4), zeros(bytes / 4), back(bytes / 4);
  for (size_t i = 0; i < sent.size(); ++i)
    sent[i] = static_cast<int32_t>(i);
  for (runtime::DeviceMemory *each : {&from, &to, &other}) {
    ASSERT_EQ(each->allocate(bytes), 0);
    ASSERT_EQ(
        each->upload(0, each == &from ? sent.data() : zeros.data(), bytes), 0);
  }
  for (int64_t copies : {1, 2, 8, 19}) {
    std::vector<int32_t> expected[2] = {zeros, zeros};
    ASSERT_EQ(to.upload(0, zeros.data(), bytes), 0);
    ASSERT_EQ(other.upload(0, zeros.data(), bytes), 0);
    for (int64_t k = 0; k < copies; ++k) {
      const int64_t words = k % 3 ? 1 : 700, source = 4000 * k + k,
                    place = 5000 * k + 3;
      runtime::DeviceMemory &target = k % 2 ? to : other;
      ASSERT_EQ(device.copyWithin({target.parts(), 4 * place, from.parts(),
                                   4 * source, 4 * words},
                                  /*more=*/k + 1 < copies),
                0);
      std::copy_n(sent.begin() + source, words,
                  expected[k % 2 ? 0 : 1].begin() + place);
    }
    ASSERT_EQ(to.download(back.data(), 0, bytes), 0);
    EXPECT_EQ(back, expected[0]) << copies;
    ASSERT_EQ(other.download(back.data(), 0, bytes), 0);
    EXPECT_EQ(back, expected[1]) << copies;
  }
}

} // namespace
