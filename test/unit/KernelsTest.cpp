// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of kernel, built with all of Halide's checks, beside the reference
// interpreter, for lengths below, at and above a tile.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/build/LoadKernels.h"
#include "compiler/reference/Interpreter.h"
#include "dialect/MemoryOrder.h"
#include "test/unit/RandomDefinition.h"

#include <HalideRuntime.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>

#include <bit>
#include <cstring>
#include <random>
#include <regex>

using namespace mlir;
using namespace transfold;
using reference::Tensor;

namespace {

using Lengths = std::map<std::string, int64_t>;

std::vector<int64_t> shapeOf(Type type, const Lengths &lengths) {
  std::vector<int64_t> shape;
  for (Attribute axis : xf::getShape(type)) {
    auto number = xf::getNumber(axis);
    shape.push_back(number ? *number : lengths.at(xf::printAxis(axis)));
  }
  return shape;
}

/// A buffer as kernels see it: the numbers of a tensor in the order of memory.
class Buffer {
public:
  Buffer(Type type, const Lengths &lengths, xf::PanelsAttr panels = {})
      : isInteger(isa<xf::IntegralType>(type)), shape(shapeOf(type, lengths)) {
    if (panels) {
      int64_t width = panels.getWidth(), count = (shape[1] + width - 1) / width;
      extents = {count, shape[0], width};
      strides = {width, 0};
    } else {
      SmallVector<unsigned> order = xf::memoryOrder(type);
      for (unsigned axis : order)
        extents.push_back(shape[axis]);
      strides.resize(shape.size());
      int64_t stride = 1;
      for (unsigned axis : llvm::reverse(order)) {
        strides[axis] = stride;
        stride *= shape[axis];
      }
    }
    this->panels = panels ? panels.getWidth() : 0;
    size_t count = Tensor::count(extents);
    memory.reset(static_cast<float *>(
        std::aligned_alloc(64, (count * 4 + 127) / 64 * 64)));
    std::fill_n(memory.get(), count, 0.0f);
    int64_t stride = 1;
    for (size_t i = extents.size(); i-- > 0;) {
      dimensions.insert(dimensions.begin(),
                        halide_dimension_t(0, extents[i], stride));
      stride *= extents[i];
    }
    std::reverse(dimensions.begin(), dimensions.end());
    buffer.host = reinterpret_cast<uint8_t *>(memory.get());
    buffer.type = isInteger ? halide_type_t(halide_type_int, 32)
                            : halide_type_t(halide_type_float, 32);
    buffer.dimensions = static_cast<int>(dimensions.size());
    buffer.dim = dimensions.data();
  }

  void write(const Tensor &tensor) {
    visit([&](int64_t place, int64_t at) {
      if (isInteger) {
        auto number = static_cast<int32_t>(tensor.data[at]);
        std::memcpy(memory.get() + place, &number, 4);
      } else {
        memory.get()[place] = static_cast<float>(tensor.data[at]);
      }
    });
  }

  Tensor read() {
    Tensor tensor(shape);
    visit([&](int64_t place, int64_t at) {
      tensor.data[at] = memory.get()[place];
    });
    return tensor;
  }

  halide_buffer_t *get() { return &buffer; }

private:
  /// `function(place in memory, position in the tensor)`
  template <typename Function> void visit(Function function) {
    std::vector<int64_t> index(shape.size());
    for (int64_t at = 0; at < Tensor::count(shape); ++at) {
      int64_t rest = at, place = 0;
      for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
        index[axis] = rest % shape[axis];
      for (size_t axis = 0; axis < shape.size(); ++axis)
        place += index[axis] * (panels ? 0 : strides[axis]);
      if (panels)
        place = (index[1] / panels * shape[0] + index[0]) * panels +
                index[1] % panels;
      function(place, at);
    }
  }

  struct Free {
    void operator()(float *memory) const { std::free(memory); }
  };
  bool isInteger;
  int64_t panels = 0;
  std::vector<int64_t> shape, extents, strides;
  std::unique_ptr<float, Free> memory;
  std::vector<halide_dimension_t> dimensions;
  halide_buffer_t buffer = {};
};

/// A matrix of bfloat16 in pairs of rows, as #xf.panels<width, 2> says.
class Pairs {
public:
  /// Rounds the tensor's numbers towards 0. Kernels see numbers of 32 bits, or
  /// twice as many of 16.
  Pairs(Tensor &tensor, xf::PanelsAttr panels, bool isDot) {
    int64_t rows = tensor.shape[0], columns = tensor.shape[1];
    int64_t width = panels.getWidth(), distance = xf::PanelsAttr::distance;
    int64_t count = (columns + width - 1) / width;
    size_t bytes = count * rows * width * sizeof(uint16_t);
    memory.reset(static_cast<uint16_t *>(
        std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
    std::fill_n(memory.get(), bytes / sizeof(uint16_t), 0);
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t c = 0; c < columns; ++c) {
        double &number = tensor.data[k * columns + c];
        uint32_t bits =
            std::bit_cast<uint32_t>(static_cast<float>(number)) >> 16;
        number = std::bit_cast<float>(bits << 16);
        int64_t pair = k / (2 * distance) * distance + k % distance;
        int64_t slot = k / distance % 2;
        memory.get()[((c / width * (rows / 2) + pair) * width + c % width) * 2 +
                     slot] = static_cast<uint16_t>(bits);
      }
    auto across = static_cast<int32_t>(isDot ? 2 * width : width);
    auto pairs = static_cast<int32_t>(rows / 2);
    dimensions[0] = {0, across, 1};
    dimensions[1] = {0, pairs, across};
    dimensions[2] = {0, static_cast<int32_t>(count), across * pairs};
    buffer.host = reinterpret_cast<uint8_t *>(memory.get());
    buffer.type = isDot ? halide_type_t(halide_type_bfloat, 16)
                        : halide_type_t(halide_type_uint, 32);
    buffer.dimensions = 3;
    buffer.dim = dimensions;
  }

  halide_buffer_t *get() { return &buffer; }

private:
  struct Free {
    void operator()(uint16_t *memory) const { std::free(memory); }
  };
  std::unique_ptr<uint16_t, Free> memory;
  halide_dimension_t dimensions[3];
  halide_buffer_t buffer = {};
};

/// Numbers that floats hold exactly, so that both sides start from the same.
Tensor randomTensor(const std::vector<int64_t> &shape, bool isInteger,
                    std::mt19937 &random) {
  Tensor tensor(shape);
  for (double &number : tensor.data)
    number = isInteger ? random() % 7 : (int(random() % 2001) - 1000) / 512.0;
  return tensor;
}

/// An entry that runs the module's kernel, for the interpreter.
xf::EntryOp addEntry(ModuleOp module, xf::KernelOp kernel) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = kernel.getLoc();
  auto entry =
      xf::EntryOp::create(builder, loc, "main", kernel.getFunctionType());
  Block *body = builder.createBlock(&entry.getBody());
  for (Type type : kernel.getArgumentTypes())
    body->addArgument(type, loc);
  auto launch = xf::LaunchOp::create(builder, loc, kernel.getResultTypes()[0],
                                     kernel.getSymName(), body->getArguments());
  xf::ReturnOp::create(builder, loc, launch.getResult());
  return entry;
}

class Kernels : public testing::Test {
protected:
  Kernels() { context.loadDialect<xf::XfDialect>(); }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return module;
    PassManager passes(&context);
    passes.addPass(kernels::createAssignSchedules({target}));
    if (failed(passes.run(*module)))
      return nullptr;
    return module;
  }

