// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one request owns, or one thread that serves requests one after the
// other: the memory that kernels work in. A program has as many sessions as are
// wanted at the same time. Making one is cheap; its memory comes with the first
// run. After the first call with the largest lengths, a call allocates nothing.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_SESSION_H
#define TRANSFOLD_RUNTIME_PROGRAM_SESSION_H

#include "runtime/cuda/LaunchGraph.h"
#include "runtime/kernels/AlignedBuffer.h"
#include "runtime/kernels/ThreadPool.h"
#include "runtime/program/Device.h"
#include "runtime/program/LoadedProgram.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime {

/// What the sequences keep that an entry goes on with (Program.h).
using SequenceMemory = std::span<const transfold_sequence>;

/// For one thread at a time.
class Session {
public:
  /// Of a program whose kernels run their loops on `pool`, which sessions may
  /// share. Both must live as long.
  Session(const LoadedProgram &program, ThreadPool &pool)
      : loaded(program), threads(pool) {}

  const LoadedProgram &program() const { return loaded; }
  ThreadPool &pool() const { return threads; }
  const Metadata &metadata() const { return loaded.metadata(); }

  /// Runs an entry for `sequences` sequences, whose rows begin at `offsets`, a
  /// table for each length of the entry. `arguments` point to int32 or float,
  /// `results` to float; dense, row-major, axes with a length first
  /// (Program.h), aligned to 64 bytes. `likeliest` is that of the frame, or
  /// null. Throws Error where a kernel fails.
  void run(size_t entry, size_t sequences,
           std::span<const int64_t *const> offsets,
           std::span<const void *const> arguments,
           std::span<void *const> results, SequenceMemory memory = {},
           int32_t *likeliest = nullptr);
  /// What so many sequences with so many rows in all take while an entry runs:
  /// 0 on a device, which has no caches of the host's kind.
  int64_t arenaBytes(size_t entry, size_t sequences,
                     std::span<const int64_t> rows) const;
  /// Tells `watch` of each launch from now on; null for nobody.
  void setWatch(transfold_watch *watch) { this->watch = watch; }
  /// The device that kernels work on; null where they work on the host. Brings
  /// the weights there first. Throws Error.
  Device *onDevice();
  /// Waits for all that was started; only a device works after a launch.
  void synchronize();

private:
  const LoadedProgram &loaded;
  ThreadPool &threads;
  // Of the program, from the first run on.
  const transfold_variant *variant = nullptr;
  const uint8_t *weights = nullptr; // null on a device
  AlignedBuffer arena;
  std::optional<Device> device; // instead of the arena
  transfold_watch *watch = nullptr;
  std::vector<int64_t> rows; // of all sequences, for each length
  // Of each entry; null where its launches are no graph.
  std::vector<std::unique_ptr<cuda::LaunchGraph>> graphs;

  void prepare();
  cuda::LaunchGraph *graphOf(size_t entry);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_SESSION_H
