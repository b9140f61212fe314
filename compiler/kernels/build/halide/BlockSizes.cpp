// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of blocks are in the host's code that launches them, and the PTX is
// a constant of the module: the former are found first and then written into
// the latter.

#include "compiler/kernels/build/halide/BlockSizes.h"

#include "compiler/kernels/build/halide/DeviceText.h"

#include <array>
#include <map>
#include <sstream>
#include <string>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

namespace {
/// The threads of the blocks that the functions of a kernel are launched with,
/// if they are constants, by the name of the device function.
class Launches : public IRVisitor {
public:
  std::map<std::string, std::array<int64_t, 3>> threads;

protected:
  using IRVisitor::visit;
  void visit(const Call *call) override {
    // (state, name, blocks x, y, z, threads x, y, z, …)
    constexpr size_t firstOfThreads = 5;
    if (call->name == "halide_cuda_run" &&
        call->args.size() > firstOfThreads + 3)
      if (const auto *name = call->args[1].as<StringImm>()) {
        std::array<int64_t, 3> sizes;
        bool areNumbers = true;
        for (size_t i = 0; i < sizes.size(); ++i) {
          auto size = as_const_int(call->args[firstOfThreads + i]);
          areNumbers &= size.has_value();
          sizes[i] = size.value_or(0);
        }
        if (areNumbers)
          threads[name->value] = sizes;
      }
    IRVisitor::visit(call);
  }
};
} // namespace

/// The PTX with the block sizes declared after the parameters of each entry.
static std::string
withSizes(const std::string &ptx,
          const std::map<std::string, std::array<int64_t, 3>> &threads) {
  std::istringstream lines(ptx);
  std::string result, line, entry;
  while (std::getline(lines, line)) {
    result += line + "\n";
    constexpr std::string_view start = ".entry ";
    if (size_t at = line.find(start); at != std::string::npos) {
      at += start.size();
      entry = line.substr(at, line.find('(') - at);
    }
    auto found = threads.find(entry);
    if (line != ")" || found == threads.end())
      continue;
    const auto &[x, y, z] = found->second;
    result += ".maxntid " + std::to_string(x) + ", " + std::to_string(y) +
              ", " + std::to_string(z) + "\n.minnctapersm 1\n";
    entry.clear();
  }
  return result;
}

Module withBlockSizes(const Module &module) {
  Launches launches;
  for (const LoweredFunc &function : module.functions())
    function.body.accept(&launches);
  return withDeviceText(module, [&](const std::string &ptx) {
    return withSizes(ptx, launches.threads);
  });
}

} // namespace transfold::kernels