  /// The module's kernels, with all of Halide's checks.
  static void load(ModuleOp module,
                   std::optional<kernels::LoadedKernels> &loaded) {
    kernels::BuildOptions options;
    options.checks = true;
    auto built = kernels::buildKernels(module, options);
    ASSERT_TRUE(succeeded(built));
    auto kernels = kernels::LoadedKernels::load(*built);
    ASSERT_TRUE(bool(kernels)) << toString(kernels.takeError());
    loaded.emplace(std::move(*kernels));
  }

  /// Random arguments, the same for the same seed, and what the kernel makes of
  /// them.
  static void run(xf::KernelOp kernel, kernels::LoadedKernels &loaded,
                  const Lengths &values, std::mt19937 &random,
                  std::vector<Tensor> &arguments, Tensor &result) {
    auto function = loaded.find(kernel.getSymName());
    ASSERT_TRUE(bool(function)) << toString(function.takeError());
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<std::unique_ptr<Pairs>> matrices;
    std::vector<halide_buffer_t *> pointers;
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      arguments.push_back(randomTensor(shapeOf(type, values),
                                       isa<xf::IntegralType>(type), random));
      auto panels = kernel.getStorage(i).getPanels();
      if (panels && panels.getInterleaved() == 2) {
        matrices.push_back(std::make_unique<Pairs>(
            arguments.back(), panels, kernel.getSchedule()->contains("dot")));
        pointers.push_back(matrices.back()->get());
        continue;
      }
      buffers.push_back(std::make_unique<Buffer>(type, values, panels));
      buffers.back()->write(arguments.back());
      pointers.push_back(buffers.back()->get());
    }
    Buffer buffer(kernel.getResultTypes()[0], values);
    pointers.push_back(buffer.get());
    ASSERT_EQ((*function)(pointers), 0) << "n = " << values.at("n");
    result = buffer.read();
  }

  static Lengths lengthsOf(int64_t n) {
    return {{"n", n}, {"m", n % 3 ? n : 2 * n + 1}};
  }

  /// The kernel agrees with its equations for n in `lengths`; `tolerance` is
  /// relative to numbers above 1.
  void agrees(StringRef text, std::vector<int64_t> lengths,
              double tolerance = 2e-6) {
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module);
    xf::KernelOp kernel = *module->getOps<xf::KernelOp>().begin();
    std::optional<kernels::LoadedKernels> loaded;
    ASSERT_NO_FATAL_FAILURE(load(*module, loaded));
    xf::EntryOp entry = addEntry(*module, kernel);
    std::mt19937 random(1);
    for (int64_t n : lengths) {
      std::vector<Tensor> arguments;
      Tensor actual;
      ASSERT_NO_FATAL_FAILURE(
          run(kernel, *loaded, lengthsOf(n), random, arguments, actual));
      Tensor expected =
          reference::Interpreter(*module, nullptr).run(entry, arguments)[0];
      ASSERT_EQ(actual.shape, expected.shape);
      double worst = 0;
      for (int64_t i = 0; i < actual.size(); ++i) {
        double difference = std::abs(actual.data[i] - expected.data[i]) /
                            std::max(1.0, std::abs(expected.data[i]));
        worst = difference <= worst ? worst : difference; // NaN is worst
      }
      EXPECT_LE(worst, tolerance) << "n = " << n;
    }
  }

  /// All kernels of the module make the same bits, and agree with the first's
  /// equations: forms of one kernel.
  void areAlike(StringRef text, std::vector<int64_t> lengths,
                double tolerance = 2e-6) {
    agrees(text, lengths, tolerance);
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module);
    std::optional<kernels::LoadedKernels> loaded;
    ASSERT_NO_FATAL_FAILURE(load(*module, loaded));
    for (int64_t n : lengths) {
      std::optional<Tensor> first;
      for (auto kernel : module->getOps<xf::KernelOp>()) {
        std::mt19937 random(n);
        std::vector<Tensor> arguments;
        Tensor result;
        ASSERT_NO_FATAL_FAILURE(
            run(kernel, *loaded, lengthsOf(n), random, arguments, result));
        if (!first)
          first = result;
        EXPECT_EQ(first->data, result.data)
            << "n = " << n << ", @" << kernel.getSymName().str();
      }
    }
  }

  MLIRContext context;
  std::string target = "host";
  // Below, at and above tiles, strips and panels.
  std::vector<int64_t> everyLength = [] {
    std::vector<int64_t> lengths;
    for (int64_t n = 1; n <= 70; ++n)
      lengths.push_back(n);
    lengths.insert(lengths.end(), {127, 128, 129, 200, 300});
    return lengths;
  }();
  std::vector<int64_t> fewLengths = {1, 2, 15, 16, 17, 33, 70, 130};
};

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

