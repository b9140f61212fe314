// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ledger lines of biases, gains, channels and orders of products: xf.moved.

#pragma once

#include "dialect/Places.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::fold {

/// One line: a weight at a place of the spec, and where it was moved.
struct MovedLine {
  /// `location`: of the operation that uses the weight.
  MovedLine(mlir::Location location, std::string name)
      : place(xf::writtenAt(location)), name(std::move(name)) {}

  /// Whether one of `names` refers to the weight.
  bool isAmong(llvm::ArrayRef<std::string> names) const;
  /// Whether `other` has the same content, regardless of its entries.
  bool saysAs(const MovedLine &other) const;

  // Where the spec uses the weight.
  mlir::Location place;
  std::string name;
  llvm::SmallVector<std::string> destinations;
  // The number of operations that compute with values without it.
  unsigned readers = 0;
  // The reason why it stays; nullopt if it moved.
  std::optional<std::string> kept;
  llvm::SmallVector<std::string> entries; // entries with this line
};

/// The lines of all entries; equal lines of entries that share equations are
/// merged.
class MovedLines {
public:
  /// The lines of one kind: "bias", "gain", "channels" or
  /// "order".
  explicit MovedLines(llvm::StringRef kind) : kind(kind) {}
  /// Adds a line, or its entries to an equal line.
  void add(const MovedLine &line);
  /// Writes the lines as xf.moved; entries are named if a weight has several
  /// lines.
  void write(mlir::ModuleOp module) const;

private:
  llvm::StringRef kind;
  std::vector<MovedLine> lines;
};

/// Whether `name`, as a user writes it, refers to the weight `written`: by its
/// full name or the last part of it. `written` may list several weights.
bool isNamed(llvm::StringRef written, llvm::StringRef name);

/// Normalizes a constant's text: without spaces, Greek letters by name, and √
/// as sqrt( ).
std::string plainConstant(llvm::StringRef written);

/// Describes the operation that prevents a move: "'softmax' does not permit it,
/// attention.xf:14"
std::string describeObjection(mlir::Operation *op);

} // namespace transfold::fold
