// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs weights. There are three ways, by the source of the elements: bytes
// that are copied unchanged; elements that are read, computed in double and
// encoded; and elements that are rounded to blocks. Every way packs any range
// of units, so that threads can share a weight.

#include "compiler/weights/Pack.h"

#include "base/numeric/BlockFormat.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/RoundedNumbers.h"
#include "compiler/reference/StoredNumbers.h"
#include "compiler/weights/Encode.h"
#include "dialect/Labels.h"
#include "dialect/weights/Channels.h"
#include "dialect/weights/Storage.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace transfold;
using namespace transfold::weights;
using reference::Part;

namespace {

/// Limits of the memory of each thread: a block of 4 MiB, and a million
/// elements of the weights that a computed weight depends on.
constexpr int64_t blockBytes = int64_t{4} << 20, mostRead = int64_t{1} << 20;

/// A member as a matrix, which is packed in rows or panels.
struct Matrix {
  explicit Matrix(xf::StoredOp stored)
      : storage(stored.getPlace()->getStorage()) {
    ArrayRef<Attribute> shape = xf::getShape(stored.getType());
    rank = static_cast<unsigned>(shape.size());
    columns = rank ? *xf::getNumber(shape.back()) : 1;
    rows = xf::countNumbers(stored.getType()) / columns;
    inner = rank > 1 ? rows / *xf::getNumber(shape.front()) : 1;
    if (rank == 1)
      std::swap(rows, columns);
    if (auto panels = storage.getPanels()) {
      width = panels.getWidth();
      interleaved = panels.getInterleaved();
    }
  }

  /// The part of the weight that contains these units.
  reference::OptionalPart partOf(int64_t first, int64_t count) const {
    if (rank == 0)
      return std::nullopt;
    if (width)
      return Part{rank - 1, first * width,
                  std::min(count * width, columns - first * width)};
    int64_t begin = first / inner, end = llvm::divideCeil(first + count, inner);
    return Part{0, begin, end - begin};
  }

  xf::StorageAttr storage;
  unsigned rank;
  int64_t rows, columns;
  int64_t inner;                      // rows per position of the first axis
  int64_t width = 0, interleaved = 1; // of panels; width 0: no panels
};

/// The row of the matrix that is row `slot` of group `group`, where the rows of
/// a group are interleaved (#xf.panels).
int64_t rowOf(int64_t group, int64_t slot, int64_t interleaved) {
  constexpr int64_t distance = xf::PanelsAttr::distance;
  if (interleaved == 1)
    return group;
  return group / distance * distance * interleaved + group % distance +
         slot * distance;
}

/// The elements of a block as floats, read by parts of rows of its matrix.
class Numbers {
public:
  virtual ~Numbers() = default;
  /// Reads `to.size()` columns from `first` on.
  virtual void read(int64_t row, int64_t first, std::span<float> to) = 0;
};

/// Throws InterpreterError for a block whose scale is infinite or NaN.
[[noreturn]] void failDamaged(std::string_view name, std::string_view format) {
  throw reference::InterpreterError(
      fmt::format("{} has a block of {} whose scale is infinite or NaN; the "
                  "file is damaged: fetch or convert it again",
                  name, format));
}

/// Elements of the checkpoint, with addition and multiplication in double,
/// rounded once.
class ReadNumbers : public Numbers {
public:
  ReadNumbers(xf::StoredOp stored, int64_t member,
              const checkpoint::Checkpoint &checkpoint,
              const reference::OptionalPart &part, bool isVector)
      : name(reference::nameOf(stored, member, checkpoint)),
        source(reference::findStored(stored, member, checkpoint)),
        places(reference::placesOf(stored.getLayoutOf(member), part)),
        factor(stored.getFactor(member).toDouble()),
        channels(xf::ChannelFactors::equalizing(stored, member)) {
    if (xf::ExactAttr exact = stored.getSource()->getAdded())
      added = exact.toDouble();
    if (isVector)
      std::swap(places.rows, places.columns);
  }

  void read(int64_t row, int64_t first, std::span<float> to) override {
    int64_t at = places.rows[row];
    doubles.resize(to.size());
    if (places.step && to.size() > 1)
      source.read(at + places.columns[first], *places.step, doubles);
    else
      for (size_t c = 0; c < to.size(); ++c)
        source.read(at + places.columns[first + c], 1, {&doubles[c], 1});
    if (sharesScales)
      requireFinite();
    for (size_t c = 0; c < to.size(); ++c) {
      double number = (doubles[c] + added) * factor;
      if (!channels.areOne())
        number *= channels.at(at + places.columns[first + c]);
      to[c] = static_cast<float>(number);
    }
  }