// LLVM would like to add what comes after a product in an order that suits its
// loop.
TEST_F(Kernels, ContractionsOfManyRowsAndOfFew) {
  std::string text;
  for (const char *form :
       {"many, block = 128, columns = 32, rows = 8, vector = 16",
        "few, block = 4, columns = 32, rows = 1, vector = 16",
        "narrow, block = 126, columns = 16, rows = 6, vector = 8"}) {
    auto [name, schedule] = StringRef(form).split(", ");
    text += fmt::format(R"mlir(
xf.kernel @{0}(%x: !xf.real<n, 128>, %W: !xf.real<128, 96>, %b: !xf.real<96>,
               %r: !xf.real<n, 96>, %s: !xf.real<n, 96>) -> !xf.real<n, 96>
    attributes {{anchor = #xf.anchor<contraction>, schedule = {{depth = 64, unroll = 1, {1}}}}} {{
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 128>, <128, 96>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : <n, 96>, <96>
  %2 = xf.add %r[n, c], %1[n, c] -> [n, c] : <n, 96>, <n, 96>
  %3 = xf.add %2[n, c], %s[n, c] -> [n, c] : <n, 96>, <n, 96>
  %4 = xf.gelu %3 : <n, 96>
  %5 = xf.multiply %4[n, c], %r[n, c] -> [n, c] : <n, 96>, <n, 96>
  %6 = xf.add %5[n, c], %1[n, c] -> [n, c] : <n, 96>, <n, 96>
  xf.return %6 : !xf.real<n, 96>
}})mlir",
                        name.str(), schedule.str());
  }
  areAlike(text, fewLengths, 1e-5);
}

const char *contraction = R"mlir(
xf.kernel @k(%x: !xf.real<n, 64>, %W: !xf.real<64, 96> ,
             %b: !xf.real<96>, %r: !xf.real<n, 96>) -> !xf.real<n, 96>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 64>, !xf.real<64, 96>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : !xf.real<n, 96>, !xf.real<96>
  %2 = xf.gelu %1 : !xf.real<n, 96>
  %3 = xf.add %2[n, c], %r[n, c] -> [n, c] : !xf.real<n, 96>, !xf.real<n, 96>
  xf.return %3 : !xf.real<n, 96>
})mlir";

TEST_F(Kernels, ContractionWithBiasActivationAndResidual) {
  agrees(contraction, everyLength);
}

TEST_F(Kernels, ContractionOfOddSizes) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 37>, %W: !xf.real<37, 45> ,
             %b: !xf.real<45>) -> !xf.real<n, 45>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 37>, !xf.real<37, 45>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : !xf.real<n, 45>, !xf.real<45>
  %2 = xf.relu %1 : !xf.real<n, 45>
  xf.return %2 : !xf.real<n, 45>
})mlir",
         everyLength);
}

TEST_F(Kernels, ContractionNarrowerThanAPanel) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>, %W: !xf.real<8, 5> )
    -> !xf.real<n, 5> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 8>, !xf.real<8, 5>
  xf.return %0 : !xf.real<n, 5>
})mlir",
         fewLengths);
}

TEST_F(Kernels, ContractionOfOneRow) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<72>, %W: !xf.real<72, 200> ,
             %b: !xf.real<200>) -> !xf.real<200>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[k], %W[k, c] -> [c] : !xf.real<72>, !xf.real<72, 200>
  %1 = xf.add %0[c], %b[c] -> [c] : !xf.real<200>, !xf.real<200>
  %2 = xf.tanh %1 : !xf.real<200>
  xf.return %2 : !xf.real<200>
})mlir",
         {1});
}

// Weights of bfloat16 in pairs: exact, and with an operand that is rounded to
// them, which processors with the instruction multiply in pairs.
TEST_F(Kernels, ContractionOfPairs) {
  const char *pairs = R"mlir(
xf.kernel @k(%x: !xf.real<n, 384>, %W: !xf.real<384, 45> {xf.storage = #xf.storage<bf16, <32, 2>>},
             %b: !xf.real<45>) -> !xf.real<n, 45>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 384>, !xf.real<384, 45>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : !xf.real<n, 45>, !xf.real<45>
  xf.return %1 : !xf.real<n, 45>
})mlir";
  agrees(pairs, everyLength);
  target = "avx2";
  agrees(pairs, fewLengths);
}

TEST_F(Kernels, ContractionOfRoundedPairs) {
  const char *rounded = R"mlir(
xf.kernel @k(%x: !xf.real<n, 96>, %W: !xf.real<96, 64> {xf.storage = #xf.storage<bf16, <32, 2>>},
             %b: !xf.real<64>) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : !xf.real<n, 96>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : !xf.real<n, 96>, !xf.real<96, 64>
  %2 = xf.add %1[n, c], %b[c] -> [n, c] : !xf.real<n, 64>, !xf.real<64>
  xf.return %2 : !xf.real<n, 64>
})mlir";
  agrees(rounded, everyLength);
  target = "avx2";
  agrees(rounded, fewLengths);
}

TEST_F(Kernels, ContractionOfOneRoundedRow) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<64>, %W: !xf.real<64, 200> {xf.storage = #xf.storage<bf16, <32, 2>>}) -> !xf.real<200>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : !xf.real<64>
  %1 = xf.contract %0[k], %W[k, c] -> [c] : !xf.real<64>, !xf.real<64, 200>
  xf.return %1 : !xf.real<200>
})mlir",
         {1});
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

std::string attention(int heads, int channels) {
  std::string q = fmt::format("!xf.real<{}, n, {}>", heads, channels);
  std::string k = fmt::format("!xf.real<{}, m, {}>", heads, channels);
  std::string s = fmt::format("!xf.real<{}, n, m>", heads);
  return fmt::format(R"mlir(
xf.kernel @attention(%q: {0}, %k: {1}, %v: {1}) -> {0}
    attributes {{anchor = #xf.anchor<attention>}} {{
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : {0}, {1}
  %1 = xf.scale %0 by <"1/sqrt({3})"> "1 / √d_k" : {2}
  %2 = xf.softmax %1 : {2}
  %3 = xf.contract %2[i, n, m], %v[i, m, c] -> [i, n, c] : {2}, {1}
  xf.return %3 : {0}
}})mlir",
                     q, k, s, channels);
}

TEST_F(Kernels, Attention) { agrees(attention(3, 32), everyLength); }
TEST_F(Kernels, AttentionOfSmallHeads) { agrees(attention(2, 8), fewLengths); }
TEST_F(Kernels, AttentionOfOddHeads) { agrees(attention(2, 18), fewLengths); }
TEST_F(Kernels, AttentionOfLargeHeads) { agrees(attention(2, 80), fewLengths); }

