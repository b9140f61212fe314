// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the first element that a task reads of a buffer, and adds prefetches
// of the next task's lines to the innermost loop of its tiles.

#include "compiler/kernels/build/loads/PrefetchNextTask.h"

#include "compiler/kernels/build/halide/HasLoop.h"
#include "compiler/kernels/build/loads/VectorLoads.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

/// The lines of an iteration are counted in fractions of 2^-12; for a task with
/// more than 2^19 lines the product would not fit into 32 bits.
constexpr int fractionBits = 12;
constexpr int64_t mostLines = 1 << 19;

/// The loop over the tiles of a task, which the schedule names so.
static bool isOfTiles(const For *loop) {
  return ends_with(loop->name, ".tiles");
}

/// The loop's index, for use inside of it.
static Expr variableOf(const For *loop) {
  return Variable::make(Int(32), loop->name);
}

/// The same loop around another body.
static Stmt withBody(const For *loop, const Stmt &body) {
  return For::make(loop->name, loop->min, loop->extent, loop->for_type,
                   loop->partition_policy, loop->device_api, body);
}

Stmt PrefetchNextTask::visitTask(const For *loop) {
  task = loop;
  Stmt body = mutate(loop->body);
  task = nullptr;
  first = Expr();
  return withBody(loop, body);
}

// Whether the loop is innermost and belongs to an update of a function, such as
// a sum.
static bool isInnermostOfSum(const For *loop) {
  return !hasLoop(loop->body) && loop->name.find(".s1.") != std::string::npos;
}

Stmt PrefetchNextTask::visit(const For *loop) {
  if (!task)
    return loop->for_type == ForType::Parallel ? visitTask(loop)
                                               : IRMutator::visit(loop);
  loops.push_back(loop);
  Stmt body = mutate(loop->body);
  bool isInTile = std::any_of(loops.begin(), loops.end() - 1, isOfTiles);
  if (isInTile && isInnermostOfSum(loop))
    body = withPrefetch(body);
  loops.pop_back();
  while (isOfTiles(loop) && !ofTile.empty()) {
    body = LetStmt::make(ofTile.back().first, ofTile.back().second, body);
    ofTile.pop_back();
  }
  return withBody(loop, body);
}

Stmt PrefetchNextTask::visit(const LetStmt *let) {
  if (!task)
    return IRMutator::visit(let);
  noteLoads(let->value);
  values.emplace_back(let->name, let->value);
  Stmt result = LetStmt::make(let->name, let->value, mutate(let->body));
  values.pop_back();
  return result;
}

Stmt PrefetchNextTask::visit(const Store *store) {
  if (task)
    noteLoads(store->value);
  return store;
}

void PrefetchNextTask::noteLoads(const Expr &value) {
  std::vector<Expr> begins;
  const Expr whole = substitute_in_all_lets(value);
  for (const Load *load : newLinesIn(whole, lines.buffer, begins))
    element = load->type.element_of();
  for (Expr own : begins) {
    for (size_t k = values.size(); k-- > 0;)
      own = substitute(values[k].first, values[k].second, own);
    for (const For *loop : loops)
      own = substitute(loop->name, loop->min, own);
    if (!first.defined() || is_const_one(simplify(own < first)))
      first = own;
  }
}

Expr PrefetchNextTask::onceForTile(const std::string &name, const Expr &value) {
  ofTile.emplace_back(unique_name(name), value);
  return Variable::make(Int(32), ofTile.back().first);
}

// Adds the prefetches to an iteration of the innermost loop of a tile.
Stmt PrefetchNextTask::withPrefetch(const Stmt &body) {
  Expr round = 0;
  int64_t rounds = 1;
  size_t k = loops.size();
  while (!isOfTiles(loops[--k])) {
    auto extent = as_const_int(loops[k]->extent);
    if (!extent)
      return body;
    round += (variableOf(loops[k]) - loops[k]->min) * static_cast<int>(rounds);
    rounds *= *extent;
  }
  if (!first.defined() || lines.lines >= mostLines)
    return body;
  const For *tiles = loops[k];
  Expr next = simplify(substitute(task->name, variableOf(task) + 1, first));
  Expr tile = variableOf(tiles) - tiles->min;
  Expr share = onceForTile("next.tiles", clamp(tiles->extent, 1, lines.tiles));
  // Lines of the next task for each iteration, in fractions of a line.
  Expr part = onceForTile(
      "next.part",
      static_cast<int>((int64_t{lines.lines} << fractionBits) / rounds) /
          share);
  Expr before = tile * (lines.lines / share) * lines.stride;
  Expr from =
      onceForTile("next.from", select(tile < share, next + before, first));
  Expr place = from + ((round * part) >> fractionBits) * lines.stride;
  // As many lines as an iteration reads itself, since a task may have only one
  // tile.
  const int64_t ofRound = std::max<int64_t>(lines.lines / rounds, 1);
  std::vector<Stmt> prefetches;
  for (int64_t line = ofRound; line-- > 0;)
    prefetches.push_back(
        prefetch(lines.buffer, element, place + int(line) * lines.stride));
  return Block::make(
      IfThenElse::make(prefetchSwitch() != 0, Block::make(prefetches)), body);
}

} // namespace transfold::kernels
