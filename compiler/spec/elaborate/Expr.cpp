// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of each kind, and scalars that are static or depend on an index
// only.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"
#include "compiler/spec/syntax/Parser.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <utility>

namespace transfold::spec {

// Deeper nesting of calls than in any real equation: an endless recursion.
static constexpr int deepest = 400;
// Thirty definitions that each use the previous one twice expand to 2^30
// operations. A hundred layers take some ten thousand steps; with a hundred
// experts in each layer, some hundred thousand. The limit for the fuzzer is
// lower.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static constexpr int64_t mostSteps = 50'000;
#else
static constexpr int64_t mostSteps = 2'000'000;
#endif
// Texts are names or messages; those of a spec are never longer.
static constexpr size_t longestText = 4096;

int Elaborator::newIndex(std::string name, std::optional<Dim> range,
                         std::string rangeName) {
  indices.push_back({std::move(name), std::move(range), std::move(rangeName)});
  return int(indices.size()) - 1;
}

/// Functions of static values throw standard exceptions without a place; here
/// they become a SpecError at the innermost expression.
Value Elaborator::evaluate(const Expr &expr, const Environment *scope) {
  struct Depth {
    int &depth;
    Depth(int &depth) : depth(depth) { ++depth; }
    ~Depth() { --depth; }
  } level(depth);
  if (depth > deepest)
    throw SpecError(Code::CyclicDefinition, expr.at,
                    "definitions nest too deep here: does one call itself?");
  if (++steps > mostSteps)
    throw SpecError(
        Code::TooManySteps, expr.at,
        fmt::format("these equations take more than {} steps to write out",
                    mostSteps),
        {"Is a loop too long, or does each definition use the one before "
         "several times?"});
  const bool isBesideOthers = std::exchange(mayBeEmpty, false);
  try {
    Value value = evaluateKind(expr, scope);
    const Tensor *tensor = isBesideOthers ? nullptr : value.tensor();
    if (const Axis *axis = tensor ? emptyAxisOf(*tensor) : nullptr)
      failEmpty(*axis, spec::text(expr), expr.at, expr.range);
    return value;
  } catch (const std::domain_error &error) {
    const auto *missing = dynamic_cast<const MissingTensor *>(&error);
    SpecError found(missing ? Code::MissingTensor : Code::Arithmetic, expr.at,
                    error.what(), whyOperandsAreNone(expr, scope), expr.range);
    if (missing)
      found.missingTensor = missing->tensor;
    throw found;
  } catch (const std::overflow_error &error) {
    throw SpecError(Code::Arithmetic, expr.at, error.what(), {}, expr.range);
  }
}

// The value of a literal; nullopt for other expressions.
static std::optional<StaticValue> literal(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Number: {
    auto number = ExactScalar::parseDecimal(expr.text);
    if (!number)
      throw SpecError(Code::WrongKind, expr.at,
                      fmt::format("`{}` is not a number", expr.text));
    return StaticValue(*number);
  }
  case ExprKind::True:
    return StaticValue(true);
  case ExprKind::False:
    return StaticValue(false);
  case ExprKind::None:
    return StaticValue();
  case ExprKind::Infinity:
    return StaticValue(std::numeric_limits<double>::infinity());
  default:
    return std::nullopt;
  }
}

// The operation of an expression kind that computes with scalars only.
static std::optional<ScalarOp> scalarOpOf(ExprKind kind) {
  switch (kind) {
  case ExprKind::Not:
    return ScalarOp::Not;
  case ExprKind::Equal:
    return ScalarOp::Equal;
  case ExprKind::NotEqual:
    return ScalarOp::NotEqual;
  case ExprKind::Less:
    return ScalarOp::Less;
  case ExprKind::LessEqual:
    return ScalarOp::LessEqual;
  case ExprKind::Greater:
    return ScalarOp::Greater;
  case ExprKind::GreaterEqual:
    return ScalarOp::GreaterEqual;
  case ExprKind::IntegerDivide:
    return ScalarOp::IntegerDivide;
  case ExprKind::Modulo:
    return ScalarOp::Modulo;
  default:
    return std::nullopt;
  }
}

