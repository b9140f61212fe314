// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The possible errors of a safetensors file, one file for each.

#include "compiler/checkpoint/huggingface/Safetensors.h"

#include "test/unit/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfold::checkpoint;
using transfold::test::messageAbout;
using transfold::test::TemporaryDirectory;

namespace {

std::string littleEndian(uint64_t value) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i)
    bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

/// A whole file: length, header, data.
std::string safetensors(const std::string &header, const std::string &data) {
  return littleEndian(header.size()) + header + data;
}

std::string messageFor(const std::string &bytes) {
  return messageAbout("x.safetensors", bytes, [](const std::string &path) {
    readSafetensors(*MappedFile::open(path));
  });
}

TEST(Safetensors, ReadsEveryDType) {
  TemporaryDirectory directory;
  // Half precision: 1.5, the smallest subnormal, -infinity.
  std::string path = directory.write(
      "x.safetensors",
      safetensors(R"({"__metadata__": {"format": "pt"},
        "half": {"dtype": "F16", "shape": [3], "data_offsets": [0, 6]},
        "brain": {"dtype": "BF16", "shape": [1, 1], "data_offsets": [6, 8]},
        "byte": {"dtype": "U8", "shape": [], "data_offsets": [8, 9]},
        "signed": {"dtype": "I8", "shape": [1], "data_offsets": [9, 10]},
        "truth": {"dtype": "BOOL", "shape": [2], "data_offsets": [10, 12]},
        "none": {"dtype": "F64", "shape": [0, 7], "data_offsets": [12, 12]},
        "single": {"dtype": "F32", "shape": [1], "data_offsets": [12, 16]},
        "long": {"dtype": "I64", "shape": [1], "data_offsets": [16, 24]},
        "int": {"dtype": "I32", "shape": [1], "data_offsets": [24, 28]},
        "short": {"dtype": "I16", "shape": [1], "data_offsets": [28, 30]}}  )",
                  std::string("\x00\x3e\x01\x00\x00\xfc\xc0\xbf\xff\xff\x00\x01"
                              "\x00\x00\x20\xc0"
                              "\xfe\xff\xff\xff\xff\xff\xff\xff"
                              "\x02\x00\x00\x00\xfd\xff",
                              30)));
  auto file = MappedFile::open(path);
  auto tensors = readSafetensors(*file);
  EXPECT_EQ(tensors.size(), 10u);
  EXPECT_EQ(tensors.at("half").element(0), 1.5);
  EXPECT_EQ(tensors.at("half").element(1), std::ldexp(1, -24));
  EXPECT_EQ(tensors.at("half").element(2), -INFINITY);
  EXPECT_EQ(tensors.at("brain").element(0), -1.5);
  EXPECT_EQ(tensors.at("brain").shape, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(tensors.at("byte").element(0), 255);
  EXPECT_EQ(tensors.at("byte").shape, std::vector<int64_t>{});
  EXPECT_EQ(tensors.at("signed").element(0), -1);
  EXPECT_EQ(tensors.at("truth").element(0), 0);
  EXPECT_EQ(tensors.at("truth").element(1), 1);
  EXPECT_EQ(tensors.at("none").bytes.size(), 0u);
  EXPECT_EQ(tensors.at("single").element(0), -2.5);
  EXPECT_EQ(tensors.at("long").element(0), -2);
  EXPECT_EQ(tensors.at("int").element(0), 2);
  EXPECT_EQ(tensors.at("short").element(0), -3);
}

TEST(Safetensors, RefusesBrokenHeaders) {
  EXPECT_EQ(messageFor(""),
            "has 0 bytes, too few for a safetensors file; fetch it again");
  EXPECT_EQ(messageFor("1234567"),
            "has 7 bytes, too few for a safetensors file; fetch it again");
  EXPECT_EQ(messageFor(littleEndian(3) + "{}"),
            "the header claims 3 bytes but the file has only 2 after its "
            "length; the file is cut short, fetch it again");
  EXPECT_EQ(messageFor(littleEndian(UINT64_MAX) + "{}"),
            "the header claims 18446744073709551615 bytes, more than the "
            "100000000 that safetensors allows; is this a safetensors file?");
  EXPECT_EQ(messageFor(safetensors("[]", "")),
            "the header is not a JSON object");
  EXPECT_EQ(messageFor(safetensors("", "")),
            "byte 8, line 1: not valid JSON: syntax error while parsing value "
            "- unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(messageFor(safetensors("{} x", "")),
            "byte 12, line 1: not valid JSON: syntax error while parsing value "
            "- invalid literal; last read: '{} x'; expected end of input");
  EXPECT_NE(messageFor(safetensors("{\"\xff\": 1}", "")).find("UTF-8"),
            std::string::npos);
  std::string deep(1000, '[');
  EXPECT_EQ(messageFor(safetensors(deep, "")),
            "byte 73, line 1: values are nested deeper than 64");
}

