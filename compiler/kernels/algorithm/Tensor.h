// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of each operation as a Halide definition: tensors are functions
// of their indices, in the order of the equations.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSOR_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSOR_H

#include "compiler/kernels/algorithm/Algorithm.h"
#include "dialect/exact/IndexExpr.h"

#include <functional>
#include <optional>

namespace transfold::kernels {

using Indices = std::vector<Halide::Expr>;
using Labels = std::vector<std::string>;

struct Tensor {
  std::vector<Axis> axes;
  /// The entry at these indices, one for each axis.
  std::function<Halide::Expr(const Indices &)> at;
  /// Reading an entry again costs a load and no arithmetic.
  bool isStored = false;
  /// A softmax: entries before, and what they are divided by (all axes but the
  /// last). A product that sums over the last axis divides afterwards.
  std::function<Halide::Expr(const Indices &)> numerator = nullptr;
  std::function<Halide::Expr(const Indices &)> divisor = nullptr;
  /// Columns of a panel, where it is packed.
  int panel = 0;
  /// A matrix whose rows i and i + pairDistance of each 2 pairDistance lie side
  /// by side: the entry at (pair, 0 or 1, column).
  std::function<Halide::Expr(const Indices &)> paired = nullptr;
  /// The entry as a bfloat16, where it is one.
  std::function<Halide::Expr(const Indices &)> narrow = nullptr;
  /// A length as a number: exactly, as an integer.
  Halide::Expr count = {};
};

/// #xf.panels<width, 2>
constexpr int pairDistance = 16;

/// i0, i1, …: one for each axis.
std::vector<Halide::Var> indexVariables(size_t rank);
/// Halide's order: the innermost first.
std::vector<Halide::Var> innermostFirst(const std::vector<Halide::Var> &);
std::vector<Halide::Expr> innermostFirst(const Indices &);
enum class Reduction { Sum, Mean, Max };

/// How many numbers become one: from where, and by what.
struct Join {
  Halide::Expr start;
  Halide::Expr (*of)(const Halide::Expr &, const Halide::Expr &);
  /// The order of the numbers changes no bit.
  bool isInAnyOrder = false;

  static Join sum();
};

/// How the numbers of an argument lie in memory.
enum class Stored { Int32, Float32, BFloat16, Float16 };

/// Makes an Algorithm, operation by operation.
class AlgorithmBuilder {
public:
  AlgorithmBuilder(std::string name, bool isAttention,
                   const LoweringOptions &options);

  /// The next argument.
  Tensor addArgument(std::vector<Axis> axes, Stored stored);
  /// The next argument, a matrix of weights in panels: #xf.panels<width,
  /// interleaved>.
  Tensor addPanels(std::vector<Axis> axes, Stored stored, int64_t width,
                   int64_t interleaved);
  Algorithm finish(const Tensor &result);

  Tensor constant(const Halide::Expr &value, std::vector<Axis> axes = {});
  /// How many positions an axis has, as a number.
  Tensor length(const Axis &axis);
  Tensor unary(const std::string &name, const Tensor &input,
               const std::function<Halide::Expr(Halide::Expr)> &function);
  /// Entry by entry; axes are matched by label.
  Tensor pointwise(
      const std::string &name, const Tensor &lhs, const Labels &lhsLabels,
      const Tensor &rhs, const Labels &rhsLabels, const Labels &labels,
      const std::function<Halide::Expr(Halide::Expr, Halide::Expr)> &function);
  Tensor contract(const Tensor &lhs, const Labels &lhsLabels, const Tensor &rhs,
                  const Labels &rhsLabels, const Labels &labels);

  /// A bound of the keys that rows `first` … `last` of an attention may see.
  using KeyBound =
      std::function<Halide::Expr(Halide::Expr first, Halide::Expr last)>;
  /// An attention is made in strips of so many rows or, without one, in parts
  /// of keys. Its sums are made in parts of so many keys, and its scores in so
  /// many sums over every n-th channel; 0 for one after the other. A piece
  /// reads keys from `from` up to, and without, `to` only; each may be null.
  struct KeyLimits {
    int strip = 0, part = 0, across = 0;
    KeyBound from, to;
  };
  void limitKeys(KeyLimits keyLimits);

