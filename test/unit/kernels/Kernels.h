// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of kernel, built with all of Halide's checks, compared with the
// reference interpreter, for lengths below, at and above a tile.

#pragma once

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/build/LoadKernels.h"
#include "test/unit/kernels/KernelBuffers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>

#include <random>

namespace transfold::test {

/// Random values that floats represent exactly, so that both sides have the
/// same inputs.
inline Tensor randomTensor(const std::vector<int64_t> &shape, bool isInteger,
                           std::mt19937 &random) {
  Tensor tensor(shape);
  for (double &number : tensor.data)
    number = isInteger ? random() % 7 : (int(random() % 2001) - 1000) / 512.0;
  return tensor;
}

/// An entry that runs the module's kernel, for the interpreter.
inline xf::EntryOp addEntry(ModuleOp module, xf::KernelOp kernel) {
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
    options.scalarTiles = true;
    auto built = kernels::buildKernels(module, options);
    ASSERT_TRUE(succeeded(built));
    auto kernels = kernels::LoadedKernels::load(*built);
    ASSERT_TRUE(bool(kernels)) << toString(kernels.takeError());
    loaded.emplace(std::move(*kernels));
  }

  /// Runs the kernel on random arguments, the same for the same seed.
  static void run(xf::KernelOp kernel, kernels::LoadedKernels &loaded,
                  const Lengths &values, std::mt19937 &random,
                  std::vector<Tensor> &arguments, Tensor &result) {
    auto function = loaded.find(kernel.getSymName());
    ASSERT_TRUE(bool(function)) << toString(function.takeError());
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<std::unique_ptr<Pairs>> matrices;
    std::vector<std::unique_ptr<Blocks>> blocks;
    std::vector<halide_buffer_t *> pointers;
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      arguments.push_back(randomTensor(shapeOf(type, values),
                                       isa<xf::IntegralType>(type), random));
      auto panels = kernel.getStorage(i).getPanels();
      xf::Format format = kernel.getStorage(i).getFormat();
      if (xf::isInBlocks(format)) {
        blocks.push_back(std::make_unique<Blocks>(
            arguments.back().shape, *xf::blockFormatOf(format), random));
        pointers.push_back(blocks.back()->get());
        continue;
      }
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

  /// Checks that the kernel agrees with its equations for n in `lengths`;
  /// `tolerance` is relative to values above 1.
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

  /// Checks that all kernels of the module, forms of one kernel, give the same
  /// bits and agree with the first one's equations.
  void areAlike(StringRef text, std::vector<int64_t> lengths,
                double tolerance = 2e-6) {
    agrees(text, lengths, tolerance);
    haveSameBits(text, lengths);
  }

  /// A product of integers with a matrix in `storage`.
  static std::string productOfIntegers(const char *storage, int group) {
    return fmt::format(R"(
xf.kernel @k(%x: !xf.real<n, 256>, %W: !xf.real<256, 200> {{xf.storage = #xf.storage<{}>}}) -> !xf.real<n, 200>
    attributes {{anchor = #xf.anchor<contraction>}} {{
  %0 = xf.quantize %x by {} : !xf.real<n, 256>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : !xf.real<n, 256>, !xf.real<256, 200>
  xf.return %1 : !xf.real<n, 200>
}})",
                       storage, group);
  }

  /// The assembly of the first kernel of a text, for `target`.
  std::string assemblyOf(StringRef text) {
    OwningOpRef<ModuleOp> module = parse(text);
    EXPECT_TRUE(module);
    if (!module)
      return "";
    kernels::BuildOptions options;
    options.form = kernels::KernelForm::Assembly;
    auto built = kernels::buildKernels(*module, options);
    EXPECT_TRUE(succeeded(built));
    return succeeded(built) ? (*built)[0].bytes : "";
  }

  void haveSameBits(StringRef text, std::vector<int64_t> lengths) {
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
// Kernels that several files test
//===----------------------------------------------------------------------===//

inline const char *const contraction = R"mlir(
xf.kernel @k(%x: !xf.real<n, 64>, %W: !xf.real<64, 96> ,
             %b: !xf.real<96>, %r: !xf.real<n, 96>) -> !xf.real<n, 96>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 64>, !xf.real<64, 96>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : !xf.real<n, 96>, !xf.real<96>
  %2 = xf.gelu %1 : !xf.real<n, 96>
  %3 = xf.add %2[n, c], %r[n, c] -> [n, c] : !xf.real<n, 96>, !xf.real<n, 96>
  xf.return %3 : !xf.real<n, 96>
})mlir";

inline std::string attention(int heads, int channels) {
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

} // namespace transfold::test
