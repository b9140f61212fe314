// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks: text, evaluation, and proofs. An operation prints a mask as
//   [j <= i, i - j <= 4095]
// and the attribute alone is #xf.mask<"j <= i and i - j <= 4095">.

#include "dialect/positions/Mask.h"

#include "dialect/Labels.h"

#include <mlir/Analysis/FlatLinearValueConstraints.h>
#include <mlir/Analysis/Presburger/PresburgerRelation.h>
#include <mlir/Analysis/Presburger/Simplex.h>
#include <mlir/IR/DialectImplementation.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

static constexpr StringRef positionNames[] = {"i", "j"};

// Limits so that query · i + key · j + constant fits in 64 bits for all
// positions.
static constexpr int64_t mostFactor = int64_t(1) << 30,
                         mostConstant = int64_t(1) << 60;

/// Whether a comparison has factors and a constant that `holds` and the proofs
/// can use without overflow.
static bool areInRange(int64_t query, int64_t key, int64_t constant) {
  auto isWithin = [](int64_t number, int64_t most) {
    return number >= -most && number <= most;
  };
  return isWithin(query, mostFactor) && isWithin(key, mostFactor) &&
         isWithin(constant, mostConstant);
}

LogicalResult MaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               IntegerSet set) {
  if (set.getNumDims() != 2 || set.getNumSymbols() != 0)
    return emitError() << "a mask must compare two positions, i and j";
  for (AffineExpr constraint : set.getConstraints()) {
    // An affine expression may contain divisions by constants, for which the
    // simplex of the proofs would need more variables.
    auto isProduct = [](AffineExpr expr) {
      return expr.getKind() == AffineExprKind::FloorDiv ||
             expr.getKind() == AffineExprKind::CeilDiv ||
             expr.getKind() == AffineExprKind::Mod;
    };
    bool isLinear = true;
    constraint.walk([&](AffineExpr expr) { isLinear &= !isProduct(expr); });
    if (!isLinear)
      return emitError() << "comparisons of a mask must be linear in i and j";
    SmallVector<int64_t> numbers;
    if (failed(getFlattenedAffineExpr(constraint, 2, 0, &numbers)) ||
        !areInRange(numbers[0], numbers[1], numbers[2]))
      return emitError() << "constants of a mask must be at most " << mostFactor
                         << " as factors of positions, and at most "
                         << mostConstant << " otherwise";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// sum = ["-"] term { ("+" | "-") term },  term = number ["*" name] | name
static ParseResult parseSum(AsmParser &parser, AffineExpr &sum) {
  MLIRContext *context = parser.getContext();
  auto parseName = [&](AffineExpr &term) -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    const auto *found = llvm::find(positionNames, name);
    if (found == std::end(positionNames))
      return parser.emitError(loc)
             << "'" << name << "' is not a position; expected i or j";
    term = getAffineDimExpr(found - positionNames, context);
    return success();
  };
  bool minus = succeeded(parser.parseOptionalMinus());
  sum = getAffineConstantExpr(0, context);
  while (true) {
    AffineExpr term;
    uint64_t number;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value()) {
      if (failed(*isNumber))
        return failure();
      term = getAffineConstantExpr(number, context);
      AffineExpr name;
      if (succeeded(parser.parseOptionalStar())) {
        if (parseName(name))
          return failure();
        term = term * name;
      }
    } else if (parseName(term)) {
      return failure();
    }
    sum = minus ? sum - term : sum + term;
    minus = succeeded(parser.parseOptionalMinus());
    if (!minus && failed(parser.parseOptionalPlus()))
      return success();
  }
}

/// sum ("<=" | "==") sum.
static ParseResult parseComparison(AsmParser &parser,
                                   SmallVectorImpl<AffineExpr> &constraints,
                                   SmallVectorImpl<bool> &isEquality) {
  AffineExpr left, right;
  if (parseSum(parser, left))
    return failure();
  bool isEqual = failed(parser.parseOptionalLess());
  if (isEqual && parser.parseEqual())
    return failure();
  if (parser.parseEqual() || parseSum(parser, right))
    return failure();
  constraints.push_back(right - left);
  isEquality.push_back(isEqual);
  return success();
}

