// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules algorithms, for each anchor and kind of machine. Of the dialect
// this header knows only the names of parameters.

#pragma once

#include "compiler/kernels/algorithm/Algorithm.h"
#include "dialect/Enums.h"

#include <map>
#include <stdexcept>

namespace transfold::kernels {

using Parameter = xf::ScheduleParameter;

/// The parameters of the `schedule` attribute.
struct Schedule {
  std::map<Parameter, int64_t> entries;
  /// Results that other kernels read are written in a single parallel loop
  /// (xf.kernel).
  bool isOneLoop = false;

  bool has(Parameter parameter) const { return entries.contains(parameter); }
  /// The value of a parameter, which must exist and be positive.
  int get(Parameter parameter) const {
    auto found = entries.find(parameter);
    if (found == entries.end() || found->second < 1)
      throw std::runtime_error("the schedule has no positive '" +
                               xf::stringifyScheduleParameter(parameter).str() +
                               "'");
    return static_cast<int>(found->second);
  }
};

// Schedules for processors, for each anchor; they throw std::runtime_error if
// the region does not have the form that the schedule requires.

/// A contraction: Contraction.cpp.
void scheduleContraction(Algorithm &algorithm, const Schedule &schedule);
/// An attention: Attention.cpp, or scheduleAttentionInParts.
void scheduleAttention(Algorithm &algorithm, const Schedule &schedule);
/// An attention of few rows, in parts of keys: AttentionParts.cpp.
void scheduleAttentionInParts(Algorithm &algorithm, const Schedule &schedule);
/// A kernel over rows: Rows.cpp.
void scheduleRows(Algorithm &algorithm, const Schedule &schedule);
/// A reduction of an axis: Reduction.cpp.
void scheduleReduction(Algorithm &algorithm, const Schedule &schedule);
/// Schedules a recurrence: Scan.cpp.
void scheduleScan(Algorithm &algorithm, const Schedule &schedule);

// Kernels for GPUs that no equation contains (Program.h), with their schedules.

/// Copies words of 32 bits between two buffers: CopyWordsGpu.cpp.
Algorithm copyOfWords(const std::string &name);
/// The same for several pairs of buffers in one launch: SeveralCopiesGpu.cpp.
Algorithm severalCopiesOfWords(const std::string &name);
/// The partial argmax of rows of logits: LargestGpu.cpp.
Algorithm largestOfRows(const std::string &name);

// Schedules for GPUs, in thread blocks, for each anchor.

/// A contraction: ContractionGpu.cpp, ContractionTilesGpu.cpp.
void scheduleContractionOnGpu(Algorithm &algorithm, const Schedule &schedule);
/// A contraction of few rows: FewRowsGpu.cpp.
void scheduleFewRowsOnGpu(Algorithm &algorithm, const Schedule &schedule);
/// A contraction on tensor cores, of many rows or of few: TensorCoresGpu.cpp.
void scheduleTensorCores(Algorithm &algorithm, const Schedule &schedule);
/// An attention: AttentionOnlineGpu.cpp, AttentionGpu.cpp, or
/// scheduleAttentionInPartsOnGpu.
void scheduleAttentionOnGpu(Algorithm &algorithm, const Schedule &schedule);
/// An attention of few rows, in parts of keys: AttentionPartsGpu.cpp.
void scheduleAttentionInPartsOnGpu(Algorithm &algorithm,
                                   const Schedule &schedule);
/// A kernel over rows: RowsGpu.cpp.
void scheduleRowsOnGpu(Algorithm &algorithm, const Schedule &schedule);
/// A reduction of an axis: RowsGpu.cpp.
void scheduleReductionOnGpu(Algorithm &algorithm, const Schedule &schedule);

/// The loop variables of an attention's result.
struct AttentionLoops {
  Halide::Var channel, head, row;
};
/// Checks that the region is two products around a softmax, and splits the
/// heads from a result that stores the channels of all heads adjacently. Throws
/// std::runtime_error.
AttentionLoops splitHeads(Algorithm &algorithm);

/// The loops of a function over blocks of keys: keys of a block, blocks. No two
/// iterations write the same entry; Halide cannot prove this, hence
/// allow_race_conditions.
std::vector<Halide::RVar> keysOf(Halide::Func function);

/// Schedules the stages of rows, inside loop `level` over the blocks: one
/// thread for each lane and, if there are several rows, for each row.
void scheduleRowStagesOnGpu(Algorithm &algorithm, Halide::LoopLevel level,
                            bool hasSeveralRows);

/// Schedules a sum or maximum of rows inside the loop `level` of a consumer,
/// which needs it for one row or for many.
void scheduleRowReduction(RowReduction &reduction, int vector,
                          Halide::LoopLevel level, bool isOneRow);

/// Schedules the stages that halve the number of lanes inside loop `level`, in
/// registers.
void scheduleHalves(const std::vector<Halide::Func> &halves, int vector,
                    Halide::LoopLevel level);

/// Schedules the stages of a row inside the loop `level` of a consumer, which
/// needs them for one row or for many.
void scheduleRowStages(Algorithm &algorithm, const Schedule &schedule,
                       Halide::LoopLevel level, bool isOneRow);

/// The largest of `vector`, `vector` / 2, `vector` / 4, … that divides the size
/// of an axis, so that vectors never extend past its end; `vector` for a
/// length.
int chunkOf(const Axis &axis, int vector);

//===----------------------------------------------------------------------===//
// Shared functions
//===----------------------------------------------------------------------===//

/// Loop variable of result axis `axis` (named by AlgorithmBuilder); nullopt if
/// `axis` is empty.
std::optional<Halide::Var> loopOf(std::optional<size_t> axis);

} // namespace transfold::kernels
