// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory plan preserves semantics: random programs run on the planned
// buffers, with each launch and each transfer as in the emitted code, and are
// compared with the interpreter, which has no buffers.

#include "compiler/host/Passes.h"
#include "dialect/MemoryOrder.h"
#include "test/unit/compiler/Xf.h"

#include <fmt/format.h>
#include <mlir/Pass/PassManager.h>

using namespace mlir;
using namespace transfold;
using reference::Tensor;

namespace {

/// Runs an entry on its buffers, with values in the order of memory.
class Machine {
public:
  explicit Machine(xf::EntryOp entry, int64_t n) : entry(entry), n(n) {}

  std::vector<std::vector<double>>
  run(const std::vector<std::vector<double>> &arguments) {
    Block &body = entry.getBody().front();
    for (auto [argument, value] : llvm::zip(body.getArguments(), arguments)) {
      memory[{"argument", argument.getArgNumber()}] = value;
      home[argument] = {"argument", argument.getArgNumber()};
    }
    runBlock(body);
    std::vector<std::vector<double>> results;
    for (unsigned k = 0; k < entry.getFunctionType().getNumResults(); ++k)
      results.push_back(memory[{"result", k}]);
    // Arguments keep their values.
    for (auto [k, value] : llvm::enumerate(arguments))
      EXPECT_EQ((memory[{"argument", unsigned(k)}]), value);
    return results;
  }

private:
  using Place = std::pair<std::string, unsigned>;

  static Place placeOf(std::optional<xf::BufferAttr> buffer) {
    return {xf::stringifyBufferKind(buffer->getKind()).str(),
            unsigned(buffer->getIndex())};
  }

  std::vector<double> &at(Value value) { return memory[home.at(value)]; }

  void runBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (auto view = dyn_cast<xf::RearrangeOp>(op)) {
        put(view.getResult(), home.at(view.getInput()));
      } else if (auto transfer = dyn_cast<xf::TransferOp>(op)) {
        std::vector<double> moved = at(transfer.getInput());
        store(transfer.getResult(), placeOf(transfer.getBuffer()), moved);
      } else if (auto launch = dyn_cast<xf::LaunchOp>(op)) {
        // As in a real kernel, the result may be written before operands are
        // read for the last time.
        std::vector<double> result(elements(launch.getResult()), 0.25);
        store(launch.getResult(), placeOf(launch.getBuffer()), result);
        double factor = launch.getKernel() == "half" ? 0.5 : -0.75;
        for (Value operand : launch.getOperands()) {
          const std::vector<double> &x = at(operand);
          for (size_t k = 0; k < result.size(); ++k)
            result[k] += factor * x[k];
          factor = -factor;
        }
        at(launch.getResult()) = result;
      } else {
        auto layers = cast<xf::LayersOp>(op);
        for (auto [init, carried, value] : llvm::zip(
                 layers.getInits(), layers.getCarried(), layers.getResults())) {
          put(carried, home.at(init));
          put(value, home.at(init));
        }
        Block &body = layers.getBody().front();
        for (uint64_t l = 0; l < layers.getCount(); ++l) {
          runBlock(body);
          // A yielded value is in the buffer where the next layer reads it.
          for (auto [next, carried] : llvm::zip(
                   body.getTerminator()->getOperands(), layers.getCarried()))
            EXPECT_EQ(home.at(next), home.at(carried));
        }
      }
    }
    for (Value operand : block.getTerminator()->getOperands())
      if (isa<xf::ReturnOp>(block.getTerminator()))
        EXPECT_EQ(home.at(operand).first, "result");
  }

  void put(Value value, Place place) { home[value] = place; }

  size_t elements(Value value) {
    int64_t count = 1;
    for (Attribute axis : xf::getShape(value.getType()))
      count *= xf::getNumber(axis).value_or(n);
    return count;
  }

  void store(Value value, Place place, std::vector<double> &data) {
    if (place.first == "argument")
      EXPECT_TRUE(isArgument(value, place)) << "an argument is written";
    if (place.first == "arena") {
      auto bytes = cast<DenseI64ArrayAttr>((*entry.getSlots())[place.second])
                       .asArrayRef();
      EXPECT_LE(data.size() * sizeof(float), size_t(bytes[0] + n * bytes[1]));
    }
    memory[place] = data;
    put(value, place);
  }

  /// The transfer of an argument to the device is the argument itself.
  bool isArgument(Value value, const Place &place) {
    auto transfer = value.getDefiningOp<xf::TransferOp>();
    return transfer && home.at(transfer.getInput()) == place;
  }

  xf::EntryOp entry;
  int64_t n;
  std::map<Place, std::vector<double>> memory;
  llvm::DenseMap<Value, Place> home;
};

