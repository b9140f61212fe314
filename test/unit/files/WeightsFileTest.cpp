// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/weights/WeightsFile.h"

#include "runtime/weights/Checksums.h"
#include "runtime/weights/WeightsFormat.h"
#include "test/unit/TemporaryDirectory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using transfold::runtime::BlockChecksums;
using transfold::runtime::WeightsFile;
using transfold::test::messageOf;
using transfold::test::TemporaryDirectory;

namespace {

const std::string hash = "0123456789abcdef";

std::string bytesOf(std::span<const uint64_t> numbers) {
  return {reinterpret_cast<const char *>(numbers.data()), numbers.size_bytes()};
}

std::string weights(std::string_view payload, uint32_t version = 2,
                    std::string_view magic = TRANSFOLD_WEIGHTS_MAGIC) {
  transfold_weights_header header{};
  std::memcpy(header.magic, magic.data(), sizeof header.magic);
  header.version = version;
  header.payload_bytes = payload.size();
  std::memcpy(header.hash, hash.data(), hash.size());
  std::string file(reinterpret_cast<const char *>(&header), sizeof header);
  file.resize(TRANSFOLD_WEIGHTS_PAYLOAD);
  BlockChecksums sums(TRANSFOLD_WEIGHTS_BLOCK);
  sums.add({reinterpret_cast<const uint8_t *>(payload.data()), payload.size()});
  std::string padding(transfold::runtime::paddingOfWeights(payload.size()), 0);
  return file + std::string(payload) + padding + bytesOf(sums.finish());
}

std::string trailer(uint64_t offset, uint64_t size) {
  transfold_weights_trailer value{offset, size, {}};
  std::memcpy(value.magic, TRANSFOLD_TRAILER_MAGIC, sizeof value.magic);
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

/// The constructor's message, without the directory.
std::string message(const TemporaryDirectory &directory, uint64_t bytes,
                    const std::string &hash = ::hash) {
  std::string text = transfold::test::messageOf(
      [&] { WeightsFile(directory.path("exe"), bytes, hash); });
  size_t at = text.find(directory.path());
  return at == text.npos ? text : text.erase(at, directory.path().size() + 1);
}

/// A file that is replaced by renaming keeps its contents; one that is
/// overwritten in place is refused, unless its contents are the same again.
TEST(WeightsFile, TellsWhenSomebodyWritesIntoIt) {
  TemporaryDirectory directory;
  const std::string path = directory.write("a.weights", weights("12345678"));
  auto overwrite = [&](const std::string &content) {
    ::usleep(20'000); // the clock of file times has a resolution of some
                      // milliseconds
    directory.write("a.weights", content);
  };
  WeightsFile file = WeightsFile::at(path, 8, hash);
  auto problem = [&] { return messageOf([&] { file.checkUnchanged(); }); };
  EXPECT_EQ(problem(), "no error");
  overwrite(weights("12345678"));
  EXPECT_EQ(problem(), "no error");
  std::string damaged = weights("12345678");
  damaged[TRANSFOLD_WEIGHTS_PAYLOAD] = '0';
  overwrite(damaged);
  EXPECT_NE(problem().find("the weights are damaged"), std::string::npos);
  std::string other = weights("87654321");
  other.replace(other.find(hash), hash.size(), "fedcba9876543210");
  overwrite(other);
  EXPECT_NE(problem().find("is another file now"), std::string::npos);
  overwrite("short");
  EXPECT_NE(problem().find("and now has 5; start the program again"),
            std::string::npos);
  std::filesystem::rename(directory.write("b.weights", weights("12345678")),
                          path);
  WeightsFile renamed = WeightsFile::at(path, 8, hash);
  std::filesystem::rename(directory.write("c.weights", weights("abcdefgh")),
                          path);
  EXPECT_EQ(messageOf([&] { renamed.checkUnchanged(); }), "no error");
}

TEST(WeightsFile, BesideTheProgram) {
  TemporaryDirectory directory;
  directory.write("exe", "#!");
  EXPECT_EQ(WeightsFile(directory.path("exe"), 0, "").payload(), nullptr);
  EXPECT_EQ(
      message(directory, 4),
      "exe.weights: not found; the weights are in a file beside the program, "
      "with its name and .weights: move both together, or compile with "
      "--embed-weights");
  directory.write("exe.weights", weights("abcd"));
  WeightsFile file(directory.path("exe"), 4, hash);
  EXPECT_EQ(std::memcmp(file.payload(), "abcd", 4), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.payload()) % 4096, 0u);

  EXPECT_EQ(file.path(), directory.path("exe.weights"));
  WeightsFile named(directory.path("exe.weights"), 4, hash);
  EXPECT_EQ(std::memcmp(named.payload(), "abcd", 4), 0);
  EXPECT_EQ(named.path(), file.path());

  file.check();
  EXPECT_EQ(message(directory, 5),
            "exe.weights: has 4 bytes of weights, the program needs 5; compile "
            "the model again");
  EXPECT_EQ(message(directory, 4, "0123456789abcdee"),
            "exe.weights: belongs to another program; use the two files that "
            "one compilation made");
  directory.write("exe.weights", weights("abcd").substr(0, 4098));
  EXPECT_EQ(message(directory, 4),
            "exe.weights: has 4098 bytes, a whole one has 4112; the copy is "
            "incomplete, copy it again");
  directory.write("exe.weights", "short");
  EXPECT_EQ(message(directory, 4), "exe.weights: is too short for a weights "
                                   "file; compile the model again");
  directory.write("exe.weights", weights("abcd", 7));
  EXPECT_EQ(message(directory, 4),
            "exe.weights: has version 7 of the weights format; this program "
            "reads version 2");
  directory.write("exe.weights", weights("abcd", 2, "whatever"));
  EXPECT_EQ(message(directory, 4),
            "exe.weights: is not a weights file; compile the model again");
}

TEST(WeightsFile, Damage) {
  TemporaryDirectory directory;
  directory.write("exe", "#!");
  std::string payload(2 * TRANSFOLD_WEIGHTS_BLOCK + 3, 'w');
  auto check = [&](const std::string &file) {
    directory.write("exe.weights", file);
    return messageOf([&] {
      WeightsFile(directory.path("exe"), payload.size(), hash).check();
    });
  };
  std::string whole = weights(payload);
  EXPECT_EQ(whole.size(), 4096 + payload.size() + 5 + 3 * 8);
  EXPECT_EQ(check(whole), "no error");
  // One bit anywhere in the data, also past the last whole block.
  for (size_t at : {0ul, payload.size() / 2, payload.size() - 1}) {
    std::string damaged = whole;
    damaged[4096 + at] ^= 4;
    size_t block = at / TRANSFOLD_WEIGHTS_BLOCK * TRANSFOLD_WEIGHTS_BLOCK;
    EXPECT_NE(check(damaged).find(fmt::format(
                  "the weights are damaged: 1 of 3 blocks of 1048576 bytes are "
                  "not as they were written, the first from byte {} on",
                  4096 + block)),
              std::string::npos)
        << check(damaged);
  }
  // Without a request the data are not checked.
  std::string damaged = whole;
  damaged[5000] ^= 1;
  directory.write("exe.weights", damaged);
  WeightsFile(directory.path("exe"), payload.size(), hash);
}

TEST(WeightsFile, ChecksumsOfPieces) {
  std::vector<uint8_t> bytes(10'000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * i >> 3);
  BlockChecksums whole(1024);
  whole.add(bytes);
  std::vector<uint64_t> expected = whole.finish();
  EXPECT_EQ(expected.size(), 10u);
  EXPECT_EQ(expected[9],
            transfold::runtime::checksum(std::span(bytes).subspan(9 * 1024)));
  for (size_t piece : {1, 7, 1000, 1024, 1025, 5000}) {
    BlockChecksums pieces(1024);
    for (size_t at = 0; at < bytes.size(); at += piece)
      pieces.add(
          std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    EXPECT_EQ(pieces.finish(), expected) << piece;
  }
}

TEST(WeightsFile, InsideTheProgram) {
  TemporaryDirectory directory;
  std::string executable("#!");
  executable.resize(8192);
  std::string file = weights("abcd");
  directory.write("exe", executable + file + trailer(8192, file.size()));
  WeightsFile inside(directory.path("exe"), 4, hash);
  EXPECT_EQ(std::memcmp(inside.payload(), "abcd", 4), 0);
  EXPECT_EQ(inside.path(), directory.path("exe"));

  for (auto [offset, size] :
       {std::pair<uint64_t, uint64_t>{8192, file.size() + 1},
        {8193, file.size() - 1},
        {UINT64_MAX - 4095, 4096 + 8192 + file.size()}}) {
    directory.write("exe", executable + file + trailer(offset, size));
    EXPECT_EQ(message(directory, 4), "exe: the weights at its end are damaged; "
                                     "compile the model again");
  }
}

/// In every format, each element begins at a multiple of its size.
TEST(WeightsFile, MadeUpNumbersAreUsualInEveryFormat) {
  constexpr size_t count = 100003; // not a multiple of a word
  WeightsFile weights = WeightsFile::madeUp(count);
  std::span<const uint8_t> bytes = weights.bytes();
  ASSERT_EQ(bytes.size(), count);
  EXPECT_TRUE(weights.path().empty());
  int positive = 0, different = 0;
  for (size_t i = 0; i + 4 <= count; i += 2) {
    float number;
    std::memcpy(&number, bytes.data() + i, sizeof number);
    EXPECT_TRUE(std::isnormal(number) && std::fabs(number) < 1) << i;
    uint16_t half; // as float16: neither denormal nor infinite
    std::memcpy(&half, bytes.data() + i, sizeof half);
    const int exponent = (half >> 10) & 31;
    EXPECT_TRUE(exponent > 0 && exponent < 31) << i;
    positive += number > 0;
    different += bytes[i] != bytes[i + 1];
  }
  EXPECT_NEAR(positive, count / 4.0, count / 50.0);
  EXPECT_GT(different, 0);
  weights.letGo(); // there is no file to reload it from
  EXPECT_NE(bytes[0], 0);
  const std::string first(bytes.begin(), bytes.end());
  WeightsFile again = WeightsFile::madeUp(count);
  EXPECT_EQ(first, std::string(again.bytes().begin(), again.bytes().end()));
  EXPECT_EQ(WeightsFile::madeUp(0).payload(), nullptr);
}

} // namespace
