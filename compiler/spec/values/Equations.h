// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equations of an entry as data: a list of steps, in the order in which
// they are computed. Functions and blocks are inlined, statics are computed,
// and the layers of a model are one loop, whose body is a list of steps again.
// The elaborator makes the list; `transfold check` keeps only its messages, the
// importer makes xf operations of it, `--emit=equations` prints it.
//
// Axes have labels, as in index notation: the product of x[n, k] and W[i, k, c]
// over a family of heads i is Contract{x "n k", W "i k c", "i n c"}. Labels
// are local to one step. A family of values X[i] = … is one value with the
// family's axis in front.

#pragma once

#include "base/exact/Dim.h"
#include "base/exact/ExactScalar.h"
#include "compiler/spec/syntax/Source.h"
#include "compiler/spec/values/BoundWeight.h"
#include "compiler/spec/values/Functions.h"
#include "compiler/spec/values/IndexFunction.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace transfold::spec {

/// Identifies a value of an entry; the arguments are 0, 1, …. Two values that
/// can be used at the same step have different numbers.
using ValueId = int;

/// The labels of a value's axes in one step.
using Labels = std::vector<std::string>;

/// An operand, with a label for each of its axes.
struct Operand {
  ValueId value;
  Labels labels; // one for each axis
  bool operator==(const Operand &) const = default;
};

/// Elementwise operations with two operands.
enum class Binary { Add, Subtract, Multiply, Divide, Maximum };
/// Operations over the last axis, on each row separately.
enum class RowWise { Standardize, UnitRms, Unit };
/// Over the first axis that does not belong to a family (or over a family, for
/// Sum).
enum class Reduction { Sum, Mean, Max };

struct Step;

