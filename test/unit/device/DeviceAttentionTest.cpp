// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of decode steps on an OpenCL device, in strips of rows and in parts
// of keys: every form of a kernel agrees with its equations, for numbers of
// keys around the size of a part, and all forms give the same bits.

#include "test/unit/device/DeviceMemory.h"
#include "test/unit/kernels/Kernels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

struct Case {
  const char *name;
  /// Arguments, body and result of a kernel that a step launches.
  const char *arguments, *body, *result;
};

// Grouped heads with rotary positions, a sliding window, a soft-cap.
const Case grouped = {
    "Grouped",
    R"mlir(%q: !xf.real<6, n, 24>, %k: !xf.real<2, m, 24>, %v: !xf.real<2, m, 40>,
  %cos: !xf.real<n, 12>, %sin: !xf.real<n, 12>, %first: !xf.integer<>)mlir",
    R"mlir(
  %0 = xf.rotate %q by %cos, %sin : <6, n, 24>, <n, 12>
  %1 = xf.repeat %k axis 0 times 3 : <2, m, 24>
  %2 = xf.repeat %v axis 0 times 3 : <2, m, 40>
  %3 = xf.contract %0[i, n, c], %1[i, m, c] -> [i, n, m] : <6, n, 24>, <6, m, 24>
  %4 = xf.tanh %3 : <6, n, m>
  %5 = xf.softmax %4 from %first where [j <= i, i - j <= 99] : <6, n, m>
  %6 = xf.contract %5[i, n, m], %2[i, m, c] -> [i, n, c] : <6, n, m>, <6, m, 40>
  xf.return %6 : !xf.real<6, n, 40>)mlir",
    "!xf.real<6, n, 40>"};

// A bias by distance, a sink, concatenated heads.
const Case biased = {
    "Biased",
    R"mlir(%q: !xf.real<3, n, 18>, %k: !xf.real<3, m, 18>, %v: !xf.real<3, m, 16>,
  %T: !xf.real<9, 3>, %s: !xf.real<3>, %first: !xf.integer<>)mlir",
    R"mlir(
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <3, n, 18>, <3, m, 18>
  %1 = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 8), a] * 2^(-a)"(%T) from %first : (!xf.real<9, 3>) -> !xf.real<3, n, m>
  %2 = xf.add %0[i, n, m], %1[i, n, m] -> [i, n, m] : <3, n, m>, <3, n, m>
  %3 = xf.softmax %2 from %first where [j <= i] sink %s : <3> : <3, n, m>
  %4 = xf.contract %3[i, n, m], %v[i, m, c] -> [i, n, c] : <3, n, m>, <3, m, 16>
  %5 = xf.rearrange %4[i, n, c] -> [n, (i c)] : <3, n, 16> -> <n, 48>
  xf.return %5 : !xf.real<n, 48>)mlir",
    "!xf.real<n, 48>"};

// Cross-attention to an encoder: no mask. One key head for all queries, values
// per head, both products with swapped operands.
const Case turned = {
    "Turned",
    R"mlir(%q: !xf.real<4, n, 16>, %k: !xf.real<m, 16>, %v: !xf.real<4, m, 16>,
  %first: !xf.integer<>)mlir",
    R"mlir(
  %0 = xf.contract %k[m, c], %q[i, n, c] -> [i, n, m] : <m, 16>, <4, n, 16>
  %1 = xf.softmax %0 : <4, n, m>
  %2 = xf.contract %v[i, m, c], %1[i, n, m] -> [i, n, c] : <4, m, 16>, <4, n, m>
  xf.return %2 : !xf.real<4, n, 16>)mlir",
    "!xf.real<4, n, 16>"};

// Four heads that share keys and values; each thread has two channels of a row.
const Case wide = {
    "Wide",
    R"mlir(%q: !xf.real<4, n, 80>, %k: !xf.real<1, m, 80>, %first: !xf.integer<>)mlir",
    R"mlir(
  %0 = xf.round %k to bf16 : <1, m, 80>
  %1 = xf.repeat %0 axis 0 times 4 : <1, m, 80>
  %2 = xf.contract %q[i, n, c], %1[i, m, c] -> [i, n, m] : <4, n, 80>, <4, m, 80>
  %3 = xf.scale %2 by <"1/8"> "1/8" : <4, n, m>
  %4 = xf.softmax %3 from %first where [j <= i] : <4, n, m>
  %5 = xf.contract %4[i, n, m], %1[i, m, c] -> [i, n, c] : <4, n, m>, <4, m, 80>
  xf.return %5 : !xf.real<4, n, 80>)mlir",
    "!xf.real<4, n, 80>"};

// Widths that are large primes, which are not multiples of a thread's channels.
const Case prime = {
    "Prime",
    R"mlir(%q: !xf.real<2, n, 37>, %k: !xf.real<2, m, 37>, %v: !xf.real<2, m, 131>,
  %first: !xf.integer<>)mlir",
    R"mlir(
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 37>, <2, m, 37>
  %1 = xf.softmax %0 from %first where [j <= i] : <2, n, m>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 131>
  %3 = xf.rearrange %2[i, n, c] -> [n, (i c)] : <2, n, 131> -> <n, 262>
  xf.return %3 : !xf.real<n, 262>)mlir",
    "!xf.real<n, 262>"};

