// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the frame with which the code of an entry is called (transfold_frame in
// Program.h), and turns its error codes into errors.

#include "runtime/program/call/Session.h"

#include "base/Error.h"
#include "runtime/kernels/DeviceFailure.h"
#include "runtime/kernels/FusedLoops.h"
#include "runtime/kernels/KernelError.h"
#include "runtime/kernels/PerSequenceCalls.h"
#include "runtime/kernels/PoolScope.h"

#include <cstdlib>
#include <string_view>

namespace transfold::runtime::inline program {

/// Fetches the program's weights and kernels once, so that a run does not query
/// them.
void Session::prepare() {
  if (variant)
    return;
  if (const DeviceWeights *onDevice = loaded.deviceWeights())
    device.emplace(*onDevice, loaded.helpers());
  else
    weights = loaded.weights().payload();
  variant = &loaded.variant();
}

/// The graph that collects the launches of an entry; null if kernels are
/// launched one by one: on the host, on devices without graphs, and if a
/// profiler watches each launch.
cuda::LaunchGraph *Session::graphOf(size_t entry) {
  static const bool isWanted = [] {
    const char *variable = std::getenv("TRANSFOLD_GRAPHS");
    return !variable || std::string_view(variable) != "off";
  }();
  if (!device || !isWanted || watch || !cuda::driver().hasGraphs())
    return nullptr;
  if (graphs.empty())
    graphs.resize(metadata().entries.size());
  if (!graphs[entry])
    graphs[entry] = std::make_unique<cuda::LaunchGraph>(cuda::driver());
  return graphs[entry].get();
}

/// Calls an entry of a program for a device. Its kernels and its launch code
/// own no resources, so a failure may leave it at any point (runOnDevice).
static int32_t launchAll(const transfold_entry &code, transfold_frame &frame) {
  struct Entry {
    const transfold_entry &code;
    transfold_frame &frame;
  } entry{code, frame};
  return runOnDevice(
      [](void *given) {
        auto &[code, frame] = *static_cast<Entry *>(given);
        return code.run(&frame);
      },
      &entry);
}

void Session::run(size_t entry, size_t sequences,
                  std::span<const int64_t *const> offsets,
                  std::span<const void *const> arguments,
                  std::span<void *const> results, SequenceMemory memory,
                  int32_t *argmax) {
  prepare();
  if (weights) // weights on a device are a copy
    loaded.checkWeights();
  const transfold_entry &code = loaded.code(entry);
  rows.clear();
  // The last offset of a table is the total number of rows.
  for (const int64_t *table : offsets)
    rows.push_back(table[sequences]);
  transfold_frame frame;
  frame.sequences = static_cast<int64_t>(sequences);
  int64_t arenaBytes = code.arena_bytes(frame.sequences, rows.data());
  frame.weights = weights;
  if (device) {
    device->reserveArena(arenaBytes);
    frame.arena = nullptr;
    frame.device = &device->functions();
  } else {
    frame.arena = arena.reserve(arenaBytes);
    frame.device = nullptr;
  }
  frame.arguments = arguments.data();
  frame.results = results.data();
  frame.offsets = offsets.data();
  frame.kernels = variant->kernels;
  frame.watch = watch;
  frame.caches = memory.data();
  frame.together = runTogether;
  frame.argmax = argmax;
  frame.each = isWorthEach(threads, sequences) ? runEach : nullptr;
  PoolScope scope(threads);
  cuda::LaunchGraph *graph = graphOf(entry);
  const cuda::GraphScope graphScope(graph);
  if (device)
    lastKernelError(0); // clear errors of earlier attempts
  int32_t problem = device ? launchAll(code, frame) : code.run(&frame);
  // An entry that downloads its results has launched the whole graph by then;
  // for others the launch and the wait are here.
  if (graph && graph->isWaiting())
    device->synchronize();
  if (problem == TRANSFOLD_TOO_LARGE)
    fail("entry '{}': {} rows at a time are too many, a value would have more "
         "than {} elements; give fewer sequences at a time, shorter ones, or "
         "smaller chunks",
         metadata().entries[entry].name, fmt::join(rows, " and "), INT32_MAX);
  if (problem || (device && hasKernelError()))
    throw ComputeError(fmt::format("a kernel of entry '{}' failed: {}",
                                   metadata().entries[entry].name,
                                   lastKernelError(problem)));
}

int64_t Session::arenaBytes(size_t entry, size_t sequences,
                            std::span<const int64_t> rows) const {
  return loaded.isOnDevice()
             ? 0
             : loaded.code(entry).arena_bytes(static_cast<int64_t>(sequences),
                                              rows.data());
}

Device *Session::onDevice() {
  prepare();
  return device ? &*device : nullptr;
}

void Session::synchronize() {
  if (device)
    device->synchronize();
}

} // namespace transfold::runtime::inline program
