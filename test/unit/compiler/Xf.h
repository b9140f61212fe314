// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of xf modules: parsing, running, and random weights.

#pragma once

#include "compiler/reference/Interpreter.h"
#include "test/unit/checkpoint/MemoryCheckpoint.h"

#include <gtest/gtest.h>
#include <mlir/Parser/Parser.h>

#include <random>

namespace transfold::test {

/// Tensors of random values, as in a container.
class RandomCheckpoint : public MemoryCheckpoint {
public:
  RandomCheckpoint() : MemoryCheckpoint("random") {}

  void add(const std::string &name, int64_t count) {
    std::vector<double> &numbers = storage[name];
    std::uniform_real_distribution<double> number(-1, 1);
    for (int64_t k = 0; k < count; ++k)
      numbers.push_back(number(random));
    stored[name] = {
        checkpoint::DType::F64, {count}, std::as_bytes(std::span(numbers))};
  }

private:
  std::mt19937 random{1};
  std::map<std::string, std::vector<double>> storage;
};

class XfTest : public ::testing::Test {
protected:
  XfTest() { context.loadDialect<xf::XfDialect>(); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text.str();
    return module;
  }

  /// The results of the module's first entry.
  static std::vector<reference::Tensor>
  run(mlir::ModuleOp module, std::vector<reference::Tensor> arguments,
      const checkpoint::Checkpoint *checkpoint = nullptr) {
    reference::Interpreter interpreter(module, checkpoint);
    return interpreter.run(*module.getOps<xf::EntryOp>().begin(),
                           std::move(arguments));
  }

  static reference::Tensor tensor(std::vector<int64_t> shape,
                                  std::vector<double> data) {
    reference::Tensor result(std::move(shape));
    EXPECT_EQ(result.data.size(), data.size());
    result.data = std::move(data);
    return result;
  }

  /// Random values; for integers, natural numbers below `rows`.
  reference::Tensor randomTensor(std::vector<int64_t> shape, int64_t rows = 0) {
    reference::Tensor result(std::move(shape));
    std::uniform_real_distribution<double> number(-1, 1);
    for (double &x : result.data)
      x = rows ? static_cast<double>(random() % rows) : number(random);
    return result;
  }

  static void expectNear(const reference::Tensor &found,
                         const reference::Tensor &expected, double tolerance) {
    ASSERT_EQ(found.shape, expected.shape);
    for (int64_t k = 0; k < expected.size(); ++k)
      ASSERT_NEAR(found.data[k], expected.data[k], tolerance) << "number " << k;
  }

  mlir::MLIRContext context;
  std::mt19937 random{2};
};

} // namespace transfold::test
