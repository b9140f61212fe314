// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the list entry of a block in its marks, removes the marks, and makes
// the statements of its threads conditional.

#include "compiler/kernels/build/halide/SkipEmptyBlocks.h"

#include "compiler/kernels/algorithm/tensor/ListedMark.h"
#include "compiler/kernels/build/halide/HasLoop.h"

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

namespace {
/// Whether TensorListed.cpp made the call.
bool isMark(const Call *call) {
  return call->call_type == Call::PureExtern && call->name == listedMark;
}

/// Finds the list entry that the marks within a block refer to, with loop
/// variables replaced by the start of their loops.
class Marks : public IRVisitor {
public:
  Expr entry;

protected:
  using IRVisitor::visit;
  void visit(const For *loop) override {
    within(loop->name, loop->min, [&] { loop->body.accept(this); });
  }
  void visit(const LetStmt *let) override {
    let->value.accept(this);
    within(let->name, let->value, [&] { let->body.accept(this); });
  }
  void visit(const Let *let) override {
    let->value.accept(this);
    within(let->name, let->value, [&] { let->body.accept(this); });
  }
  void visit(const Call *call) override {
    if (isMark(call))
      add(call->args[1]);
    IRVisitor::visit(call);
  }

private:
  template <typename Visit>
  void within(const std::string &name, const Expr &value, Visit visit) {
    values.emplace_back(name, value);
    visit();
    values.pop_back();
  }

  void add(Expr own) {
    if (own.type().is_vector())
      own = extract_lane(own, 0);
    // The innermost binding of a name is the one that is in scope.
    for (auto value = values.rbegin(); value != values.rend(); ++value)
      if (expr_uses_var(own, value->first))
        own = substitute(value->first, value->second, own);
    own = simplify(own);
    if (entry.defined() && !equal(entry, own)) {
      std::ostringstream text;
      text << "rows of a block begin at two places of a list: " << entry
           << " and " << own;
      throw std::runtime_error(text.str());
    }
    entry = own;
  }

  std::vector<std::pair<std::string, Expr>> values;
};

// Replaces marks by their values.
class WithoutMarks : public IRMutator {
protected:
  using IRMutator::visit;
  Expr visit(const Call *call) override {
    return isMark(call) ? mutate(call->args[0]) : IRMutator::visit(call);
  }
};

/// Whether a statement contains a barrier of threads.
class HasBarrier : public IRGraphVisitor {
public:
  bool found = false;

protected:
  using IRGraphVisitor::visit;
  void visit(const Call *call) override {
    found |= call->is_intrinsic(Call::gpu_thread_barrier);
    IRGraphVisitor::visit(call);
  }
};

/// Makes the statements of a thread conditional, except barriers.
class Conditional : public IRMutator {
public:
  explicit Conditional(Expr condition) : condition(std::move(condition)) {}

  using IRMutator::mutate;
  Stmt mutate(const Stmt &stmt) override {
    if (!stmt.defined() || stmt.as<Free>())
      return stmt;
    HasBarrier barriers;
    stmt.accept(&barriers);
    return barriers.found ? IRMutator::mutate(stmt)
                          : IfThenElse::make(condition, stmt);
  }

protected:
  using IRMutator::visit;
  /// For a loop that contains barriers: its extent is 0 if the condition is
  /// false.
  Stmt visit(const For *loop) override {
    return For::make(loop->name, loop->min,
                     select(condition, loop->extent, make_zero(Int(32))),
                     loop->for_type, loop->partition_policy, loop->device_api,
                     loop->body);
  }
  Stmt visit(const Evaluate *barrier) override { return barrier; }

private:
  Expr condition;
};

/// The name of the condition within a thread.
constexpr const char *begins = "transfold_begins";

/// Applies Conditional to the body of the innermost loops of threads.
class ConditionalThreads : public IRMutator {
public:
  explicit ConditionalThreads(Expr condition)
      : condition(std::move(condition)) {}

protected:
  using IRMutator::visit;
  Stmt visit(const For *loop) override {
    if (loop->for_type != ForType::GPUThread ||
        hasLoop(loop->body, ForType::GPUThread))
      return IRMutator::visit(loop);
    Conditional own(Variable::make(Bool(), begins));
    return For::make(loop->name, loop->min, loop->extent, loop->for_type,
                     loop->partition_policy, loop->device_api,
                     LetStmt::make(begins, condition, own.mutate(loop->body)));
  }

private:
  Expr condition;
};
} // namespace

Stmt SkipEmptyBlocks::visit(const For *loop) {
  if (loop->for_type != ForType::GPUBlock ||
      hasLoop(loop->body, ForType::GPUBlock))
    return IRMutator::visit(loop);
  Marks marks;
  loop->body.accept(&marks);
  if (!marks.entry.defined())
    return loop;
  Stmt body = WithoutMarks().mutate(loop->body);
  body = ConditionalThreads(marks.entry >= 0.0f).mutate(body);
  return For::make(loop->name, loop->min, loop->extent, loop->for_type,
                   loop->partition_policy, loop->device_api, body);
}

} // namespace transfold::kernels
