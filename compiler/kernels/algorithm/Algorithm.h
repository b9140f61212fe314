// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as Halide functions, before it has a schedule. This header does not
// depend on MLIR, so that the files about schedules know Halide only.

#pragma once

#include <Halide.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace transfold::kernels {

/// An axis of a value: a fixed number of positions, or a named length that is
/// known only when the program runs.
struct Axis {
  int64_t size = 0;
  std::string length;

  /// Whether the axis is a length, so that `size` is not used.
  bool isLength() const { return !length.empty(); }
};

/// Properties of the schedule and of the target that the definitions of a
/// kernel depend on. The parts in which a sum is computed belong to the
/// algorithm, not to the schedule, since they determine its roundings.
struct LoweringOptions {
  /// Number of interleaved partial results of a reduction along a row: columns
  /// of a tile, keys of a panel.
  int lanes = 1;
  /// The same for norms that are fused with a product, whose `lanes` are
  /// columns; 0 means `lanes`.
  int lanesOfNorms = 0;
  /// Sums of a product over an axis of known size are computed in parts of this
  /// many terms; 0 for one part.
  int depth = 0;
  /// Number of bfloat16 products that one instruction adds up.
  int dot = 1;
  /// Halide does not select that instruction by itself: it is marked in the
  /// definitions, too.
  bool marksPairs = false;
  /// Products of bfloat16 are added up in the order in which matrix (tile)
  /// registers add them (PairProduct.cpp).
  bool sumsHalves = false;
  /// The instruction that multiplies bytes takes unsigned codes only: signed
  /// codes get a bias (IntegerProduct.cpp).
  bool takesUnsignedCodes = false;
  /// One instruction multiplies eight bytes of each of two rows with those of
  /// two columns, and integers are laid out for it (IntegerRows.cpp).
  bool octets = false;
  /// A matrix in blocks is widened once and then used for many rows.
  bool widens = false;
  /// The kernel runs on a device; its buffers have one more dimension.
  bool isOnDevice = false;
  /// Number of rows of a product that one thread block of a device computes.
  int rowsOfBlock = 1;
  /// Marks in definitions are replaced by instructions:
  /// build/llvm/FusedProducts.h.
  bool hasMarks = false;

  /// Products of pairs of bfloat16 are marked in the definitions.
  bool multipliesPairs() const { return dot > 1 && hasMarks; }
};

/// A buffer that holds a matrix in panels. A panel consists of rows of
/// `rowElements` elements of `elementBytes` bytes each; `rows` consecutive rows
/// hold `numbers` values of each of its columns.
struct PanelBuffer {
  std::string name;
  int elementBytes = 0, rowElements = 0, rows = 1, numbers = 1;
};

/// Terms that are products of floats.
struct FloatTerms {};

/// Terms that are products of bfloat16, with a matrix that is stored in pairs
/// of rows.
enum class PairTerms {
  Widened,   ///< both values of a pair are widened, then multiplied as floats
  Halves,    ///< the same; `sum` has one half of the terms of a part, which its
             ///< last argument selects
  Dots,      ///< one instruction, which Halide selects, multiplies a pair of
             ///< values and adds both products
  Words,     ///< words of two values are marked for that instruction
  Fragments, ///< words of two values are operands of matrix instructions of a
             ///< device
};

/// Terms that are products with the codes of a matrix in blocks.
struct BlockTerms {
  /// What is multiplied: a code that was converted to a float; or words of four
  /// codes, or octets of two columns, with integers of the same layout. Then
  /// `sum` is an integer.
  enum class Codes { Floats, Words, Octets };
  Codes codes = Codes::Floats;
  /// The codes of the matrix, four as the bytes of a word, if they are
  /// assembled from several bit fields: (column, word, group, block, members…).
  Halide::Func words;
  /// Scales and minimums: for each block (column, block, members…) and for each
  /// group (column, group, block, members…).
  std::vector<Halide::Func> ofBlocks, ofGroups;
  /// For each group of the rows (group, rows…): the sums that are multiplied
  /// with minimums, or the integers that sums begin with. `lanesOfSums` (lane,
  /// group, rows…) are their partial sums; for integers, `totalsOfSums` is the
  /// sum of these.
  Halide::Func sumsOfGroups, lanesOfSums, totalsOfSums;

