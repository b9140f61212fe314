// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as Halide functions, before it has a schedule. Free of MLIR, so that
// the files about schedules know Halide only.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ALGORITHM_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ALGORITHM_H

#include <Halide.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace transfold::kernels {

/// An axis of a value: a number of positions, or a length that is known only
/// when the program runs.
struct Axis {
  int64_t size = 0;
  std::string length;

  bool isLength() const { return !length.empty(); }
};

/// What the definitions of a kernel take from its schedule and its target. In
/// which parts a sum is made belongs to what is computed: its roundings do.
struct LoweringOptions {
  /// Rows are reduced in so many interleaved parts: columns of a tile, keys of
  /// a panel.
  int lanes = 1;
  /// The same of norms beside a product, whose lanes are columns; 0 for
  /// `lanes`.
  int lanesOfNorms = 0;
  /// Products over a number of positions are made in parts of so many; 0 for
  /// one part.
  int depth = 0;
  /// Products of bfloat16 that one instruction adds up.
  int dot = 1;
  /// Halide does not find that instruction: marks are for it, too.
  bool marksPairs = false;
  /// Products of bfloat16 are added up in the order of registers of matrices
  /// (PairProduct.cpp).
  bool sumsHalves = false;
  /// The instruction that multiplies bytes takes codes without a sign alone:
  /// those with one get a bias (IntegerProduct.cpp).
  bool takesUnsignedCodes = false;
  /// One instruction multiplies eight bytes of each of two rows with those of
  /// two columns: integers lie so (IntegerRows.cpp).
  bool octets = false;
  /// A matrix in blocks is widened once for many rows.
  bool widens = false;
  /// Buffers have a dimension more.
  bool isOnDevice = false;
  /// Rows of a product that a block of a device's threads makes.
  int rowsOfBlock = 1;
  /// Marks in definitions become instructions: build/FusedProducts.h.
  bool hasMarks = false;

  /// Marks say where pairs of bfloat16 are multiplied.
  bool multipliesPairs() const { return dot > 1 && hasMarks; }
};

/// A buffer with a matrix in panels. A panel is rows of so many elements, and
/// `rows` of them hold `numbers` of each of its columns.
struct PanelBuffer {
  std::string name;
  int elementBytes = 0, rowElements = 0, rows = 1, numbers = 1;
};

