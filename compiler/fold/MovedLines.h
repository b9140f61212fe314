// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of the ledger for biases and gains: xf.moved.

#ifndef TRANSFOLD_COMPILER_FOLD_MOVEDLINES_H
#define TRANSFOLD_COMPILER_FOLD_MOVEDLINES_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::fold {

struct MovedLine {
  MovedLine(mlir::Location place, std::string name)
      : place(place), name(std::move(name)) {}

  bool isAmong(llvm::ArrayRef<std::string> names) const;
  /// Whether it says the same, of whichever entry.
  bool saysAs(const MovedLine &other) const;

  mlir::Location place;
  std::string name;
  llvm::SmallVector<std::string> destinations;
  unsigned readers = 0;
  std::optional<std::string> kept;
  llvm::SmallVector<std::string> entries; // that it is a line of
};

/// Of all entries; those that share equations have the same lines.
class MovedLines {
public:
  explicit MovedLines(llvm::StringRef kind) : kind(kind) {}
  void add(const MovedLine &line);
  /// Entries are named where a weight has several lines.
  void write(mlir::ModuleOp module) const;

private:
  llvm::StringRef kind;
  std::vector<MovedLine> lines;
};

/// Whether `name`, as people write it, means the weight `written`: the whole
/// name or its last part.
bool isNamed(llvm::StringRef written, llvm::StringRef name);

/// A constant without what may be written in several ways: spaces, the letters
/// of Greek names, and √ for sqrt( ).
std::string plainConstant(llvm::StringRef written);

/// "'softmax' objects, attention.xf:14"
std::string describeObjection(mlir::Operation *op);

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_MOVEDLINES_H