// Grouped queries that rotate, a window, and a bias by distance with a
// soft-cap.
TEST_F(Kernels, AttentionByPosition) {
  agrees(R"mlir(
xf.kernel @k(%q: !xf.real<4, n, 16>, %k: !xf.real<2, n, 16>, %v: !xf.real<2, n, 16>,
             %cos: !xf.real<n, 8>, %sin: !xf.real<n, 8>, %T: !xf.real<9, 4>) -> !xf.real<4, n, 16>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.rotate %q by %cos, %sin : <4, n, 16>, <n, 8>
  %1 = xf.rotate %k by %cos, %sin : <2, n, 16>, <n, 8>
  %2 = xf.repeat %1 axis 0 times 2 : <2, n, 16>
  %3 = xf.contract %0[i, n, c], %2[i, m, c] -> [i, n, m] : <4, n, 16>, <4, n, 16>
  %4 = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 8), a] * 2^(-a)"(%T) : (!xf.real<9, 4>) -> !xf.real<4, n, n>
  %5 = xf.add %3[i, n, m], %4[i, n, m] -> [i, n, m] : <4, n, n>, <4, n, n>
  %6 = xf.tanh %5 : <4, n, n>
  %7 = xf.scale %6 by <"3"> "3" : <4, n, n>
  %8 = xf.softmax %7 where [j <= i, i - j <= 20] : <4, n, n>
  %9 = xf.repeat %v axis 0 times 2 : <2, n, 16>
  %10 = xf.contract %8[i, n, m], %9[i, m, c] -> [i, n, c] : <4, n, n>, <4, n, 16>
  xf.return %10 : !xf.real<4, n, 16>
})mlir",
         everyLength, 4e-6);
}

// Masks whose keys are bounded on either side, on both, by steps, and rows that
// are not the first of their sequence.
std::string maskedAttention(const std::string &mask,
                            const std::string &schedule = "") {
  return fmt::format(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>, %v: !xf.real<2, m, 16>,
             %first: !xf.integer<>) -> !xf.real<2, n, 16> attributes {{anchor = #xf.anchor<attention>{}}} {{
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.softmax %0 {} : <2, n, m>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %2 : !xf.real<2, n, 16>
}})mlir",
                     schedule, mask);
}

const std::vector<const char *> masks = {
    "where [j <= i]", "from %first where [j <= i]",
    "from %first where [j <= i, i - j <= 40]",
    "where [i - j <= 17, j - i <= 17]", "where [i == j]", "where [2 * j <= i]",
    "where [i - 3 * j <= 2, j <= i + 100]", "where [i <= j]", "where [j <= 50]",
    // Numbers of more than 32 bits.
    "from %first where [j <= i, i - j <= 4294967295]",
    "where [2 * j <= 3 * i + 4294967296, j - i <= 2147483647]"};

TEST_F(Kernels, AttentionThatSeesSomeKeys) {
  for (const char *mask : masks)
    agrees(maskedAttention(mask), everyLength, 4e-6);
}

// Parts of keys, as steps of few rows have them. Keys and rows are few and many
// here; without bounds, every part is made and the mask decides alone.
const std::string inParts =
    ", schedule = {keys = 16, part = 32, shared = 2, vector = 8";

TEST_F(Kernels, AttentionInParts) {
  agrees(maskedAttention("", inParts + "}"), everyLength, 4e-6);
  for (const char *mask : masks)
    agrees(maskedAttention(mask, inParts + "}"), fewLengths, 4e-6);
}

TEST_F(Kernels, AttentionInPartsThatSeesSomeKeys) {
  agrees(
      maskedAttention("from %first where [j <= i]",
                      inParts + ", keys_to = affine_map<(a, b) -> (b + 1)>}"),
      everyLength, 4e-6);
  agrees(maskedAttention("from %first where [j <= i, i - j <= 40]",
                         inParts +
                             ", keys_from = affine_map<(a, b) -> (a - 40)>, "
                             "keys_to = affine_map<(a, b) -> (b + 1)>}"),
         everyLength, 4e-6);
}

// One more score of each row, of its head and of all, in strips and in parts.
TEST_F(Kernels, AttentionWithASink) {
  for (const char *sink : {"!xf.real<2>", "!xf.real<>"})
    for (const std::string &schedule :
         {std::string(),
          inParts + ", keys_to = affine_map<(a, b) -> (b + 1)>}"})
      agrees(fmt::format(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>, %v: !xf.real<2, m, 16>,
             %s: {0}, %first: !xf.integer<>) -> !xf.real<2, n, 16>
    attributes {{anchor = #xf.anchor<attention>{1}}} {{
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.scale %0 by <"1/4"> "1 / √d_k" : <2, n, m>
  %2 = xf.softmax %1 from %first where [j <= i] sink %s : {0} : <2, n, m>
  %3 = xf.contract %2[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %3 : !xf.real<2, n, 16>
}})mlir",
                         sink, schedule),
             everyLength, 4e-6);
}

// Shared keys, rotations, biases and a soft-cap, channels that vectors do not
// divide, and heads that are joined.
TEST_F(Kernels, AttentionInPartsByPosition) {
  agrees(R"mlir(
xf.kernel @k(%q: !xf.real<6, n, 12>, %k: !xf.real<2, m, 12>, %v: !xf.real<2, m, 12>,
             %cos: !xf.real<n, 6>, %sin: !xf.real<n, 6>, %T: !xf.real<9, 6>,
             %first: !xf.integer<>) -> !xf.real<n, 72>
    attributes {anchor = #xf.anchor<attention>, schedule = {keys = 16, part = 32, shared = 3,
      vector = 8, keys_to = affine_map<(a, b) -> (b + 1)>}} {
  %0 = xf.rotate %q by %cos, %sin : <6, n, 12>, <n, 6>
  %2 = xf.repeat %k axis 0 times 3 : <2, m, 12>
  %3 = xf.contract %0[i, n, c], %2[i, m, c] -> [i, n, m] : <6, n, 12>, <6, m, 12>
  %4 = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 8), a] * 2^(-a)"(%T) from %first : (!xf.real<9, 6>) -> !xf.real<6, n, m>
  %5 = xf.add %3[i, n, m], %4[i, n, m] -> [i, n, m] : <6, n, m>, <6, n, m>
  %6 = xf.tanh %5 : <6, n, m>
  %7 = xf.scale %6 by <"3"> "3" : <6, n, m>
  %8 = xf.softmax %7 from %first where [j <= i] : <6, n, m>
  %9 = xf.repeat %v axis 0 times 3 : <2, m, 12>
  %10 = xf.contract %8[i, n, m], %9[i, m, c] -> [i, n, c] : <6, n, m>, <6, m, 12>
  %11 = xf.rearrange %10[i, n, c] -> [n, (i c)] : <6, n, 12> -> <n, 72>
  xf.return %11 : !xf.real<n, 72>
})mlir",
         everyLength, 4e-6);
}