  bool areIntegers() const { return codes != Codes::Floats; }
  bool areOctets() const { return codes == Codes::Octets; }
};

/// The operands of a product on a device: (row, channel, members…) of the
/// first, (column, channel, members…) of the second, with words of two channels
/// in place of channels for PairTerms::Fragments, so that a schedule can let
/// the threads of a block load them together; otherwise Halide inlines them.
/// Undefined if the result has no row or no column. With several second
/// operands (ProductsTogether.cpp) `tileOfColumns` is a tuple, and so are `sum`
/// and `total`.
struct DeviceOperands {
  Halide::Func tileOfRows, tileOfColumns;
  /// Scales and minimums of a matrix in blocks for each group of
  /// `groupNumbers` rows: (column, group, members…).
  std::vector<Halide::Func> ofGroups;
  int groupNumbers = 1;
};

/// The first product of an attention, whose sums are over channels.
struct ScoreTerms {
  int64_t channels = 0;
  /// The first operand (channel, query, head…), if reading it takes more than a
  /// load.
  Halide::Func queries;
  /// Sums in interleaved parts, each over every n-th channel: the last argument
  /// of `partials` is the part, and the entry that is read adds the parts by
  /// halving their number repeatedly. In an attention of few queries the part
  /// is a vector lane, the first argument of `sum` and of `halves`.
  Halide::Func partials;
  std::vector<Halide::Func> halves;
};

/// A contraction: Σ a·b over one label. The arguments of `sum` are the labels
/// of the result, innermost first: columns, rows, then families such as heads.
/// In an attention on a processor, the last argument is the strip that contains
/// the row.
struct Contraction {
  Halide::Func sum;
  /// How terms are multiplied.
  std::variant<FloatTerms, PairTerms, BlockTerms> terms;
  /// The reduction domain. Over a length: positions of a block, blocks. For
  /// PairTerms: the two values of a pair, pairs of a group, groups; of `Words`
  /// only the pairs; of `Halves` the pairs of a part. For BlockTerms: the
  /// values of a word and the words of a group; of integers the words; if the
  /// matrix was widened before, the values of a group. Otherwise one variable.
  Halide::RDom over;
  /// If the sum is computed in parts, the last argument of `sum` is the part
  /// (for BlockTerms the last two: the groups of a block, and the blocks), and
  /// `total` adds the parts. This replaces the many successive roundings of a
  /// long sum by few.
  Halide::Func total;
  Halide::RDom parts;
  /// The finished Σ a·b, which later operations read.
  Halide::Func value;
  /// The first operand (channel, rows…) if it is computed in advance: rounded;
  /// on a device, unchanged; or multiplied with the powers of 2 that belong to
  /// the positions of codes in a word. For a matrix in pairs: (0 or 1, pair,
  /// row), or words of two values if instructions are marked: (pair, rows…).
  /// For products of integers, words of four: (word, rows…); or octets of pairs
  /// of rows: (0 or 1, octet, rows…). For the mixture of an attention, pairs of
  /// weights: (pair, rows…).
  Halide::Func prepared;
  /// The second operand, if it was packed before, and the number of values of a
  /// column that are summed.
  std::optional<PanelBuffer> matrix;
  int64_t depth = 0;
  /// The second operand in panels, if it was not packed before: (column or key
  /// of the panel, channel, panel, members…). If it is stored in blocks:
  /// (column, value of the group, group, block, panel, members…). For a mixture
  /// that sums over pairs, the pairs of values: (channel, then pair and head in
  /// the order of the argument).
  Halide::Func panels;
  DeviceOperands device;
  ScoreTerms byChannels;
  /// Columns of a panel of the second operand if it was packed before, else 0.
  int panel = 0;
  /// Columns of a tile, except in an attention.
  int width = 1;
  /// The axes of the result that form tiles; nullopt if there is no such axis.
  std::optional<size_t> column, row;
  /// The columns are an axis of the second operand only, not of both operands.
  bool isOfColumns = false;
  /// Number of columns of the result; 0 for a length.
  int64_t columns = 0;

