// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits each allocation twice: first to collect the places that one thread
// uses, then to number them and to move the allocation.

#include "compiler/kernels/build/halide/ThreadLocalArrays.h"

#include "compiler/kernels/build/halide/HasLoop.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

using Lets = std::vector<std::pair<std::string, Expr>>;

namespace {
/// An index as a sum of terms with constant factors. Halide's simplifier does
/// not find that (z · 16 + y) · 4 and z · 64 + y · 4 are equal.
class LinearForm {
public:
  void add(const Expr &value, int64_t factor) {
    if (auto number = as_const_int(value)) {
      constant += factor * *number;
    } else if (const auto *sum = value.as<Add>()) {
      add(sum->a, factor);
      add(sum->b, factor);
    } else if (const auto *difference = value.as<Sub>()) {
      add(difference->a, factor);
      add(difference->b, -factor);
    } else if (const auto *product = value.as<Mul>();
               product && as_const_int(product->b)) {
      add(product->a, factor * *as_const_int(product->b));
    } else {
      addTerm(value, factor);
    }
  }

  /// The value, if it is a constant.
  std::optional<int64_t> asConstant() const {
    const bool isConstant =
        std::all_of(terms.begin(), terms.end(),
                    [](const auto &own) { return !own.second; });
    return isConstant ? std::optional(constant) : std::nullopt;
  }

private:
  void addTerm(const Expr &value, int64_t factor) {
    for (auto &[term, own] : terms)
      if (equal(term, value)) {
        own += factor;
        return;
      }
    terms.emplace_back(value, factor);
  }

  std::vector<std::pair<Expr, int64_t>> terms;
  int64_t constant = 0;
};

/// The indices of one allocation, each identified by its distance from the
/// first index that is visited.
class Places : public IRMutator {
public:
  Places(const std::string &name, const Lets &outer)
      : name(name), lets(outer) {}

protected:
  using IRMutator::visit;

  Stmt visit(const LetStmt *let) override { return visitLet(let); }
  Expr visit(const Let *let) override { return visitLet(let); }
  Expr visit(const Load *load) override {
    if (load->name != name)
      return IRMutator::visit(load);
    return Load::make(load->type, name, own(load->index), load->image,
                      load->param, mutate(load->predicate), ModulusRemainder());
  }
  Stmt visit(const Store *store) override {
    if (store->name != name)
      return IRMutator::visit(store);
    return Store::make(name, mutate(store->value), own(store->index),
                       store->param, mutate(store->predicate),
                       ModulusRemainder());
  }

  /// The new index of `place`, of which `lanes` consecutive elements are used.
  /// Places are counted from the first index that was visited.
  virtual int numberOf(int64_t place, int lanes) = 0;

  const std::string &name;

private:
  /// Visits a Let or a LetStmt.
  template <typename AnyLet>
  decltype(AnyLet::body) visitLet(const AnyLet *let) {
    Expr value = mutate(let->value);
    lets.emplace_back(let->name, value);
    decltype(AnyLet::body) body = mutate(let->body);
    lets.pop_back();
    return AnyLet::make(let->name, value, body);
  }

  Expr own(const Expr &index) {
    const auto *ramp = index.as<Ramp>();
    if (index.type().is_vector() && (!ramp || !is_const_one(ramp->stride)))
      refuse(index);
    Expr place = ramp ? ramp->base : index;
    // The innermost binding of a name is the one that is in scope.
    for (auto let = lets.rbegin(); let != lets.rend(); ++let)
      if (expr_uses_var(place, let->first))
        place = substitute(let->first, let->second, place);
    if (!first.defined())
      first = place;
    LinearForm difference;
    difference.add(simplify(place), 1);
    difference.add(simplify(first), -1);
    auto apart = difference.asConstant();
    if (!apart)
      refuse(simplify(place - first));
    const int lanes = index.type().lanes();
    Expr number = numberOf(*apart, lanes);
    return lanes == 1 ? number : Ramp::make(number, 1, lanes);
  }

  [[noreturn]] void refuse(const Expr &place) const {
    std::ostringstream text;
    text << "a thread's part of " << name
         << " is not at constant indices: " << place;
    throw std::runtime_error(text.str());
  }

  Lets lets;
  Expr first;
};

/// Collects the places that are used.
class UsedPlaces : public Places {
public:
  using Places::Places;
  std::set<int64_t> used;

protected:
  int numberOf(int64_t place, int lanes) override {
    for (int lane = 0; lane < lanes; ++lane)
      used.insert(place + lane);
    return 0;
  }
};

/// Replaces places by consecutive numbers, as many as a thread needs, and moves
/// the allocation into the innermost loop of threads.
class NumberedPlaces : public Places {
public:
  NumberedPlaces(const Allocate &allocate, const Lets &outer,
                 const std::set<int64_t> &used)
      : Places(allocate.name, outer), allocate(allocate),
        places(used.begin(), used.end()) {}

protected:
  int numberOf(int64_t place, int) override {
    return static_cast<int>(
        std::lower_bound(places.begin(), places.end(), place) - places.begin());
  }
  using Places::visit;
  Stmt visit(const For *loop) override {
    if (loop->for_type != ForType::GPUThread ||
        hasLoop(loop->body, ForType::GPUThread))
      return Places::visit(loop);
    Stmt body =
        Allocate::make(name, allocate.type, MemoryType::Register,
                       {static_cast<int>(places.size())}, const_true(),
                       Block::make(mutate(loop->body), Free::make(name)));
    return For::make(loop->name, loop->min, loop->extent, loop->for_type,
                     loop->partition_policy, loop->device_api, body);
  }
  Stmt visit(const Free *free) override {
    return free->name == name ? Evaluate::make(0) : Places::visit(free);
  }

private:
  const Allocate &allocate;
  std::vector<int64_t> places;
};
} // namespace

Stmt ThreadLocalArrays::visit(const Allocate *allocate) {
  Stmt body = mutate(allocate->body);
  if (allocate->memory_type != MemoryType::Register ||
      !hasLoop(body, ForType::GPUThread))
    return Allocate::make(allocate->name, allocate->type, allocate->memory_type,
                          allocate->extents, allocate->condition, body,
                          allocate->new_expr, allocate->free_function,
                          allocate->padding);
  UsedPlaces places(allocate->name, lets);
  places.mutate(body);
  return NumberedPlaces(*allocate, lets, places.used).mutate(body);
}

} // namespace transfold::kernels