TEST(Safetensors, RefusesBrokenTensors) {
  // A file with one tensor of the given description over eight bytes.
  auto one = [](const std::string &description) {
    return messageFor(safetensors("{\"t\": " + description + "}", "12345678"));
  };
  EXPECT_EQ(one("3"), "tensor 't': is not described by a JSON object");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [2]})"),
            "tensor 't': has no 'data_offsets'");
  EXPECT_EQ(one(R"({"dtype": "F99", "shape": [2], "data_offsets": [0, 8]})"),
            "tensor 't': dtype 'F99' is not supported");
  EXPECT_EQ(one(R"({"dtype": 5, "shape": [2], "data_offsets": [0, 8]})"),
            "tensor 't': dtype is not a string");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [3], "data_offsets": [0, 8]})"),
            "tensor 't': shape [3] of f32 needs 12 bytes but its range has 8");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 7]})"),
            "tensor 't': shape [2] of f32 needs 8 bytes but its range has 7");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]})"),
            "tensor 't': shape [-2] holds something that is not a size");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [2.0], "data_offsets": [0, 8]})"),
            "tensor 't': shape [2.0] holds something that is not a size");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": 2, "data_offsets": [0, 8]})"),
            "tensor 't': shape is not a list of at most 16 sizes");
  // 2^62 elements of four bytes are 0 modulo 2^64.
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [4611686018427387904],
                    "data_offsets": [0, 0]})"),
            "tensor 't': shape [4611686018427387904] has more elements than "
            "64 bits can count");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [4294967296, 4294967296, 0],
                    "data_offsets": [0, 0]})"),
            "tensor 't': shape [4294967296,4294967296,0] has more elements "
            "than 64 bits can count");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [2], "data_offsets": [8, 0]})"),
            "tensor 't': data_offsets [8, 0] end before they begin");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]})"),
            "tensor 't': data_offsets is not a pair of byte positions");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [2], "data_offsets": [0]})"),
            "tensor 't': data_offsets is not a pair of byte positions");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [2], "data_offsets": [4, 12]})"),
            "tensor 't': data_offsets [4, 12] reach beyond the 8 bytes of "
            "data; the file is cut short, fetch it again");
  EXPECT_EQ(one(R"({"dtype": "F32", "shape": [2],
                    "data_offsets": [0, 99999999999999999999]})"),
            "tensor 't': data_offsets is not a pair of byte positions");
}

TEST(Safetensors, RefusesHolesOverlapsAndDuplicates) {
  auto two = [](const std::string &first, const std::string &second) {
    return messageFor(safetensors(
        R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": )" + first +
            R"(}, "b": {"dtype": "U8", "shape": [4], "data_offsets": )" +
            second + "}}",
        "123456789"));
  };
  EXPECT_EQ(two("[0, 4]", "[5, 9]"),
            "bytes 4 to 5 of the data belong to no tensor");
  EXPECT_EQ(two("[4, 8]", "[0, 4]"),
            "bytes 8 to 9 of the data belong to no tensor");
  EXPECT_EQ(two("[0, 4]", "[3, 7]"),
            "tensors 'a' and 'b' overlap at byte 3 of the data");
  EXPECT_EQ(two("[0, 4]", "[0, 4]"),
            "tensors 'a' and 'b' overlap at byte 0 of the data");
  std::string description =
      R"("a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]})";
  std::string message = messageFor(
      safetensors("{" + description + ", " + description + "}", "1"));
  EXPECT_NE(message.find("the key \"a\" occurs twice"), std::string::npos)
      << message;
}

} // namespace
