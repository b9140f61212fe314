// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/files/arrays/Npy.h"

#include "test/unit/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace transfold;
using transfold::test::messageAbout;
using transfold::test::messageOf;
using transfold::test::TemporaryDirectory;

namespace {

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A version 1 file.
std::string npy(const std::string &header, const std::string &data) {
  return std::string("\x93NUMPY\x01\x00", 8) +
         static_cast<char>(header.size() & 255) +
         static_cast<char>(header.size() >> 8) + header + data;
}

std::string messageFor(const std::string &bytes) {
  return messageAbout("x.npy", bytes,
                      [](const std::string &path) { NpyArray array(path); });
}

TEST(Npy, WritesWhatItReads) {
  TemporaryDirectory directory;
  std::string path = directory.path("x.npy");
  std::vector<int64_t> shape{2, 3};
  std::vector<float> values{0, 1, 2, 3, 4, -0.5f};
  writeNpy(path, shape, std::span<const float>(values));
  NpyArray array(path);
  EXPECT_EQ(array.type(), NpyArray::Type::Float32);
  EXPECT_EQ(array.shape(), shape);
  EXPECT_EQ(array.elements(), 6);
  EXPECT_EQ(array.real(5), -0.5);
  // As in NumPy, data begin at a multiple of 64 bytes.
  std::string bytes = bytesOf(path);
  EXPECT_EQ((bytes.size() - 24) % 64, 0u);
  EXPECT_TRUE(bytes.substr(10).starts_with(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } "));

  std::vector<int64_t> one{3};
  std::vector<double> reals{1, 2, 1e300};
  writeNpy(path, one, std::span<const double>(reals));
  EXPECT_EQ(NpyArray(path).real(2), 1e300);
  EXPECT_NE(bytesOf(path).find("'shape': (3,), }"), std::string::npos);

  std::vector<int64_t> integers{-1, 0, INT64_MAX};
  writeNpy(path, one, std::span<const int64_t>(integers));
  EXPECT_TRUE(NpyArray(path).isInteger());
  EXPECT_EQ(NpyArray(path).integer(2), INT64_MAX);

  // No temporary file is left.
  size_t files = 0;
  for ([[maybe_unused]] const auto &file :
       std::filesystem::directory_iterator(directory.path()))
    ++files;
  EXPECT_EQ(files, 1u);
}

TEST(Npy, ReadsWhatOthersWrite) {
  TemporaryDirectory directory;
  auto read = [&](const std::string &bytes) {
    return NpyArray(directory.write("x.npy", bytes));
  };
  NpyArray flags = read(npy("{\"shape\": (2, ), 'fortran_order':False,"
                            "'descr':'|b1'}\n",
                            std::string("\x00\x01", 2)));
  EXPECT_EQ(flags.integer(0), 0);
  EXPECT_EQ(flags.integer(1), 1);
  NpyArray scalar =
      read(npy("{'descr': '<i4', 'fortran_order': False, 'shape': ()}",
               "\xfe\xff\xff\xff"));
  EXPECT_EQ(scalar.elements(), 1);
  EXPECT_EQ(scalar.integer(0), -2);
  NpyArray nothing = read(
      npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7)}", ""));
  EXPECT_EQ(nothing.elements(), 0);
  std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}";
  NpyArray second = read(std::string("\x93NUMPY\x02\x00", 8) +
                         static_cast<char>(header.size()) +
                         std::string(3, '\0') + header + "\xff");
  EXPECT_EQ(second.integer(0), 255);
}

TEST(Npy, RefusesBrokenFiles) {
  EXPECT_EQ(messageFor(""), "is not an .npy file");
  EXPECT_EQ(messageFor("hello, world"), "is not an .npy file");
  EXPECT_EQ(messageFor(std::string("\x93NUMPY\x09\x00\x01\x00 ", 11)),
            "version 9 of the .npy format is unknown");
  EXPECT_EQ(messageFor(std::string("\x93NUMPY\x01\x00\xff\xff{}", 12)),
            "the header claims 65535 bytes; the file is cut short or damaged");
  EXPECT_EQ(messageFor(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14)),
            "the header claims 4294967295 bytes; the file is cut short or "
            "damaged");

  auto header = [](const std::string &text, const std::string &data = "") {
    return messageFor(npy(text, data));
  };
  auto type = [&](const std::string &descr) {
    return header("{'descr': '" + descr +
                  "', 'fortran_order': False, 'shape': (1,)}");
  };
  EXPECT_EQ(type(">f4"),
            "holds elements of type '>f4'; float32, float64, int32, int64, "
            "uint8 and bool can be read");
  EXPECT_EQ(type("|O"),
            "holds elements of type '|O'; float32, float64, int32, int64, "
            "uint8 and bool can be read");
  auto shape = [&](const std::string &shape, const std::string &data = "") {
    return header("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape +
                      "}",
                  data);
  };
  EXPECT_EQ(shape("(2,)", "1234"),
            "shape (2) needs 8 bytes of data but the file has 4");
  EXPECT_EQ(shape("(1,)", "12345"),
            "shape (1) needs 4 bytes of data but the file has 5");
  EXPECT_EQ(shape("(4611686018427387904,)"),
            "shape (4611686018427387904) is too large");
  EXPECT_EQ(shape("(4294967296, 4294967296)"),
            "shape (4294967296, 4294967296) is too large");
  std::string unreadable = "not an .npy file that can be read: its header has ";
  EXPECT_TRUE(shape("(99999999999999999999,)")
                  .starts_with(unreadable + "a size that is too large"));
  EXPECT_TRUE(
      shape("(-1,)").starts_with(unreadable + "something that is not a size"));
  EXPECT_TRUE(shape("3").starts_with(unreadable + "no '('"));
  EXPECT_TRUE(shape("(1,), 'shape': (2,)")
                  .starts_with(unreadable + "an unknown or repeated key"));
  EXPECT_TRUE(header("{}").starts_with(unreadable + "no 'descr'"));
  EXPECT_TRUE(header("{'descr': '<f4")
                  .starts_with(unreadable + "a string without an end"));
  EXPECT_TRUE(header("{'descr': [('a', '<f4')]}")
                  .starts_with(unreadable + "no string where one is expected"));
  EXPECT_TRUE(header("{'descr': '<f4', 'fortran_order': 0}")
                  .starts_with(unreadable + "neither True nor False"));
  EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}",
                   "1234"),
            "is in Fortran order; save it with numpy.ascontiguousarray");
}

TEST(Npy, SaysWhyItCannotWrite) {
  std::vector<int64_t> shape{1};
  std::vector<float> values{0};
  EXPECT_EQ(messageOf([&] {
              writeNpy("/nowhere/x.npy", shape, std::span<const float>(values));
            }),
            "/nowhere/x.npy: cannot write the file: No such file or directory");
  EXPECT_EQ(messageOf([] { NpyArray("/nowhere/x.npy"); }),
            "/nowhere/x.npy: cannot open the file: No such file or directory");
}

} // namespace