Value Elaborator::evaluateKind(const Expr &expr, const Environment *scope) {
  if (std::optional<StaticValue> value = literal(expr))
    return *value;
  if (std::optional<ScalarOp> op = scalarOpOf(expr.kind)) {
    std::vector<Value> operands;
    for (const ExprPtr &operand : expr.operands)
      operands.push_back(evaluate(*operand, scope));
    return scalarOperation(*op, operands, expr);
  }
  switch (expr.kind) {
  case ExprKind::String:
    return StaticValue(text(expr, scope));
  case ExprKind::Name:
    return lookUp(expr, scope);
  case ExprKind::Config:
    return configuration.root();
  case ExprKind::Generation:
    return configuration.generation();
  case ExprKind::Field:
    return configuration.field(staticValue(*expr.operands[0], scope),
                               expr.text);
  case ExprKind::Call:
    return call(expr, scope);
  case ExprKind::Index:
    return index(expr, scope);
  case ExprKind::Stack:
    return stack(expr, scope);
  case ExprKind::Record: {
    auto fields = std::make_shared<std::map<std::string, StaticValue>>();
    for (size_t k = 0; k < expr.keys.size(); ++k)
      (*fields)[expr.keys[k]] = staticValue(*expr.operands[k], scope);
    return StaticValue(Record{nullptr, "", fields});
  }
  case ExprKind::Conditional:
    return conditional(expr, scope);
  case ExprKind::Or:
  case ExprKind::And:
    return logic(expr, scope);
  case ExprKind::In:
    return isIn(expr, scope);
  case ExprKind::Default:
    return firstThatIs(expr, scope);
  case ExprKind::Given: {
    auto value = std::make_shared<Value>(evaluate(*expr.operands[0], scope));
    return Given{value,
                 std::make_shared<Value>(evaluate(*expr.operands[1], scope))};
  }
  default:
    return evaluateArithmetic(expr, scope);
  }
}

Value Elaborator::evaluateArithmetic(const Expr &expr,
                                     const Environment *scope) {
  switch (expr.kind) {
  case ExprKind::Add:
    return arithmetic(ScalarOp::Add, expr, scope);
  case ExprKind::Subtract:
    return arithmetic(ScalarOp::Subtract, expr, scope);
  case ExprKind::Multiply:
    return arithmetic(ScalarOp::Multiply, expr, scope);
  case ExprKind::Divide:
    return arithmetic(ScalarOp::Divide, expr, scope);
  case ExprKind::Product:
    return product(expr, scope);
  case ExprKind::Transpose:
    return transpose(expr, scope);
  case ExprKind::Negate: {
    Value value = realOf(evaluate(*expr.operands[0], scope), *expr.operands[0]);
    if (auto *tensor = value.tensor())
      return negated(*tensor, expr.at);
    if (value.as<Absent>() || value.as<Undetermined>())
      return value;
    if (auto *column = value.as<Column>())
      return Column{
          std::make_shared<Tensor>(negated(*column->vector, expr.at))};
    return scalarOperation(ScalarOp::Negate, {value}, expr);
  }
  case ExprKind::Power:
    return power(expr, scope);
  case ExprKind::Sum:
    return sumOver(expr, scope);
  case ExprKind::Root: {
    Value value = realOf(evaluate(*expr.operands[0], scope), *expr.operands[0]);
    if (auto *tensor = value.tensor()) {
      Tensor result = *tensor;
      result.value =
          emit(step::Power{tensor->value, *ExactScalar::parse("1/2")}, expr.at);
      result.markComputed();
      return result;
    }
    if (value.as<Undetermined>())
      return value;
    return scalarOperation(ScalarOp::Sqrt, {value}, expr);
  }
  default:
    throw SpecError(Code::IndexKind, expr.at, "a slice is not a value");
  }
}

