// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares bytes of weights with the layout of #xf.panels; and parts of
// computed weights with the whole.

#include "compiler/weights/Pack.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/weights/InOrder.h"
#include "test/unit/compiler/Xf.h"

#include <bit>
#include <cstring>

using namespace transfold;
using namespace transfold::test;
using reference::Part;
using reference::Tensor;

namespace {

/// Tensors, in any format, of values that bf16 and f16 represent exactly.
class Tensors : public RandomCheckpoint {
public:
  void add(const std::string &name, checkpoint::DType dtype, int64_t count) {
    std::vector<std::byte> &bytes = storage[name];
    for (int64_t k = 0; k < count; ++k)
      append(bytes, dtype, static_cast<float>(next = (next * 37 + 11) % 255));
    stored[name] = {dtype, {count}, bytes};
  }

  /// 8-bit codes with one scale per row.
  void addScaled(const std::string &name, int64_t rows, int64_t columns) {
    std::vector<std::byte> &codes = storage[name],
                           &scales = storage[name + "_scale"];
    for (int64_t k = 0; k < rows * columns; ++k)
      put(codes, static_cast<int8_t>(next = (next * 37 + 11) % 255));
    for (int64_t row = 0; row < rows; ++row)
      put(scales, 3 + static_cast<float>(row));
    stored[name] = {
        checkpoint::DType::Int8_Row, {rows, columns}, codes, scales, columns};
  }

private:
  template <typename T>
  static void put(std::vector<std::byte> &bytes, T number) {
    const auto *from = reinterpret_cast<const std::byte *>(&number);
    bytes.insert(bytes.end(), from, from + sizeof number);
  }
  static void append(std::vector<std::byte> &bytes, checkpoint::DType dtype,
                     float number) {
    if (dtype == checkpoint::DType::F16)
      put(bytes, static_cast<_Float16>(number));
    else if (dtype == checkpoint::DType::BF16)
      put(bytes, static_cast<uint16_t>(std::bit_cast<uint32_t>(number) >> 16));
    else
      put(bytes, number);
  }

  int64_t next = 3;
  std::map<std::string, std::vector<std::byte>> storage;
};

class Pack : public XfTest {
protected:
  Pack() {
    for (auto [name, dtype] : {std::pair("f32", checkpoint::DType::F32),
                               {"bf16", checkpoint::DType::BF16},
                               {"f16", checkpoint::DType::F16}})
      tensors.add(name, dtype, 96 * 45);
    for (int64_t k = 0; k < 3; ++k)
      tensors.add("each." + std::to_string(k), checkpoint::DType::F32, 96 * 5);
    for (int64_t l = 0; l < 2; ++l) {
      tensors.add("W." + std::to_string(l), checkpoint::DType::F32, 96 * 45);
      tensors.add("s." + std::to_string(l), checkpoint::DType::F32, 96);
      tensors.add("b." + std::to_string(l), checkpoint::DType::F32, 45);
    }
  }

  /// Checks all members of the last weight of `text`, split in any way, against
  /// the values that the reference reads.
  void isPacked(const std::string &text) {
    SCOPED_TRACE(text);
    auto module = parse(text);
    ASSERT_TRUE(module);
    xf::StoredOp stored;
    for (auto op : module->getOps<xf::StoredOp>())
      stored = op;
    const weights::Units units = weights::unitsOf(stored);
    for (int64_t member = 0; member < stored.getMembers(); ++member) {
      std::vector<std::byte> expected = expectedOf(stored, member);
      ASSERT_EQ(static_cast<int64_t>(expected.size()),
                units.count * units.bytes);
      for (int64_t atATime : {units.count, int64_t{1}, int64_t{2}})
        EXPECT_EQ(packedBy(stored, member, atATime), expected)
            << "member " << member << ", " << atATime << " units at a time";
    }
  }