class PlanMemoryTest : public test::XfTest {
protected:
  // Each kernel computes 1/4 ± factors times its operands.
  static constexpr const char *kernels = R"(
xf.kernel @half(%x: !xf.real<n, 4>) -> !xf.real<n, 4> attributes {anchor = #xf.anchor<rows>} {
  %c = xf.constant <"1/4"> : <>
  %a = xf.scale %x by <"1/2"> "1/2" : <n, 4>
  %r = xf.add %a[n, c], %c[] -> [n, c] : <n, 4>, <>
  xf.return %r : !xf.real<n, 4>
}
xf.kernel @mix(%x: !xf.real<n, 4>, %y: !xf.real<n, 4>) -> !xf.real<n, 4> attributes {anchor = #xf.anchor<rows>} {
  %c = xf.constant <"1/4"> : <>
  %a = xf.subtract %y[n, c], %x[n, c] -> [n, c] : <n, 4>, <n, 4>
  %b = xf.scale %a by <"3/4"> "3/4" : <n, 4>
  %r = xf.add %b[n, c], %c[] -> [n, c] : <n, 4>, <>
  xf.return %r : !xf.real<n, 4>
}
)";

  std::string pick() { return values[random() % values.size()]; }
  /// Mostly the most recent value, so that buffers can be shared.
  std::string recent() { return random() % 3 ? values.back() : pick(); }
  std::string fresh() { return fmt::format("%v{}", next++); }
  void line(const std::string &text) { program += text + "\n"; }

  void statements(int count, int depth) {
    const std::string type = "!xf.real<n, 4>";
    for (int k = 0; k < count; ++k) {
      std::string name = fresh();
      unsigned kind = random() % 8;
      if (kind < 3) {
        line(fmt::format("{0} = xf.launch @half({1}) : ({2}) -> {2}", name,
                         recent(), type));
      } else if (kind < 5) {
        line(fmt::format("{0} = xf.launch @mix({1}, {2}) : ({3}, {3}) -> {3}",
                         name, recent(), pick(), type));
      } else if (kind == 5) {
        line(fmt::format("{0}h = xf.rearrange {1}[n, (i c)] -> [i, n, c] : <n, "
                         "4> -> <2, n, 2>",
                         name, pick()));
        line(fmt::format("{0} = xf.rearrange {0}h[i, n, c] -> [n, (i c)] : <2, "
                         "n, 2> -> <n, 4>",
                         name));
      } else if (depth < 2) {
        loop(name, depth);
        continue;
      } else {
        continue;
      }
      values.push_back(name);
    }
  }

  void loop(const std::string &name, int depth) {
    const std::string type = "!xf.real<n, 4>";
    int carried = 1 + static_cast<int>(random() % 3);
    std::string inits, types, yields;
    std::vector<std::string> outer = values, inside;
    for (int k = 0; k < carried; ++k) {
      std::string argument = fresh();
      inits += (k ? ", " : "") + argument + " = " + recent();
      types += (k ? ", " : "") + type;
      inside.push_back(argument);
    }
    line(fmt::format("{}:{} = xf.layers {}l < {} ({}) : {} {{", name, carried,
                     name, 1 + random() % 3, inits, types));
    values.insert(values.end(), inside.begin(), inside.end());
    statements(static_cast<int>(random() % 4), depth + 1);
    for (int k = 0; k < carried; ++k) {
      std::string next = random() % 3 ? recent() : inside[random() % carried];
      yields += (k ? ", " : "") + next;
    }
    line("xf.yield " + yields + " : " + types + "\n}");
    values = outer;
    for (int k = 0; k < carried; ++k)
      values.push_back(fmt::format("{}#{}", name, k));
  }

  std::string generate() {
    program = kernels;
    program += "xf.entry @f(%x: !xf.real<n, 4>, %y: !xf.real<n, 4>) -> "
               "(!xf.real<n, 4>, !xf.real<n, 4>, !xf.real<n, 4>) {\n";
    values = {"%x", "%y"};
    next = 0;
    statements(2 + static_cast<int>(random() % 7), 0);
    line(fmt::format("xf.return {}, {}, {} : !xf.real<n, 4>, !xf.real<n, 4>, "
                     "!xf.real<n, 4>\n}}",
                     recent(), pick(), pick()));
    return program;
  }

  void check(const std::string &text) {
    SCOPED_TRACE(text);
    auto module = parse(text);
    ASSERT_TRUE(module);
    std::vector<Tensor> arguments = {randomTensor({3, 4}),
                                     randomTensor({3, 4})};
    auto expected = run(*module, arguments);
    PassManager manager(&context);
    manager.addNestedPass<xf::EntryOp>(host::createPlaceMemory());
    manager.addNestedPass<xf::EntryOp>(host::createPlanMemory());
    ASSERT_TRUE(succeeded(manager.run(*module)));
    Machine machine(*module->getOps<xf::EntryOp>().begin(), 3);
    auto found = machine.run({arguments[0].data, arguments[1].data});
    for (auto [a, b] : llvm::zip(found, expected))
      expectNear(tensor({3, 4}, a), b, 1e-12);
  }

  std::string program;
  std::vector<std::string> values;
  int next = 0;
};

TEST_F(PlanMemoryTest, RandomPrograms) {
  for (int k = 0; k < 2000 && !HasFailure(); ++k)
    check(generate());
}

} // namespace
