// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sink of the elaborator that creates xf operations.

#ifndef TRANSFOLD_COMPILER_IMPORT_MODULESINK_H
#define TRANSFOLD_COMPILER_IMPORT_MODULESINK_H

#include "compiler/import/ArrayBounds.h"
#include "compiler/spec/values/Sink.h"
#include "dialect/Dialect.h"

#include <llvm/ADT/StringMap.h>
#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::importer {

/// Throws SpecError for a construct of the language that the compiler does not
/// lower, before anything is built.
[[noreturn]] void refuse(const spec::Place &at, const std::string &what);

/// Adds the operations of entries to a module.
class ModuleSink : public spec::Sink {
public:
  explicit ModuleSink(mlir::ModuleOp module);

  /// Starts an entry: operations are added to `body`, whose arguments the
  /// elaborator requests in order.
  void begin(mlir::Block *body);
  /// The value that the elaborator knows as `handle`.
  mlir::Value value(spec::Handle handle) const { return values[handle]; }
  /// The bounds of the entry's lengths that follow from arrays read by index.
  const LengthBounds &lengthBounds() const { return bounds; }
  /// Warnings about probable mistakes, ready to print.
  std::vector<std::string> takeWarnings() { return std::move(warnings); }

  /// A place in a spec, a size and a shape, as MLIR represents them. An axis
  /// must be a number or a single length; otherwise SpecError is thrown.
  static mlir::Location location(mlir::MLIRContext *context,
                                 const spec::Place &at);
  static mlir::Attribute axis(mlir::MLIRContext *context, const spec::Dim &dim,
                              const spec::Place &at);
  static llvm::SmallVector<mlir::Attribute>
  shape(mlir::MLIRContext *context, const std::vector<spec::Dim> &dims,
        const spec::Place &at);

  // The methods of Sink; each creates one operation, or a few.
  using Handle = spec::Handle;
  using Place = spec::Place;
  Handle argument(const std::string &name, const std::vector<spec::Dim> &shape,
                  bool integer, Place at) override;
  Handle weight(const spec::BoundWeight &weight, Place at) override;
  Handle constant(const ExactScalar &value, Place at) override;
  Handle integers(int64_t value, const std::vector<spec::Dim> &shape,
                  Place at) override;
  Handle tabulate(const spec::IndexFunction &function,
                  const std::vector<spec::Dim> &shape, Place at) override;
  Handle contract(const spec::Operand &a, const spec::Operand &b,
                  const spec::Labels &out, Place at) override;
  Handle binary(spec::Binary kind, const spec::Operand &a,
                const spec::Operand &b, const spec::Labels &out,
                Place at) override;
  Handle scale(Handle x, const ExactScalar &factor, const std::string &written,
               Place at) override;
  Handle unary(spec::Unary kind, Handle x, Place at) override;
  Handle power(Handle x, const ExactScalar &exponent, Place at) override;
  Handle clamp(Handle x, const ExactScalar *least, const ExactScalar *most,
               Place at) override;
  Handle rowWise(spec::RowWise kind, Handle x, const ExactScalar &epsilon,
                 Place at) override;
  Handle softmax(Handle x, const spec::SoftmaxParts &parts, Place at) override;
  Handle reduce(spec::Reduction kind, Handle x, unsigned axis,
                Place at) override;
  Handle roundTo(Handle x, const std::string &dtype, Place at) override;
  Handle gather(Handle table, Handle indices, Place at) override;
  Handle slice(Handle x, unsigned axis, int64_t offset, const spec::Dim &size,
               Place at) override;
  Handle select(Handle x, unsigned axis, int64_t index, Place at) override;
  Handle rearrange(Handle x, const std::vector<spec::Labels> &from,
                   const std::vector<spec::Labels> &to,
                   const std::vector<std::pair<std::string, spec::Dim>> &sizes,
                   Place at) override;
  Handle repeat(Handle x, unsigned axis, int64_t times, Place at) override;
  Handle append(Handle a, Handle b, unsigned axis, Place at) override;
  Handle primitive(const std::string &name, const std::vector<Handle> &operands,
                   const std::vector<ExactScalar> &statics,
                   const spec::IndexFunction *angles,
                   const std::vector<spec::Dim> &shape, Place at) override;
  std::vector<Handle>
  loop(const std::string &variable, int64_t count,
       const std::vector<Handle> &carried,
       const std::function<std::vector<Handle>(const std::vector<Handle> &)>
           &body,
       Place at) override;

private:
  /// Records a value and returns its handle.
  Handle keep(mlir::Value value);
  mlir::Location here(const Place &at) const;
  // Parts of Sink's interface as attributes.
  mlir::ArrayAttr labels(const spec::Labels &labels);
  mlir::ArrayAttr groups(const std::vector<spec::Labels> &groups);
  xf::ExactAttr exact(const ExactScalar &value);
  /// The declaration of `weight` at the top of the module; created on first
  /// use.
  xf::StoredOp stored(const spec::BoundWeight &weight);
  /// The mask of scores of type `scores`.
  xf::MaskAttr maskOf(const spec::IndexFunction &mask, mlir::Type scores,
                      Place at);
  /// A table whose element at `indices` is `body`. Throws SpecError if `body`
  /// may read outside of an array.
  mlir::Value table(const std::vector<std::string> &indices,
                    const IndexExpr &body,
                    llvm::ArrayRef<mlir::Attribute> shape, Place at);
  /// A length as a scalar.
  mlir::Value length(const std::string &name, Place at);
  /// Warns of reads that are in bounds only if a length is 1.
  void warnOfSingle(Place at);
  /// Turns pairs of columns of `x` by `angles`.
  Handle rotate(Handle x, const spec::IndexFunction &angles, Place at);
  /// `statics`: the stride, the padding, and 1 if the border is reflected.
  Handle windows(Handle x, const std::vector<ExactScalar> &statics,
                 const std::vector<spec::Dim> &dims, Place at);
  /// The squares of `size` by `size` pixels of an image, each as one row.
  Handle patches(Handle image, const ExactScalar &size, Place at);
  /// Creates an operation on two operands with labelled axes.
  template <typename Op>
  Handle labelled(const spec::Operand &a, const spec::Operand &b,
                  const spec::Labels &out, Place at);

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  mlir::Block *entry = nullptr;
  unsigned nextArgument = 0;
  std::vector<mlir::Value> values; // by handle
  LengthBounds bounds;
  std::vector<std::string> warnings;
  llvm::StringMap<mlir::Value> loopVariables;
  /// By name; two loops over the same parts have weights with the same name.
  llvm::StringMap<
      std::vector<std::pair<std::vector<spec::Storage>, xf::StoredOp>>>
      storedWeights;
};

} // namespace transfold::importer

#endif // TRANSFOLD_COMPILER_IMPORT_MODULESINK_H