  /// Whether terms are products of bfloat16 in this way.
  bool isOf(PairTerms kind) const {
    const auto *pairs = std::get_if<PairTerms>(&terms);
    return pairs && *pairs == kind;
  }
  /// The terms, if the matrix is in blocks; otherwise null.
  const BlockTerms *blocks() const { return std::get_if<BlockTerms>(&terms); }
  BlockTerms *blocks() { return std::get_if<BlockTerms>(&terms); }
  bool isOfIntegers() const { return blocks() && blocks()->areIntegers(); }
  bool isOfOctets() const { return blocks() && blocks()->areOctets(); }
};

/// A sum or maximum along the last axis: `lanes` partial results (lane, rows…),
/// each over every lanes-th entry, then `total` (rows…) over the lanes. On a
/// processor `halves` are in between, each with half as many lanes, down to
/// one; on a device `total` iterates over the lanes.
struct RowReduction {
  Halide::Func lanes;
  Halide::RDom blocks;
  std::vector<Halide::Func> halves;
  Halide::Func total;
  Halide::RDom across;
  /// If a row is summed in parts of keys, the last argument of `lanes` and
  /// `halves` is the part, and `total` is the sum over the parts.
  Halide::RDom parts;
};

/// A sum or maximum along an axis that is not the last; `value` copies it, so
/// that `sum` can be kept in registers.
struct ColumnReduction {
  Halide::Func sum;
  Halide::RDom over;
  Halide::Func value;
};

/// Rows quantized to 8-bit integers, with one scale for each group of `numbers`
/// values. For each group: partial maxima of the bits of its largest value
/// (lane, group, rows…), the maximum of these, the scale and its inverse
/// (group, rows…).
struct QuantizedRows {
  Halide::Func lanes, largest, scales, inverses;
  int numbers = 0;
};

/// An attention whose tasks are parts of the keys: AttentionParts.cpp.
struct PartsOfKeys {
  Halide::Var part;
  /// The input of the softmax: (key of the part, row, head, part).
  Halide::Func scores;
  /// A tuple of the mixture and the sum of its weights; the last argument is
  /// the part.
  Halide::Func made;
  /// For each row: the sum over its parts, and the factor that a mixture is
  /// multiplied by.
  Halide::Func total, inverse;
  /// Number of keys of a part, number of heads of the queries.
  int keys = 0;
  int64_t heads = 0;
};

/// An attention on a device whose softmax is computed along with its sums, one
/// part of keys after the other: AttentionOnline.cpp.
struct OnlineAttention {
  /// The input of the softmax: (key, row, families…).
  Halide::Func scores;
  /// For each part: lanes (row, lane, families…, part), the maximum or sum of a
  /// row (row, families…, part), and weights (row, key of the part, families…,
  /// part).
  Halide::Func lanesOfMaximum, maximum, weights, lanesOfSum, sum;
  /// The mixture of a part, a tuple: (group of channels, row, others…, part).
  Halide::Func mixture;
  /// The mixture of all parts so far, a tuple that begins with maximum and sum:
  /// (group of channels, row, others…, strip). If parts are thread blocks, the
  /// mixture of all of them, without a strip.
  Halide::Func made;
  /// If parts are thread blocks, the results that each leaves in the device's
  /// memory: (slot, row, others…, part). Slot k · groups + group holds element
  /// k of a group: maximum, sum, then the channels of the mixture.
  Halide::Func inMemory;
  Halide::RDom parts, blocks, across, keys;
  /// The values, as Contraction::tileOfColumns has the operand of a product.
  Halide::Func tileOfValues;
  int keysOfPart = 0, rowsOfStrip = 0, channelsOfGroup = 0, groups = 0;

