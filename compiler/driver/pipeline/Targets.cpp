// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks lists of targets. A device is identified by the memory space of its
// target.

#include "compiler/driver/pipeline/Targets.h"

#include "compiler/host/plan/MemorySpace.h"
#include "compiler/kernels/schedule/choose/Target.h"
#include "dialect/Dialect.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

using namespace mlir;
using namespace transfold;

/// The memory space of a target, such as "cuda".
static std::string spaceOf(const std::string &target) {
  return host::memorySpaceOf(kernels::describeMachines(target).front().target)
      .str();
}

/// Throws unless the list has at most one target for each kind of device, and a
/// processor only at its end.
static void check(const std::vector<std::string> &targets,
                  const std::string &list) {
  auto refuse = [&](const std::string &cause) {
    throw std::runtime_error(fmt::format("--target={}: {}", list, cause));
  };
  std::set<std::string> spaces;
  for (const std::string &target : targets) {
    if (target.empty())
      refuse(
          "a name is empty; separate targets by commas, such as cuda,x86-64");
    const std::string space = spaceOf(target);
    const bool isLast = &target == &targets.back();
    if (host::isHost(space) && !isLast)
      refuse(fmt::format("'{}' is a processor, so that targets after it would "
                         "never run; put it last",
                         target));
    if (!host::isHost(space) && !spaces.insert(space).second)
      refuse(fmt::format(
          "this is the second target for {}; a program can have only one",
          space));
  }
  if (targets.size() > 1 && !kernels::crossTripleOf(targets.back()).empty())
    refuse("programs for a GPU are for this kind of machine");
}

std::vector<std::string> driver::targetsOf(const std::string &list) {
  if (list.empty())
    return {kernels::defaultTarget()};
  std::vector<std::string> targets;
  SmallVector<StringRef> words;
  StringRef(list).split(words, ',');
  for (StringRef word : words)
    targets.push_back(word.trim().str());
  if (targets.size() > 1)
    check(targets, list);
  return targets;
}

void driver::nameKernelsApart(ModuleOp module, const std::string &target) {
  const std::string space = spaceOf(target);
  if (host::isHost(space))
    return;
  SymbolTable symbols(module);
  for (auto kernel : llvm::to_vector(module.getOps<xf::KernelOp>()))
    if (failed(symbols.rename(kernel, kernel.getSymName().str() + "_" + space)))
      throw std::runtime_error("two kernels have the name " +
                               kernel.getSymName().str() + "_" + space);
}
