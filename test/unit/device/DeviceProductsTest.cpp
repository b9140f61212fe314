// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products on an OpenCL device, with a matrix in each format that kernels read:
// every form of a kernel is close to the product in double, and all forms give
// the same bits. Single products, and two after a norm.

#include "base/numeric/BlockFormat.h"
#include "compiler/checkpoint/Format.h"
#include "compiler/kernels/Passes.h"
#include "test/unit/device/DeviceMemory.h"

#include <fmt/format.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>

#include <cmath>
#include <numeric>
#include <random>

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

// The sum has more than one part; the last panel is partly filled.
constexpr int64_t depth = 512, columns = 72, panel = 32,
                  panels = (columns + panel - 1) / panel;

std::string kernelOf(const std::string &format) {
  return fmt::format(R"mlir(
xf.kernel @k(%x: !xf.real<n, 512>, %W: !xf.real<512, 72> {{xf.storage = #xf.storage<{}, <32>>}},
             %b: !xf.real<72>) -> !xf.real<n, 72> attributes {{anchor = #xf.anchor<contraction>}} {{
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 512>, <512, 72>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : <n, 72>, <72>
  xf.return %1 : !xf.real<n, 72>
}}
xf.entry @main(%x: !xf.real<n, 512>, %W: !xf.real<512, 72>, %b: !xf.real<72>) -> !xf.real<n, 72> {{
  %0 = xf.launch @k(%x, %W, %b) : (!xf.real<n, 512>, !xf.real<512, 72>, !xf.real<72>) -> !xf.real<n, 72>
  xf.return %0 : !xf.real<n, 72>
}}
xf.entry @main.step(%x: !xf.real<n, 512>, %W: !xf.real<512, 72>, %b: !xf.real<72>) -> !xf.real<n, 72>
    attributes {{stage = #xf.stage<step>, stage_of = @main}} {{
  %0 = xf.launch @k(%x, %W, %b) : (!xf.real<n, 512>, !xf.real<512, 72>, !xf.real<72>) -> !xf.real<n, 72>
  xf.return %0 : !xf.real<n, 72>
}})mlir",
                     format);
}

/// z = norm(x) · g;  (z @ W) · (z @ V)
std::string gatedOf(const std::string &format, const std::string &norm) {
  std::string kernel = fmt::format(R"mlir(
xf.kernel @k(%x: !xf.real<n, 512>, %W: !xf.real<512, 72> {{xf.storage = #xf.storage<{0}, <32>>}},
             %V: !xf.real<512, 72> {{xf.storage = #xf.storage<{0}, <32>>}}, %g: !xf.real<512>)
    -> !xf.real<n, 72> attributes {{anchor = #xf.anchor<contraction>}} {{
  %0 = xf.{1} %x epsilon <"0"> : <n, 512>
  %z = xf.multiply %0[n, k], %g[k] -> [n, k] : <n, 512>, <512>
  %1 = xf.contract %z[n, k], %W[k, c] -> [n, c] : <n, 512>, <512, 72>
  %2 = xf.contract %z[n, k], %V[k, c] -> [n, c] : <n, 512>, <512, 72>
  %3 = xf.multiply %1[n, c], %2[n, c] -> [n, c] : <n, 72>, <n, 72>
  xf.return %3 : !xf.real<n, 72>
}})mlir",
                                   format, norm);
  for (const char *name : {"@main", "@main.step"})
    kernel += fmt::format(
        R"mlir(
xf.entry {}(%x: !xf.real<n, 512>, %W: !xf.real<512, 72>, %g: !xf.real<512>) -> !xf.real<n, 72>
    {} {{
  %0 = xf.launch @k(%x, %W, %W, %g) : (!xf.real<n, 512>, !xf.real<512, 72>, !xf.real<512, 72>, !xf.real<512>) -> !xf.real<n, 72>
  xf.return %0 : !xf.real<n, 72>
}})mlir",
        name,
        name == std::string("@main")
            ? ""
            : "attributes {stage = #xf.stage<step>, stage_of = @main}");
  return kernel;
}

/// The storage of a column: so many elements share so many bytes.
struct Column {
  std::string name;
  const BlockFormat *blocks = findBlockFormat(name);
  int numbers = blocks ? blocks->numbers : 1;
  int bytes = blocks ? blocks->bytes : name == "f32" ? 4 : 2;

  explicit Column(std::string name) : name(std::move(name)) {}
};

void setHalf(std::byte *at, uint16_t bits) {
  std::memcpy(at, &bits, sizeof bits);
}

void setFloat(std::byte *at, float number) {
  std::memcpy(at, &number, sizeof number);
}

/// The bits of a float16 from 2^-5 to 2^-2, with any sign.
uint16_t randomScale(std::mt19937 &random) {
  return (random() & 0x8bff) | 0x2800;
}

/// Writes a single value; a fourth of float16 values are subnormal.
void setNumber(const std::string &format, std::byte *at, std::mt19937 &random) {
  if (format == "f32")
    setFloat(at, (int(random() % 2001) - 1000) / 512.0F);
  else if (format == "bf16")
    setHalf(at, (random() & 0x807f) | 0x3e80);
  else
    setHalf(at, random() % 4 ? randomScale(random) : random() & 0x83ff);
}

/// Random codes, with scales of moderate magnitude.
void setBlock(const BlockFormat &format, std::byte *at, std::mt19937 &random) {
  for (int byte = 0; byte < format.bytes; ++byte)
    at[byte] = static_cast<std::byte>(random());
  if (format.isExponent)
    at[format.scaleAt] = static_cast<std::byte>(120 + random() % 6);
  else if (format.isSingle)
    setFloat(at + format.scaleAt, 0.01F + random() % 100 / 1000.0F);
  else if (hasHalfScale(format))
    setHalf(at + format.scaleAt, randomScale(random));
  else // 8-bit floats, of which a fourth are subnormal or zero
    for (int part = 0; part < format.groups(); ++part)
      at[part] = static_cast<std::byte>(random() % 4 ? 0x18 + random() % 24
                                                     : random() & 0x87);
  if (hasMinimum(format))
    setHalf(at + format.minimumAt, randomScale(random));
}

std::vector<std::byte> randomColumn(const Column &own, std::mt19937 &random) {
  std::vector<std::byte> bytes(depth / own.numbers * own.bytes);
  for (size_t at = 0; at < bytes.size(); at += own.bytes)
    if (own.blocks)
      setBlock(*own.blocks, &bytes[at], random);
    else
      setNumber(own.name, &bytes[at], random);
  return bytes;
}

/// The values that the compiler reads; for codes whose scale is not stored next
/// to them, the values of the codes.
std::vector<double> numbersOf(const Column &own,
                              const std::vector<std::byte> &bytes) {
  std::vector<double> numbers(depth);
  if (!own.blocks || !own.blocks->isSingle) {
    checkpoint::formatNamed(own.name).read(bytes.data(), 0, 1, numbers);
    return numbers;
  }
  for (int64_t k = 0; k < depth; ++k) {
    const std::byte *block = &bytes[k / own.numbers * own.bytes];
    float scale;
    std::memcpy(&scale, block + own.blocks->scaleAt, sizeof scale);
    numbers[k] = double(scale) * static_cast<int8_t>(block[k % own.numbers]);
  }
  return numbers;
}

/// The offset of byte `byte` of a block in its panel: the words of all columns
/// are interleaved, followed by the bytes that do not fill a word.
size_t placeInPanel(const BlockFormat &format, int byte, int column) {
  const int words = (format.bytes - format.oddBytes) / wordBytes;
  if (byte >= format.oddAt && byte < format.oddAt + format.oddBytes) {
    const int distance = blockPanelWidth * format.oddBytes / wordBytes;
    return (words * blockPanelWidth + column % distance) * wordBytes +
           column / distance * format.oddBytes + byte - format.oddAt;
  }
  const int own =
      format.oddBytes && format.oddAt == 0 ? byte - format.oddBytes : byte;
  return (own / wordBytes * blockPanelWidth + column) * wordBytes +
         own % wordBytes;
}

/// The matrix: its values (k, c), and its bytes in panels.
struct Matrix {
  std::vector<double> numbers;
  std::vector<std::byte> bytes;

  Matrix(const Column &own, std::mt19937 &random)
      : numbers(depth * columns),
        bytes(panels * panel * depth / own.numbers * own.bytes) {
    const int64_t blocks = depth / own.numbers;
    for (int64_t c = 0; c < columns; ++c) {
      const auto column = randomColumn(own, random);
      const auto values = numbersOf(own, column);
      for (int64_t k = 0; k < depth; ++k)
        numbers[k * columns + c] = values[k];
      for (int64_t i = 0; i < blocks; ++i)
        for (int byte = 0; byte < own.bytes; ++byte) {
          const size_t within = own.blocks
                                    ? placeInPanel(*own.blocks, byte, c % panel)
                                    : c % panel * own.bytes + byte;
          bytes[(c / panel * blocks + i) * own.bytes * panel + within] =
              column[i * own.bytes + byte];
        }
    }
  }
};

class Products : public testing::Test {
protected:
  Products() { context.loadDialect<xf::XfDialect>(); }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    PassManager passes(&context);
    passes.addPass(kernels::createAssignSchedules({"opencl"}));
    if (!module || failed(passes.run(*module)))
      return nullptr;
    return module;
  }

  /// Runs a kernel on x, the matrices, and values per column or per row.
  static std::vector<float> run(const DeviceKernels &loaded, StringRef kernel,
                                const Column &own, const std::vector<float> &x,
                                ArrayRef<const Matrix *> matrices,
                                const std::vector<float> &other) {
    const auto n = static_cast<int64_t>(x.size()) / depth;
    const halide_type_t floats(halide_type_float, 32);
    const int place = own.blocks ? wordBytes : own.bytes;
    DeviceMemory memory(loaded.device());
    memory.add(bytesOf(x), floats, {depth, n});
    for (const Matrix *matrix : matrices)
      memory.add(matrix->bytes, halide_type_t(halide_type_uint, 8 * place),
                 {panel * own.bytes / place, depth / own.numbers, panels});
    memory.add(bytesOf(other), floats, {static_cast<int64_t>(other.size())});
    const size_t result =
        memory.add(std::vector<std::byte>(n * columns * sizeof(float)), floats,
                   {columns, n});
    memory.copyToDevice();
    auto function = loaded.find(kernel);
    EXPECT_TRUE(function.address);
    EXPECT_EQ(function(memory.buffers()), 0);
    return memory.read(result);
  }

  /// The results of all forms, which must be equal; the form for many rows
  /// comes first.
  std::vector<float> runAll(ModuleOp module, const DeviceKernels &loaded,
                            const Column &own, const std::vector<float> &x,
                            ArrayRef<const Matrix *> matrices,
                            const std::vector<float> &other) {
    std::vector<std::vector<float>> results;
    for (auto kernel : module.getOps<xf::KernelOp>())
      results.push_back(
          run(loaded, kernel.getSymName(), own, x, matrices, other));
    EXPECT_EQ(results.size(), 3U); // for many rows, for several, for one
    for (const auto &form : results)
      EXPECT_EQ(results[0], form)
          << x.size() / depth << " rows, form " << &form - results.data();
    return results[0];
  }

  /// Σ_k x_k W_k of column c, and the sum of the absolute values of its terms.
  static std::pair<double, double> productOf(ArrayRef<double> x,
                                             const Matrix &W, size_t c) {
    double sum = 0, size = 0;
    for (int64_t k = 0; k < depth; ++k) {
      sum += x[k] * W.numbers[k * columns + c];
      size += std::abs(x[k] * W.numbers[k * columns + c]);
    }
    return {sum, size};
  }

  MLIRContext context;
};

class DeviceProducts : public Products,
                       public testing::WithParamInterface<const char *> {};

class DeviceProductsOfNorms : public Products,
                              public testing::WithParamInterface<
                                  std::pair<const char *, const char *>> {};

TEST_P(DeviceProducts, AllFormsAreNearAndAlike) {
  const Column own{GetParam()};
  OwningOpRef<ModuleOp> module = parse(kernelOf(own.name));
  ASSERT_TRUE(module);
  auto loaded = DeviceKernels::load(*module);
  ASSERT_TRUE(loaded);
  if (!loaded->device())
    GTEST_SKIP() << "OpenCL finds no device";
  std::mt19937 random(1);
  const Matrix W(own, random);
  const std::vector<float> bias = randomNumbers(columns, random);
  for (int64_t n : {1, 2, 5, 8}) {
    const std::vector<float> x = randomNumbers(n * depth, random);
    const auto found = runAll(*module, *loaded, own, x, {&W}, bias);
    for (size_t at = 0; at < found.size(); ++at) {
      const size_t row = at / columns, c = at % columns;
      const std::vector<double> own(&x[row * depth], &x[row * depth] + depth);
      const auto [sum, size] = productOf(own, W, c);
      EXPECT_NEAR(found[at], bias[c] + sum, 2e-7 * (1 + size))
          << row << ", " << c;
    }
  }
}

TEST_P(DeviceProductsOfNorms, TwoTogether) {
  const auto [format, norm] = GetParam();
  const Column own{format};
  OwningOpRef<ModuleOp> module = parse(gatedOf(own.name, norm));
  ASSERT_TRUE(module);
  auto loaded = DeviceKernels::load(*module);
  ASSERT_TRUE(loaded);
  if (!loaded->device())
    GTEST_SKIP() << "OpenCL finds no device";
  std::mt19937 random(2);
  const Matrix W(own, random), V(own, random);
  const std::vector<float> gains = randomNumbers(depth, random);
  for (int64_t n : {1, 5, 17}) {
    const std::vector<float> x = randomNumbers(n * depth, random);
    const auto found = runAll(*module, *loaded, own, x, {&W, &V}, gains);
    for (int64_t row = 0; row < n; ++row) {
      std::vector<double> z(&x[row * depth], &x[row * depth] + depth);
      double mean = 0, squares = 0;
      if (norm == StringRef("standardize"))
        mean = std::accumulate(z.begin(), z.end(), 0.0) / depth;
      for (double &number : z) {
        number -= mean;
        squares += number * number;
      }
      for (int64_t k = 0; k < depth; ++k)
        z[k] *= gains[k] / std::sqrt(squares / depth);
      for (int64_t c = 0; c < columns; ++c) {
        const auto [a, sizeOfA] = productOf(z, W, c);
        const auto [b, sizeOfB] = productOf(z, V, c);
        EXPECT_NEAR(found[row * columns + c], a * b,
                    4e-7 * (sizeOfA * std::abs(b) + sizeOfB * std::abs(a)) +
                        1e-12 * sizeOfA * sizeOfB)
            << row << ", " << c;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , DeviceProducts,
    testing::Values("f32", "f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1",
                    "q8_0", "iq4_nl", "iq4_xs", "mxfp4", "nvfp4", "q2_k",
                    "q3_k", "q4_k", "q5_k", "q6_k", "int8_64", "int8_row"),
    [](const auto &format) { return std::string(format.param); });

INSTANTIATE_TEST_SUITE_P(, DeviceProductsOfNorms,
                         testing::Values(std::pair("f32", "unit_rms"),
                                         std::pair("bf16", "standardize"),
                                         std::pair("q4_0", "unit_rms"),
                                         std::pair("q5_k", "unit_rms"),
                                         std::pair("int8_row", "standardize")),
                         [](const auto &param) {
                           return std::string(param.param.first);
                         });

} // namespace
