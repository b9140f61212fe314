// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the loads of consecutive stores before the first of them.

#include "compiler/kernels/build/loads/LoadsFirst.h"

#include "compiler/kernels/build/loads/Statements.h"

#include <ranges>
#include <set>
#include <string>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

namespace {

/// A thread has at most 255 registers; sums, rows and addresses take the
/// others.
constexpr int mostRegisters = 128;
/// Fewer loads than this are in flight together anyway.
constexpr size_t fewestLoads = 4;

/// Moves dense vector loads from the device's memory out of a value, into
/// `lets`, unless the memory is one of `written`.
class TakeLoads : public IRMutator {
public:
  TakeLoads(const std::set<std::string> &written,
            std::vector<std::pair<std::string, Expr>> &lets)
      : written(written), lets(lets) {}

protected:
  using IRMutator::visit;
  Expr visit(const Load *load) override {
    const auto *ramp = load->index.as<Ramp>();
    const int taken = (load->type.bytes() * load->type.lanes() + 3) / 4;
    if (!load->param.defined() || !is_const_one(load->predicate) || !ramp ||
        !is_const_one(ramp->stride) || written.contains(load->name) ||
        hasLoad(load->index) || registers + taken > mostRegisters)
      return IRMutator::visit(load);
    registers += taken;
    lets.emplace_back(unique_name("loaded"), load);
    return Variable::make(load->type, lets.back().first);
  }
  // Names that are bound within a value are not visible before it.
  Expr visit(const Let *let) override { return let; }

private:
  const std::set<std::string> &written;
  std::vector<std::pair<std::string, Expr>> &lets;
  int registers = 0;

  static bool hasLoad(const Expr &expression) {
    class Found : public IRVisitor {
    public:
      bool found = false;

    protected:
      using IRVisitor::visit;
      void visit(const Load *) override { found = true; }
    } visitor;
    expression.accept(&visitor);
    return visitor.found;
  }
};

/// Consecutive stores, preceded by their loads.
Stmt withLoadsFirst(const std::vector<Stmt> &stores) {
  std::set<std::string> written;
  for (const Stmt &each : stores)
    written.insert(each.as<Store>()->name);
  std::vector<std::pair<std::string, Expr>> lets;
  TakeLoads take(written, lets);
  std::vector<Stmt> after;
  after.reserve(stores.size());
  for (const Stmt &each : stores)
    after.push_back(take.mutate(each));
  if (lets.size() < fewestLoads)
    return Block::make(stores);
  Stmt all = Block::make(after);
  for (const auto &[name, load] : std::ranges::reverse_view(lets))
    all = LetStmt::make(name, load, all);
  return all;
}

} // namespace

Stmt LoadsFirst::visit(const Block *block) {
  std::vector<Stmt> done, stores;
  auto flush = [&] {
    if (!stores.empty())
      done.push_back(withLoadsFirst(stores));
    stores.clear();
  };
  for (const Stmt &each : statementsOf(block)) {
    if (each.as<Store>()) {
      stores.push_back(each);
      continue;
    }
    flush();
    done.push_back(mutate(each));
  }
  flush();
  return Block::make(done);
}

} // namespace transfold::kernels
