// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an algorithm to loops, for each anchor and kind of machine. Free of
// MLIR.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SCHEDULES_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SCHEDULES_H

#include "compiler/kernels/algorithm/Algorithm.h"

#include <map>
#include <stdexcept>

namespace transfold::kernels {

/// The numbers of the `schedule` attribute.
struct Schedule {
  std::map<std::string, int64_t> entries;
  /// What others read is written in a single parallel loop (xf.kernel).
  bool isOneLoop = false;

  /// The entry `name`, which must be there and positive.
  int get(const std::string &name) const {
    auto found = entries.find(name);
    if (found == entries.end() || found->second < 1)
      throw std::runtime_error("the schedule has no positive '" + name + "'");
    return static_cast<int>(found->second);
  }
};

// One for each anchor; they throw std::runtime_error where the region is not
// what the schedule is for.
void scheduleContraction(Algorithm &algorithm, const Schedule &schedule);
void scheduleAttention(Algorithm &algorithm, const Schedule &schedule);
void scheduleAttentionInParts(Algorithm &algorithm, const Schedule &schedule);
void scheduleRows(Algorithm &algorithm, const Schedule &schedule);
void scheduleReduction(Algorithm &algorithm, const Schedule &schedule);

// Kernels for GPUs that no equation asks for (Program.h).
Algorithm copyOfWords(const std::string &name);
Algorithm severalCopiesOfWords(const std::string &name);
Algorithm largestOfRows(const std::string &name);

// The same on a GPU, in blocks of threads.
void scheduleContractionOnGpu(Algorithm &algorithm, const Schedule &schedule);
void scheduleFewRowsOnGpu(Algorithm &algorithm, const Schedule &schedule);
void scheduleAttentionOnGpu(Algorithm &algorithm, const Schedule &schedule);
void scheduleAttentionInPartsOnGpu(Algorithm &algorithm,
                                   const Schedule &schedule);
void scheduleRowsOnGpu(Algorithm &algorithm, const Schedule &schedule);
void scheduleReductionOnGpu(Algorithm &algorithm, const Schedule &schedule);

/// The loops of an attention's result.
struct AttentionLoops {
  Halide::Var channel, head, row;
};
/// Checks that the region is two products around a softmax, and splits the
/// heads from a result that has them side by side. Throws std::runtime_error.
AttentionLoops splitHeads(Algorithm &algorithm);

/// The loops of a function over blocks of keys: keys of a block, blocks. No two
/// rounds write the same entry; Halide does not see that, hence
/// allow_race_conditions.
std::vector<Halide::RVar> keysOf(Halide::Func function);

/// The stages of rows, inside loop `level` over the blocks: a thread for each
/// lane and, where there are several, for each row.
void scheduleRowStagesOnGpu(Algorithm &algorithm, Halide::LoopLevel level,
                            bool hasSeveralRows);

/// A sum or maximum of rows, inside the loop `level` of a consumer, which needs
/// it for one row or for many.
void scheduleRowReduction(RowReduction &reduction, int vector,
                          Halide::LoopLevel level, bool isOneRow);

/// Lanes half as many, and so on, where they are read.
void scheduleHalves(const std::vector<Halide::Func> &halves, int vector,
                    Halide::LoopLevel level);

/// The stages of a row, inside the loop `level` of a consumer, which needs them
/// for one row or for many.
void scheduleRowStages(Algorithm &algorithm, const Schedule &schedule,
                       Halide::LoopLevel level, bool isOneRow);

/// The largest number of entries that divides an axis, up to `vector` and a
/// power of two times smaller: vectors then never reach behind the axis.
int chunkOf(const Axis &axis, int vector);

//===----------------------------------------------------------------------===//
// What several of them use
//===----------------------------------------------------------------------===//

/// The variable of an axis of a kernel's result, as AlgorithmBuilder names it;
/// none of none.
std::optional<Halide::Var> loopOf(std::optional<size_t> axis);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SCHEDULES_H
