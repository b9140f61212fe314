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

/// Parses [a, b, …]. `parseOne` returns an element, null if it has failed.
static ParseResult parseList(OpAsmParser &parser, ArrayAttr &list,
                             llvm::function_ref<Attribute()> parseOne) {
  SmallVector<Attribute> parsed;
  auto parseNext = [&]() -> ParseResult {
    parsed.push_back(parseOne());
    return success(parsed.back() != nullptr);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseNext))
    return failure();
  list = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

/// Prints [a, b, …].
static void printList(OpAsmPrinter &printer, ArrayAttr list,
                      llvm::function_ref<void(Attribute)> printOne) {
  printer << '[';
  llvm::interleaveComma(list, printer.getStream(), printOne);
  printer << ']';
}

/// Parses a label; null if there is none.
static StringAttr parseLabel(OpAsmParser &parser) {
  std::string label;
  if (parser.parseKeywordOrString(&label))
    return {};
  return parser.getBuilder().getStringAttr(label);
}

static void printLabel(OpAsmPrinter &printer, Attribute label) {
  printer.printKeywordOrString(cast<StringAttr>(label).getValue());
}

//===----------------------------------------------------------------------===//
// [i, n, c]
//===----------------------------------------------------------------------===//

ParseResult xf::parseLabels(OpAsmParser &parser, ArrayAttr &labels) {
  return parseList(parser, labels, [&] { return parseLabel(parser); });
}

void xf::printLabels(OpAsmPrinter &printer, Operation *, ArrayAttr labels) {
  printList(printer, labels,
            [&](Attribute label) { printLabel(printer, label); });
}

//===----------------------------------------------------------------------===//
// [n, (i c)]
//===----------------------------------------------------------------------===//

/// Parses a label, or several in parentheses; null if there is neither.
static Attribute parseGroup(OpAsmParser &parser) {
  SmallVector<Attribute> group;
  auto parseOne = [&] {
    group.push_back(parseLabel(parser));
    return success(group.back() != nullptr);
  };
  if (failed(parser.parseOptionalLParen())) {
    if (failed(parseOne()))
      return {};
  } else {
    while (failed(parser.parseOptionalRParen()))
      if (failed(parseOne()))
        return {};
  }
  return parser.getBuilder().getArrayAttr(group);
}

ParseResult xf::parseGroups(OpAsmParser &parser, ArrayAttr &groups) {
  return parseList(parser, groups, [&] { return parseGroup(parser); });
}

void xf::printGroups(OpAsmPrinter &printer, Operation *, ArrayAttr groups) {
  printList(printer, groups, [&](Attribute attribute) {
    auto group = cast<ArrayAttr>(attribute);
    // A group without labels is printed as (): an axis of one position.
    bool merged = group.size() != 1;
    if (merged)
      printer << '(';
    llvm::interleave(
        group, printer.getStream(),
        [&](Attribute label) { printLabel(printer, label); }, " ");
    if (merged)
      printer << ')';
  });
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

/// [<…>, <…>], attributes of one kind.
template <typename Attr>
static ParseResult parseAttributes(OpAsmParser &parser, ArrayAttr &list) {
  return parseList(parser, list, [&] { return Attr::parse(parser, {}); });
}
template <typename Attr>
static void printAttributes(OpAsmPrinter &printer, ArrayAttr list) {
  printList(printer, list,
            [&](Attribute one) { cast<Attr>(one).print(printer); });
}

ParseResult xf::parseExacts(OpAsmParser &parser, ArrayAttr &values) {
  return parseAttributes<ExactAttr>(parser, values);
}
void xf::printExacts(OpAsmPrinter &printer, Operation *, ArrayAttr values) {
  printAttributes<ExactAttr>(printer, values);
}

ParseResult xf::parseFactors(OpAsmParser &parser, ArrayAttr &factors) {
  return parseAttributes<FactorsAttr>(parser, factors);
}
void xf::printFactors(OpAsmPrinter &printer, Operation *, ArrayAttr factors) {
  printAttributes<FactorsAttr>(printer, factors);
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
  return parseList(parser, texts, [&] {
    StringAttr text;
    return parseText(parser, text) ? StringAttr() : text;
  });
}

void xf::printTexts(OpAsmPrinter &printer, Operation *op, ArrayAttr texts) {
  printList(printer, texts, [&](Attribute text) {
    printText(printer, op, cast<StringAttr>(text));
  });
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
