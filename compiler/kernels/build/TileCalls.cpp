// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/build/TileCalls.h"

#include "compiler/kernels/build/TileProducts.h"

#include <stdexcept>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

namespace {
/// The loops around the last store of a stage, and where it reads and writes.
class Update : public IRVisitor {
public:
  explicit Update(const Algorithm::TileSums &sums) : sums(sums) {}

  /// From the outside in.
  std::vector<const For *> loops;
  Expr sum, row, column;
  int stores = 0;
  /// Whether the first store is of 0.
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

/// A place in a buffer: where it begins, and its step with each loop.
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
        throw std::runtime_error("the places of a tile have no common step");
    }
  }

  void checkStep(size_t loop, int expected) const {
    if (!is_const(steps[loop], expected))
      throw std::runtime_error("the numbers of a tile are not side by side");
  }
};
} // namespace

static int extentOf(const For *loop) {
  auto extent = as_const_int(loop->extent);
  if (!extent)
    throw std::runtime_error("a tile has no fixed size");
  return static_cast<int>(*extent);
}

Stmt TileCalls::visit(const ProducerConsumer *stage) {
  if (!stage->is_producer || stage->name != sums.sum)
    return IRMutator::visit(stage);
  Update update(sums);
  stage->body.accept(&update);
  enum { rows, columns, words, count };
  if (update.stores != 2 || !update.startsAtZero ||
      update.loops.size() != count || !update.row.defined() ||
      !update.column.defined())
    throw std::runtime_error("the sums of a tile are in no form that is known");
  const Place sum(update.sum, update.loops), x(update.row, update.loops),
      w(update.column, update.loops);
  sum.checkStep(columns, 1);
  sum.checkStep(words, 0);
  x.checkStep(words, 1);
  x.checkStep(columns, 0);
  w.checkStep(columns, 1);
  w.checkStep(rows, 0);
  std::vector<Expr> arguments;
  auto pass = [&](const std::string &buffer, const Place &place, int step) {
    arguments.insert(arguments.end(), {Variable::make(Handle(), buffer),
                                       place.first, place.steps[step]});
  };
  pass(sums.sum, sum, rows);
  pass(sums.rows, x, rows);
  pass(sums.columns, w, words);
  for (const For *loop : update.loops)
    arguments.emplace_back(extentOf(loop));
  return ProducerConsumer::make_produce(
      sums.sum, Evaluate::make(Call::make(Int(32), tileProductName, arguments,
                                          Call::Extern)));
}

} // namespace transfold::kernels
