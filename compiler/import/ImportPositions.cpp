// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions by index: masks, tables of positions, biases, rotations.

#include "compiler/import/StepImporter.h"

#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/values/IndexFunction.h"
#include "dialect/positions/Mask.h"

#include <fmt/format.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringMap.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::importer;
using spec::IndexFunction;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Throws SpecError unless each row provably admits a key: a softmax over
/// nothing is 0 / 0.
static void refuseHiddenRow(xf::MaskAttr mask, const std::string &text,
                            Type scores, spec::Place at) {
  ArrayRef<Attribute> shape = xf::getShape(scores).take_back(2);
  auto hidden = xf::findHiddenRow(mask, shape[0], shape[1]);
  if (!hidden)
    return;
  throw spec::SpecError(
      spec::Code::HiddenRow, at, "this mask hides all keys from a row",
      {text,
       fmt::format("Of {} rows and {} keys, row {} sees none; rows and keys "
                   "are counted from 0.",
                   hidden->rows, hidden->keys, hidden->row),
       shape[0] == shape[1]
           ? "Let each row see a key, itself for example: j <= i where it says "
             "j < i."
           : fmt::format("Let each row see a key for all possible lengths of "
                         "{} and {}.",
                         xf::printAxis(shape[0]), xf::printAxis(shape[1]))});
}