/// Unknown if no element is certainly equal, but one may be.
Value Elaborator::isIn(const Expr &expr, const Environment *scope) {
  StaticValue element = staticValue(*expr.operands[0], scope);
  StaticValue list = staticValue(*expr.operands[1], scope);
  if (list.isUnknown())
    return StaticValue::unknown();
  if (!list.list())
    throw std::domain_error(
        fmt::format("`in` needs a list, but has {}", list.kind()));
  bool open = false;
  for (const StaticValue &other : **list.list()) {
    auto same = equal(element, other);
    if (same && *same)
      return StaticValue(true);
    open |= !same;
  }
  return open ? StaticValue::unknown() : StaticValue(false);
}

/// `??`: the left operand, or the right one if the left one is none.
Value Elaborator::firstThatIs(const Expr &expr, const Environment *scope) {
  if (auto state = stateBefore(expr, scope))
    return *state;
  Value value = evaluate(*expr.operands[0], scope);
  if (isDelayed(value))
    needZeroBefore(*expr.operands[1], scope);
  if (!value.statics() || !value.statics()->isNone())
    return value;
  Value other = evaluate(*expr.operands[1], scope);
  if (!other.statics() || !other.statics()->isNone())
    return other;
  // Both are absent: messages name the keys of both.
  std::vector<std::string> keys = value.statics()->absentKeys();
  for (const std::string &key : other.statics()->absentKeys())
    keys.push_back(key);
  return keys.empty() ? StaticValue() : noneOf(std::move(keys));
}

Value Elaborator::transpose(const Expr &expr, const Environment *scope) {
  Value value = evaluate(*expr.operands[0], scope);
  const Tensor *tensor = value.tensor();
  if (value.as<Absent>() || value.as<Undetermined>())
    return value;
  if (auto *column = value.as<Column>())
    return *column->vector;
  if (tensor && tensor->rank() == 1)
    return Column{std::make_shared<Tensor>(*tensor)};
  if (!tensor || tensor->rank() != 2)
    throw SpecError(
        Code::WrongRank, expr.at,
        fmt::format("only a matrix or a row has a transpose, but {} is {}",
                    spec::text(*expr.operands[0]),
                    tensor ? shown(*tensor) : kindOf(value)),
        {}, expr.operands[0]->range);
  Tensor result = *tensor;
  std::swap(result.visible[0], result.visible[1]);
  return result;
}

Value Elaborator::power(const Expr &expr, const Environment *scope) {
  Value base = realOf(evaluate(*expr.operands[0], scope), *expr.operands[0]);
  if (auto *tensor = base.tensor()) {
    StaticValue exponent = staticValue(*expr.operands[1], scope);
    Tensor result = *tensor;
    result.value = emit(step::Power{tensor->value, exactOf(exponent)}, expr.at);
    result.markComputed();
    return result;
  }
  if (base.as<Undetermined>())
    return base;
  return scalarOperation(ScalarOp::Power,
                         {base, evaluate(*expr.operands[1], scope)}, expr);
}