  /// Whether the elements are in one tensor in exactly the format `format`.
  bool areCopies(xf::Format format) const {
    return source.tensors.size() == 1 && added == 0 && factor == 1 &&
           channels.areOne() &&
           source.tensors[0].format().name ==
               std::string_view(xf::stringifyFormat(format));
  }

  std::string name; // source, for messages
  reference::StoredNumbers source;
  reference::StoredPlaces places;

private:
  double added = 0, factor;
  xf::ChannelFactors channels;
  std::vector<double> doubles;
  bool sharesScales = source.tensors[0].format().blockNumbers > 1;

  /// If a scale of a file's block is not finite, neither is an element of the
  /// block.
  void requireFinite() const {
    if (!std::ranges::all_of(doubles,
                             [](double x) { return std::isfinite(x); }))
      failDamaged(name, source.tensors[0].format().name);
  }
};

/// Elements that are computed from other weights.
class ComputedNumbers : public Numbers {
public:
  ComputedNumbers(reference::Tensor tensor, int64_t columns)
      : tensor(std::move(tensor)), columns(columns) {}

  void read(int64_t row, int64_t first, std::span<float> to) override {
    const double *from = tensor.data.data() + row * columns + first;
    std::copy_n(from, to.size(), to.begin()); // rounded to float
  }

private:
  reference::Tensor tensor;
  int64_t columns;
};

//===----------------------------------------------------------------------===//
// Elements that are copied unchanged
//===----------------------------------------------------------------------===//

/// Copies elements of the size of T, for `groups` groups of interleaved rows,
/// at `places` of each row. A matrix without panels is one panel.
template <typename T>
void copyPanel(const ReadNumbers &numbers, const Matrix &matrix,
               ArrayRef<int64_t> rows, int64_t groups, ArrayRef<int64_t> places,
               std::byte *to) {
  const std::byte *tensor = numbers.source.tensors[0].bytes.data();
  const size_t columns = places.size();
  const int64_t interleaved = matrix.interleaved,
                width = matrix.width ? matrix.width : matrix.columns;
  auto load = [&](int64_t number) { return tensor + number * sizeof(T); };
  auto place = [&](int64_t group, int64_t slot, size_t c) {
    return to + ((group * width + c) * interleaved + slot) * sizeof(T);
  };
  // A transposed matrix is read in runs of rows: a cache line contains several
  // rows, and the lines of all columns may not fit in the cache.
  constexpr int64_t run = 8;
  auto isRun = [&](int64_t group, int64_t slot) {
    if (group % run || group + run > groups)
      return false;
    // Checks all of them: the rows of an axis with several factors may be
    // permuted.
    ArrayRef<int64_t> next = rows.slice(rowOf(group, slot, interleaved), run);
    for (int64_t k = 1; k < run; ++k)
      if (next[k] != next[0] + k)
        return false;
    return true;
  };
  const bool areDense = numbers.places.step == 1 && interleaved == 1;
  for (int64_t slot = 0; slot < interleaved; ++slot)
    for (int64_t group = 0; group < groups;) {
      const int64_t at = rows[rowOf(group, slot, interleaved)];
      if (areDense) {
        std::memcpy(place(group++, 0, 0), load(at + places[0]),
                    columns * sizeof(T));
        continue;
      }
      if (!isRun(group, slot)) {
        for (size_t c = 0; c < columns; ++c)
          std::memcpy(place(group, slot, c), load(at + places[c]), sizeof(T));
        ++group;
        continue;
      }
      for (size_t c = 0; c < columns; ++c) {
        T values[run];
        std::memcpy(values, load(at + places[c]), sizeof values);
        for (int64_t k = 0; k < run; ++k)
          std::memcpy(place(group + k, slot, c), &values[k], sizeof(T));
      }
      group += run;
    }
}

/// The copy function for elements of `bits` bits.
auto copyOf(int64_t bits) {
  switch (bits) {
  case 8:
    return copyPanel<uint8_t>;
  case 16:
    return copyPanel<uint16_t>;
  case 32:
    return copyPanel<uint32_t>;
  default:
    llvm_unreachable("numbers have 8, 16 or 32 bits");
  }
}

/// Blocks of a tensor, from block `first` on.
struct Blocks {
  const std::byte *bytes;
  xf::BlockPlaces places;
  int64_t first = 0;
  /// A tensor whose codes and scales are separate; null if `bytes` has whole
  /// blocks.
  const checkpoint::StoredTensor *apart = nullptr;

