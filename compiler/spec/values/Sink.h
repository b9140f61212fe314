// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The destination of elaborated equations. The elaborator walks the bodies of a
// spec, knows every shape, and calls a Sink for each operation; `transfold
// check` passes a NullSink and keeps only the messages, the importer builds xf
// IR. Thus the rules of shapes, families and broadcasting are implemented only
// once.
//
// Axes have labels, as in index notation: the product of x[n, k] and W[i, k, c]
// over a family of heads i is contract(x "n k", W "i k c") -> "i n c". Labels
// are local to one call. A family of values X[i] = … is one value with the
// family's axis in front.

#ifndef TRANSFOLD_COMPILER_SPEC_VALUES_SINK_H
#define TRANSFOLD_COMPILER_SPEC_VALUES_SINK_H

#include "compiler/spec/syntax/Source.h"
#include "compiler/spec/values/Dim.h"
#include "compiler/spec/values/Functions.h"
#include "dialect/exact/ExactScalar.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace transfold::spec {

/// Identifies a value that the sink made; -1 if the sink keeps no values
/// (NullSink).
using Handle = int;

/// The labels of a value's axes in one operation.
using Labels = std::vector<std::string>;

/// An operand, with a label for each of its axes.
struct Operand {
  Handle value;
  Labels labels; // one for each axis
};

/// Where a weight lies in one stored tensor: element (i_1, …, i_k) of the
/// factors in `axes` is at offset + Σ i_j * stride_j (in elements) of tensor
/// `tensor`. The factors of axis a are axes[a], slowest first; their product is
/// its size. A permutation, never arithmetic: layouts of the name tables are
/// translated to this.
struct Storage {
  struct Factor {
    int64_t size;
    int64_t stride;
    bool operator==(const Factor &) const = default;
  };
  std::string tensor;
  int64_t offset = 0;
  std::vector<std::vector<Factor>> axes;
  /// `γ = 1 + "weight"`: a constant that is added to each element.
  ExactScalar added = ExactScalar(int64_t(0));
  std::string dtype; // of the stored values: "bf16"
  bool operator==(const Storage &) const = default;
};

/// A weight of the spec bound to the checkpoint. A weight inside a family of
/// parts (layers[l < L]), or bound to one tensor per member (W[e] = "…{e}…"),
/// has one Storage for each combination of `indices`, last index fastest.
struct BoundWeight {
  std::string name; // path of parts in ASCII: "layers.attn.W_Q", "norm.gamma"
  Place place;
  /// The line of the tables that defines the form of its tensor names; its
  /// source is null without a checkpoint.
  Place named;
  std::vector<std::pair<std::string, int64_t>> indices; // {"l", 6}
  /// How many of the last `indices` are families instead of loops: their
  /// members form one value with these axes in front of `shape` (experts, one
  /// tensor each).
  unsigned families = 0;
  std::vector<Dim> shape; // of one member
  std::string pattern;    // "encoder.layer.{l}.attention.self.query.weight"
  std::vector<Storage> storage; // empty without a checkpoint
};

/// Elementwise operations with two operands.
enum class Binary { Add, Subtract, Multiply, Divide, Maximum };
/// Operations over the last axis, on each row separately.
enum class RowWise { Standardize, UnitRms, Unit };
/// Over the first axis that does not belong to a family (or over a family, for
/// Sum).
enum class Reduction { Sum, Mean, Max };

class IndexFunction; // compiler/spec/values/IndexFunction.h

/// The operands of a softmax other than its scores.
struct SoftmaxParts {
  /// The entries that take part: all, those at positions where `mask` holds, or
  /// those where the boolean matrix `among` holds.
  const IndexFunction *mask = nullptr;
  std::optional<Handle> among;
  /// An additional score for each row, a scalar; if it has axes of families,
  /// these are the first axes of the scores.
  std::optional<Handle> sink;
};

/// Receives the operations of one entry, in order. Each method returns the
/// handle of its result; `at` is the place in the spec.
class Sink {
public:
  virtual ~Sink() = default;

