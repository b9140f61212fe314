// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading GGUF files, and their possible errors.

#include "compiler/checkpoint/gguf/GgufFile.h"

#include "test/unit/TemporaryDirectory.h"
#include "test/unit/checkpoint/GgufBytes.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <filesystem>

using namespace transfold::checkpoint;
using namespace transfold::test;

namespace {

/// Two float32 elements in one tensor, and a key.
GgufBytes small() {
  GgufBytes file;
  file.pairs = {ggufPair("general.architecture", "llama")};
  file.tensors = {{"a", {2}, 0, 0}};
  file.data = bytesOf(1.5f) + bytesOf(-2.0f);
  return file;
}

std::string messageFor(const std::string &bytes) {
  return messageAbout("x.gguf", bytes,
                      [](const std::string &path) { GgufFile::open(path); });
}
std::string messageFor(const GgufBytes &file) { return messageFor(file.str()); }

/// The small file with one more key.
std::string messageWith(const std::string &pair) {
  GgufBytes file = small();
  file.pairs.push_back(pair);
  return messageFor(file);
}
/// The small file with its tensor as given.
std::string messageWith(const GgufTensor &tensor) {
  GgufBytes file = small();
  file.tensors = {tensor};
  return messageFor(file);
}

TEST(Gguf, ReadsEveryTypeOfValue) {
  GgufBytes file = small();
  file.version = 2;
  file.pairs = {ggufPair("u8", 0, "\xff"),
                ggufPair("i8", 1, "\xff"),
                ggufPair("u16", 2, bytesOf<uint16_t>(65535)),
                ggufPair("i16", 3, bytesOf<int16_t>(-2)),
                ggufPair("u32", 4, bytesOf<uint32_t>(4000000000)),
                ggufPair("i32", 5, bytesOf<int32_t>(-3)),
                ggufPair("f32", 6, bytesOf(0.25f)),
                ggufPair("bool", 7, "\1"),
                ggufPair("text", "π"),
                ggufPair("list", 9,
                         bytesOf<uint32_t>(8) + bytesOf<uint64_t>(2) +
                             ggufText("x") + ggufText("")),
                ggufPair("u64", 10, bytesOf<uint64_t>(UINT64_MAX)),
                ggufPair("i64", 11, bytesOf<int64_t>(INT64_MIN)),
                ggufPair("f64", 12, bytesOf(1e300))};
  TemporaryDirectory directory;
  GgufFile read = GgufFile::open(directory.write("x.gguf", file.str()));
  EXPECT_EQ(read.count("u8"), 255u);
  EXPECT_EQ(*read.scalar<int64_t>("i8"), -1);
  EXPECT_EQ(read.count("i8"), std::nullopt);
  EXPECT_EQ(read.count("u16"), 65535u);
  EXPECT_EQ(*read.scalar<int64_t>("i16"), -2);
  EXPECT_EQ(read.count("u32"), 4000000000u);
  EXPECT_EQ(*read.scalar<int64_t>("i32"), -3);
  EXPECT_EQ(*read.scalar<float>("f32"), 0.25f);
  EXPECT_EQ(*read.scalar<bool>("bool"), true);
  EXPECT_EQ(*read.scalar<std::string_view>("text"), "π");
  ASSERT_NE(read.array("list"), nullptr);
  EXPECT_EQ(read.array("list")->size(), 2u);
  EXPECT_EQ(read.array("text"), nullptr);
  EXPECT_EQ(read.count("u64"), UINT64_MAX);
  EXPECT_EQ(*read.scalar<int64_t>("i64"), INT64_MIN);
  EXPECT_EQ(*read.scalar<double>("f64"), 1e300);
  EXPECT_EQ(read.tensors.at("a").element(1), -2);
}

TEST(Gguf, ReadsEveryTypeOfList) {
  GgufBytes file = small();
  auto list = [](const char *key, uint32_t type, const std::string &two) {
    return ggufPair(key, 9, bytesOf(type) + bytesOf<uint64_t>(2) + two);
  };
  file.pairs = {list("u8", 0, "\xff\1"),
                list("i16", 3, bytesOf<int16_t>(-2) + bytesOf<int16_t>(5)),
                list("f32", 6, bytesOf(0.25f) + bytesOf(-1.0f)),
                list("text", 8, ggufText("first") + ggufText("")),
                list("f64", 12, bytesOf(1e300) + bytesOf(2.0))};
  TemporaryDirectory directory;
  GgufFile read = GgufFile::open(directory.write("x.gguf", file.str()));
  auto valuesOf = [&](const char *key) {
    std::vector<GgufScalar> values;
    read.array(key)->forEach(
        [&](const GgufScalar &each) { values.push_back(each); });
    return values;
  };
  using Values = std::vector<GgufScalar>;
  EXPECT_EQ(valuesOf("u8"), (Values{uint64_t{255}, uint64_t{1}}));
  EXPECT_EQ(valuesOf("i16"), (Values{int64_t{-2}, int64_t{5}}));
  EXPECT_EQ(valuesOf("f32"), (Values{0.25f, -1.0f}));
  EXPECT_EQ(valuesOf("text"),
            (Values{std::string_view("first"), std::string_view()}));
  EXPECT_EQ(valuesOf("f64"), (Values{1e300, 2.0}));
  EXPECT_EQ(read.array("text")->text(0), "first");
  EXPECT_EQ(read.array("text")->text(1), "");
  EXPECT_EQ(read.array("text")->text(2), std::nullopt);
  EXPECT_EQ(read.array("u8")->text(0), std::nullopt);
}

// The peak memory of reading a list of so many bytes, in KiB.
long memoryForList(uint32_t type, uint64_t count, uint64_t bytes) {
  TemporaryDirectory directory;
  GgufBytes file;
  file.pairs = {ggufPair("llama.x", 9, bytesOf(type) + bytesOf(count))};
  std::string path = directory.write("x.gguf", file.header());
  std::filesystem::resize_file(path, file.header().size() + bytes);
  auto most = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = most();
  GgufFile::open(path);
  return most() - before;
}

// A list of values takes no memory per value; once, each value of one byte took
// 24 bytes.
TEST(Gguf, ListsTakeNoMemory) {
  constexpr uint64_t size = uint64_t{256} << 20;
  EXPECT_LT(memoryForList(0, size, size), 16 << 10);
  EXPECT_LT(memoryForList(6, size / 4, size), 16 << 10);
  // The lengths of texts are read in the mapped file: 8 bytes for each.
  EXPECT_LT(memoryForList(8, size / 64, size / 8), (size >> 13) + (16 << 10));
}

TEST(Gguf, ReadsTensorsWhereTheyLie) {
  GgufBytes file = small();
  file.alignment = 64;
  file.pairs.push_back(ggufPair("general.alignment", 64));
  file.tensors = {{"later", {2, 1, 3}, 0, 64}, {"first", {2}, 1, 0}};
  file.data = std::string("\0\x3e\0\xc0", 4) + std::string(60, '\0');
  for (float number : {1, 2, 3, 4, 5, 6})
    file.data += bytesOf(number);
  TemporaryDirectory directory;
  GgufFile read = GgufFile::open(directory.write("x.gguf", file.str()));
  // The slowest axis comes first, as everywhere in this project.
  EXPECT_EQ(read.tensors.at("later").shape, (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(read.tensors.at("later").element(5), 6);
  EXPECT_EQ(read.tensors.at("first").element(0), 1.5);
}

TEST(Gguf, RefusesFilesThatAreCutShort) {
  std::string whole = small().str();
  EXPECT_EQ(messageFor(whole), "(no path) no error");
  for (size_t size = 0; size < whole.size(); ++size) {
    std::string message = messageFor(whole.substr(0, size));
    bool says = message.find("cut short") != std::string::npos ||
                message.find("does not begin") != std::string::npos ||
                message.find("more than fit") != std::string::npos;
    EXPECT_TRUE(says) << size << " bytes: " << message;
  }
}

TEST(Gguf, RefusesOtherFiles) {
  GgufBytes file = small();
  file.magic = "GGML";
  EXPECT_EQ(messageFor(file),
            "does not begin with GGUF, and is not a GGUF file");
  file = small();
  file.version = 1;
  EXPECT_EQ(messageFor(file),
            "has version 1 of GGUF; versions 2 and 3 are supported: convert "
            "the model again with a current converter");
  file.version = __builtin_bswap32(3);
  EXPECT_EQ(messageFor(file),
            "is a GGUF file for big-endian machines; convert it with "
            "gguf-convert-endian, of Python's package gguf");
  file = small();
  file.moreTensors = UINT64_MAX - 1;
  EXPECT_NE(messageFor(file).find("more than fit into its"), std::string::npos);
  file = small();
  file.morePairs = uint64_t{1} << 60;
  EXPECT_NE(messageFor(file).find("more than fit into its"), std::string::npos);
}

TEST(Gguf, RefusesBrokenKeys) {
  EXPECT_EQ(messageWith(ggufPair("general.architecture", "bert")),
            "the key 'general.architecture' occurs twice");
  EXPECT_NE(messageWith(ggufPair("\xff", 1)).find("a key is not UTF-8"),
            std::string::npos);
  EXPECT_EQ(messageWith(ggufPair("k", 13, "12345678")),
            "the key 'k' has a value of the unknown type 13");
  auto list = [](uint32_t type, uint64_t count) {
    return ggufPair("k", 9, bytesOf(type) + bytesOf(count));
  };
  EXPECT_EQ(messageWith(list(9, 0)),
            "the key 'k' has lists of lists, which are not supported");
  EXPECT_NE(messageWith(list(4, UINT64_MAX))
                .find("the key 'k' claims 18446744073709551615 values"),
            std::string::npos);
  EXPECT_NE(messageWith(list(14, 1)).find("the unknown type 14"),
            std::string::npos);
  EXPECT_NE(messageWith(ggufPair("k", 8, bytesOf<uint64_t>(UINT64_MAX)))
                .find("k needs 18446744073709551615 bytes"),
            std::string::npos);
  for (uint32_t alignment : {0u, 24u, 1u << 21})
    EXPECT_EQ(messageWith(ggufPair("general.alignment", alignment)),
              "general.alignment is not a power of two of at most 1048576");
  EXPECT_EQ(messageWith(ggufPair("general.alignment", "32")),
            "general.alignment is not a power of two of at most 1048576");
}

TEST(Gguf, RefusesBrokenTensors) {
  EXPECT_NE(messageWith(GgufTensor{"\xff", {2}, 0, 0}).find("of UTF-8"),
            std::string::npos);
  EXPECT_NE(messageWith(GgufTensor{"", {2}, 0, 0}).find("1 to 255 bytes"),
            std::string::npos);
  EXPECT_EQ(messageWith(GgufTensor{"a", {1, 1, 1, 1, 2}, 0, 0}),
            "tensor 'a' has 5 axes; GGUF has at most 4");
  EXPECT_EQ(messageWith(GgufTensor{"a", {0}, 0, 0}),
            "tensor 'a' has an axis of 0");
  EXPECT_EQ(messageWith(GgufTensor{"a", {uint64_t{1} << 63}, 0, 0}),
            "tensor 'a' has an axis of 9223372036854775808");
  EXPECT_EQ(messageWith(GgufTensor{"a", {1u << 31, 1u << 31, 4}, 0, 0}),
            "tensor 'a' of [4, 2147483648, 2147483648] has more bytes than 64 "
            "bits can count");
  EXPECT_EQ(messageWith(GgufTensor{"a", {2}, 99, 0}),
            "tensor 'a' has the unknown type 99");
  EXPECT_NE(messageWith(GgufTensor{"a", {256}, 9, 0})
                .find("is in Q8_1, which transfold does not read"),
            std::string::npos);
  EXPECT_EQ(messageWith(GgufTensor{"a", {48}, 2, 0}),
            "tensor 'a' has rows of 48 elements; q4_0 has blocks of 32");
  EXPECT_EQ(messageWith(GgufTensor{"a", {128, 2}, 12, 0}),
            "tensor 'a' has rows of 128 elements; q4_k has blocks of 256");
  EXPECT_EQ(messageWith(GgufTensor{"a", {2}, 0, 8}),
            "tensor 'a' lies at byte 8 of the data, which is not a multiple of "
            "32");
  EXPECT_NE(messageWith(GgufTensor{"a", {2}, 0, 32}).find("cut short"),
            std::string::npos);
  EXPECT_NE(messageWith(GgufTensor{"a", {3}, 0, 0}).find("cut short"),
            std::string::npos);
  EXPECT_NE(
      messageWith(GgufTensor{"a", {2}, 0, UINT64_MAX - 31}).find("cut short"),
      std::string::npos);
  GgufBytes file = small();
  file.tensors.push_back({"b", {1}, 0, 0});
  EXPECT_EQ(messageFor(file),
            "tensors 'a' and 'b' overlap at byte 0 of the data");
  file.tensors[1] = {"a", {1}, 0, 32};
  file.data += std::string(28, '\0');
  EXPECT_EQ(messageFor(file), "the tensor 'a' occurs twice");
}

} // namespace