// Strips of queries and parts of keys make the same sums.
TEST_F(Kernels, AttentionInStripsAndInParts) {
  std::string text;
  for (const char *form :
       {"strips, channels = 8, rows = 4, strip = 8, unroll = 1",
        "parts, shared = 2"}) {
    auto [name, schedule] = StringRef(form).split(", ");
    text += fmt::format(R"mlir(
xf.kernel @{0}(%q: !xf.real<4, n, 24>, %k: !xf.real<2, m, 24>, %v: !xf.real<2, m, 24>,
               %cos: !xf.real<n, 12>, %sin: !xf.real<n, 12>, %T: !xf.real<9, 4>,
               %s: !xf.real<4>, %first: !xf.integer<>) -> !xf.real<4, n, 24>
    attributes {{anchor = #xf.anchor<attention>, schedule = {{across = 8, keys = 16, part = 32,
      vector = 8, {1}, keys_from = affine_map<(a, b) -> (a - 40)>,
      keys_to = affine_map<(a, b) -> (b + 1)>}}}} {{
  %0 = xf.rotate %q by %cos, %sin : <4, n, 24>, <n, 12>
  %2 = xf.repeat %k axis 0 times 2 : <2, m, 24>
  %3 = xf.contract %0[i, n, c], %2[i, m, c] -> [i, n, m] : <4, n, 24>, <4, m, 24>
  %4 = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 8), a] * 2^(-a)"(%T) from %first : (!xf.real<9, 4>) -> !xf.real<4, n, m>
  %5 = xf.add %3[i, n, m], %4[i, n, m] -> [i, n, m] : <4, n, m>, <4, n, m>
  %8 = xf.softmax %5 from %first where [j <= i, i - j <= 40] sink %s : <4> : <4, n, m>
  %9 = xf.repeat %v axis 0 times 2 : <2, m, 24>
  %10 = xf.contract %8[i, n, m], %9[i, m, c] -> [i, n, c] : <4, n, m>, <4, m, 24>
  xf.return %10 : !xf.real<4, n, 24>
}})mlir",
                        name.str(), schedule.str());
  }
  areAlike(text, everyLength, 4e-6);
}

TEST_F(Kernels, SinesOfPositions) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 12>) -> !xf.real<n, 12> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.tabulate "[t, c] = cos((3 + t * 2 - 7) * 0.1 / 100^(c / 12) + c)"() : () -> !xf.real<n, 12>
  %1 = xf.add %x[n, c], %0[n, c] -> [n, c] : <n, 12>, <n, 12>
  xf.return %1 : !xf.real<n, 12>
})mlir",
         {1, 2, 64, 300}, 2e-7);
}

// A bias that is no function of the distance, over two lengths.
TEST_F(Kernels, AttentionWithABiasOfPositions) {
  agrees(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>) -> !xf.real<2, n, 16>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.tabulate "[a, i, j] = sin(i * 0.3 + a) * cos(j * 0.2)"() : () -> !xf.real<2, n, m>
  %2 = xf.add %0[i, n, m], %1[i, n, m] -> [i, n, m] : <2, n, m>, <2, n, m>
  %3 = xf.softmax %2 : <2, n, m>
  %4 = xf.contract %3[i, n, m], %k[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %4 : !xf.real<2, n, 16>
})mlir",
         fewLengths);
}

#ifdef __x86_64__
class KernelsOfMachines : public Kernels,
                          public testing::WithParamInterface<const char *> {};

TEST_P(KernelsOfMachines, ContractionAndAttention) {
  target = GetParam();
  if ((target == "avx2" && !__builtin_cpu_supports("avx2")) ||
      (target == "avx512" && !__builtin_cpu_supports("avx512bw")))
    GTEST_SKIP() << "this machine has no " << target;
  agrees(contraction, everyLength);
  agrees(attention(2, 32), everyLength);
  agrees(attention(2, 20), fewLengths);
}

INSTANTIATE_TEST_SUITE_P(, KernelsOfMachines,
                         testing::Values("x86-64-linux-sse41", "avx2",
                                         "avx512"));
#endif

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

TEST_F(Kernels, EmbeddingWithNorm) {
  agrees(R"mlir(
xf.kernel @k(%E: !xf.real<7, 48>, %tokens: !xf.integer<n>, %P: !xf.real<512, 48>,
             %T: !xf.real<7, 48>, %g: !xf.real<48>, %b: !xf.real<48>) -> !xf.real<n, 48>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%tokens] : !xf.real<7, 48>, !xf.integer<n>
  %1 = xf.slice %P axis 0 from 2 : !xf.real<512, 48> -> !xf.real<n, 48>
  %2 = xf.add %0[n, d], %1[n, d] -> [n, d] : !xf.real<n, 48>, !xf.real<n, 48>
  %3 = xf.select %T axis 0 at 1 : !xf.real<7, 48>
  %4 = xf.add %2[n, d], %3[d] -> [n, d] : !xf.real<n, 48>, !xf.real<48>
  %5 = xf.standardize %4 epsilon <"1/1000000000000"> : !xf.real<n, 48>
  %6 = xf.multiply %5[n, d], %g[d] -> [n, d] : !xf.real<n, 48>, !xf.real<48>
  %7 = xf.add %6[n, d], %b[d] -> [n, d] : !xf.real<n, 48>, !xf.real<48>
  xf.return %7 : !xf.real<n, 48>
})mlir",
         everyLength);
}

TEST_F(Kernels, NormOfOddRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 37>, %g: !xf.real<37>) -> !xf.real<n, 37>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.standardize %x epsilon <"1/100000"> : !xf.real<n, 37>
  %1 = xf.multiply %0[n, d], %g[d] -> [n, d] : !xf.real<n, 37>, !xf.real<37>
  xf.return %1 : !xf.real<n, 37>
})mlir",
         fewLengths);
}

TEST_F(Kernels, RootMeanSquareNormOfASum) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 384>, %y: !xf.real<n, 384>) -> !xf.real<n, 384>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.add %x[n, d], %y[n, d] -> [n, d] : !xf.real<n, 384>, !xf.real<n, 384>
  %1 = xf.unit_rms %0 epsilon <"1/100000"> : !xf.real<n, 384>
  xf.return %1 : !xf.real<n, 384>
})mlir",
         fewLengths);
}

