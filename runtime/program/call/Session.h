// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one request owns, or one thread that processes requests one after the
// other: the memory that kernels work in. A program may have any number of
// sessions at the same time. Creating one is cheap; its memory is allocated by
// the first run. After the first call with the largest lengths, a call
// allocates nothing.

#pragma once

#include "runtime/cuda/LaunchGraph.h"
#include "runtime/kernels/AlignedBuffer.h"
#include "runtime/kernels/ThreadPool.h"
#include "runtime/program/LoadedProgram.h"
#include "runtime/program/device/Device.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime::inline program {

/// The caches of the sequences that an entry continues (Program.h).
using SequenceMemory = std::span<const transfold_sequence>;

/// For use by one thread at a time.
class Session {
public:
  /// A session of a program whose kernels run their loops on `pool`, which
  /// sessions may share. Both must outlive the session.
  Session(const LoadedProgram &program, ThreadPool &pool)
      : loaded(program), threads(pool) {}

  const LoadedProgram &program() const { return loaded; }
  ThreadPool &pool() const { return threads; }
  const Metadata &metadata() const { return loaded.metadata(); }

  /// Runs an entry for `sequences` sequences, whose rows begin at `offsets`, a
  /// table for each length of the entry. `arguments` point to int32 or float,
  /// `results` to float; dense, row-major, axes with a length first
  /// (Program.h), aligned to 64 bytes. `argmax` is transfold_frame::argmax, or
  /// null. Throws Error if a kernel fails.
  void run(size_t entry, size_t sequences,
           std::span<const int64_t *const> offsets,
           std::span<const void *const> arguments,
           std::span<void *const> results, SequenceMemory memory = {},
           int32_t *argmax = nullptr);
  /// Bytes of arena that an entry needs for `sequences` sequences with `rows`
  /// rows in all for each length; 0 on a device, which does not have the host's
  /// caches.
  int64_t arenaBytes(size_t entry, size_t sequences,
                     std::span<const int64_t> rows) const;
  /// Sets the profiler that is called for each launch from now on; null: none.
  void setWatch(transfold_watch *watch) { this->watch = watch; }
  /// The device on which kernels run, after the weights have been copied to it;
  /// null if kernels run on the host. Throws Error.
  Device *onDevice();
  /// Waits for all launched work; only a device works asynchronously.
  void synchronize();

private:
  const LoadedProgram &loaded;
  ThreadPool &threads;
  // Taken from the program by the first run.
  const transfold_variant *variant = nullptr;
  const uint8_t *weights = nullptr; // null on a device
  AlignedBuffer arena;
  std::optional<Device> device; // replaces the arena
  transfold_watch *watch = nullptr;
  std::vector<int64_t> rows; // total of all sequences, for each length
  // For each entry; null if its launches are not collected in a graph.
  std::vector<std::unique_ptr<cuda::LaunchGraph>> graphs;

  /// Takes weights and kernels from the program. Throws Error.
  void prepare();
  /// The graph of an entry, which is created when it is first needed, or null.
  cuda::LaunchGraph *graphOf(size_t entry);
};

} // namespace transfold::runtime::inline program
