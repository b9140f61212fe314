// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSOFNEXTTASK_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSOFNEXTTASK_H

#include "compiler/kernels/algorithm/Algorithm.h"

#include <utility>

namespace transfold::kernels {

/// Asks for the lines that the next task reads while this one computes:
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
/// shared out among tiles, `line` is (k + tile · rounds) lines / (tiles
/// rounds). Where tiles are many, it is among the first of them; the later ones
/// ask for what is there. All but k's own part is computed once for a tile.
/// A round asks for as many lines as it reads, which is what a task with one
/// tile needs: measured on Zen 5, an encoder's 8 and 16 rows of floats take 1.2
/// and 1.5 ms, and 1.8 and 2.6 with two lines a round. Of more tiles, some ask
/// for the same.
/// What lies behind the end of a buffer is asked for, too: prefetches do not
/// fault.
///
/// Halide's own directive has a loop of prefetches at one place. That many at
/// once fill the buffers for lines that miss, and loads behind them wait.
class LoadsOfNextTask : public Halide::Internal::IRMutator {
public:
  explicit LoadsOfNextTask(Algorithm::ReadByTasks lines)
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
  /// Loops inside the task, and values that are defined there, from the outside
  /// in.
  std::vector<const Halide::Internal::For *> loops;
  std::vector<Definition> values;
  /// Where what the task reads begins, in the task's variable alone.
  Halide::Expr first;
  Halide::Type element;
  /// What is computed once for a tile.
  std::vector<Definition> ofTile;

  Halide::Internal::Stmt visitTask(const Halide::Internal::For *loop);
  void noteLoads(const Halide::Expr &value);
  Halide::Internal::Stmt withPrefetch(const Halide::Internal::Stmt &body);
  Halide::Expr onceForTile(const std::string &name, const Halide::Expr &value);
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSOFNEXTTASK_H