  // Sources.
  virtual Handle argument(const std::string &name,
                          const std::vector<Dim> &shape, bool integer,
                          Place at) = 0;
  /// The current member, if `weight.indices` are loop variables in scope.
  virtual Handle weight(const BoundWeight &weight, Place at) = 0;
  virtual Handle constant(const ExactScalar &value, Place at) = 0; // a scalar
  /// An integer vector of `shape` that holds `value` everywhere.
  virtual Handle integers(int64_t value, const std::vector<Dim> &shape,
                          Place at) = 0;
  /// The values of an index function as a tensor of `shape`.
  virtual Handle tabulate(const IndexFunction &function,
                          const std::vector<Dim> &shape, Place at) = 0;

  // Arithmetic. `out` are the labels of the result; a label of both operands of
  // a contraction that is not in `out` is summed over.
  virtual Handle contract(const Operand &a, const Operand &b, const Labels &out,
                          Place at) = 0;
  virtual Handle binary(Binary kind, const Operand &a, const Operand &b,
                        const Labels &out, Place at) = 0;
  /// x * factor; `written` is the text of the factor in the spec: "1 / √d_k".
  virtual Handle scale(Handle x, const ExactScalar &factor,
                       const std::string &written, Place at) = 0;
  virtual Handle unary(Unary kind, Handle x, Place at) = 0;
  virtual Handle power(Handle x, const ExactScalar &exponent, Place at) = 0;
  /// A null bound means that there is none.
  virtual Handle clamp(Handle x, const ExactScalar *least,
                       const ExactScalar *most, Place at) = 0;
  /// Normalizes each row; `epsilon` is 0 for Unit.
  virtual Handle rowWise(RowWise kind, Handle x, const ExactScalar &epsilon,
                         Place at) = 0;
  virtual Handle softmax(Handle x, const SoftmaxParts &parts, Place at) = 0;
  /// Over axis `axis`, which disappears.
  virtual Handle reduce(Reduction kind, Handle x, unsigned axis, Place at) = 0;
  /// x rounded to the precision of `dtype`.
  virtual Handle roundTo(Handle x, const std::string &dtype, Place at) = 0;

  // Selection and order.
  /// Rows of `table` (axes: rows, columns…) selected by integers: the result
  /// has the shape of `indices` followed by the table's other axes.
  virtual Handle gather(Handle table, Handle indices, Place at) = 0;
  /// `size` positions of axis `axis` from `offset`.
  virtual Handle slice(Handle x, unsigned axis, int64_t offset, const Dim &size,
                       Place at) = 0;
  /// Position `index` of axis `axis`, which disappears. Negative: from the end.
  virtual Handle select(Handle x, unsigned axis, int64_t index, Place at) = 0;
  /// Reorders, splits or merges axes: from[k] and to[k] are the labels of axis
  /// k, slowest first; `sizes` gives the size of each label. concat(head) is
  /// {{i},{n},{c}} → {{n},{i,c}}; a transpose is {{a},{b}} → {{b},{a}}.
  virtual Handle rearrange(
      Handle x, const std::vector<Labels> &from, const std::vector<Labels> &to,
      const std::vector<std::pair<std::string, Dim>> &sizes, Place at) = 0;
  /// Repeats each member of axis `axis` `times` times in a row: K[i div g].
  virtual Handle repeat(Handle x, unsigned axis, int64_t times, Place at) = 0;
  /// Concatenates a and b along `axis`: [a; b] rows, [a, b] columns.
  virtual Handle append(Handle a, Handle b, unsigned axis, Place at) = 0;
  /// windows, patches, rotate, top: by the primitive's name, with its static
  /// arguments and the result's shape.
  virtual Handle primitive(const std::string &name,
                           const std::vector<Handle> &operands,
                           const std::vector<ExactScalar> &statics,
                           const IndexFunction *angles,
                           const std::vector<Dim> &shape, Place at) = 0;

  // Structure.
  /// for variable < count { carried values }: `body` computes the next carried
  /// values from the current ones; it is called only once.
  virtual std::vector<Handle>
  loop(const std::string &variable, int64_t count,
       const std::vector<Handle> &carried,
       const std::function<std::vector<Handle>(const std::vector<Handle> &)>
           &body,
       Place at) = 0;
};

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_VALUES_SINK_H