/// Σ a·b over one label. The arguments of `sum` are the labels of the result,
/// innermost first: columns, rows, then families such as heads. Of an attention
/// on a processor, the last is the strip that the row lies in.
struct Contraction {
  Halide::Func sum;
  /// Over a length: positions of a block, blocks. Of a matrix in pairs: the two
  /// of a pair, pairs of a group, groups; or pairs, where one instruction takes
  /// them, or the pairs of a part, of which `sum` has a half. Otherwise one
  /// variable.
  Halide::RDom over;
  bool isPaired = false;
  /// Of a matrix in blocks: numbers of a word, words of a group; of one that
  /// was widened before, numbers of a group. Parts are groups of a block,
  /// blocks.
  bool isInBlocks = false;
  /// Where a sum is made in parts, `sum` has the part as its last argument (of
  /// a matrix in blocks two) and `total` is their sum. Many roundings of a long
  /// sum become few.
  Halide::Func total;
  Halide::RDom parts;
  /// Scores in interleaved parts, every n-th channel: `partials` has the part
  /// as its last argument, and what is read adds them in halves. For a query
  /// of few, the part is a lane of a vector, the first argument of `sum` and of
  /// `halves`.
  Halide::Func partials;
  std::vector<Halide::Func> halves;
  /// Σ a·b finished; what later operations read.
  Halide::Func value;
  /// The first operand (channel, rows…) where it is computed before: rounded;
  /// on a device, as it is; or with powers of 2 that belong to places of codes.
  /// For a matrix in pairs: (0 or 1, pair, row), or words of two where
  /// instructions are marked: (pair, rows…). For products of integers words of
  /// four: (word, rows…); or octets of pairs of rows: (0 or 1, octet, rows…).
  /// Of the mixture of an attention, pairs of weights: (pair, rows…).
  Halide::Func prepared;
  /// Words of codes are multiplied with words of integers; `over` has the words
  /// of a group, `sum` is an integer. Or octets with octets.
  bool isOfIntegers = false, isOfOctets = false;
  /// One instruction multiplies a pair of bfloat16 and adds both products, and
  /// Halide finds it; or does not, and words of two are marked.
  bool isDot = false, isOfPairs = false;
  /// `sum` has one half of the numbers of a part; which one is its last
  /// argument.
  bool isInHalves = false;
  /// Scales and minimums of a matrix in blocks: of a block (column, block,
  /// members…), and of a group (column, group, block, members…). On a device
  /// only the latter, of `groupNumbers` rows (column, group, members…).
  std::vector<Halide::Func> ofBlocks, ofGroups;
  int groupNumbers = 1;
  /// Its codes, four as the bytes of a word, where those are put together from
  /// several fields: (column, word, group, block, members…).
  Halide::Func words;
  /// Of the rows of a group (group, rows…): sums for minimums, or integers that
  /// sums begin with. And what they are made of: (lane, group, rows…), of
  /// integers also their sum.
  Halide::Func sumsOfGroups, lanesOfSums, totalsOfSums;
  /// The second operand, where it came packed, and how many numbers of a column
  /// are summed.
  std::optional<PanelBuffer> matrix;
  int64_t depth = 0;
  /// The second operand in panels, where it did not come so: columns or keys of
  /// a panel, channel, panel, members…. Where it came in blocks: columns,
  /// number of a group, group, block, panel, members…. Of a mixture that sums
  /// over pairs, those of values: channel, then pair and head as they lie.
  Halide::Func panels;
  /// On a device, both operands: (row, channel, members…) of the first,
  /// (column, channel, members…) of the second, so that a schedule can have the
  /// threads of a block load them together. Substituted where it does not.
  /// Undefined where the result has no row or no column. With several second
  /// operands (ProductsTogether.cpp) that of columns is a tuple, and so are
  /// `sum` and `total`.
  Halide::Func tileOfRows, tileOfColumns;
  /// Attention only: the first operand of the scores (channel, query, head…),
  /// where reading it is more than a load.
  Halide::Func queries;
  /// Channels that the scores sum over.
  int64_t channels = 0;
  /// Columns of a panel of the second operand, if it came packed; else 0.
  int panel = 0;
  /// Columns of a tile, outside an attention.
  int width = 1;
  /// Which axes of the result tiles are made of; none where there is no such.
  std::optional<size_t> column, row;
  /// The columns are those of the second operand, not of both.
  bool isOfColumns = false;
  /// Columns of the result; 0 for a length.
  int64_t columns = 0;
};

/// A sum or maximum along the last axis: `lanes` partial results (lane, rows…),
/// each over every lanes-th entry, then `total` (rows…) over the lanes. On a
/// processor `halves` are in between: half as many lanes, and so on to one; on
/// a device `total` goes through them.
struct RowReduction {
  Halide::Func lanes;
  Halide::RDom blocks;
  std::vector<Halide::Func> halves;
  Halide::Func total;
  Halide::RDom across;
  /// Where a row is summed in parts of keys, `lanes` and `halves` have the part
  /// as their last argument and `total` is the sum over these.
  Halide::RDom parts;
};

/// A sum or maximum along an axis that is not the last; `value` copies it, so
/// that `sum` can live in registers.
struct ColumnReduction {
  Halide::Func sum;
  Halide::RDom over;
  Halide::Func value;
};

/// Rows of integers of 8 bits with scales, `numbers` with one: what is computed
/// of a group. Lanes of the bits of its largest number (lane, group, rows…),
/// those bits, the scale and its inverse (group, rows…).
struct QuantizedRows {
  Halide::Func lanes, largest, scales, inverses;
  int numbers = 0;
};

/// An attention whose tasks are parts of keys: AttentionParts.cpp.
struct PartsOfKeys {
  Halide::Var part;
  /// What the softmax reads: (key of the part, row, head, part).
  Halide::Func scores;
  /// A mixture and the sum of its weights; the last argument is the part.
  Halide::Func made;
  /// Of a row: the sum over its parts, and what a mixture is multiplied by.
  Halide::Func total, inverse;
  /// Keys of a part, heads of the queries.
  int keys = 0;
  int64_t heads = 0;
};