  Tensors tensors;

private:
  std::vector<std::byte> packedBy(xf::StoredOp stored, int64_t member,
                                  int64_t atATime) {
    const weights::Units units = weights::unitsOf(stored);
    // Unwritten bytes keep a value that no weight has.
    std::vector<std::byte> bytes(units.count * units.bytes, std::byte{0xa5});
    for (int64_t first = 0; first < units.count; first += atATime)
      weights::packUnits(stored, member, tensors, first,
                         std::min(atATime, units.count - first),
                         bytes.data() + first * units.bytes);
    return bytes;
  }

  /// [ceil(c / width)][k / interleaved][width][interleaved], of rows i and i +
  /// 16 of each 32 where two are interleaved.
  std::vector<std::byte> expectedOf(xf::StoredOp stored, int64_t member) {
    Tensor plain = reference::readStored(stored, member, &tensors);
    xf::StorageAttr storage = stored.getPlace()->getStorage();
    std::vector<std::byte> bytes;
    xf::PanelsAttr panels = storage.getPanels();
    if (!panels) {
      for (double number : plain.data)
        put(bytes, storage.getFormat(), number);
      return bytes;
    }
    int64_t columns = plain.shape.back(), rows = plain.size() / columns;
    int64_t width = panels.getWidth(), slots = panels.getInterleaved();
    for (int64_t panel = 0; panel * width < columns; ++panel)
      for (int64_t group = 0; group < rows / slots; ++group)
        for (int64_t c = panel * width; c < (panel + 1) * width; ++c)
          for (int64_t slot = 0; slot < slots; ++slot) {
            int64_t row =
                slots == 1 ? group : group / 16 * 32 + group % 16 + 16 * slot;
            put(bytes, storage.getFormat(),
                c < columns ? plain.data[row * columns + c] : 0);
          }
    return bytes;
  }