TEST_F(Kernels, SoftmaxOfRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>) -> !xf.real<n, 50> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.softmax %x : !xf.real<n, 50>
  xf.return %0 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, SoftmaxOfRowsWithASink) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<3, n, 50>, %s: !xf.real<3>) -> !xf.real<3, n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.softmax %x sink %s : <3> : <3, n, 50>
  xf.return %0 : !xf.real<3, n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, Pointwise) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>, %y: !xf.real<n, 50>) -> !xf.real<n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %one = xf.constant <"1"> : !xf.real<>
  %0 = xf.exp %x : !xf.real<n, 50>
  %1 = xf.sigmoid %y : !xf.real<n, 50>
  %2 = xf.subtract %0[n, d], %1[n, d] -> [n, d] : !xf.real<n, 50>, !xf.real<n, 50>
  %3 = xf.negate %2 : !xf.real<n, 50>
  %4 = xf.power %3 to <"2"> : !xf.real<n, 50>
  %5 = xf.add %4[n, d], %one[] -> [n, d] : !xf.real<n, 50>, !xf.real<>
  %6 = xf.divide %3[n, d], %5[n, d] -> [n, d] : !xf.real<n, 50>, !xf.real<n, 50>
  %7 = xf.scale %6 by <"sqrt(3)"> "√3" : !xf.real<n, 50>
  %8 = xf.tanh %7 : !xf.real<n, 50>
  xf.return %8 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

// Sines far out, where an angle in float32 is off by 2e-3.
TEST_F(Kernels, TablesOfPositions) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 24>) -> !xf.real<n, 24> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.tabulate "[t, c] = f32(sin((t + 32768) / 10000^(2 * c / 24)) if c < 12 else cos((t + 32768) / 10000^((c - 12) / 12)))"() : () -> !xf.real<n, 24>
  %1 = xf.add %x[n, c], %0[n, c] -> [n, c] : <n, 24>, <n, 24>
  xf.return %1 : !xf.real<n, 24>
})mlir",
         fewLengths, 2e-7);
}

TEST_F(Kernels, EveryOperationOfADefinition) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.tabulate "[t, c] = -t div 3 + (t - 5) mod 4 + √(t) + log(t + 1) * log2(t + 2) + exp(-t) + floor(t / 3) - ceil(t / 5) + abs(t - 3) + sign(t - 2) + min(t, c) * max(t, 2) / (1 + clamp(t, 1, 5)) + t^0.5"() : () -> !xf.real<n, 8>
  %1 = xf.tabulate "[t, c] = 1 if t < c and not c == 3 or t != 4 and (t >= 6 or t > 8) or c <= 1 else 0"() : () -> !xf.real<n, 8>
  %2 = xf.multiply %0[n, c], %1[n, c] -> [n, c] : <n, 8>, <n, 8>
  %3 = xf.add %x[n, c], %2[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %3 : !xf.real<n, 8>
})mlir",
         {1, 2, 9, 20});
}

// What integers are is exact: 7 mod 7 is 0, and 45 div 3 is 15.
TEST_F(Kernels, IntegersOfADefinition) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 64>, %T: !xf.real<7, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.tabulate "[t, c] = (t + 5) mod 7 + (t * c) div 3 - (c - t) div (-7) * ((c - t) mod (-7)) + %0[(3 * t + 2) div 5 mod 7, c]"(%T) : (!xf.real<7, 64>) -> !xf.real<n, 64>
  %1 = xf.add %x[n, c], %0[n, c] -> [n, c] : <n, 64>, <n, 64>
  xf.return %1 : !xf.real<n, 64>
})mlir",
         everyLength, 2e-7);
}

// A definition in each column.
TEST_F(Kernels, RandomDefinitions) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    std::string definition = "0";
    for (unsigned column = 0; column < 8; ++column)
      definition = fmt::format("({}) if c == {} else ({})",
                               test::RandomDefinition(8 * seed + column).text(),
                               column, definition);
    SCOPED_TRACE(definition);
    agrees(fmt::format(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {{anchor = #xf.anchor<rows>}} {{
  %n = xf.length %x axis 0 : !xf.real<n, 8>
  %0 = xf.tabulate "[t, c] = {}"(%n) : (!xf.real<>) -> !xf.real<n, 8>
  %1 = xf.add %x[n, c], %0[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %1 : !xf.real<n, 8>
}})mlir",
                       definition),
           {1, 2, 9, 40});
  }
}

TEST_F(Kernels, LengthsAsNumbers) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>, %t: !xf.integer<m>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %n = xf.length %x axis 0 : !xf.real<n, 8>
  %m = xf.length %t axis 0 : !xf.integer<m>
  %0 = xf.multiply %x[n, c], %n[] -> [n, c] : <n, 8>, <>
  %1 = xf.tabulate "[t, c] = (t + 1) / %0[] + (c if t == %0[] - 1 else %1[] mod 3) + %1[] div (c + 1)"(%n, %m) : (!xf.real<>, !xf.real<>) -> !xf.real<n, 8>
  %2 = xf.add %0[n, c], %1[n, c] -> [n, c] : <n, 8>, <n, 8>
  %3 = xf.tabulate "[] = √(%0[]) * %1[]"(%n, %m) : (!xf.real<>, !xf.real<>) -> !xf.real<>
  %4 = xf.divide %2[n, c], %3[] -> [n, c] : <n, 8>, <>
  xf.return %4 : !xf.real<n, 8>
})mlir",
         fewLengths);
}

TEST_F(Kernels, LengthsInAttention) {
  agrees(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>) -> !xf.real<2, n, 16>
    attributes {anchor = #xf.anchor<attention>} {
  %m = xf.length %k axis 1 : !xf.real<2, m, 16>
  %s = xf.tabulate "[] = log(%0[] + 1) / 4"(%m) : (!xf.real<>) -> !xf.real<>
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.multiply %0[i, n, m], %s[] -> [i, n, m] : <2, n, m>, <>
  %2 = xf.tabulate "[a, i, j] = (j - i) / %0[] + a"(%m) : (!xf.real<>) -> !xf.real<2, n, m>
  %3 = xf.add %1[i, n, m], %2[i, n, m] -> [i, n, m] : <2, n, m>, <2, n, m>
  %4 = xf.softmax %3 : <2, n, m>
  %5 = xf.contract %4[i, n, m], %k[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %5 : !xf.real<2, n, 16>
})mlir",
         fewLengths);
}