/// An attention on a device whose softmax goes along with its sums, a part of
/// keys after the other: AttentionOnline.cpp.
struct OnlineAttention {
  /// What the softmax reads: (key, row, families…).
  Halide::Func scores;
  /// Of a part: lanes (row, lane, families…, part), the maximum or sum of a row
  /// (row, families…, part), and weights (row, key of the part, families…,
  /// part).
  Halide::Func lanesOfMaximum, maximum, weights, lanesOfSum, sum;
  /// The mixture of a part: (group of channels, row, others…, part), a tuple.
  Halide::Func mixture;
  /// The same of all parts so far, behind maximum and sum: (group of channels,
  /// row, others…, strip), a tuple. Where parts are blocks, of all of them,
  /// without a strip.
  Halide::Func made;
  /// Where parts are blocks, what each leaves in the device's memory: (slot,
  /// row, others…, part). Slot k · groups + group has number k of a group:
  /// maximum, sum, and the channels of the mixture.
  Halide::Func inMemory;
  Halide::RDom parts, blocks, across, keys;
  /// Values, as Contraction has them for a product.
  Halide::Func tileOfValues;
  int keysOfPart = 0, rowsOfStrip = 0, channelsOfGroup = 0, groups = 0;

  /// Whether the last group has fewer of so many channels than the others.
  bool hasPadding(int64_t channels) const {
    return int64_t{channelsOfGroup} * groups > channels;
  }
  /// How a loop over so many channels is split into groups.
  Halide::TailStrategy tailOfGroups(int64_t channels) const {
    return hasPadding(channels) ? Halide::TailStrategy::GuardWithIf
                                : Halide::TailStrategy::Auto;
  }
};

/// A region as functions. Every value of the region is a function that Halide
/// substitutes where it is used, except those listed here.
struct Algorithm {
  std::string name;
  std::vector<Halide::ImageParam> arguments;
  /// The result as it lies in memory, innermost axis first; on a device, where
  /// it begins is one more argument at the end.
  Halide::Func result;
  std::vector<Axis> resultAxes;

  std::vector<Contraction> contractions;
  std::vector<QuantizedRows> quantizedRows;
  std::vector<RowReduction> rowReductions;
  /// Numbers of a row, made from its reductions: 1 / √(variance + ε).
  std::vector<Halide::Func> rowNumbers;
  /// Whole rows that are read more than once.
  std::vector<Halide::Func> rows;
  std::vector<ColumnReduction> columnReductions;
  std::optional<PartsOfKeys> partsOfKeys;
  std::optional<OnlineAttention> online;
  /// A buffer that is read from memory once, and how many bytes before they
  /// are needed its lines are asked for.
  struct Streamed {
    std::string buffer;
    int ahead;
  };
  std::optional<Streamed> streamed;
  /// A buffer of which each task reads some lines, that are `stride` elements
  /// apart; and during how many tiles at most those of the next task are asked
  /// for.
  struct ReadByTasks {
    std::string buffer;
    int lines, stride, tiles;
  };
  std::optional<ReadByTasks> readByTasks;
  /// Sums that instructions for matrices make: of words of codes (`columns`)
  /// and of words of integers (`rows`), of octets and rows in pairs, or of
  /// words of two bfloat16, as build/TileCalls.h says.
  struct TileSums {
    enum Kind { Words, Octets, Pairs };
    Kind kind = Words;
    std::string sum, rows, columns;
  };
  std::optional<TileSums> tileSums;
  /// Numbers below 2^-126 are 0 to its additions, and what they make:
  /// build/FlushedDenormals.h.
  bool flushesDenormals = false;
  /// Biases by distance (j - i, heads…).
  std::vector<Halide::Func> distances;
  /// Sums from the first entry to each, made one after the other.
  std::vector<Halide::Func> runningSums;

  std::vector<Halide::Argument> inferArguments() const {
    return {arguments.begin(), arguments.end()};
  }
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ALGORITHM_H