/// The operations of steps. Each makes one value, except Loop. Loop and
/// Recurrence have steps of their own.
namespace step {

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// A weight; the current member, if `weight.indices` are variables of loops
/// around the step.
struct ReadWeight {
  BoundWeight weight;
};

/// A scalar.
struct Constant {
  ExactScalar value;
  bool operator==(const Constant &) const = default;
};

/// An integer vector of `shape` that holds `value` everywhere.
struct Fill {
  int64_t value;
  std::vector<Dim> shape;
  bool operator==(const Fill &) const = default;
};

/// The values of an index function as a tensor of `shape`.
struct Tabulate {
  IndexFunction function;
  std::vector<Dim> shape;
  bool operator==(const Tabulate &) const = default;
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The sum of a * b over each label of both operands that is not in `out`.
struct Contract {
  Operand a, b;
  Labels out;
  bool operator==(const Contract &) const = default;
};

/// `a` and `b` combined where their labels agree; an operand that lacks a label
/// of `out` is broadcast along it.
struct Elementwise {
  Binary kind;
  Operand a, b;
  Labels out;
  bool operator==(const Elementwise &) const = default;
};

/// x * factor; `written` is the text of the factor in the spec: "1 / √d_k".
struct Scale {
  ValueId x;
  ExactScalar factor;
  std::string written;
  bool operator==(const Scale &) const = default;
};

/// A function of each element.
struct Apply {
  Unary kind;
  ValueId x;
  bool operator==(const Apply &) const = default;
};

/// x to a constant power, elementwise.
struct Power {
  ValueId x;
  ExactScalar exponent;
  bool operator==(const Power &) const = default;
};

/// x between the bounds that are given.
struct Clamp {
  ValueId x;
  std::optional<ExactScalar> least, most;
  bool operator==(const Clamp &) const = default;
};

/// Normalizes each row; `epsilon` is 0 for Unit.
struct Normalize {
  RowWise kind;
  ValueId x;
  ExactScalar epsilon;
  bool operator==(const Normalize &) const = default;
};

/// Over the last axis of x. The entries that take part are all, those at
/// positions where `mask` holds, or those where the boolean matrix `among`
/// holds.
struct Softmax {
  ValueId x;
  std::optional<IndexFunction> mask = {};
  std::optional<ValueId> among = {};
  /// An additional score for each row, a scalar; if it has axes of families,
  /// these are the first axes of the scores.
  std::optional<ValueId> sink = {};
  bool operator==(const Softmax &) const = default;
};

/// Over axis `axis`, which disappears.
struct Reduce {
  Reduction kind;
  ValueId x;
  unsigned axis;
  bool operator==(const Reduce &) const = default;
};

/// x rounded to the precision of `dtype`.
struct Round {
  ValueId x;
  std::string dtype;
  bool operator==(const Round &) const = default;
};

//===----------------------------------------------------------------------===//
// Selection and order
//===----------------------------------------------------------------------===//

/// Rows of `table` (axes: rows, columns…) selected by integers: the result has
/// the shape of `indices` followed by the table's other axes.
struct Gather {
  ValueId table, indices;
  bool operator==(const Gather &) const = default;
};

/// `size` positions of axis `axis` from `offset`.
struct Slice {
  ValueId x;
  unsigned axis;
  int64_t offset;
  Dim size;
  bool operator==(const Slice &) const = default;
};

/// Position `index` of axis `axis`, which disappears. Negative: from the end.
struct Select {
  ValueId x;
  unsigned axis;
  int64_t index;
  bool operator==(const Select &) const = default;
};

/// Reorders, splits or merges axes: from[k] and to[k] are the labels of axis k,
/// slowest first; `sizes` gives the size of each label. concat(head) is
/// {{i},{n},{c}} → {{n},{i,c}}; a transpose is {{a},{b}} → {{b},{a}}.
struct Rearrange {
  ValueId x;
  std::vector<Labels> from, to;
  std::vector<std::pair<std::string, Dim>> sizes;
  bool operator==(const Rearrange &) const = default;
};

/// Repeats each member of axis `axis` `times` times in a row: K[i div g].
struct Repeat {
  ValueId x;
  unsigned axis;
  int64_t times;
  bool operator==(const Repeat &) const = default;
};

/// Concatenates a and b along `axis`: [a; b] rows, [a, b] columns.
struct Append {
  ValueId a, b;
  unsigned axis;
  bool operator==(const Append &) const = default;
};

/// Turns the pairs of columns of x by the angles of its row.
struct Rotate {
  ValueId x;
  IndexFunction angles;
  bool operator==(const Rotate &) const = default;
};

/// Whether an entry is one of the `count` largest of its row.
struct Top {
  ValueId x;
  int64_t count;
  bool operator==(const Top &) const = default;
};

/// The windows that a convolution multiplies with its kernel; `pad` zeros
/// before the first row, or its mirror image.
struct Unfold {
  ValueId x = -1;
  int64_t stride = 1, pad = 0;
  bool isReflected = false;
  std::vector<Dim> shape = {};
  bool operator==(const Unfold &) const = default;
};

/// x some positions earlier along `axis`: y[t] = x[t - by], and zero where t <
/// by.
struct Delay {
  ValueId x;
  unsigned axis;
  int64_t by;
  bool operator==(const Delay &) const = default;
};

/// The squares of `size` by `size` pixels of an image, each as one row.
struct Patches {
  ValueId x;
  int64_t size;
  bool operator==(const Patches &) const = default;
};

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

/// for variable < count { carried values }: the body computes the next carried
/// values from the current ones. Makes one value for each of them.
struct Loop {
  std::string variable;
  int64_t count = 0;
  std::vector<ValueId> carried; // before the first round
  /// The carried values in the body are current, current + 1, ….
  ValueId current = -1;
  std::vector<Step> body;
  std::vector<ValueId> next; // after a round
};

/// S[t] = … S[t - 1] …: the body computes the state after a position from the
/// state before it and from the rows of the position, none of which have the
/// axis of positions. Makes the states after all positions.
struct Recurrence {
  /// The rows of a value, whose positions are along `axis`.
  struct Rows {
    ValueId value;
    unsigned axis;
    bool operator==(const Rows &) const = default;
  };
  std::vector<Rows> rows;
  ValueId firstRow = -1; // the rows in the body are firstRow, firstRow + 1, …
  ValueId initial = -1;  // the state before the first position
  ValueId state = -1;    // the state in the body
  std::vector<Step> body;
  ValueId next = -1;      // the state after the position
  unsigned axis = 0;      // of positions, in the states
  bool backwards = false; // from the last position to the first
};

using Operation =
    std::variant<ReadWeight, Constant, Fill, Tabulate, Contract, Elementwise,
                 Scale, Apply, Power, Clamp, Normalize, Softmax, Reduce, Round,
                 Gather, Slice, Select, Rearrange, Repeat, Append, Rotate, Top,
                 Unfold, Delay, Patches, Loop, Recurrence>;

} // namespace step

/// A call whose callee was inlined, and the call around it.
struct CallSite {
  Place at;
  std::shared_ptr<const CallSite> outer; // null: in the equations of an entry
};

/// An operation, and the value that it makes. The values of a loop are result,
/// result + 1, ….
struct Step {
  step::Operation operation;
  ValueId result;
  Place place; // in the spec
  /// The innermost of the calls that led to the equation; null if there is
  /// none.
  std::shared_ptr<const CallSite> caller = {};
};

/// The equations of one entry.
struct Equations {
  std::vector<Step> steps;
  std::vector<ValueId> results; // of the entry
};

} // namespace transfold::spec