TEST_F(Kernels, RotatedRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<3, n, 12>, %cos: !xf.real<n, 3>, %sin: !xf.real<n, 3>) -> !xf.real<3, n, 12>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.slice %x axis 2 from 0 : <3, n, 12> -> <3, n, 6>
  %1 = xf.rotate %0 by %cos, %sin : <3, n, 6>, <n, 3>
  %2 = xf.slice %x axis 2 from 6 : <3, n, 12> -> <3, n, 6>
  %3 = xf.append %1, %2 axis 2 : <3, n, 6>, <3, n, 6> -> <3, n, 12>
  xf.return %3 : !xf.real<3, n, 12>
})mlir",
         fewLengths);
}

TEST_F(Kernels, Windows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<20, 6>) -> !xf.real<10, 18> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.windows %x stride 2 pad 1 : <20, 6> -> <10, 3, 6>
  %1 = xf.rearrange %0[t, k, c] -> [t, (k c)] : <10, 3, 6> -> <10, 18>
  xf.return %1 : !xf.real<10, 18>
})mlir",
         {1});
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 6>) -> !xf.real<n, 5, 6> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.windows %x stride 1 pad 2 : <n, 6> -> <n, 5, 6>
  xf.return %0 : !xf.real<n, 5, 6>
})mlir",
         fewLengths);
}

TEST_F(Kernels, TopOfRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.top 3 of %x : <n, 8>
  xf.return %0 : !xf.real<n, 8>
})mlir",
         fewLengths);
}

// What is chosen lies far below the maximum.
TEST_F(Kernels, SoftmaxAmongTheChosen) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.negate %x : <n, 8>
  %1 = xf.top 3 of %0 : <n, 8>
  %2 = xf.scale %x by <"1000"> "1000" : <n, 8>
  %3 = xf.softmax %2 among %1 : <n, 8>
  xf.return %3 : !xf.real<n, 8>
})mlir",
         fewLengths, 4e-6);
}

TEST_F(Kernels, RanksOfRows) {
  agrees(R"mlir(
xf.kernel @k(%g: !xf.real<n>) -> !xf.real<n> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.relu %g : <n>
  %1 = xf.rank %0 : <n>
  xf.return %1 : !xf.real<n>
})mlir",
         everyLength, 0);
}

// All are chosen: there are as many as the buffer has.
TEST_F(Kernels, PickedRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 24>, %g: !xf.real<n>, %as_many: !xf.real<m>) -> !xf.real<m, 24>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.sigmoid %g : <n>
  %1 = xf.rank %0 : <n>
  %2 = xf.pick %x by %1 : <n, 24>, <n> -> <m, 24>
  xf.return %2 : !xf.real<m, 24>
})mlir",
         {1, 2, 16, 17, 70, 130}, 0);
}

TEST_F(Kernels, SpreadRows) {
  agrees(R"mlir(
xf.kernel @k(%y: !xf.real<m, 24>, %g: !xf.real<n>) -> !xf.real<n, 24>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.relu %g : <n>
  %1 = xf.rank %0 : <n>
  %2 = xf.spread %y by %1 : <m, 24>, <n>
  xf.return %2 : !xf.real<n, 24>
})mlir",
         everyLength, 0);
}

TEST_F(Kernels, NumbersThatFoldingSets) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>, %y: !xf.real<n, 50>) -> !xf.real<n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %a = xf.constant <"7/5"> : !xf.real<>
  %b = xf.constant <"-3/4"> : !xf.real<>
  %0 = xf.gelu %x at %a : !xf.real<n, 50>
  %1 = xf.sigmoid %y at %b times %a : !xf.real<n, 50>
  %2 = xf.subtract %0[n, d], %1[n, d] -> [n, d] : !xf.real<n, 50>, !xf.real<n, 50>
  %3 = xf.tanh %2 at %b times %a : !xf.real<n, 50>
  %4 = xf.softmax %3 exp2 %a times %b : !xf.real<n, 50>
  xf.return %4 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, NumbersOfALayer) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>, %s: !xf.real<>) -> !xf.real<n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %e = xf.multiply %s[], %s[] -> [] : !xf.real<>, !xf.real<>
  %0 = xf.tanh %x at %s times %s : !xf.real<n, 50>
  %1 = xf.standardize %0 epsilon <"1/100000"> per_layer %e times %s : !xf.real<n, 50>
  xf.return %1 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, HeadsInAnotherOrder) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 24>) -> !xf.real<n, 24> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.rearrange %x[n, (i c)] -> [i, n, c] : !xf.real<n, 24> -> !xf.real<4, n, 6>
  %1 = xf.rearrange %0[i, n, c] -> [n, (c i)] : !xf.real<4, n, 6> -> !xf.real<n, 24>
  xf.return %1 : !xf.real<n, 24>
})mlir",
         fewLengths);
}

TEST_F(Kernels, FamilyOfRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<2, n, 16>) -> !xf.real<6, n, 16> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.unit_rms %x epsilon <"1/100000"> : !xf.real<2, n, 16>
  %1 = xf.repeat %0 axis 0 times 3 : !xf.real<2, n, 16>
  xf.return %1 : !xf.real<6, n, 16>
})mlir",
         fewLengths);
}

TEST_F(Kernels, OneRow) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>) -> !xf.real<50> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.select %x axis 0 at -1 : !xf.real<n, 50>
  %1 = xf.unit %0 : !xf.real<50>
  xf.return %1 : !xf.real<50>
})mlir",
         fewLengths);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST_F(Kernels, MeanOverRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 100>) -> !xf.real<100> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.mean %x over 0 : !xf.real<n, 100>
  %1 = xf.tanh %0 : !xf.real<100>
  xf.return %1 : !xf.real<100>
})mlir",
         everyLength);
}

TEST_F(Kernels, SumOfARow) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<100>) -> !xf.real<> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.sum %x over 0 : !xf.real<100>
  xf.return %0 : !xf.real<>
})mlir",
         {1});
}

TEST_F(Kernels, MaximumOfRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 100>) -> !xf.real<n> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.max %x over 1 : !xf.real<n, 100>
  xf.return %0 : !xf.real<n>
})mlir",
         fewLengths);
}

//===----------------------------------------------------------------------===//
// Rows that are counted by a number
//===----------------------------------------------------------------------===//

