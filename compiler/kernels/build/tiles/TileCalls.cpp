// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the indices of the sum's last store and loads, and derives first places
// and steps from them by substituting loop variables.

#include "compiler/kernels/build/tiles/TileCalls.h"

#include "compiler/kernels/build/tiles/TileProducts.h"

#include <map>
#include <stdexcept>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

namespace {
/// The loops around the last store of a stage, and the indices that it reads
/// and writes.
class Update : public IRVisitor {
public:
  explicit Update(const Algorithm::TileSums &sums) : sums(sums) {}

  /// From the outermost to the innermost.
  std::vector<const For *> loops;
  Expr sum, row, column;
  int stores = 0;
  /// Whether the first store writes 0.
  bool startsAtZero = false;

protected:
  using IRVisitor::visit;

  void visit(const For *loop) override {
    open.push_back(loop);
    IRVisitor::visit(loop);
    open.pop_back();
  }

  void visit(const LetStmt *let) override {
    values.emplace_back(let->name, let->value);
    IRVisitor::visit(let);
    values.pop_back();
  }

  void visit(const Store *store) override {
    stores += 1;
    startsAtZero |= stores == 1 && is_const_zero(store->value);
    loops = open;
    sum = known(store->index);
    known(store->value).accept(this);
  }

  void visit(const Load *load) override {
    if (load->name == sums.rows)
      row = load->index;
    if (load->name == sums.columns)
      column = load->index;
    IRVisitor::visit(load);
  }

private:
  Expr known(const Expr &value) const {
    Expr result = substitute_in_all_lets(value);
    for (size_t k = values.size(); k-- > 0;)
      result = substitute(values[k].first, values[k].second, result);
    return result;
  }

  const Algorithm::TileSums &sums;
  std::vector<const For *> open;
  std::vector<std::pair<std::string, Expr>> values;
};

/// An index of a buffer: its first value, and its step in each of the loops.
struct Place {
  Expr first;
  std::vector<Expr> steps;

  Place(const Expr &index, const std::vector<const For *> &loops) {
    auto at = [&](const For *moved, const Expr &round) {
      Expr place = index;
      for (const For *loop : loops)
        place = substitute(
            loop->name, loop == moved ? loop->min + round : loop->min, place);
      return simplify(place);
    };
    first = at(nullptr, 0);
    for (const For *loop : loops) {
      const Expr last = loop->extent - 1;
      steps.push_back(simplify(at(loop, 1) - first));
      if (!is_const_zero(
              simplify(at(loop, last) - first - last * steps.back())))
        throw std::runtime_error(
            "the elements of a tile have no common stride");
    }
  }

  /// Throws std::runtime_error unless the loops with these indices have these
  /// steps.
  void checkSteps(const std::map<int, int> &expected) const {
    for (auto [loop, step] : expected)
      if (!is_const(steps[loop], step))
        throw std::runtime_error("the elements of a tile are not contiguous");
  }
};
} // namespace

// The constant extent of a loop.
static int extentOf(const For *loop) {
  auto extent = as_const_int(loop->extent);
  if (!extent)
    throw std::runtime_error("a tile has no fixed size");
  return static_cast<int>(*extent);
}

namespace {
/// The arguments of a call for a tile.
struct TileArguments {
  std::vector<Expr> all;

  void pass(const std::string &buffer, const Expr &first, const Expr &step) {
    all.insert(all.end(), {Variable::make(Handle(), buffer), first, step});
  }
};
} // namespace

// The call for loops over rows, columns and words.
static Expr callOfWords(const Algorithm::TileSums &sums, const Update &update) {
  enum { rows, columns, words };
  const Place sum(update.sum, update.loops), x(update.row, update.loops),
      w(update.column, update.loops);
  sum.checkSteps({{columns, 1}, {words, 0}});
  x.checkSteps({{words, 1}, {columns, 0}});
  w.checkSteps({{columns, 1}, {rows, 0}});
  TileArguments arguments;
  arguments.pass(sums.sum, sum.first, sum.steps[rows]);
  arguments.pass(sums.rows, x.first, x.steps[rows]);
  arguments.pass(sums.columns, w.first, w.steps[words]);
  for (const For *loop : update.loops)
    arguments.all.emplace_back(extentOf(loop));
  return Call::make(Int(32),
                    sums.kind == Algorithm::TileSums::Pairs
                        ? pairTileProductName
                        : tileProductName,
                    arguments.all, Call::Extern);
}

// The call for loops over pairs of rows, rows of a pair, columns and octets.
static Expr callOfOctets(const Algorithm::TileSums &sums,
                         const Update &update) {
  enum { pairs, rows, columns, octets };
  const Place sum(update.sum, update.loops), x(update.row, update.loops),
      w(update.column, update.loops);
  sum.checkSteps({{columns, 1}, {octets, 0}});
  x.checkSteps({{octets, 2}, {rows, 1}, {columns, 0}});
  w.checkSteps({{columns, 1}, {rows, 0}, {pairs, 0}});
  if (!is_const_zero(simplify(sum.steps[pairs] - 2 * sum.steps[rows])) ||
      extentOf(update.loops[rows]) != 2)
    throw std::runtime_error("the rows of a tile are not in pairs");
  TileArguments arguments;
  arguments.pass(sums.sum, sum.first, sum.steps[rows]);
  arguments.pass(sums.rows, x.first, x.steps[pairs]);
  arguments.pass(sums.columns, w.first, w.steps[octets]);
  for (int loop : {pairs, columns, octets})
    arguments.all.emplace_back(extentOf(update.loops[loop]));
  return Call::make(Int(32), octetProductName, arguments.all, Call::Extern);
}

Stmt TileCalls::visit(const ProducerConsumer *stage) {
  if (!stage->is_producer || stage->name != sums.sum)
    return IRMutator::visit(stage);
  Update update(sums);
  stage->body.accept(&update);
  const bool isOfOctets = sums.kind == Algorithm::TileSums::Octets;
  if (update.stores != 2 || !update.startsAtZero ||
      update.loops.size() != (isOfOctets ? 4 : 3) || !update.row.defined() ||
      !update.column.defined())
    throw std::runtime_error("the sums of a tile have an unknown form");
  return ProducerConsumer::make_produce(
      sums.sum, Evaluate::make(isOfOctets ? callOfOctets(sums, update)
                                          : callOfWords(sums, update)));
}

} // namespace transfold::kernels
