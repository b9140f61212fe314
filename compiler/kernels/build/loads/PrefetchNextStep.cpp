// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the statements that fill shared memory into loads to registers and
// stores from them, and moves the loads one iteration ahead.

#include "compiler/kernels/build/loads/PrefetchNextStep.h"

#include "compiler/kernels/build/loads/Statements.h"

#include <utility>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

namespace {

/// Number of registers of a thread for its sums and for the values in flight.
/// 168 registers leave three blocks of 128 threads on a multiprocessor, and
/// operands and addresses take some 56. Tiles of floats have 64 sums and 24
/// values ahead; blocks of 4 to 6 bits, which have scales and other fields in
/// addition to their codes, would have up to 88.
constexpr int mostRegistersAhead = 112;

/// Whether a statement is a barrier of a block's threads.
bool isBarrier(const Stmt &statement) {
  const auto *evaluate = statement.as<Evaluate>();
  return evaluate && Call::as_intrinsic(evaluate->value,
                                        {Call::gpu_thread_barrier}) != nullptr;
}

/// Whether a statement only fills shared memory from other memory, in a form
/// that can be split into loads and stores.
class FillsShared : public IRVisitor {
public:
  explicit FillsShared(const std::set<std::string> &shared) : shared(shared) {}
  bool stores = false, others = false;

protected:
  using IRVisitor::visit;
  void visit(const Store *store) override {
    stores = true;
    others |= !shared.contains(store->name) || !is_const_one(store->predicate);
    // The address of a store must not depend on a load.
    bool wasIndex = std::exchange(isIndex, true);
    store->index.accept(this);
    isIndex = wasIndex;
    store->value.accept(this);
  }
  void visit(const Load *load) override {
    others |= isIndex || shared.contains(load->name) ||
              !is_const_one(load->predicate);
    IRVisitor::visit(load);
  }
  void visit(const Let *) override { others = true; }
  void visit(const For *) override { others = true; }
  void visit(const Allocate *) override { others = true; }
  void visit(const Evaluate *) override { others = true; }

private:
  const std::set<std::string> &shared;
  bool isIndex = false;
};

/// Moves a let within a stored value around the store.
class LetsAroundStores : public IRMutator {
protected:
  using IRMutator::visit;
  Stmt visit(const Store *store) override {
    const auto *let = store->value.as<Let>();
    if (!let)
      return store;
    return LetStmt::make(
        let->name, let->value,
        mutate(Store::make(store->name, let->body, store->index, store->param,
                           store->predicate, store->alignment)));
  }
};

/// A value of each thread, or a vector, that is loaded one step ahead.
struct Ahead {
  std::string name;
  Type type;

  int registers() const { return type.lanes() * ((type.bits() + 31) / 32); }
  Expr index() const {
    return type.is_scalar() ? Expr(0) : Ramp::make(0, 1, type.lanes());
  }
  Expr read() const {
    return Load::make(type, name, index(), Buffer<>(), Parameter(),
                      const_true(type.lanes()), ModulusRemainder());
  }
  Stmt write(const Expr &value) const {
    return Store::make(name, value, index(), Parameter(),
                       const_true(type.lanes()), ModulusRemainder());
  }
};

/// The second half of a step: stores the values that were loaded. Lists the
/// loads of the first half, in order.
class StoresLoaded : public IRMutator {
public:
  explicit StoresLoaded(const std::string &loop) : loop(loop) {}
  std::vector<Ahead> loaded;

protected:
  using IRMutator::visit;
  Expr visit(const Load *load) override {
    loaded.push_back({unique_name(loop + ".ahead"), load->type});
    return loaded.back().read();
  }

private:
  const std::string &loop;
};

/// The first half of a step: only the loads.
class LoadsOnly : public IRMutator {
public:
  explicit LoadsOnly(const std::vector<Ahead> &loaded) : loaded(loaded) {}

protected:
  using IRMutator::visit;
  Stmt visit(const Store *store) override {
    mutate(store->value);
    return Block::make(taken());
  }
  Stmt visit(const LetStmt *let) override {
    Expr value = mutate(let->value);
    std::vector<Stmt> all = taken();
    all.push_back(LetStmt::make(let->name, value, mutate(let->body)));
    return Block::make(all);
  }
  Expr visit(const Load *load) override {
    const Ahead &ahead = loaded[next++];
    pending.push_back(ahead.write(load));
    return ahead.read();
  }

private:
  std::vector<Stmt> taken() {
    std::vector<Stmt> all = std::exchange(pending, {});
    if (all.empty())
      all.push_back(Evaluate::make(0));
    return all;
  }