/// `text` with a number for the lengths n and m: kernels for one count of rows.
std::string withRows(std::string text, int rows) {
  static const std::regex axis("real<((?:[^>]*, )?)[nm]([,>])");
  // $01: the digits of the number follow.
  std::string with = "real<$01" + std::to_string(rows) + "$02";
  for (std::string before; before != text;)
    before = std::exchange(text, std::regex_replace(text, axis, with));
  return text;
}

/// Heads cut from columns and joined again, as equations without a length do.
std::string joinedAttention(int rows, int heads, int channels) {
  std::string x = fmt::format("!xf.real<{}, {}>", rows, heads * channels);
  std::string q = fmt::format("!xf.real<{}, {}, {}>", heads, rows, channels);
  std::string s = fmt::format("!xf.real<{}, {}, {}>", heads, rows, rows);
  return fmt::format(R"mlir(
xf.kernel @attention(%x: {0}, %y: {0}, %z: {0}) -> {0}
    attributes {{anchor = #xf.anchor<attention>}} {{
  %q = xf.rearrange %x[n, (i c)] -> [i, n, c] : {0} -> {1}
  %k = xf.rearrange %y[n, (i c)] -> [i, n, c] : {0} -> {1}
  %v = xf.rearrange %z[n, (i c)] -> [i, n, c] : {0} -> {1}
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : {1}, {1}
  %1 = xf.scale %0 by <"1/sqrt({3})"> "1 / √d_k" : {2}
  %2 = xf.softmax %1 : {2}
  %3 = xf.contract %2[i, n, m], %v[i, m, c] -> [i, n, c] : {2}, {1}
  %4 = xf.rearrange %3[i, n, c] -> [n, (i c)] : {1} -> {0}
  xf.return %4 : {0}
}})mlir",
                     x, q, s, channels);
}

class KernelsOfRows : public Kernels, public testing::WithParamInterface<int> {
protected:
  void agreesWithRows(const std::string &text) {
    agrees(withRows(text, GetParam()), {1});
  }
};

TEST_P(KernelsOfRows, Contraction) { agreesWithRows(contraction); }
TEST_P(KernelsOfRows, Attention) {
  agreesWithRows(attention(3, 32));
  agreesWithRows(attention(2, 18));
}
TEST_P(KernelsOfRows, AttentionOfColumns) {
  agrees(joinedAttention(GetParam(), 4, 16), {1});
  agrees(joinedAttention(GetParam(), 1, 20), {1});
}
TEST_P(KernelsOfRows, Norm) {
  agreesWithRows(R"mlir(
xf.kernel @k(%x: !xf.real<n, 37>, %P: !xf.real<n, 37>, %g: !xf.real<37>) -> !xf.real<n, 37>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.add %x[n, d], %P[n, d] -> [n, d] : !xf.real<n, 37>, !xf.real<n, 37>
  %1 = xf.standardize %0 epsilon <"1/100000"> : !xf.real<n, 37>
  %2 = xf.multiply %1[n, d], %g[d] -> [n, d] : !xf.real<n, 37>, !xf.real<37>
  xf.return %2 : !xf.real<n, 37>
})mlir");
}
TEST_P(KernelsOfRows, Softmax) {
  agreesWithRows(R"mlir(
xf.kernel @k(%x: !xf.real<50, n>) -> !xf.real<50, n> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.softmax %x : !xf.real<50, n>
  xf.return %0 : !xf.real<50, n>
})mlir");
}
TEST_P(KernelsOfRows, MeanAndFirst) {
  agreesWithRows(R"mlir(
xf.kernel @k(%x: !xf.real<n, 48>) -> !xf.real<48> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.mean %x over 0 : !xf.real<n, 48>
  xf.return %0 : !xf.real<48>
})mlir");
  agreesWithRows(R"mlir(
xf.kernel @k(%x: !xf.real<n, 48>) -> !xf.real<48> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.select %x axis 0 at 0 : !xf.real<n, 48>
  %1 = xf.tanh %0 : !xf.real<48>
  xf.return %1 : !xf.real<48>
})mlir");
}
TEST_P(KernelsOfRows, RowInFrontOfOthers) {
  int rows = GetParam();
  agrees(fmt::format(R"mlir(
xf.kernel @k(%c: !xf.real<48>, %x: !xf.real<{0}, 48>, %P: !xf.real<{1}, 48>) -> !xf.real<{1}, 48>
    attributes {{anchor = #xf.anchor<rows>}} {{
  %0 = xf.rearrange %c[d] -> [(), d] : !xf.real<48> -> !xf.real<1, 48>
  %1 = xf.append %0, %x axis 0 : !xf.real<1, 48>, !xf.real<{0}, 48> -> !xf.real<{1}, 48>
  %2 = xf.add %1[n, d], %P[n, d] -> [n, d] : !xf.real<{1}, 48>, !xf.real<{1}, 48>
  xf.return %2 : !xf.real<{1}, 48>
}})mlir",
                     rows, rows + 1),
         {1});
}
TEST_P(KernelsOfRows, Patches) {
  int size = GetParam();
  agrees(fmt::format(R"mlir(
xf.kernel @k(%x: !xf.real<3, {}, {}>) -> !xf.real<6, {}> attributes {{anchor = #xf.anchor<rows>}} {{
  %0 = xf.patches %x size {} : !xf.real<3, {}, {}>
  xf.return %0 : !xf.real<6, {}>
}})mlir",
                     2 * size, 3 * size, 3 * size * size, size, 2 * size,
                     3 * size, 3 * size * size),
         {1});
}

INSTANTIATE_TEST_SUITE_P(, KernelsOfRows,
                         testing::Values(1, 2, 7, 8, 16, 17, 33, 50, 64));

//===----------------------------------------------------------------------===//
// What cannot be built
//===----------------------------------------------------------------------===//

TEST_F(Kernels, RefusalNamesKernelAndReason) {
  std::string message, note;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    for (Diagnostic &each : diagnostic.getNotes())
      note = each.str();
  });
  OwningOpRef<ModuleOp> module = parse(R"mlir(
xf.kernel @two(%x: !xf.real<n, 8>, %w: !xf.real<8, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.contract %x[n, k], %w[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %0 : !xf.real<n, 8>
})mlir");
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(kernels::buildKernels(*module)));
  EXPECT_EQ(message, "this version makes no program of this equation");
  EXPECT_EQ(note, "please report it with kernel @two: a kernel over rows has "
                  "no sum across rows");
}

} // namespace
