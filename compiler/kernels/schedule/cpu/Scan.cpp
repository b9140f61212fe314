// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   places(l, p) = the first states
//   places(l, place of (s, a, π, t)) = value of (s, a, π, t)
//   results(l, t) = places(l, place of (t)),  last(l, a) = places(l, a)
//
// Schedule. Tasks are families, or tiles of lanes if there are none. All
// positions of a tile are computed one after the other, from a state that stays
// in the cache: with 128 slots and 64 lanes 32 KiB, which are read and written
// once a position. Vectors extend along lanes; a slot of 64 lanes is four
// vectors of AVX-512, so that four independent sums hide the latency of a
// multiply-add. A step has up to eight slots: their terms of a sum are added in
// registers, and its place is read and written once. For a state S = α S + k' v
// and its product q · S, a vector costs a load, a store and three operations
// (k v, the multiply-add of α S, that of q S): the limit is arithmetic, as in a
// product of matrices, of which the same recurrence in blocks of positions
// would need about as many operations.
//
// The results are copied at the end of a task, in the same loop as the states
// after the last position. A state may be written over the one before: a task
// has read its part before it writes it.

#include "compiler/kernels/schedule/Schedules.h"

#include <algorithm>

using namespace Halide;

namespace transfold::kernels {

/// Splits the lanes of a result into tiles. The loops from the outside in:
/// families as one, tiles, positions or slots, lanes.
static void scheduleResult(Func result, const LaneScan &scan,
                           const Schedule &schedule, const Var &tile) {
  Var lane("lane"), inner("inner");
  std::vector<Var> families;
  for (int number = 0; number < scan.families; ++number)
    families.emplace_back("family" + std::to_string(number));
  std::vector<VarOrRVar> order = {inner};
  for (const Var &variable : result.args())
    if (variable.name() != lane.name() &&
        std::none_of(families.begin(), families.end(), [&](const Var &family) {
          return family.name() == variable.name();
        }))
      order.emplace_back(variable);
  order.emplace_back(tile);
  order.insert(order.end(), families.begin(), families.end());
  result
      .split(lane, tile, inner, schedule.get(Parameter::Lanes),
             TailStrategy::GuardWithIf)
      .reorder(order)
      .vectorize(inner, schedule.get(Parameter::Vector));
  Var tasks = families.empty() ? tile : families[0];
  for (size_t i = 1; i < families.size(); ++i) {
    Var both("families" + std::to_string(i));
    result.fuse(tasks, families[i], both);
    tasks = both;
  }
  result.parallel(tasks);
}

void scheduleScan(Algorithm &algorithm, const Schedule &schedule) {
  if (!algorithm.scan)
    throw std::runtime_error("a scan kernel has no recurrence");
  LaneScan &scan = *algorithm.scan;
  int width = schedule.get(Parameter::Lanes),
      vector = schedule.get(Parameter::Vector);
  Var tile("tile");
  std::vector<Func> results = algorithm.results();
  for (size_t number = 0; number < results.size(); ++number) {
    scheduleResult(results[number], scan, schedule, tile);
    if (number > 0)
      results[number].compute_with(results[0], tile);
  }
  Func places = scan.places;
  Var lane = places.args()[0], place = places.args()[1];
  places.compute_at(results[0], tile)
      .bound_extent(lane, width)
      .bound(place, 0, scan.count)
      .vectorize(lane, vector)
      .unroll(lane);
  Var outer("outer"), inner("inner");
  RVar statement = scan.over[0], slot = scan.over[1], pass = scan.over[2],
       position = scan.over[3];
  Stage update = places.update();
  update.split(lane, outer, inner, vector)
      .reorder(inner, outer, statement, slot, pass, position)
      .vectorize(inner)
      .unroll(outer)
      .unroll(statement)
      .unroll(pass);
}

} // namespace transfold::kernels