  static void put(std::vector<std::byte> &bytes, xf::Format format,
                  double number) {
    auto rounded = static_cast<float>(number);
    auto half = static_cast<_Float16>(rounded);
    auto upper = static_cast<uint16_t>(std::bit_cast<uint32_t>(rounded) >> 16);
    const void *from = &rounded;
    size_t size = sizeof rounded;
    if (format != xf::Format::F32) {
      from =
          format == xf::Format::F16 ? static_cast<const void *>(&half) : &upper;
      size = sizeof half;
    }
    const auto *first = static_cast<const std::byte *>(from);
    bytes.insert(bytes.end(), first, first + size);
  }
};

constexpr const char *rowMajor = "<([96:45], [45:1])>";
constexpr const char *transposed = "<([96:1], [45:96])>";

std::string matrix(const std::string &source, const std::string &layout,
                   const std::string &storage) {
  return "xf.stored @W : !xf.real<96, 45> from " + source + " as " + layout +
         " at <storage = <" + storage + ">, offset = 0, stride = 65536>";
}

TEST_F(Pack, CopiesInAnyOrder) {
  for (const char *layout : {rowMajor, transposed}) {
    for (const char *format : {"f32", "bf16", "f16"}) {
      std::string source = std::string("\"") + format + "\" in " + format;
      isPacked(matrix(source, layout, format));
      isPacked(matrix(source, layout, std::string(format) + ", <32>"));
      isPacked(matrix(source, layout, std::string(format) + ", <7>"));
    }
    isPacked(matrix("\"bf16\" in bf16", layout, "bf16, <32, 2>"));
  }
}

TEST_F(Pack, WidensAddsAndMultiplies) {
  for (const char *layout : {rowMajor, transposed}) {
    for (const char *source :
         {"\"bf16\" in bf16", "\"f16\" in f16 plus <\"1\">",
          "\"f32\" plus <\"1/3\">"})
      for (const char *storage : {"f32", "f32, <32>"})
        isPacked(matrix(source, layout, storage));
    isPacked("xf.stored @W : !xf.real<96, 45> from \"f32\" as " +
             std::string(layout) +
             " times [<\"1/sqrt(3)\">] at <storage = <f32, <32>>, offset = 0, "
             "stride = 65536>");
  }
}

TEST_F(Pack, HeadsFamiliesVectorsAndNumbers) {
  // Columns of heads that are not adjacent, and members that are separate
  // tensors.
  isPacked("xf.stored @W : !xf.real<96, 40> from \"f32\" as <([96:45], [5:9, "
           "8:1])> at <storage = <f32, <32>>, offset = 0, stride = 65536>");
  // Rows whose first and eighth elements have the same distance as in a
  // contiguous row.
  isPacked("xf.stored @W : !xf.real<8, 16> from \"f32\" as <([2:1, 4:2], "
           "[16:8])> at <storage = <f32, <32>>, offset = 0, stride = 1024>");
  for (const char *storage : {"f32", "f32, <4>"})
    isPacked("xf.stored @W : !xf.real<3, 96, 5> from \"each.{i}\" each "
             "<[\"i\"], [3], 480> as <([3:480], [96:5], [5:1])> at <storage = "
             "<" +
             std::string(storage) + ">, offset = 0, stride = 65536>");
  isPacked("xf.stored @W : !xf.real<4, 6, 5> from \"f32\" as <([4:30], [6:5], "
           "[5:1]) + 7> at <storage = <f32>, offset = 0, stride = 512>");
  isPacked("xf.stored @b[l = 2] : !xf.real<45> from \"b.{l}\" as <([45:1])> at "
           "<storage = <f32>, offset = 0, stride = 192>");
  isPacked("xf.stored @s[l = 2] : !xf.real<> as <()> times [<\"1/72\">, "
           "<\"3\">] at <storage = <f32>, offset = 0, stride = 64>");
}

// For each block: the codes as in the file, word by word, followed by the
// inverse of the scale of the file's row.
TEST_F(Pack, CodesAndScalesOfRows) {
  constexpr int64_t columns = 40, depth = 128, words = 17, width = 32;
  tensors.addScaled("rows", columns, depth);
  const checkpoint::StoredTensor &rows = tensors.tensors().at("rows");
  const std::string begin = "xf.stored @W : !xf.real<128, 40> from \"rows\" in "
                            "int8_row as <([128:1], [40:128])>",
                    end = ", offset = 0, stride = 65536>";
  auto module = parse(begin + " at <storage = <int8_row, <32>>" + end);
  ASSERT_TRUE(module);
  auto stored = module->lookupSymbol<xf::StoredOp>("W");
  const weights::Units units = weights::unitsOf(stored);
  ASSERT_EQ(units.count, 2);
  ASSERT_EQ(units.bytes, 2 * words * width * 4);
  std::vector<std::byte> bytes(2 * units.bytes);
  weights::packUnits(stored, 0, tensors, 0, 2, bytes.data());
  for (int64_t c = 0; c < 2 * width; ++c)
    for (int64_t block = 0; block < 2; ++block)
      for (int64_t word = 0; word < words; ++word) {
        const std::byte *found =
            bytes.data() + c / width * units.bytes +
            ((block * words + word) * width + c % width) * 4;
        std::byte expected[4] = {};
        float scale = 1 / (3 + static_cast<float>(c));
        if (c < columns)
          std::memcpy(expected,
                      word == words - 1
                          ? reinterpret_cast<const std::byte *>(&scale)
                          : &rows.bytes[c * depth + block * 64 + word * 4],
                      4);
        EXPECT_EQ(std::memcmp(found, expected, 4), 0)
            << "column " << c << ", block " << block << ", word " << word;
      }
  // Widened to floats if a kernel needs floats.
  isPacked(begin + " at <storage = <f32, <32>>" + end);
}

constexpr const char *derivedFrom = R"(
xf.stored @W[l = 2] : !xf.real<96, 45> from "W.{l}" as <([96:1], [45:96])>
xf.stored @s[l = 2] : !xf.real<96> from "s.{l}" as <([96:1])>
xf.stored @b[l = 2] : !xf.real<45> from "b.{l}" as <([45:1])>
)";