  const std::vector<Ahead> &loaded;
  size_t next = 0;
  std::vector<Stmt> pending;
};

/// A step that begins by filling shared memory.
struct Step {
  Stmt fill, barrier, rest;
};
} // namespace

// Splits the body of a loop into a step, if it has this form. Statements that
// fill shared memory write places that are read only after all of them, so the
// barriers between them are not needed.
static std::optional<Step> stepOf(const Stmt &body,
                                  const std::set<std::string> &shared) {
  std::vector<Stmt> fills, all = statementsOf(body);
  size_t first = 0, last = 0; // of the rest, and the barrier before it
  for (; first < all.size(); ++first) {
    if (isBarrier(all[first])) {
      last = first;
      continue;
    }
    Stmt fill = LetsAroundStores().mutate(all[first]);
    FillsShared what(shared);
    fill.accept(&what);
    if (what.others || !what.stores)
      break;
    fills.push_back(fill);
  }
  if (fills.empty() || last + 1 != first || !isBarrier(all[last]) ||
      !isBarrier(all.back()))
    return std::nullopt;
  return Step{Block::make(fills), all[last],
              Block::make({all.begin() + static_cast<long>(first), all.end()})};
}

Stmt PrefetchNextStep::visit(const Allocate *allocate) {
  const int before = held;
  if (allocate->memory_type == MemoryType::Register)
    held += allocate->constant_allocation_size() *
            ((allocate->type.bits() + 31) / 32);
  if (allocate->memory_type == MemoryType::GPUShared)
    shared.insert(allocate->name);
  Stmt result = IRMutator::visit(allocate);
  held = before;
  shared.erase(allocate->name);
  return result;
}

Stmt PrefetchNextStep::visit(const For *loop) {
  std::optional<Step> step;
  if (loop->for_type == ForType::Serial && !shared.empty())
    step = stepOf(loop->body, shared);
  if (!step)
    return IRMutator::visit(loop);
  StoresLoaded stores(loop->name);
  Stmt stored = stores.mutate(step->fill);
  int registers = held;
  for (const Ahead &ahead : stores.loaded)
    registers += ahead.registers();
  if (registers > mostRegistersAhead)
    return IRMutator::visit(loop);
  Stmt loads = LoadsOnly(stores.loaded).mutate(step->fill);
  Expr at = Variable::make(Int(32), loop->name);
  Expr end = simplify(loop->min + loop->extent);
  auto loadsOf = [&](const Expr &which) {
    Stmt some = substitute(loop->name, which, loads);
    Expr isThere = simplify(which < end);
    return is_const_one(isThere) ? some : IfThenElse::make(isThere, some);
  };
  Stmt all = For::make(
      loop->name, loop->min, loop->extent, loop->for_type,
      loop->partition_policy, loop->device_api,
      Block::make({stored, step->barrier, loadsOf(at + 1), step->rest}));
  all = Block::make(loadsOf(loop->min), all);
  for (const Ahead &ahead : stores.loaded)
    all =
        Allocate::make(ahead.name, ahead.type.element_of(),
                       MemoryType::Register, {ahead.type.lanes()}, const_true(),
                       Block::make(all, Free::make(ahead.name)));
  return all;
}

} // namespace transfold::kernels