  /// Block `number`; assembled in `room` if codes and scales are separate.
  const std::byte *block(int64_t number, const BlockFormat &format,
                         std::byte *room) const {
    if (!apart)
      return bytes + (number - first) * format.bytes;
    const int64_t code = number * format.numbers;
    std::memcpy(room + format.low.offset, bytes + code, format.numbers);
    auto scale = static_cast<float>(1.0 / apart->scaleOf(code));
    std::memcpy(room + format.scaleAt, &scale, sizeof scale);
    return room;
  }
};

/// The blocks of the tensor of `numbers`, which is in this format.
Blocks blocksOf(const ReadNumbers &numbers, const BlockFormat &format) {
  const checkpoint::StoredTensor &tensor = numbers.source.tensors[0];
  return {tensor.bytes.data(),
          {format.numbers},
          0,
          tensor.scales.empty() ? nullptr : &tensor};
}

/// Copies blocks of elements that run along the rows of a matrix into a panel,
/// word by word (kernels/algorithm/numeric/StoredBlocks.h). Returns whether all
/// scales are finite.
bool copyBlocks(const Blocks &blocks, const BlockFormat &format,
                ArrayRef<int64_t> rows, ArrayRef<int64_t> columns,
                std::byte *to) {
  bool areFinite = true;
  constexpr int width = blockPanelWidth;
  const int words = (format.bytes - format.oddBytes) / wordBytes;
  const int skipped = format.oddAt == 0 ? format.oddBytes : 0;
  const int distance = width * format.oddBytes / wordBytes;
  std::vector<std::byte> room(format.bytes);
  for (size_t row = 0; row < rows.size(); row += format.numbers) {
    for (size_t c = 0; c < columns.size(); ++c) {
      const std::byte *block = blocks.block(
          blocks.places.blockOf(rows[row] + columns[c]), format, room.data());
      areFinite &= hasFiniteScales(format, block);
      for (int w = 0; w < words; ++w)
        std::memcpy(to + (w * width + c) * wordBytes,
                    block + skipped + w * wordBytes, wordBytes);
      if (format.oddBytes)
        std::memcpy(to + words * width * wordBytes + c % distance * wordBytes +
                        c / distance * format.oddBytes,
                    block + format.oddAt, format.oddBytes);
    }
    to += width * format.bytes;
  }
  return areFinite;
}

//===----------------------------------------------------------------------===//
// Blocks of work
//===----------------------------------------------------------------------===//

/// Encodes one panel: `columns` columns from `first` on, with rows interleaved.
/// Columns past these keep the zeros of `together`.
void encodePanel(Numbers &numbers, const Matrix &matrix, int64_t first,
                 int64_t columns, std::byte *to) {
  Encode encode = encoderOf(matrix.storage.getFormat());
  std::vector<float> row(columns);
  std::vector<float> together(matrix.width * matrix.interleaved);
  const int64_t bytes = static_cast<int64_t>(together.size()) *
                        matrix.storage.getPlaceBits() / 8 / matrix.interleaved;
  for (int64_t group = 0; group < matrix.rows / matrix.interleaved; ++group) {
    for (int64_t slot = 0; slot < matrix.interleaved; ++slot) {
      numbers.read(rowOf(group, slot, matrix.interleaved), first, row);
      for (int64_t c = 0; c < columns; ++c)
        together[c * matrix.interleaved + slot] = row[c];
    }
    encode(together, to);
    to += bytes;
  }
}

/// Packs panels of elements that are rounded to blocks here.
void packRounded(xf::StoredOp stored, int64_t member,
                 const checkpoint::Checkpoint &checkpoint,
                 const reference::OptionalPart &part, const BlockFormat &format,
                 const Units &units, std::byte *to) {
  constexpr int64_t width = blockPanelWidth;
  reference::StoredPlaces places =
      reference::placesOf(stored.getLayoutOf(member), part);
  reference::RoundedBlocks rounded =
      reference::roundedBlocks(stored, member, checkpoint, places);
  ArrayRef<int64_t> columns = places.columns;
  for (; !columns.empty(); to += units.bytes) {
    ArrayRef<int64_t> own = columns.take_front(width);
    if (own.size() < width)
      std::memset(to, 0, units.bytes);
    if (!copyBlocks(
            {rounded.bytes.data(), xf::blockPlacesOf(stored), rounded.first},
            format, places.rows, own, to))
      failDamaged(stored.getSymName(), format.name);
    columns = columns.drop_front(own.size());
  }
}

/// The elements of a member, and also as ReadNumbers if they are stored in the
/// format that the program reads, otherwise null.
std::pair<std::unique_ptr<Numbers>, const ReadNumbers *>
numbersOf(xf::StoredOp stored, int64_t member,
          const checkpoint::Checkpoint &checkpoint,
          const reference::OptionalPart &part, int64_t columns) {
  const xf::Format format = stored.getPlace()->getStorage().getFormat();
  const ReadNumbers *copied = nullptr;
  std::unique_ptr<Numbers> numbers;
  if (stored.getSource() && !stored.getRounded()) {
    auto read = std::make_unique<ReadNumbers>(stored, member, checkpoint, part,
                                              Matrix(stored).rank == 1);
    if (read->areCopies(format))
      copied = read.get();
    numbers = std::move(read);
  } else {
    numbers = std::make_unique<ComputedNumbers>(
        reference::readStored(stored, member, &checkpoint, part), columns);
  }
  if (xf::blockFormatOf(format) && !copied)
    throw reference::InterpreterError(fmt::format(
        "{}: {} is not in {}, as the program reads it", checkpoint.path(),
        stored.getSymName(), xf::stringifyFormat(format)));
  return {std::move(numbers), copied};
}

} // namespace

