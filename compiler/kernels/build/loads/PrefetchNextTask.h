// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches of the weights that the next task of a thread reads.

#pragma once

#include "compiler/kernels/algorithm/Algorithm.h"
#include "compiler/kernels/build/loads/PrefetchSwitch.h"

#include <utility>

namespace transfold::kernels {

/// Prefetches the lines that the next task reads while this task computes:
///
///   parallel task                    parallel task
///     … W[place(task)]          →      from = place(task + 1) + …
///     for tiles                        for tiles
///       for k                            for k
///         …                                prefetch(W + from + stride · line)
///                                          …
///
/// The first tile of a task waits for memory, the others find its weights in
/// the cache and leave the memory idle. So the lines of the next task are
/// distributed among the tiles: `line` is (k + tile · rounds) lines / (tiles
/// rounds). If there are many tiles, only the first of them do this; the later
/// ones prefetch lines that are in the cache already. Everything but the part
/// that depends on k is computed once for a tile. An iteration prefetches as
/// many lines as it reads, which is what a task with one tile needs: measured
/// on Zen 5, 8 and 16 rows of floats of an encoder take 1.2 and 1.5 ms, and 1.8
/// and 2.6 with two lines an iteration. With more tiles, some lines are
/// prefetched several times. Lines past the end of the buffer are prefetched,
/// too: prefetches do not fault.
///
/// Nothing is prefetched where that is not faster (PrefetchSwitch.h).
///
/// Halide's own directive generates a loop of prefetches at one place. So many
/// at once fill the buffers for cache misses, and the loads that follow wait.
class PrefetchNextTask : public PrefetchPass {
public:
  explicit PrefetchNextTask(Algorithm::ReadByTasks lines)
      : lines(std::move(lines)) {}

protected:
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::For *loop) override;
  Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *let) override;
  Halide::Internal::Stmt visit(const Halide::Internal::Store *store) override;

private:
  using Definition = std::pair<std::string, Halide::Expr>;

  Algorithm::ReadByTasks lines;
  const Halide::Internal::For *task = nullptr;
  /// The enclosing loops inside the task, and the values that are bound there,
  /// from the outermost to the innermost.
  std::vector<const Halide::Internal::For *> loops;
  std::vector<Definition> values;
  /// The first element that the task reads, as an expression of the task's
  /// variable only.
  Halide::Expr first;
  Halide::Type element;
  /// Values that are computed once for each tile.
  std::vector<Definition> ofTile;

  /// Visits the loop over tasks.
  Halide::Internal::Stmt visitTask(const Halide::Internal::For *loop);
  /// Updates `first` with the loads in `value`.
  void noteLoads(const Halide::Expr &value);
  /// Returns the body of an innermost loop with the prefetches of an iteration.
  Halide::Internal::Stmt withPrefetch(const Halide::Internal::Stmt &body);
  /// A variable that is bound to `value` once for each tile.
  Halide::Expr onceForTile(const std::string &name, const Halide::Expr &value);
};

} // namespace transfold::kernels