/// The kernel, and a step that launches it.
std::string textOf(const Case &own) {
  std::string types, values;
  for (StringRef rest = own.arguments; !rest.empty();) {
    auto [name, following] = rest.split(": ");
    const size_t end = following.find('>') + 1;
    values += (values.empty() ? "" : ", ") + name.ltrim(" ,\n").str();
    types += (types.empty() ? "" : ", ") + following.substr(0, end).str();
    rest = following.substr(end);
  }
  return fmt::format(R"mlir(
xf.kernel @k({0}) -> {1} attributes {{anchor = #xf.anchor<attention>}} {{{2}
}}
xf.entry @whole({0}) -> {1} {{
  %r = xf.launch @k({3}) : ({4}) -> {1}
  xf.return %r : {1}
}}
xf.entry @step({0}) -> {1} attributes {{stage = #xf.stage<step>, stage_of = @whole}} {{
  %r = xf.launch @k({3}) : ({4}) -> {1}
  xf.return %r : {1}
}})mlir",
                     own.arguments, own.result, own.body, values, types);
}

std::vector<std::byte> bytesOf(Buffer &buffer) {
  const halide_buffer_t *own = buffer.get();
  const auto *begin = reinterpret_cast<const std::byte *>(own->host);
  return {begin, begin + own->size_in_bytes()};
}

size_t addTo(DeviceMemory &memory, Buffer &buffer) {
  std::vector<int64_t> extents;
  for (int axis = 0; axis < buffer.get()->dimensions; ++axis)
    extents.push_back(buffer.get()->dim[axis].extent);
  return memory.add(bytesOf(buffer), buffer.get()->type, extents);
}

class DeviceAttention : public Kernels,
                        public testing::WithParamInterface<const Case *> {
protected:
  DeviceAttention() { target = "opencl"; }

  static Tensor runOnDevice(const DeviceKernels &loaded, xf::KernelOp kernel,
                            const Lengths &lengths,
                            const std::vector<Tensor> &arguments) {
    DeviceMemory memory(loaded.device());
    for (auto [type, argument] :
         llvm::zip(kernel.getArgumentTypes(), arguments)) {
      if (isa<xf::IntegralType>(type)) {
        memory.addNumber(static_cast<int64_t>(argument.data[0]));
        continue;
      }
      Buffer buffer(type, lengths);
      buffer.write(argument);
      addTo(memory, buffer);
    }
    Buffer result(kernel.getResultTypes()[0], lengths);
    const size_t number = addTo(memory, result);
    memory.copyToDevice();
    auto function = loaded.find(kernel.getSymName());
    EXPECT_TRUE(function.address);
    EXPECT_EQ(function(memory.buffers()), 0);
    std::vector<float> numbers = memory.read(number);
    std::memcpy(result.get()->host, numbers.data(),
                numbers.size() * sizeof(float));
    return result.read();
  }

  static void isNear(const Tensor &actual, const Tensor &expected) {
    ASSERT_EQ(actual.shape, expected.shape);
    double worst = 0;
    for (int64_t i = 0; i < actual.size(); ++i) {
      const double apart = std::abs(actual.data[i] - expected.data[i]) /
                           std::max(1.0, std::abs(expected.data[i]));
      worst = apart <= worst ? worst : apart; // NaN is worst
    }
    EXPECT_LE(worst, 4e-6);
  }
};

TEST_P(DeviceAttention, AllFormsAreNearAndAlike) {
  OwningOpRef<ModuleOp> module = parse(textOf(*GetParam()));
  ASSERT_TRUE(module);
  auto loaded = DeviceKernels::load(*module);
  ASSERT_TRUE(loaded);
  if (!loaded->device())
    GTEST_SKIP() << "OpenCL finds no device";
  SmallVector<xf::KernelOp> forms(module->getOps<xf::KernelOp>());
  ASSERT_EQ(forms.size(), 3U); // for many rows, for several, for one
  xf::EntryOp entry = addEntry(*module, forms[0]);
  std::mt19937 random(1);
  for (auto [rows, keys] : std::initializer_list<std::pair<int64_t, int64_t>>{
           {1, 1}, {1, 63}, {1, 64}, {1, 65}, {2, 128}, {5, 300}, {16, 200}}) {
    const Lengths lengths = {{"n", rows}, {"m", keys}};
    std::vector<Tensor> arguments;
    for (Type type : forms[0].getArgumentTypes()) {
      arguments.push_back(randomTensor(shapeOf(type, lengths),
                                       /*isInteger=*/false, random));
      // The position of the first of the rows, which are at the last keys.
      if (isa<xf::IntegralType>(type))
        arguments.back().data[0] = static_cast<double>(keys - rows);
    }
    SCOPED_TRACE(fmt::format("{} rows, {} keys", rows, keys));
    Tensor expected =
        reference::Interpreter(*module, nullptr).run(entry, arguments)[0];
    std::vector<Tensor> results;
    for (xf::KernelOp form : forms)
      results.push_back(runOnDevice(*loaded, form, lengths, arguments));
    ASSERT_NO_FATAL_FAILURE(isNear(results[0], expected));
    EXPECT_EQ(results[0].data, results[1].data) << "several";
    EXPECT_EQ(results[0].data, results[2].data) << "few";
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceAttention,
                         testing::Values(&grouped, &biased, &turned, &wide,
                                         &prime),
                         [](const auto &own) {
                           return std::string(own.param->name);
                         });

} // namespace