/// Units of weights that are computed from others are fewer at a time, because
/// each part reads the elements that it depends on into memory.
Units weights::unitsOf(xf::StoredOp stored) {
  Matrix matrix(stored);
  int64_t bytes = matrix.storage.getBytes(xf::getShape(stored.getType()));
  Units units;
  units.count =
      matrix.width
          ? static_cast<int64_t>(llvm::divideCeil(matrix.columns, matrix.width))
          : matrix.rows;
  units.bytes = bytes / units.count;
  units.atATime = std::max<int64_t>(1, blockBytes / units.bytes);
  int64_t numbersRead = 0;
  stored.getDerivation().walk([&](xf::WeightOp read) {
    numbersRead += xf::countNumbers(read.getType());
  });
  if (numbersRead)
    units.atATime = std::clamp<int64_t>(mostRead * units.count / numbersRead, 1,
                                        units.atATime);
  return units;
}

std::string weights::packUnits(xf::StoredOp stored, int64_t member,
                               const checkpoint::Checkpoint &checkpoint,
                               int64_t first, int64_t count, std::byte *to) {
  Matrix matrix(stored);
  const Units units = unitsOf(stored);
  const xf::Format format = matrix.storage.getFormat();
  reference::OptionalPart part = matrix.partOf(first, count);
  // Rows of the first position that belong to earlier units.
  const int64_t skipped = matrix.width ? 0 : first % matrix.inner;
  const int64_t columns = matrix.width ? part->count : matrix.columns;
  const BlockFormat *blocks = xf::blockFormatOf(format);
  if (blocks && stored.getRounded() == format) {
    packRounded(stored, member, checkpoint, part, *blocks, units, to);
    return "";
  }
  auto [numbers, copied] = numbersOf(stored, member, checkpoint, part, columns);
  auto copy = copyOf(matrix.storage.getPlaceBits() / matrix.interleaved);
  if (!matrix.width && copied) {
    copy(*copied, matrix, ArrayRef(copied->places.rows).drop_front(skipped),
         count, copied->places.columns, to);
    return "";
  }
  if (!matrix.width) {
    Encode encode = encoderOf(format);
    std::vector<float> row(columns);
    for (int64_t k = 0; k < count; ++k, to += units.bytes) {
      numbers->read(skipped + k, 0, row);
      encode(row, to);
    }
    return "";
  }
  bool areFinite = true;
  for (int64_t unit = 0; unit < count; ++unit, to += units.bytes) {
    // Columns past the last one are zero.
    int64_t begin = unit * matrix.width;
    int64_t there = std::min(matrix.width, columns - begin);
    if (there < matrix.width)
      std::memset(to, 0, units.bytes);
    if (blocks)
      areFinite &=
          copyBlocks(blocksOf(*copied, *blocks), *blocks, copied->places.rows,
                     ArrayRef(copied->places.columns).slice(begin, there), to);
    else if (copied)
      copy(*copied, matrix, copied->places.rows,
           matrix.rows / matrix.interleaved,
           ArrayRef(copied->places.columns).slice(begin, there), to);
    else
      encodePanel(*numbers, matrix, begin, there, to);
  }
  return areFinite ? "" : copied->name;
}
