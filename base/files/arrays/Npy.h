// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files, to exchange arrays with other programs. A caller's own
// memory can be read in the same way.

#pragma once

#include "base/files/input/FileMapping.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace transfold {

/// An array in a mapped file, or in memory: row-major, little-endian. The shape
/// of a file is checked against its size.
class NpyArray {
public:
  /// Type of the elements. Bool has one byte for each, and any nonzero value is
  /// true.
  enum class Type { Float32, Float64, Int32, Int64, UInt8, Bool };

  /// Reads versions 1 to 3 of the format. Throws Error.
  explicit NpyArray(const std::string &path);
  /// A view of memory that must outlive this object. Throws Error if the shape
  /// is invalid.
  NpyArray(Type type, std::span<const int64_t> shape, const void *numbers);

  Type type() const { return elementType; }
  /// Whether integer() loses nothing; true for Bool as well.
  bool isInteger() const {
    return elementType != Type::Float32 && elementType != Type::Float64;
  }
  /// Extents of the axes, outermost first; empty for a scalar.
  const std::vector<int64_t> &shape() const { return extents; }
  /// Product of the extents: 1 for a scalar.
  int64_t elements() const { return count; }
  /// An element, by its row-major index; reals are truncated towards zero.
  int64_t integer(int64_t index) const;
  /// An element, by its row-major index.
  double real(int64_t index) const;

private:
  FileMapping file;
  Type elementType = Type::Float32;
  std::vector<int64_t> extents;
  int64_t count = 0;
  /// The first element, in `file` or in the caller's memory. It may be
  /// unaligned.
  const uint8_t *data = nullptr;

  /// Sets type and shape, and checks that the rest of the file has the size of
  /// the elements. Throws Error.
  void readHeader(const std::string &path, std::string_view header);
};

/// Writes an array of float32 with the product of `shape` elements. The file
/// gets its name only when it is complete. Throws Error.
void writeNpy(const std::string &path, std::span<const int64_t> shape,
              std::span<const float> values);
/// The same for float64.
void writeNpy(const std::string &path, std::span<const int64_t> shape,
              std::span<const double> values);
/// The same for int64.
void writeNpy(const std::string &path, std::span<const int64_t> shape,
              std::span<const int64_t> values);

} // namespace transfold
