// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where elaborated equations go. The elaborator walks the bodies of a spec,
// knows every shape, and asks a Sink for each operation; `transfold check`
// gives it a NullSink and keeps only the messages, the importer makes xf IR of
// it. So the rules of shapes, families and broadcasting exist once.
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

/// A value that the sink made. -1 where nobody needs values (NullSink).
using Handle = int;

/// An axis of a value as one operation sees it.
using Labels = std::vector<std::string>;

struct Operand {
  Handle value;
  Labels labels; // one for each axis
};

/// Where one stored tensor lies, and how: element (i_1, …, i_k) of the factors
/// in `axes` is at offset + Σ i_j * stride_j (in elements) of tensor `tensor`.
/// The factors of axis a are axes[a], slowest first; their product is its size.
/// A permutation, never arithmetic: layouts of the name tables become this.
struct Storage {
  struct Factor {
    int64_t size;
    int64_t stride;
    bool operator==(const Factor &) const = default;
  };
  std::string tensor;
  int64_t offset = 0;
  std::vector<std::vector<Factor>> axes;
  /// `γ = 1 + "weight"`: added to each element.
  ExactScalar added = ExactScalar(int64_t(0));
  std::string dtype; // of the stored numbers: "bf16"
  bool operator==(const Storage &) const = default;
};

/// A weight of the spec bound to the checkpoint. A weight inside a family of
/// parts (layers[l < L]) or bound one tensor for each member (W[e] = "…{e}…")
/// has one Storage for each combination of `indices`, last index fastest.
struct BoundWeight {
  std::string name; // path of parts in ASCII: "layers.attn.W_Q", "norm.gamma"
  Place place;
  /// The line of the tables that the form of its names comes from; a null
  /// source without a checkpoint.
  Place named;
  std::vector<std::pair<std::string, int64_t>> indices; // {"l", 6}
  /// How many of the last `indices` are families and not loops: those members
  /// are one value with these axes in front of `shape` (experts, one tensor
  /// each).
  unsigned families = 0;
  std::vector<Dim> shape; // of one member
  std::string pattern;    // "encoder.layer.{l}.attention.self.query.weight"
  std::vector<Storage> storage; // empty without a checkpoint
};

enum class Binary { Add, Subtract, Multiply, Divide, Maximum };
/// Over the last axis, each row by itself.
enum class RowWise { Standardize, UnitRms, Unit };
/// Over the first axis that is not a family's (or over a family, for Sum).
enum class Reduction { Sum, Mean, Max };

class IndexFunction; // compiler/spec/values/IndexFunction.h

/// What a softmax has beside its scores.
struct SoftmaxParts {
  /// The entries that it is over are all, those that a mask of positions shows,
  /// or those where a matrix of truths holds.
  const IndexFunction *mask = nullptr;
  std::optional<Handle> among;
  /// One more score of each row, a scalar; the axes of its families are the
  /// first ones of the scores.
  std::optional<Handle> sink;
};

class Sink {
public:
  virtual ~Sink() = default;

  // Sources.
  virtual Handle argument(const std::string &name,
                          const std::vector<Dim> &shape, bool integer,
                          Place at) = 0;
  /// The current member, where `weight.indices` are loop variables in scope.
  virtual Handle weight(const BoundWeight &weight, Place at) = 0;
  virtual Handle constant(const ExactScalar &value, Place at) = 0; // a scalar
  /// An integer vector of `shape` that holds `value` everywhere.
  virtual Handle integers(int64_t value, const std::vector<Dim> &shape,
                          Place at) = 0;
  /// An index function met by a tensor: tabulated over `shape`.
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
  /// Null is no bound.
  virtual Handle clamp(Handle x, const ExactScalar *least,
                       const ExactScalar *most, Place at) = 0;
  /// `epsilon` is 0 for Unit.
  virtual Handle rowWise(RowWise kind, Handle x, const ExactScalar &epsilon,
                         Place at) = 0;
  virtual Handle softmax(Handle x, const SoftmaxParts &parts, Place at) = 0;
  /// Over axis `axis`, which disappears.
  virtual Handle reduce(Reduction kind, Handle x, unsigned axis, Place at) = 0;
  virtual Handle roundTo(Handle x, const std::string &dtype, Place at) = 0;

  // Selection and order.
  /// Rows of `table` (axes: rows, columns…) by integers: shape of `indices`
  /// followed by the table's other axes.
  virtual Handle gather(Handle table, Handle indices, Place at) = 0;
  /// `size` positions of axis `axis` from `offset`.
  virtual Handle slice(Handle x, unsigned axis, int64_t offset, const Dim &size,
                       Place at) = 0;
  /// Position `index` of axis `axis`, which disappears. Negative: from the end.
  virtual Handle select(Handle x, unsigned axis, int64_t index, Place at) = 0;
  /// Axes in another order, split or merged: from[k] and to[k] are the labels
  /// of axis k, slowest first; `sizes` gives each label's size. concat(head) is
  /// {{i},{n},{c}} → {{n},{i,c}}; a transpose is {{a},{b}} → {{b},{a}}.
  virtual Handle rearrange(
      Handle x, const std::vector<Labels> &from, const std::vector<Labels> &to,
      const std::vector<std::pair<std::string, Dim>> &sizes, Place at) = 0;
  /// Each member of axis `axis` `times` times in a row: K[i div g].
  virtual Handle repeat(Handle x, unsigned axis, int64_t times, Place at) = 0;
  /// a and b one behind the other along `axis`: [a; b] rows, [a, b] columns.
  virtual Handle append(Handle a, Handle b, unsigned axis, Place at) = 0;
  /// windows, patches, rotate, top: by the primitive's name, with its static
  /// arguments and the result's shape.
  virtual Handle primitive(const std::string &name,
                           const std::vector<Handle> &operands,
                           const std::vector<ExactScalar> &statics,
                           const IndexFunction *angles,
                           const std::vector<Dim> &shape, Place at) = 0;

  // Structure.
  /// for variable < count { carried values }: `body` makes the next values of
  /// what is carried from the current ones; it is called once.
  virtual std::vector<Handle>
  loop(const std::string &variable, int64_t count,
       const std::vector<Handle> &carried,
       const std::function<std::vector<Handle>(const std::vector<Handle> &)>
           &body,
       Place at) = 0;
};

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_VALUES_SINK_H
