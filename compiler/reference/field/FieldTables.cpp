// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is an integer or a residue. It becomes a residue by the first
// operation whose result is not an integer, such as 1 / 3 or cos(1).

#include "compiler/reference/field/FieldTables.h"

#include "compiler/reference/Interpreter.h"

#include <cmath>
#include <variant>

using namespace transfold;
using namespace transfold::reference;

namespace {

struct Residue {
  double number;
};
using TableValue = std::variant<int64_t, Residue>;

/// Integers beyond this are residues: doubles no longer represent all of them.
constexpr double largestInteger = 0x1p53;

class TableEvaluator {
public:
  TableEvaluator(const Numbers &numbers, const TableFunctions &functions,
                 std::span<const int64_t> indices, const TableReader &reader)
      : numbers(numbers), functions(functions), indices(indices),
        reader(reader) {}

  TableValue evaluate(const IndexExpr &expr) const {
    switch (expr.kind) {
    case IndexExpr::Kind::Constant:
      return constant(expr);
    case IndexExpr::Kind::Index:
      return indices[expr.index];
    case IndexExpr::Kind::Read:
      return element(expr);
    case IndexExpr::Kind::Length:
      throw InterpreterError("a length has no value yet");
    case IndexExpr::Kind::Operation:
      break;
    }
    if (expr.op == ScalarOp::Select)
      return evaluate(*expr.operands[isTrue(*expr.operands[0]) ? 1 : 2]);
    if (isGuarded(expr, 1)) {
      const bool first = isTrue(*expr.operands[0]);
      if (first != expr.isOperation(ScalarOp::And))
        return int64_t{first};
      return int64_t{isTrue(*expr.operands[1])};
    }
    std::vector<TableValue> operands;
    for (const IndexExprPtr &operand : expr.operands)
      operands.push_back(evaluate(*operand));
    if (auto integer = ofIntegers(expr.op, operands))
      return *integer;
    if (isWhole(expr.op) && !readsReals(expr))
      return static_cast<int64_t>(
          transfold::evaluate(expr, indices, reader.read));
    if (expr.op == ScalarOp::Power)
      if (auto *exponent = std::get_if<int64_t>(&operands[1]))
        return Residue{
            numbers.power(residue(operands[0]), ExactScalar(*exponent))};
    std::vector<double> residues;
    for (const TableValue &operand : operands)
      residues.push_back(residue(operand));
    return ofResidues(expr.op, residues);
  }

  double residue(const TableValue &value) const {
    if (auto *integer = std::get_if<int64_t>(&value))
      return numbers.integer(*integer);
    return std::get<Residue>(value).number;
  }

private:
  TableValue constant(const IndexExpr &expr) const {
    if (std::trunc(expr.value) == expr.value &&
        std::abs(expr.value) < largestInteger)
      return static_cast<int64_t>(expr.value);
    return Residue{expr.exact ? functions.constant(*expr.exact)
                              : numbers.real(expr.value)};
  }

  TableValue element(const IndexExpr &expr) const {
    std::vector<int64_t> place;
    for (const IndexExprPtr &operand : expr.operands) {
      const TableValue index = evaluate(*operand);
      if (!std::holds_alternative<int64_t>(index))
        throw InterpreterError("an index of a read is not an integer");
      place.push_back(std::get<int64_t>(index));
    }
    const double found = reader.read(expr.array, place);
    if (!reader.isReal(expr.array))
      return static_cast<int64_t>(found);
    // A length, for example.
    if (auto integer = functions.integerOf(found))
      return *integer;
    return Residue{found};
  }

  bool isTrue(const IndexExpr &expr) const {
    const TableValue value = evaluate(expr);
    if (auto *integer = std::get_if<int64_t>(&value))
      return *integer != 0;
    return !numbers.isZero(std::get<Residue>(value).number);
  }

  /// The result of an operation on integers, if it is one.
  static std::optional<int64_t>
  ofIntegers(ScalarOp op, const std::vector<TableValue> &operands) {
    std::vector<double> values;
    for (const TableValue &operand : operands) {
      if (!std::holds_alternative<int64_t>(operand))
        return std::nullopt;
      values.push_back(static_cast<double>(std::get<int64_t>(operand)));
    }
    // These are not exact in double where their result is not an integer.
    const bool isQuotient = op == ScalarOp::Divide && values[1] != 0;
    if (isQuotient && std::fmod(values[0], values[1]) != 0)
      return std::nullopt;
    if (op == ScalarOp::Sqrt || op == ScalarOp::Log || op == ScalarOp::Log2 ||
        op == ScalarOp::Exp || op == ScalarOp::Sin || op == ScalarOp::Cos ||
        (op == ScalarOp::Power && values[1] < 0))
      return std::nullopt;
    const double result = transfold::evaluate(op, values);
    if (!(std::abs(result) < largestInteger) || std::trunc(result) != result)
      return std::nullopt;
    return static_cast<int64_t>(result);
  }

