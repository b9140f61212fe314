// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly of labels, exact scalars, texts and extents, which the declarative
// formats of the operations use as custom directives. Each print function
// writes what the parse function of the same name accepts. The assembly of
// definitions and masks is in positions/.

#include "dialect/Labels.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

StringRef xf::getLabel(ArrayAttr labels, unsigned axis) {
  return cast<StringAttr>(labels[axis]).getValue();
}

std::optional<unsigned> xf::findLabel(ArrayAttr labels, StringRef label) {
  for (unsigned axis = 0; axis < labels.size(); ++axis)
    if (getLabel(labels, axis) == label)
      return axis;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// [i, n, c]
//===----------------------------------------------------------------------===//

ParseResult xf::parseLabels(OpAsmParser &parser, ArrayAttr &labels) {
  SmallVector<Attribute> parsed;
  auto parseOne = [&]() -> ParseResult {
    std::string label;
    if (parser.parseKeywordOrString(&label))
      return failure();
    parsed.push_back(parser.getBuilder().getStringAttr(label));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  labels = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

void xf::printLabels(OpAsmPrinter &printer, Operation *, ArrayAttr labels) {
  printer << '[';
  llvm::interleaveComma(labels, printer.getStream(), [&](Attribute label) {
    printer.printKeywordOrString(cast<StringAttr>(label).getValue());
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// [n, (i c)]
//===----------------------------------------------------------------------===//

ParseResult xf::parseGroups(OpAsmParser &parser, ArrayAttr &groups) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> parsed;
  auto parseOne = [&]() -> ParseResult {
    SmallVector<Attribute> group;
    std::string label;
    if (succeeded(parser.parseOptionalLParen())) {
      while (failed(parser.parseOptionalRParen())) {
        if (parser.parseKeywordOrString(&label))
          return failure();
        group.push_back(builder.getStringAttr(label));
      }
    } else {
      if (parser.parseKeywordOrString(&label))
        return failure();
      group.push_back(builder.getStringAttr(label));
    }
    parsed.push_back(builder.getArrayAttr(group));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  groups = builder.getArrayAttr(parsed);
  return success();
}

void xf::printGroups(OpAsmPrinter &printer, Operation *, ArrayAttr groups) {
  printer << '[';
  llvm::interleaveComma(groups, printer.getStream(), [&](Attribute attribute) {
    auto group = cast<ArrayAttr>(attribute);
    // A group without labels is printed as (): an axis of one position.
    bool merged = group.size() != 1;
    if (merged)
      printer << '(';
    llvm::interleave(
        group, printer.getStream(),
        [&](Attribute label) {
          printer.printKeywordOrString(cast<StringAttr>(label).getValue());
        },
        " ");
    if (merged)
      printer << ')';
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Exact scalars, and the indices of stacked weights
//===----------------------------------------------------------------------===//

ParseResult xf::parseExact(OpAsmParser &parser, ExactAttr &value) {
  value = dyn_cast_or_null<ExactAttr>(ExactAttr::parse(parser, {}));
  return success(value != nullptr);
}

void xf::printExact(OpAsmPrinter &printer, Operation *, ExactAttr value) {
  value.print(printer);
}

ParseResult xf::parseExacts(OpAsmParser &parser, ArrayAttr &values) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    ExactAttr value;
    if (parseExact(parser, value))
      return failure();
    list.push_back(value);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  values = parser.getBuilder().getArrayAttr(list);
  return success();
}

void xf::printExacts(OpAsmPrinter &printer, Operation *, ArrayAttr values) {
  printer << '[';
  llvm::interleaveComma(values.getAsRange<ExactAttr>(), printer.getStream(),
                        [&](ExactAttr value) { value.print(printer); });
  printer << ']';
}

ParseResult xf::parseFactors(OpAsmParser &parser, ArrayAttr &factors) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    Attribute one = FactorsAttr::parse(parser, {});
    list.push_back(one);
    return success(one != nullptr);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  factors = parser.getBuilder().getArrayAttr(list);
  return success();
}

void xf::printFactors(OpAsmPrinter &printer, Operation *, ArrayAttr factors) {
  printer << '[';
  llvm::interleaveComma(factors.getAsRange<FactorsAttr>(), printer.getStream(),
                        [&](FactorsAttr one) { one.print(printer); });
  printer << ']';
}

ParseResult xf::parseText(OpAsmParser &parser, StringAttr &text) {
  std::string content;
  if (parser.parseString(&content))
    return failure();
  text = parser.getBuilder().getStringAttr(content);
  return success();
}

void xf::printText(OpAsmPrinter &printer, Operation *, StringAttr text) {
  printer << '"';
  for (char c : text.getValue()) {
    // MLIR's own printer would escape every byte above 127.
    if (c == '"' || c == '\\')
      printer << '\\' << c;
    else if (static_cast<unsigned char>(c) < 32)
      printer << '\\' << llvm::hexdigit(c >> 4) << llvm::hexdigit(c & 15);
    else
      printer << c;
  }
  printer << '"';
}

ParseResult xf::parseTexts(OpAsmParser &parser, ArrayAttr &texts) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    StringAttr text;
    if (parseText(parser, text))
      return failure();
    list.push_back(text);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  texts = parser.getBuilder().getArrayAttr(list);
  return success();
}

void xf::printTexts(OpAsmPrinter &printer, Operation *op, ArrayAttr texts) {
  printer << '[';
  llvm::interleaveComma(texts.getAsRange<StringAttr>(), printer.getStream(),
                        [&](StringAttr text) { printText(printer, op, text); });
  printer << ']';
}

ParseResult xf::parseExtents(OpAsmParser &parser, ArrayAttr &indices,
                             DenseI64ArrayAttr &extents) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> sizes;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseInteger(sizes.emplace_back()))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalSquare,
                                     parseOne))
    return failure();
  indices = parser.getBuilder().getArrayAttr(names);
  extents = parser.getBuilder().getDenseI64ArrayAttr(sizes);
  return success();
}

void xf::printExtents(OpAsmPrinter &printer, Operation *, ArrayAttr indices,
                      DenseI64ArrayAttr extents) {
  if (indices.empty())
    return;
  printer << '[';
  llvm::interleaveComma(llvm::zip(indices, extents.asArrayRef()),
                        printer.getStream(), [&](auto pair) {
                          auto [name, size] = pair;
                          printer.printKeywordOrString(cast<StringAttr>(name));
                          printer << " = " << size;
                        });
  printer << ']';
}

/// Axes of fixed size count with their size, lengths with `length`.
int64_t xf::countNumbers(Type type, int64_t length) {
  int64_t product = 1;
  for (Attribute axis : getShape(type))
    product *= getNumber(axis).value_or(length);
  return product;
}

bool xf::readsOwnEntries(Operation *user, Value value) {
  if (user->getResult(0).getType() != value.getType())
    return false;
  return llvm::TypeSwitch<Operation *, bool>(user)
      .Case<AddOp, SubtractOp, MultiplyOp, DivideOp, MaximumOp>([&](auto pair) {
        return (pair.getLhs() != value ||
                pair.getLhsLabels() == pair.getLabels()) &&
               (pair.getRhs() != value ||
                pair.getRhsLabels() == pair.getLabels());
      })
      .Default([](Operation *) { return true; });
}
