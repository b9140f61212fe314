// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels of index notation: parsing, printing, and queries about labelled
// values.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/OpImplementation.h>

namespace transfold::xf {

// Custom directives of the assembly format. Labels: [i, n, c]
mlir::ParseResult parseLabels(mlir::OpAsmParser &parser,
                              mlir::ArrayAttr &labels);
/// Prints labels: [i, n, c]
void printLabels(mlir::OpAsmPrinter &printer, mlir::Operation *,
                 mlir::ArrayAttr labels);
// Groups of labels: [n, (i c)]
mlir::ParseResult parseGroups(mlir::OpAsmParser &parser,
                              mlir::ArrayAttr &groups);
/// Prints groups of labels: [n, (i c)]
void printGroups(mlir::OpAsmPrinter &printer, mlir::Operation *,
                 mlir::ArrayAttr groups);
// An exact scalar: <"1/8">
mlir::ParseResult parseExact(mlir::OpAsmParser &parser, ExactAttr &value);
/// Prints an exact scalar: <"1/8">
void printExact(mlir::OpAsmPrinter &printer, mlir::Operation *,
                ExactAttr value);
/// [<"1/8">, <"2">]
mlir::ParseResult parseExacts(mlir::OpAsmParser &parser,
                              mlir::ArrayAttr &values);
/// Prints a list of exact scalars.
void printExacts(mlir::OpAsmPrinter &printer, mlir::Operation *,
                 mlir::ArrayAttr values);
/// [<channels = @c, layout = <([64:1])>>]
mlir::ParseResult parseFactors(mlir::OpAsmParser &parser,
                               mlir::ArrayAttr &factors);
/// Prints a list of factors of channels.
void printFactors(mlir::OpAsmPrinter &printer, mlir::Operation *,
                  mlir::ArrayAttr factors);
/// A string without escapes for non-ASCII: the text of a spec keeps its √ and
/// γ.
mlir::ParseResult parseText(mlir::OpAsmParser &parser, mlir::StringAttr &text);
/// Prints a string, escaping only quotes, backslashes and control characters.
void printText(mlir::OpAsmPrinter &printer, mlir::Operation *,
               mlir::StringAttr text);
/// ["γ", "β"]
mlir::ParseResult parseTexts(mlir::OpAsmParser &parser, mlir::ArrayAttr &texts);
/// Prints a list of strings.
void printTexts(mlir::OpAsmPrinter &printer, mlir::Operation *,
                mlir::ArrayAttr texts);
/// The indices of a stacked weight: [l = 6, e = 8]
mlir::ParseResult parseExtents(mlir::OpAsmParser &parser,
                               mlir::ArrayAttr &indices,
                               mlir::DenseI64ArrayAttr &extents);
/// Prints indices with their extents; nothing if there are none.
void printExtents(mlir::OpAsmPrinter &printer, mlir::Operation *,
                  mlir::ArrayAttr indices, mlir::DenseI64ArrayAttr extents);

/// A source without its angle brackets.
mlir::ParseResult parseSource(mlir::OpAsmParser &parser, SourceAttr &source);
/// Prints a source without its angle brackets.
void printSource(mlir::OpAsmPrinter &printer, mlir::Operation *,
                 SourceAttr source);

/// A definition by index in quotes: "[t, c] = sin(t * c)"
mlir::ParseResult parseDefinition(mlir::OpAsmParser &parser,
                                  DefinitionAttr &definition);
/// Prints a definition by index in quotes.
void printDefinition(mlir::OpAsmPrinter &printer, mlir::Operation *,
                     DefinitionAttr definition);
/// [j <= i, i - j <= 4095]
mlir::ParseResult parseMask(mlir::OpAsmParser &parser, MaskAttr &mask);
/// Prints the comparisons of a mask.
void printMask(mlir::OpAsmPrinter &printer, mlir::Operation *, MaskAttr mask);

/// The type of an optional operand, which equals that of another operand; only
/// the latter is written.
mlir::ParseResult parseSameType(
    mlir::OpAsmParser &parser, mlir::Type &type,
    const std::optional<mlir::OpAsmParser::UnresolvedOperand> &operand,
    mlir::Type &operandType);
/// Prints the type that two operands share.
void printSameType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::Type type, mlir::Value operand,
                   mlir::Type operandType);

/// The sink of a softmax, followed by its type.
mlir::ParseResult
parseSink(mlir::OpAsmParser &parser,
          std::optional<mlir::OpAsmParser::UnresolvedOperand> &sink,
          mlir::Type &type);
/// Prints the sink of a softmax, followed by its type.
void printSink(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::Value sink, mlir::Type type);

/// The label of axis `axis`.
llvm::StringRef getLabel(mlir::ArrayAttr labels, unsigned axis);
/// The axis that has `label`; nullopt if there is none.
std::optional<unsigned> findLabel(mlir::ArrayAttr labels,
                                  llvm::StringRef label);

/// The number of elements of a value if each of its lengths is `length`; with
/// 1, the elements of one row.
int64_t countNumbers(mlir::Type type, int64_t length = 1);

/// Whether element (i, j, …) of the result of the pointwise operation `user`
/// reads element (i, j, …) of its operand `value`, and no other one.
bool readsOwnEntries(mlir::Operation *user, mlir::Value value);

} // namespace transfold::xf