  /// Whether the result of an operation is always an integer, or true or false.
  static bool isWhole(ScalarOp op) {
    return op == ScalarOp::Floor || op == ScalarOp::Ceil ||
           op == ScalarOp::IntegerDivide || op == ScalarOp::Sign ||
           isComparison(op);
  }

  /// Whether the expression depends on real numbers other than constants and
  /// functions of integers, which have a value in double. (Distances become
  /// groups by the floor of a logarithm, for example.)
  bool readsReals(const IndexExpr &expr) const {
    bool found = false;
    walk(expr, [&](const IndexExpr &node) {
      found |= node.kind == IndexExpr::Kind::Read && reader.isReal(node.array);
    });
    return found;
  }

  double sign(double x) const {
    const double zero = numbers.integer(0);
    return numbers.isZero(x)
               ? zero
               : numbers.integer(numbers.isLess(zero, x) ? 1 : -1);
  }
  double least(double a, double b) const {
    return numbers.isLess(a, b) ? a : b;
  }

  /// Operations on residues.
  TableValue ofResidues(ScalarOp op, const std::vector<double> &x) const {
    switch (op) {
    case ScalarOp::Add:
      return Residue{numbers.add(x[0], x[1])};
    case ScalarOp::Subtract:
      return Residue{numbers.subtract(x[0], x[1])};
    case ScalarOp::Multiply:
      return Residue{numbers.multiply(x[0], x[1])};
    case ScalarOp::Divide:
      return Residue{numbers.divide(x[0], x[1])};
    case ScalarOp::Negate:
      return Residue{numbers.negate(x[0])};
    case ScalarOp::Equal:
      return int64_t{equal(x)};
    case ScalarOp::NotEqual:
      return int64_t{!equal(x)};
    case ScalarOp::Less:
      return int64_t{numbers.isLess(x[0], x[1])};
    case ScalarOp::LessEqual:
      return int64_t{equal(x) || numbers.isLess(x[0], x[1])};
    case ScalarOp::Greater:
      return int64_t{numbers.isLess(x[1], x[0])};
    case ScalarOp::GreaterEqual:
      return int64_t{equal(x) || numbers.isLess(x[1], x[0])};
    case ScalarOp::Not:
      return int64_t{numbers.isZero(x[0])};
    case ScalarOp::Sqrt:
      return Residue{numbers.root(x[0])};
    case ScalarOp::Exp:
      return Residue{numbers.exponential(x[0], std::nullopt)};
    case ScalarOp::Abs:
      return Residue{numbers.absolute(x[0])};
    case ScalarOp::Sign:
      return Residue{sign(x[0])};
    case ScalarOp::Min:
      return Residue{least(x[0], x[1])};
    case ScalarOp::Max:
      return Residue{numbers.maximum(x[0], x[1])};
    case ScalarOp::Clamp:
      return Residue{least(numbers.maximum(x[0], x[1]), x[2])};
    default:
      // Powers with other exponents, logarithms, sines, and what rounds.
      return Residue{functions.random(op, x[0], x.size() > 1 ? x[1] : x[0])};
    }
  }

  bool equal(const std::vector<double> &x) const {
    return numbers.isZero(numbers.subtract(x[0], x[1]));
  }

  const Numbers &numbers;
  const TableFunctions &functions;
  std::span<const int64_t> indices;
  const TableReader &reader;
};

} // namespace

double reference::tableElement(const Numbers &numbers,
                               const TableFunctions &functions,
                               const IndexExpr &expr,
                               std::span<const int64_t> indices,
                               const TableReader &reader, bool isReal) {
  const TableEvaluator evaluator(numbers, functions, indices, reader);
  const TableValue value = evaluator.evaluate(expr);
  if (isReal)
    return evaluator.residue(value);
  if (auto *integer = std::get_if<int64_t>(&value))
    return static_cast<double>(*integer);
  throw InterpreterError("an element of a table of integers is not one");
}