/// The list in brackets that operations have; null after an error was emitted.
static MaskAttr parseComparisons(AsmParser &parser) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> isEquality;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseComparison(parser, constraints, isEquality);
      }))
    return {};
  if (constraints.empty()) {
    parser.emitError(loc,
                     "a mask must have a comparison; omit the mask otherwise");
    return {};
  }
  return MaskAttr::getChecked([&] { return parser.emitError(loc); },
                              parser.getContext(),
                              IntegerSet::get(2, 0, constraints, isEquality));
}

SmallVector<MaskAttr::Comparison> MaskAttr::getComparisons() const {
  SmallVector<Comparison> comparisons;
  for (auto [constraint, isEquality] :
       llvm::zip(getSet().getConstraints(), getSet().getEqFlags())) {
    SmallVector<int64_t> coefficients;
    LogicalResult flat =
        getFlattenedAffineExpr(constraint, 2, 0, &coefficients);
    assert(succeeded(flat) && "the verifier has seen that it is linear");
    (void)flat;
    comparisons.push_back(
        {coefficients[0], coefficients[1], coefficients[2], isEquality});
  }
  return comparisons;
}

/// The terms whose coefficients have the sign `sign`, as one side of a
/// comparison: i, 2 * j.
static std::string sideOf(const MaskAttr::Comparison &c, int sign) {
  std::string side;
  for (auto [coefficient, name] :
       {std::pair(c.query, "i"), std::pair(c.key, "j")}) {
    if (coefficient * sign <= 0)
      continue;
    side += side.empty() ? "" : " + ";
    if (coefficient * sign != 1)
      side += std::to_string(coefficient * sign) + " * ";
    side += name;
  }
  return side;
}

/// An empty side of a comparison is the number 0.
static std::string orZero(std::string side) {
  return side.empty() ? "0" : side;
}

/// Prints "left <= right" in readable form: j <= i, i - j <= 4095, i + 3 <= j.
static std::string textOf(const MaskAttr::Comparison &c) {
  std::string less = sideOf(c, -1), more = sideOf(c, 1);
  std::string sign = c.isEquality ? " == " : " <= ";
  // less <= more + constant; for a distance the bound is on the right.
  if (c.constant > 0 && !less.empty() && !more.empty())
    return less + " - " + more + sign + std::to_string(c.constant);
  if (less.empty())
    return std::to_string(-c.constant) + sign + orZero(more);
  if (more.empty())
    return less + sign + std::to_string(c.constant);
  return less + (c.constant ? " + " + std::to_string(-c.constant) : "") + sign +
         more;
}

/// Collects the comparisons of the conjunction `expr`, each as a linear form
/// that is at least 0, or equal to 0; false if `expr` is anything else.
static bool collectComparisons(const IndexExpr &expr, MLIRContext *context,
                               SmallVectorImpl<AffineExpr> &constraints,
                               SmallVectorImpl<bool> &isEquality) {
  if (expr.isOperation(ScalarOp::And))
    return collectComparisons(*expr.operands[0], context, constraints,
                              isEquality) &&
           collectComparisons(*expr.operands[1], context, constraints,
                              isEquality);
  if (expr.kind != IndexExpr::Kind::Operation || !isComparison(expr.op) ||
      expr.op == ScalarOp::NotEqual)
    return false;
  SmallVector<AffineExpr, 2> sides;
  for (const IndexExprPtr &operand : expr.operands) {
    auto form = linearForm(*operand, 2);
    if (!form || !areInRange(form->coefficients[0], form->coefficients[1],
                             form->constant))
      return false;
    AffineExpr side = getAffineConstantExpr(form->constant, context);
    for (unsigned k = 0; k < 2; ++k)
      side = side + getAffineDimExpr(k, context) * form->coefficients[k];
    sides.push_back(side);
  }
  bool isReversed =
      expr.op == ScalarOp::Greater || expr.op == ScalarOp::GreaterEqual;
  bool isStrict = expr.op == ScalarOp::Less || expr.op == ScalarOp::Greater;
  AffineExpr distance = isReversed ? sides[0] - sides[1] : sides[1] - sides[0];
  constraints.push_back(isStrict ? distance - 1 : distance);
  isEquality.push_back(expr.op == ScalarOp::Equal);
  SmallVector<int64_t> numbers;
  return succeeded(
             getFlattenedAffineExpr(constraints.back(), 2, 0, &numbers)) &&
         areInRange(numbers[0], numbers[1], numbers[2]);
}