  /// Whether the last group holds fewer of the `channels` channels than the
  /// others.
  bool hasPadding(int64_t channels) const {
    return int64_t{channelsOfGroup} * groups > channels;
  }
  /// How a loop over `channels` channels is split into groups.
  Halide::TailStrategy tailOfGroups(int64_t channels) const {
    return hasPadding(channels) ? Halide::TailStrategy::GuardWithIf
                                : Halide::TailStrategy::Auto;
  }
};

/// A recurrence in lanes (dialect/recurrences/LanePlan.h), whose statements are
/// the update of one function: LowerScan.cpp.
struct LaneScan {
  /// (lane, place, families…). A place is an entry of a state, a kept value, or
  /// the value of a result at one position.
  Halide::Func places;
  /// The number of places.
  Halide::Expr count;
  /// Statements of a pass, groups of slots, passes, positions.
  Halide::RDom over;
  /// For each result of the kernel, the variables of its axes: `lane`,
  /// `family0`, `family1`, …, and others. Loops of several results can be one
  /// if their variables have the same names.
  std::vector<std::vector<Halide::Var>> results;
  /// Number of families.
  int families = 0;
};

/// A region as Halide functions. Every value of the region is a function that
/// Halide inlines into its uses, except those listed here.
struct Algorithm {
  std::string name;
  std::vector<Halide::ImageParam> arguments;
  /// The result with its axes in memory order, innermost first; on a device,
  /// one more argument at the end is the offset at which the result begins.
  Halide::Func result;
  std::vector<Axis> resultAxes;

  std::vector<Contraction> contractions;
  std::vector<QuantizedRows> quantizedRows;
  std::vector<RowReduction> rowReductions;
  /// One value for each row, computed from its reductions: 1 / √(variance + ε).
  std::vector<Halide::Func> rowNumbers;
  /// Whole rows that are read more than once.
  std::vector<Halide::Func> rows;
  std::vector<ColumnReduction> columnReductions;
  std::optional<PartsOfKeys> partsOfKeys;
  std::optional<OnlineAttention> online;
  std::optional<LaneScan> scan;
  /// The results of a recurrence after the first: those of other rows, and the
  /// states after the last position.
  std::vector<Halide::Func> otherResults;
  /// A buffer that is read from memory once, and by how many bytes its
  /// prefetches are ahead of its loads.
  struct Streamed {
    std::string buffer;
    int ahead;
  };
  std::optional<Streamed> streamed;
  /// A buffer of which each task reads `lines` cache lines that are `stride`
  /// elements apart; the lines of the next task are prefetched during at most
  /// `tiles` tiles.
  struct ReadByTasks {
    std::string buffer;
    int lines, stride, tiles;
  };
  std::optional<ReadByTasks> readByTasks;
  /// Sums that tile (matrix) instructions compute: of words of codes
  /// (`columns`) and words of integers (`rows`); of octets and rows in pairs;
  /// or of words of two bfloat16 values, as described in
  /// build/tiles/TileCalls.h; or, on a device, of fragments of such words, as
  /// described in build/tiles/FragmentCalls.h.
  struct TileSums {
    /// What is multiplied, and hence by which instruction.
    enum Kind { Words, Octets, Pairs, Fragments };
    Kind kind = Words;
    std::string sum, rows, columns;
  };
  std::optional<TileSums> tileSums;
  /// The target's additions treat values below 2^-126 as 0, both as operands
  /// and as results: build/llvm/FlushedDenormals.cpp.
  bool flushesDenormals = false;
  /// Biases by distance, arguments (j - i, heads…).
  std::vector<Halide::Func> distances;
  /// Sums from the first entry up to each, computed sequentially.
  std::vector<Halide::Func> runningSums;

  /// All results, in order.
  std::vector<Halide::Func> results() const {
    std::vector<Halide::Func> all = {result};
    all.insert(all.end(), otherResults.begin(), otherResults.end());
    return all;
  }
  /// The arguments of the kernel's function, in order.
  std::vector<Halide::Argument> inferArguments() const {
    return {arguments.begin(), arguments.end()};
  }
};

} // namespace transfold::kernels