/// The text of a string with static values inserted where it has {…}.
std::string Elaborator::text(const Expr &string, const Environment *scope) {
  std::vector<std::string> pieces = stringPieces(string);
  std::string result;
  for (size_t k = 0; k < pieces.size(); ++k) {
    result += pieces[k];
    if (k < string.operands.size())
      result += staticValue(*string.operands[k], scope).str();
    if (result.size() > longestText)
      throw SpecError(
          Code::TooLong, string.at,
          fmt::format(
              "this text has more than {} bytes, which is too long for a name",
              longestText),
          {}, string.range);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Static values
//===----------------------------------------------------------------------===//

StaticValue Elaborator::staticValue(const Expr &expr,
                                    const Environment *scope) {
  StaticValue value = knownOrLength(expr, scope);
  needKnown(value, expr);
  return value;
}

StaticValue Elaborator::knownOrLength(const Expr &expr,
                                      const Environment *scope) {
  Value value = evaluate(expr, scope);
  if (auto *result = value.statics())
    return *result;
  const bool isPart = value.as<PartReference>() != nullptr;
  throw SpecError(
      Code::NotStatic, expr.range.begin,
      fmt::format("this must be static, and is {}", kindOf(value)),
      {isPart ? "Only the block of a part can call its parts; let it return "
                "what is needed here."
              : "Static values are numbers, texts and records from the "
                "configuration."},
      expr.range);
}

bool Elaborator::dependsOnLengths(const StaticValue &value) const {
  // With a checkpoint, only lengths are unknown.
  return value.isUnknown() && (checkpoint || scalarOf(value, symbols));
}

void Elaborator::needKnown(const StaticValue &value, const Expr &expr) const {
  if (!dependsOnLengths(value))
    return;
  throw SpecError(
      Code::DependsOnLength, expr.range.begin,
      fmt::format("{} must be known at compile time, but depends on a length",
                  spec::text(expr)),
      {"Lengths are known at run time. They may be numbers in products and "
       "sums, sizes of axes, and a position from the end: x[n - 1]."},
      expr.range);
}

std::optional<bool> Elaborator::condition(const Expr &expr,
                                          const Environment *scope) {
  StaticValue value = staticValue(expr, scope);
  if (value.isUnknown())
    return std::nullopt;
  if (auto *truth = value.boolean())
    return *truth;
  throw SpecError(
      Code::NotACondition, expr.range.begin,
      fmt::format("a condition must be true or false, but this is {}",
                  value.kind()),
      whyNone(expr, value), expr.range);
}

/// Without a checkpoint, an unknown value becomes a size that equals any other.
Dim Elaborator::size(const Expr &expr, const Environment *scope) {
  StaticValue value = knownOrLength(expr, scope);
  if (auto size = value.asSize())
    return *size;
  needKnown(value, expr);
  if (value.isUnknown())
    return symbols.unknown(spec::text(expr));
  std::vector<std::string> notes = divisionNote(expr, scope);
  if (notes.empty())
    notes = whyNone(expr, value);
  throw SpecError(Code::NotASize, expr.range.begin,
                  fmt::format("a size must be a natural number, but {} is {}",
                              spec::text(expr), value.str()),
                  std::move(notes), expr.range);
}

std::optional<int64_t> Elaborator::integer(const Expr &expr,
                                           const Environment *scope) {
  StaticValue value = staticValue(expr, scope);
  if (value.isUnknown()) {
    auto size = value.asSize();
    return size ? size->asNumber() : std::nullopt;
  }
  if (auto number = value.asInteger())
    return number;
  throw SpecError(
      Code::NotAnInteger, expr.range.begin,
      fmt::format("this must be an integer, and is {}", value.str()),
      whyNone(expr, value), expr.range);
}

StaticValue Elaborator::applyStatic(ScalarOp op,
                                    const std::vector<StaticValue> &operands,
                                    const Expr &expr) {
  try {
    if (op == ScalarOp::Not) {
      if (operands[0].isUnknown()) {
        IndexExprPtr number = scalarOf(operands[0], symbols);
        return Unknown{{},
                       number ? IndexExpr::operation(ScalarOp::Not, {number})
                              : nullptr};
      }
      if (auto *truth = operands[0].boolean())
        return StaticValue(!*truth);
      throw std::domain_error(fmt::format(
          "`not` needs true or false, but has {}", operands[0].kind()));
    }
    return apply(op, operands, symbols);
  } catch (const std::domain_error &error) {
    std::vector<std::string> notes;
    for (size_t k = 0; k < std::min(operands.size(), expr.operands.size()); ++k)
      for (std::string &note : whyNone(*expr.operands[k], operands[k]))
        notes.push_back(std::move(note));
    throw SpecError(Code::Arithmetic, expr.at, error.what(), std::move(notes),
                    expr.range);
  }
}

//===----------------------------------------------------------------------===//
// Scalars that depend on an index
//===----------------------------------------------------------------------===//

/// The scalars that an index function can compute with. Static values become
/// constants in it, and elements of arrays reads.
std::optional<IndexExprPtr> Elaborator::asIndexed(const Value &value) {
  if (auto *scalar = value.as<IndexedScalar>())
    return scalar->expr;
  if (auto *statics = value.statics()) {
    if (IndexExprPtr scalar = scalarOf(*statics, symbols))
      return scalar;
    if (statics->isUnknown() && !checkpoint)
      // A placeholder that is never evaluated.
      return IndexExpr::constant(ExactScalar());
  }
  // A scalar read from an array whose axes all belong to families.
  if (auto *tensor = value.tensor(); tensor && tensor->rank() == 0) {
    std::vector<IndexExprPtr> place;
    for (const Axis &axis : tensor->axes)
      place.push_back(IndexExpr::variable(axis.family));
    return IndexExpr::read(tensor->value, place);
  }
  return std::nullopt;
}

Value Elaborator::realOf(Value value, const Expr &written) {
  const Tensor *tensor = value.tensor();
  if (!tensor || !tensor->integer)
    return value;
  if (tensor->rank() == 0)
    return IndexedScalar{*asIndexed(value)};
  std::string name = spec::text(written);
  throw SpecError(
      Code::TokensAsNumbers, written.range.begin,
      fmt::format("{} holds tokens, which are not numbers to compute with",
                  name),
      {fmt::format("They select rows of a table, E[{}]; read by index they are "
                   "numbers, f[i] = {}[i].",
                   name, name)},
      written.range);
}

Value Elaborator::scalarOperation(ScalarOp op,
                                  const std::vector<Value> &operands,
                                  const Expr &expr) {
  std::vector<StaticValue> statics;
  for (const Value &operand : operands)
    if (auto *value = operand.statics())
      statics.push_back(*value);
  if (statics.size() == operands.size())
    return applyStatic(op, statics, expr);
  // Functions of indices are combined pointwise.
  for (const Value &operand : operands)
    if (auto *function = operand.as<IndexClosure>()) {
      unsigned arity = function->arity;
      const Expr *at = &expr;
      return IndexClosure{"", arity, [=, this](const Arguments &arguments) {
                            std::vector<Value> members;
                            for (const Value &operand : operands) {
                              auto *inner = operand.as<IndexClosure>();
                              members.push_back(inner ? inner->apply(arguments)
                                                      : operand);
                            }
                            return scalarOperation(op, members, *at);
                          }};
    }
  std::vector<IndexExprPtr> scalars;
  for (size_t k = 0; k < operands.size(); ++k) {
    auto scalar = asIndexed(operands[k]);
    if (!scalar) {
      if (auto *absent = operands[k].as<Absent>())
        failAbsent(*absent, expr);
      // In a call, the function is the first operand.
      size_t written = k + (expr.kind == ExprKind::Call);
      const Expr &which =
          written < expr.operands.size() ? *expr.operands[written] : expr;
      throw SpecError(Code::WrongKind, expr.at,
                      fmt::format("`{}` is for scalars, but this is {}",
                                  name(op), kindOf(operands[k])),
                      whyNone(which, operands[k]), expr.range);
    }
    scalars.push_back(*scalar);
  }
  try {
    checkKinds(op, scalars, /*some=*/!checkpoint);
  } catch (const std::domain_error &error) {
    throw SpecError(Code::Arithmetic, expr.at, error.what(), {}, expr.range);
  }
  return IndexedScalar{IndexExpr::operation(op, scalars)};
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Value Elaborator::underCondition(const Expr &expr, const Environment *scope) {
  Within within(conditions);
  return evaluate(expr, scope);
}

/// In `w[c] * x[t - 1, c] if t >= 1 else 0` the product must be one of scalars:
/// a table of x[t - 1, c] would read x before its first row.
bool Elaborator::staysUnderCondition(const Tensor &other,
                                     const IndexedScalar &scalar) const {
  bool reads = false;
  transfold::walk(*scalar.expr, [&](const IndexExpr &node) {
    reads |= node.kind == IndexExpr::Kind::Read;
  });
  return conditions > 0 && reads && other.rank() == 0;
}

Value Elaborator::conditional(const Expr &expr, const Environment *scope) {
  Value condition = evaluate(*expr.operands[0], scope);
  auto *statics = condition.statics();
  if (statics && statics->isUnknown())
    if (IndexExprPtr truth = scalarOf(*statics, symbols);
        truth && truth->boolean)
      return chosenByLength(truth, expr, scope);
  if (auto *scalar = condition.as<IndexedScalar>()) {
    Value yes = underCondition(*expr.operands[1], scope),
          no = underCondition(*expr.operands[2], scope);
    return scalarOperation(ScalarOp::Select, {Value(*scalar), yes, no}, expr);
  }
  if (!statics || !(statics->boolean() || statics->isUnknown()))
    throw SpecError(
        Code::NotACondition, expr.operands[0]->range.begin,
        fmt::format("a condition must be true or false, but this is {}",
                    statics ? statics->kind() : kindOf(condition)),
        whyNone(*expr.operands[0], condition), expr.operands[0]->range);
  if (auto *truth = statics->boolean())
    return evaluate(*expr.operands[*truth ? 1 : 2], scope);
  needKnown(*statics, *expr.operands[0]);
  return eitherOf(expr, scope);
}

/// Without a checkpoint the condition may be unknown: then both branches are
/// evaluated, so that mistakes in either are found. A static value that depends
/// on an unknown one is unknown.
Value Elaborator::eitherOf(const Expr &expr, const Environment *scope) {
  Within within(branches);
  Value value = evaluate(*expr.operands[1], scope),
        other = evaluate(*expr.operands[2], scope);
  if (!value.statics() && !value.as<Absent>())
    return value;
  // If one branch is a tensor, it says more about the shape: `0` or a product.
  if (!other.statics())
    return value.as<Absent>() || other.as<IndexedScalar>() ? value : other;
  return value.statics() ? Value(StaticValue::unknown()) : value;
}

/// a if n < 8 else b: both are computed, and the program selects one at run
/// time.
Value Elaborator::chosenByLength(const IndexExprPtr &condition,
                                 const Expr &expr, const Environment *scope) {
  Value yes = evaluate(*expr.operands[1], scope),
        no = evaluate(*expr.operands[2], scope);
  for (const Value *value : {&yes, &no})
    if (auto *tensor = value->tensor(); tensor && tensor->rank())
      throw SpecError(Code::DependsOnLength, expr.operands[0]->range.begin,
                      fmt::format("{} is known only at run time",
                                  spec::text(*expr.operands[0])),
                      {"A condition on a length can choose between numbers: x "
                       "* (2 if n < 8 else 1)."},
                      expr.operands[0]->range);
  return scalarOperation(ScalarOp::Select,
                         {Value(IndexedScalar{condition}), yes, no}, expr);
}

/// The right operand is not evaluated if the left one decides. If the left one
/// depends on an index, it is a condition of the right one, as in
/// t >= 1 and x[t - 1] > 0.
Value Elaborator::logic(const Expr &expr, const Environment *scope) {
  bool isAnd = expr.kind == ExprKind::And;
  Value left = evaluate(*expr.operands[0], scope);
  auto *statics = left.statics();
  auto needTruth = [&](const StaticValue &value) {
    throw SpecError(Code::NotACondition, expr.at,
                    fmt::format("`{}` needs true or false, but has {}",
                                isAnd ? "and" : "or", value.kind()),
                    {}, expr.range);
  };
  if (statics && (statics->isNumber() || statics->text() || statics->list() ||
                  statics->record()))
    needTruth(*statics);
  if (statics && statics->boolean())
    return *statics->boolean() == isAnd ? evaluate(*expr.operands[1], scope)
                                        : left;
  Value right = left.as<IndexedScalar>()
                    ? underCondition(*expr.operands[1], scope)
                    : evaluate(*expr.operands[1], scope);
  if (right.statics() && right.statics()->boolean())
    return *right.statics()->boolean() == isAnd ? left : right;
  if (statics && right.statics()) {
    if (statics->isUnknown() || right.statics()->isUnknown()) {
      IndexExprPtr a = scalarOf(*statics, symbols),
                   b = scalarOf(*right.statics(), symbols);
      if (!a || !b)
        return StaticValue::unknown();
      if (a->boolean && b->boolean)
        return StaticValue(
            Unknown{{},
                    IndexExpr::operation(isAnd ? ScalarOp::And : ScalarOp::Or,
                                         {a, b})});
    }
    needTruth(*statics);
  }
  return scalarOperation(isAnd ? ScalarOp::And : ScalarOp::Or, {left, right},
                         expr);
}

} // namespace transfold::spec
