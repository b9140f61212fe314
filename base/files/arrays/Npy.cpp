// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arrays where they lie in the mapped file, and writes version 1.0 of the
// format, as documented in numpy.lib.format: a magic text, the version, the
// length of the header, the header, and the elements.

#include "base/files/arrays/Npy.h"

#include "base/Error.h"
#include "base/files/arrays/NpyHeader.h"
#include "base/files/input/WholeFile.h"
#include "base/files/output/OutputFile.h"

#include <cstring>

namespace transfold {

namespace {

/// The first bytes of every .npy file.
constexpr std::string_view magic("\x93NUMPY", 6);
/// Much more than any header of a plain array needs.
constexpr uint64_t maximumHeaderBytes = 1 << 20;

/// A type of elements: its name in NumPy's array protocol, and its size in
/// bytes.
struct TypeName {
  std::string_view descr;
  NpyArray::Type type;
  int64_t bytes;
};
constexpr TypeName typeNames[] = {
    {"<f4", NpyArray::Type::Float32, 4}, {"<f8", NpyArray::Type::Float64, 8},
    {"<i4", NpyArray::Type::Int32, 4},   {"<i8", NpyArray::Type::Int64, 8},
    {"|u1", NpyArray::Type::UInt8, 1},   {"|b1", NpyArray::Type::Bool, 1}};

/// Reads element `index` of elements of type T.
template <typename T> T load(const uint8_t *data, int64_t index) {
  T value; // the data of a malicious file may be unaligned
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

} // namespace

NpyArray::NpyArray(const std::string &path) : file(wholeFile(path, SIZE_MAX)) {
  std::span<const uint8_t> bytes = file.bytes();
  if (bytes.size() < 10 ||
      std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    fail("{}: is not an .npy file", path);
  unsigned version = bytes[6];
  if (version < 1 || version > 3)
    fail("{}: version {} of the .npy format is unknown", path, version);
  // The length of the header has two bytes in version 1.0, and four since 2.0.
  // Version 3.0 only permits UTF-8 in names of structured types, which are
  // refused below.
  size_t lengthBytes = version == 1 ? 2 : 4;
  size_t start = 8 + lengthBytes;
  uint64_t length = 0;
  for (size_t i = 0; i < lengthBytes && 8 + i < bytes.size(); ++i)
    length |= uint64_t{bytes[8 + i]} << (8 * i);
  if (bytes.size() < start || length > bytes.size() - start ||
      length > maximumHeaderBytes)
    fail("{}: the header claims {} bytes; the file is cut short or damaged",
         path, length);
  data = bytes.data() + start + length;
  readHeader(path, {reinterpret_cast<const char *>(bytes.data()) + start,
                    static_cast<size_t>(length)});
}

NpyArray::NpyArray(Type type, std::span<const int64_t> shape,
                   const void *numbers)
    : elementType(type), extents(shape.begin(), shape.end()), count(1),
      data(static_cast<const uint8_t *>(numbers)) {
  // Multiplied along, so that the size in bytes cannot overflow either.
  constexpr int64_t mostBytes = 8; // per element
  int64_t bytes = mostBytes;
  for (int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes))
      fail("({}) is not the shape of an array", fmt::join(extents, ", "));
  count = bytes / mostBytes;
}

void NpyArray::readHeader(const std::string &path, std::string_view text) {
  NpyHeader header = parseNpyHeader(text, path);
  const TypeName *found = nullptr;
  for (const TypeName &name : typeNames)
    if (header.descr == name.descr)
      found = &name;
  if (!found)
    fail("{}: holds elements of type '{}'; float32, float64, int32, int64, "
         "uint8 and bool can be read",
         path, header.descr);
  elementType = found->type;
  // With one axis both orders are the same.
  if (header.fortranOrder && header.shape.size() > 1)
    fail("{}: is in Fortran order; save it with numpy.ascontiguousarray", path);

  int64_t needed = found->bytes;
  count = 1;
  for (int64_t extent : header.shape)
    if (__builtin_mul_overflow(needed, extent, &needed) ||
        __builtin_mul_overflow(count, extent, &count))
      fail("{}: shape ({}) is too large", path, fmt::join(header.shape, ", "));
  int64_t present = file.bytes().data() + file.bytes().size() - data;
  if (needed != present)
    fail("{}: shape ({}) needs {} bytes of data but the file has {}", path,
         fmt::join(header.shape, ", "), needed, present);
  extents = std::move(header.shape);
}

int64_t NpyArray::integer(int64_t index) const {
  switch (elementType) {
  case Type::Float32:
  case Type::Float64:
    return static_cast<int64_t>(real(index));
  case Type::Int32:
    return load<int32_t>(data, index);
  case Type::Int64:
    return load<int64_t>(data, index);
  case Type::UInt8:
    return data[index];
  case Type::Bool:
    return data[index] != 0;
  }
  __builtin_unreachable();
}

double NpyArray::real(int64_t index) const {
  if (elementType == Type::Float32)
    return load<float>(data, index);
  if (elementType == Type::Float64)
    return load<double>(data, index);
  return static_cast<double>(integer(index));
}

namespace {

template <typename T>
void write(const std::string &path, std::string_view descr,
           std::span<const int64_t> shape, std::span<const T> values) {
  std::string header = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
      fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // The data begin at a multiple of 64 bytes.
  size_t before = magic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  char preamble[4] = {1, 0, static_cast<char>(header.size() & 255),
                      static_cast<char>(header.size() >> 8)};

  OutputFile file(path);
  file.write(magic);
  file.write({preamble, sizeof preamble});
  file.write(header);
  file.write(
      {reinterpret_cast<const char *>(values.data()), values.size_bytes()});
  file.commit();
}

} // namespace

void writeNpy(const std::string &path, std::span<const int64_t> shape,
              std::span<const float> values) {
  write(path, "<f4", shape, values);
}
void writeNpy(const std::string &path, std::span<const int64_t> shape,
              std::span<const double> values) {
  write(path, "<f8", shape, values);
}
void writeNpy(const std::string &path, std::span<const int64_t> shape,
              std::span<const int64_t> values) {
  write(path, "<i8", shape, values);
}

} // namespace transfold