  /// Whether query i sees key j.
  using Mask = std::function<Halide::Expr(Halide::Expr i, Halide::Expr j)>;
  /// factor · 2^(exponent x) / Σ 2^(exponent x) over the last axis, where
  /// `mask` holds for the last two indices, or `among` is above 0; over all of
  /// it without them; exponent > 0. 2^(exponent sink) joins the sum: a number
  /// for each member of the first axes.
  Tensor softmax(const Tensor &input, const Halide::Expr &exponent,
                 const Halide::Expr &factor, const Mask &mask = nullptr,
                 const Tensor *among = nullptr, const Tensor *sink = nullptr);
  // Rows that are `factor` times as large as their norm says.
  Tensor standardize(const Tensor &input, const Halide::Expr &epsilon,
                     const Halide::Expr &factor);
  Tensor unitRms(const Tensor &input, const Halide::Expr &epsilon,
                 const Halide::Expr &factor);
  Tensor unit(const Tensor &input, const Halide::Expr &factor);
  Tensor reduce(const Tensor &input, unsigned axis, Reduction kind);

  Tensor gather(const Tensor &table, const Tensor &rows);
  Tensor slice(const Tensor &input, unsigned axis, const Halide::Expr &offset,
               std::vector<Axis> axes);
  Tensor select(const Tensor &input, unsigned axis, int64_t position);
  Tensor repeat(const Tensor &input, unsigned axis, int64_t times);
  Tensor append(const Tensor &lhs, const Tensor &rhs, unsigned axis,
                std::vector<Axis> axes);
  /// Members of a family, which become the first axis.
  Tensor stack(const std::vector<Tensor> &members);
  /// An image [c, h, w] as rows of squares.
  Tensor patches(const Tensor &image, int64_t size, std::vector<Axis> axes);
  /// A value defined by index, in double. The first axis with a length begins
  /// at position `first`, at 0 where that is undefined.
  Tensor tabulate(const IndexExpr &body, const std::vector<Tensor> &arrays,
                  std::vector<Axis> axes, const Halide::Expr &first = {});
  Tensor rotate(const Tensor &input, const Tensor &cosines,
                const Tensor &sines);
  /// 1 for the `count` largest of each row, the first of equal ones; else 0. A
  /// row with NaN is NaN.
  Tensor top(const Tensor &input, int64_t count);
  // Rows that are chosen: where a rank is larger than the one before.
  Tensor rank(const Tensor &input);
  Tensor pickChosen(const Tensor &input, const Tensor &ranks,
                    std::vector<Axis> axes);
  Tensor spreadChosen(const Tensor &input, const Tensor &ranks,
                      std::vector<Axis> axes);
  /// Rows t · stride - pad and on, for each t; zeros beyond the ends.
  Tensor windows(const Tensor &input, int64_t stride, int64_t pad,
                 std::vector<Axis> axes);
  Tensor rearrange(const Tensor &input, const std::vector<Labels> &from,
                   const std::vector<Labels> &to, std::vector<Axis> axes);

private:
  /// A function of `rank` indices, named after the kernel and `operation`.
  Tensor define(const std::string &operation, std::vector<Axis> axes,
                const std::function<Halide::Expr(const Indices &)> &entry);
  std::string uniqueName(const std::string &operation);
  std::string nextArgument() const;
  Halide::Expr constrain(Halide::OutputImageParam buffer,
                         const std::vector<Halide::Expr> &extents,
                         const std::vector<bool> &isOwn) const;
  /// Positions of an axis.
  Halide::Expr extent(const Axis &axis) const;
  /// Of a function: its indices, and where an attention is made in pieces, the
  /// piece.
  std::vector<Halide::Var>
  variablesOf(const std::vector<Halide::Var> &indices) const;
  std::vector<Halide::Expr> argumentsOf(const Indices &indices) const;
  std::function<Halide::Expr(const Indices &)>
  entriesOf(const Halide::Func &function) const;
  std::function<Halide::Expr(const Indices &)>
  entriesOverKeys(const Halide::Func &function) const;
  /// Whether the pieces of an attention are parts of keys.
  bool hasPartsAsTasks() const;
  Halide::Expr countOfParts(const Axis &keys) const;
  /// Limits `domain` to what a piece may see of block `block` of all; the rest
  /// contributes nothing.
  void limitToSeen(Halide::RDom &domain, const Halide::Expr &block) const;
  /// The parts of keys that a piece may see.
  Halide::RDom seenParts(const Axis &keys, const std::string &name) const;
  /// A loop over the blocks of keys of a piece, within part `part` where that
  /// is defined; the blocks are its last variable, the keys of one its first.
  Halide::RDom blocksOfPiece(const Axis &keys, const std::string &name,
                             const Halide::Expr &part, bool withKeys) const;
  /// Key `lane` of block `number` of part `part`, or of all blocks.
  Halide::Expr keyAt(const Halide::Expr &part, const Halide::Expr &number,
                     const Halide::Expr &lane) const;
  /// Defines `function` at `indices`, the last of which is a key: in a piece of
  /// an attention, for the blocks of keys that it reads, by an update.
  void defineOverKeys(
      Halide::Func &function, const std::vector<Halide::Var> &indices,
      const Axis &keys,
      const std::function<Halide::Expr(const Indices &)> &entry) const;
  void beginPieces(const Axis &rows, const Axis &keys);
  /// In how many interleaved sums over channels a score is made.
  int sumsAcross(const Axis &channels) const;
  /// The sum of the `width` entries of `function` along its last argument, in
  /// the order of inHalves.
  std::function<Halide::Expr(const Indices &)>
  inTree(const Halide::Func &function, int width) const;
  /// A product outside an attention, as it is put together.
  struct Product;
  Tensor product(const Tensor &lhs, const Labels &lhsLabels, const Tensor &rhs,
                 const Labels &rhsLabels, const Labels &labels);
  void chooseTile(const Product &product, const std::vector<Axis> &axes,
                  Contraction &contraction);
  void sumOver(Product &product, Contraction &contraction);
  Halide::Expr rightOf(Product &product, Contraction &contraction);
  Halide::Expr leftOf(Product &product, Contraction &contraction);
  Tensor scoresInParts(const Tensor &lhs, const Labels &lhsLabels,
                       const Tensor &rhs, const Labels &rhsLabels,
                       const Labels &labels);
  Tensor mixtureInParts(const Tensor &lhs, const Labels &lhsLabels,
                        const Tensor &rhs, const Labels &rhsLabels,
                        const Labels &labels);
  /// Half as many lanes, the first argument, and so on to one.
  std::vector<Halide::Func> inHalves(const std::string &operation,
                                     Halide::Func lanes, int width,
                                     const Join &join);
  void reduceLanes(RowReduction &reduction, const std::string &operation,
                   const std::vector<Halide::Var> &rows, int width,
                   const Join &join);
  Tensor reduceKeys(const std::string &operation,
                    const std::vector<Axis> &shape, const Join &join,
                    const std::function<Halide::Expr(const Indices &)> &entry);
  /// All `entry` along the last axis of `shape` as one.
  Tensor reduceRow(const std::string &operation, const std::vector<Axis> &shape,
                   const Join &join,
                   const std::function<Halide::Expr(const Indices &)> &entry);
  /// The largest entry of each row; NaN where there is one.
  Tensor largestOfRow(const std::string &operation, const Tensor &input);
  /// A number of each row, computed once: 1 / √(…).
  Tensor rowNumber(const std::string &operation, const Tensor &reduced,
                   const std::function<Halide::Expr(Halide::Expr)> &function);
  Tensor rowNumber(
      const std::string &operation, const Tensor &reduced,
      const std::function<Halide::Expr(const Indices &, const Halide::Expr &)>
          &function);
  /// `input`, as a row that is computed once if it is not in memory.
  Tensor keepRow(const Tensor &input);

  Algorithm algorithm;
  bool isAttention;
  int lanes, depth, dot;
  bool isOnDevice;
  int operations = 0;

  std::optional<KeyLimits> limits;
  /// A strip of queries or a part of keys, and the blocks of `lanes` keys that
  /// it may see; undefined for all.
  struct Piece {
    Halide::Var index;
    Halide::Expr begin, end;
  };
  std::optional<Piece> piece;
  /// Of each part: the sum of its weights. Of a row: what its mixture is
  /// multiplied by, from the sum over all parts.
  struct SoftmaxOfParts {
    Tensor sum;
    std::function<Halide::Expr(const Indices &row, const Halide::Expr &sum)>
        inverse;
  };
  std::optional<SoftmaxOfParts> softmaxOfParts;
  std::map<std::string, Halide::Expr> lengths;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSOR_H