xf::MaskAttr StepImporter::maskOf(const IndexFunction &mask, Type scores,
                                  Place at) {
  if (mask.families() || mask.arity() != 2)
    throw spec::SpecError(spec::Code::MaskForm, at,
                          "a mask that differs between members of a family "
                          "cannot be compiled",
                          {"All heads see the same keys."});
  IndexDefinition definition{mask.indices(),
                             std::make_shared<IndexExpr>(mask.expression())};
  xf::MaskAttr attribute = xf::maskOf(builder.getContext(), definition);
  if (!attribute)
    throw spec::SpecError(spec::Code::MaskForm, at,
                          "this mask is not a list of linear comparisons",
                          {"mask" + mask.str(),
                           "What a query sees must be expressed with <, <=, "
                           "==, >=, > and `and`, of sums of i, j and numbers: "
                           "caches and windows are derived from it."});
  refuseHiddenRow(attribute, "mask" + mask.str(), scores, at);
  return attribute;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// `expr` with the arrays and lengths that it reads as arrays, numbered by
/// `numberOf`.
static IndexExprPtr
withArraysNumbered(const IndexExpr &expr,
                   function_ref<int(const IndexExpr &)> numberOf) {
  auto copy = std::make_shared<IndexExpr>(expr);
  bool isLength = expr.kind == IndexExpr::Kind::Length;
  if (isLength || expr.kind == IndexExpr::Kind::Read) {
    copy->kind = IndexExpr::Kind::Read;
    copy->array = numberOf(expr);
    copy->name.clear();
  }
  for (IndexExprPtr &operand : copy->operands)
    operand = withArraysNumbered(*operand, numberOf);
  return copy;
}

/// Renames indices so that no two have the same name.
static std::vector<std::string> distinct(std::vector<std::string> names) {
  for (size_t k = 0; k < names.size(); ++k)
    for (size_t number = 0, other = k + 1; other < names.size(); ++other)
      if (names[k] == names[other])
        names[k] = names[other] + std::to_string(++number), other = k;
  return names;
}

Value StepImporter::length(const std::string &name, Place at) {
  for (BlockArgument argument : entry->getArguments())
    for (auto [number, axis] :
         llvm::enumerate(xf::getShape(argument.getType())))
      if (!xf::getNumber(axis) && xf::printAxis(axis) == name)
        return xf::LengthOp::create(builder, here(at), argument, number);
  llvm_unreachable("the elaborator has seen that an argument has it");
}

Value StepImporter::table(const std::vector<std::string> &indices,
                          const IndexExpr &body, ArrayRef<Attribute> shape,
                          Place at) {
  llvm::SetVector<Value> arrays;
  llvm::StringMap<Value> counted;
  auto numberOf = [&](const IndexExpr &read) -> int {
    Value array;
    if (read.kind == IndexExpr::Kind::Read) {
      array = get(read.array);
    } else {
      Value &known = counted[read.name];
      if (!known)
        known = length(read.name, at);
      array = known;
    }
    arrays.insert(array);
    return static_cast<int>(llvm::find(arrays, array) - arrays.begin());
  };
  IndexDefinition definition{distinct(indices),
                             withArraysNumbered(body, numberOf)};
  try {
    boundReads(definition, shape, arrays.getArrayRef(), bounds);
  } catch (const std::domain_error &error) {
    throw spec::SpecError(
        spec::Code::ReadsOutside, at,
        "this definition reads outside of an array",
        {error.what(), "Bound the index by clamp(i, 0, k), by `mod`, or by an "
                       "`if` around the access."});
  }
  warnOfSingle(at);
  unsigned lengths = llvm::count_if(
      shape, [](Attribute axis) { return !xf::getNumber(axis); });
  // A table that is the same in all layers is made once, before all of them. A
  // table over pairs of positions is never stored and belongs to the operation
  // that uses it.
  OpBuilder::InsertionGuard guard(builder);
  if (arrays.empty() && lengths < 2)
    builder.setInsertionPointToStart(entry);
  MLIRContext *context = builder.getContext();
  return xf::TabulateOp::create(
      builder, here(at), xf::RealType::get(context, shape),
      xf::DefinitionAttr::get(context, definition), arrays.getArrayRef());
}

/// A[i, i - j] without an enclosing `if` is within A for one token only.
void StepImporter::warnOfSingle(Place at) {
  for (const std::string &index : std::exchange(bounds.leavingOne, {})) {
    spec::Diagnostic warning{
        .code = spec::Code::SinglePosition,
        .at = at,
        .message = fmt::format(
            "{} is within the array for one position only, and longer "
            "sequences are refused: bound it by clamp, `mod`, or an `if` "
            "around the access",
            index),
        .severity = spec::Severity::Warning};
    // Entries that share equations report it only once.
    bool isKnown = llvm::any_of(warnings, [&](const spec::Diagnostic &other) {
      return other.str() == warning.str();
    });
    if (!isKnown)
      warnings.push_back(std::move(warning));
  }
}

Value StepImporter::create(const spec::step::Tabulate &tabulate, Place at) {
  const IndexExpr &body = tabulate.function.expression();
  if (tabulate.shape.empty() && body.kind == IndexExpr::Kind::Length)
    return length(body.name, at);
  return table(tabulate.function.indices(), body,
               shape(builder.getContext(), tabulate.shape, at), at);
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

/// Uses tables of cosines and sines of the angles, each computed in double and
/// rounded once.
Value StepImporter::create(const spec::step::Rotate &rotate, Place at) {
  Value x = get(rotate.x);
  ArrayRef<Attribute> shape = xf::getShape(x.getType());
  auto columns = xf::getNumber(shape.back());
  if (!columns || *columns % 2)
    throw spec::SpecError(
        spec::Code::Rotation, at, "rotations turn pairs of columns",
        {"There are " + xf::printAxis(shape.back()) + " columns here."});
  SmallVector<Attribute> pairs = {
      shape[shape.size() - 2], xf::getAxis(builder.getContext(), *columns / 2)};
  auto angle = std::make_shared<IndexExpr>(rotate.angles.expression());
  SmallVector<Value, 2> tables;
  for (ScalarOp op : {ScalarOp::Cos, ScalarOp::Sin})
    tables.push_back(table(rotate.angles.indices(),
                           *IndexExpr::operation(op, {angle}), pairs, at));
  return xf::RotateOp::create(builder, here(at), x.getType(), x, tables[0],
                              tables[1]);
}