TEST_F(Pack, ComputedInParts) {
  for (const char *view :
       {"<96, 45> as <([96:45], [45:1])>", "<45, 96> as <([45:1], [96:45])>",
        "<96, 5, 9> as <([96:45], [5:9], [9:1])>",
        "<96, 30> as <([96:45], [10:3, 3:1])>"})
    for (const char *storage : {"f32", "f32, <8>"})
      isPacked(derivedFrom + std::string("xf.stored @V[l = 2] : !xf.real") +
               view + R"( derived {
        ^bb0(%l: index):
          %W = xf.weight @W[%l] : <96, 45>
          %s = xf.weight @s[%l] : <96>
          %b = xf.weight @b[%l] : <45>
          %p = xf.multiply %W[k, c], %s[k] -> [k, c] : <96, 45>, <96>
          %n = xf.negate %p : <96, 45>
          %q = xf.add %n[k, c], %b[c] -> [k, c] : <96, 45>, <45>
          xf.yield %q : !xf.real<96, 45>
        } at <storage = <)" +
               storage + ">, offset = 0, stride = 65536>");
  isPacked(derivedFrom + std::string(R"(
xf.stored @t[l = 2] : !xf.real<45> as <([45:1])> times [<"1/3">, <"5">] derived {
^bb0(%l: index):
  %W = xf.weight @W[%l] : <96, 45>
  %s = xf.weight @s[%l] : <96>
  %b = xf.weight @b[%l] : <45>
  %t = xf.contract %s[k], %W[k, c] -> [c] : <96>, <96, 45>
  %u = xf.add %b[c], %t[c] -> [c] : <45>, <45>
  xf.yield %u : !xf.real<45>
} at <storage = <f32>, offset = 0, stride = 192>)"));
}

// A weight is computed whole if it cannot be computed in parts, or if two
// different parts of it are needed.
TEST_F(Pack, PartsOfAnything) {
  auto module = parse(derivedFrom + std::string(R"(
xf.stored @V[l = 2] : !xf.real<45, 45> as <([45:45], [45:1])> derived {
^bb0(%l: index):
  %W = xf.weight @W[%l] : <96, 45>
  %T = xf.rearrange %W[k, c] -> [c, k] : <96, 45> -> <45, 96>
  %g = xf.contract %T[a, k], %W[k, c] -> [a, c] : <45, 96>, <96, 45>
  %h = xf.contract %W[k, a], %W[k, c] -> [a, c] : <96, 45>, <96, 45>
  %x = xf.exp %h : <45, 45>
  %y = xf.subtract %g[a, c], %h[c, a] -> [a, c] : <45, 45>, <45, 45>
  xf.yield %y : !xf.real<45, 45>
})"));
  ASSERT_TRUE(module);
  auto stored = module->lookupSymbol<xf::StoredOp>("V");
  Tensor whole = reference::readStored(stored, 1, &tensors);
  for (unsigned axis : {0U, 1U})
    for (auto [first, count] : {std::pair(0, 45), {7, 1}, {13, 20}, {44, 1}}) {
      Part part{axis, first, count};
      Tensor own = reference::readStored(stored, 1, &tensors, part);
      EXPECT_EQ(own.shape, reference::cut(whole, part).shape);
      EXPECT_EQ(own.data, reference::cut(whole, part).data)
          << "axis " << axis << " from " << first;
    }
}

TEST(InOrder, TakesInOrder) {
  std::vector<size_t> taken;
  weights::inOrder(
      100, 8,
      [](size_t number, weights::Piece &piece) {
        piece.assign(1, static_cast<std::byte>(number));
      },
      [&](size_t number, const weights::Piece &piece) {
        EXPECT_EQ(piece.at(0), static_cast<std::byte>(number));
        taken.push_back(number);
      });
  ASSERT_EQ(taken.size(), 100U);
  EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
}

TEST(InOrder, ThrowsWhatEitherThrows) {
  auto nothing = [](size_t, auto &) {};
  auto at7 = [](size_t number, auto &) {
    if (number == 7)
      throw std::runtime_error("seven");
  };
  // Repeated, since an exception of one thread must not be lost while another
  // one continues.
  for (int round = 0; round < 200; ++round) {
    EXPECT_THROW(weights::inOrder(100, 4, at7, nothing), std::runtime_error);
    EXPECT_THROW(weights::inOrder(100, 4, nothing, at7), std::runtime_error);
  }
  weights::inOrder(0, 4, at7, at7);
}

} // namespace