MaskAttr xf::maskOf(MLIRContext *context, const IndexDefinition &definition) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> isEquality;
  if (definition.indices.size() != 2 ||
      !collectComparisons(*definition.body, context, constraints, isEquality))
    return {};
  return MaskAttr::get(context, IntegerSet::get(2, 0, constraints, isEquality));
}

/// As an attribute the mask is a quoted string: a bare `<` would open a
/// bracket.
Attribute MaskAttr::parse(AsmParser &parser, Type) {
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&text) || parser.parseGreater())
    return {};
  auto definition = IndexDefinition::parse("[i, j] = " + text);
  MaskAttr mask =
      definition ? xf::maskOf(parser.getContext(), *definition) : MaskAttr();
  if (!mask)
    parser.emitError(loc) << "'" << text
                          << "' is not a list of linear comparisons of i and j";
  return mask;
}

void MaskAttr::print(AsmPrinter &printer) const {
  printer << "<\"";
  llvm::interleave(
      getComparisons(), printer.getStream(),
      [&](const Comparison &c) { printer << textOf(c); }, " and ");
  printer << "\">";
}

ParseResult xf::parseMask(OpAsmParser &parser, MaskAttr &mask) {
  mask = parseComparisons(parser);
  return success(mask != nullptr);
}

void xf::printMask(OpAsmPrinter &printer, Operation *, MaskAttr mask) {
  printer << '[';
  llvm::interleaveComma(
      mask.getComparisons(), printer.getStream(),
      [&](const MaskAttr::Comparison &c) { printer << textOf(c); });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Meaning and proofs
//===----------------------------------------------------------------------===//

bool MaskAttr::holds(int64_t i, int64_t j) const {
  return llvm::all_of(getComparisons(), [&](const Comparison &c) {
    int64_t value = c.query * i + c.key * j + c.constant;
    return c.isEquality ? value == 0 : value >= 0;
  });
}

/// The maximum of i - j (`sign` 1) or j - i (-1) over all pairs (i, j) that
/// satisfy the mask; nullopt if unbounded.
static std::optional<int64_t> largestDistance(MaskAttr mask, int sign) {
  presburger::IntegerPolyhedron pairs(
      presburger::PresburgerSpace::getSetSpace(2));
  for (const MaskAttr::Comparison &c : mask.getComparisons())
    if (c.isEquality)
      pairs.addEquality({c.query, c.key, c.constant});
    else
      pairs.addInequality({c.query, c.key, c.constant});
  // Positions are counted from 0.
  pairs.addInequality({1, 0, 0});
  pairs.addInequality({0, 1, 0});
  presburger::Simplex simplex(pairs);
  SmallVector<llvm::DynamicAPInt> distance = {llvm::DynamicAPInt(sign),
                                              llvm::DynamicAPInt(-sign),
                                              llvm::DynamicAPInt(0)};
  auto largest =
      simplex.computeOptimum(presburger::Simplex::Direction::Up, distance);
  if (largest.isUnbounded())
    return std::nullopt;
  if (largest.isEmpty())
    return INT64_MIN; // no pair satisfies the mask
  return int64_t(floor(*largest));
}

bool MaskAttr::isCausal() const {
  auto ahead = largestDistance(*this, -1);
  return ahead && *ahead <= 0;
}

std::optional<int64_t> MaskAttr::getFarthestBack() const {
  return largestDistance(*this, 1);
}

namespace {
/// Sets of rows as Presburger sets over the variables (row, rows, keys), and
/// (row, rows, keys, key) where a key is existentially quantified.
class Pairs {
public:
  Pairs(Attribute rows, Attribute keys) : rows(rows), keys(keys) {}

  presburger::PresburgerSet allRows() const {
    return presburger::PresburgerSet(ranges(/*withKey=*/false));
  }

  /// The rows for which `mask` shows at least one key.
  presburger::PresburgerSet rowsThatSee(MaskAttr mask) const {
    presburger::IntegerPolyhedron pairs = ranges(/*withKey=*/true);
    for (const MaskAttr::Comparison &c : mask.getComparisons()) {
      int64_t form[] = {c.query, 0, 0, c.key, c.constant};
      if (c.isEquality)
        pairs.addEquality(form);
      else
        pairs.addInequality(form);
    }
    return presburger::PresburgerSet(pairs.computeReprWithOnlyDivLocals());
  }

private:
  /// The triples (row, rows, keys), with a local variable key if `withKey`,
  /// such that 0 ≤ row < rows and 0 ≤ key < keys, where rows and keys are the
  /// fixed sizes of the axes, or at least 1. Equal axes have equal sizes.
  presburger::IntegerPolyhedron ranges(bool withKey) const {
    using Form = SmallVector<int64_t, 5>;
    presburger::IntegerPolyhedron set(
        presburger::PresburgerSpace::getSetSpace(3, 0, withKey));
    auto form = [&](std::initializer_list<int64_t> numbers, int64_t key,
                    int64_t constant) {
      Form form(numbers);
      if (withKey)
        form.push_back(key);
      form.push_back(constant);
      return form;
    };
    auto addCount = [&](Attribute axis, std::initializer_list<int64_t> count) {
      if (auto number = xf::getNumber(axis))
        set.addEquality(form(count, 0, -*number));
      else
        set.addInequality(form(count, 0, -1));
    };
    addCount(rows, {0, 1, 0});
    addCount(keys, {0, 0, 1});
    if (rows == keys)
      set.addEquality(form({0, 1, -1}, 0, 0));
    set.addInequality(form({1, 0, 0}, 0, 0));
    set.addInequality(form({-1, 1, 0}, 0, -1));
    if (withKey) {
      set.addInequality(form({0, 0, 0}, 1, 0));
      set.addInequality(form({0, 0, 1}, -1, -1));
    }
    return set;
  }

  Attribute rows, keys;
};
} // namespace

std::optional<HiddenRow> xf::findHiddenRow(MaskAttr mask, Attribute rows,
                                           Attribute keys) {
  Pairs pairs(rows, keys);
  presburger::PresburgerSet hidden =
      pairs.allRows().subtract(pairs.rowsThatSee(mask));
  std::optional<HiddenRow> first;
  // The difference of two sets is a union of polyhedra; the first hidden row is
  // the least of them all. With lengths it has the smallest counts that show
  // it, which a message can name.
  for (const presburger::IntegerRelation &some : hidden.getAllDisjuncts()) {
    if (some.isIntegerEmpty())
      continue;
    auto least = some.findIntegerLexMin();
    assert(least.isBounded() && "no number of them is below 0");
    auto number = [&](unsigned k) { return int64_t((*least)[k]); };
    if (!first || number(0) < first->row)
      first = HiddenRow{number(0), number(1), number(2)};
  }
  return first;
}

// Each comparison that contains j is a bound of j, linear in i:
//   query · i + key · j + constant >= 0
// means j >= -(query · i + constant) / key if key > 0, and j <= … if key < 0.
// Over d0 <= i <= d1 the weakest bound is attained at one end. The mask is a
// conjunction, so a visible key satisfies all bounds.
SeenKeys xf::seenKeysOf(MaskAttr mask) {
  MLIRContext *context = mask.getContext();
  AffineExpr first = getAffineDimExpr(0, context),
             last = getAffineDimExpr(1, context);
  llvm::SetVector<AffineExpr> from, to;
  // Bounds that hold for every possible position are left out.
  auto atEnds = [](int64_t query, int64_t constant) {
    return std::pair(constant, query * mostPositions + constant);
  };
  auto addBound = [&](int64_t query, int64_t key, int64_t constant) {
    AffineExpr i = query < 0 ? first : last;
    if (key > 0) {
      auto [a, b] = atEnds(-query, -constant);
      if (std::max(a, b) > 0)
        from.insert((i * -query - constant).ceilDiv(key));
    } else if (key < 0) {
      auto [a, b] = atEnds(query, constant);
      if (std::min(a, b) / -key < mostPositions)
        to.insert((i * query + constant).floorDiv(-key) + 1);
    }
  };
  for (const MaskAttr::Comparison &c : mask.getComparisons()) {
    addBound(c.query, c.key, c.constant);
    if (c.isEquality)
      addBound(-c.query, -c.key, -c.constant);
  }
  return {AffineMap::get(2, 0, from.getArrayRef(), context),
          AffineMap::get(2, 0, to.getArrayRef(), context)};
}
