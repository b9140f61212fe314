// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files, to exchange arrays with other programs. A caller's own
// memory can be read in the same way.

#ifndef TRANSFOLD_RUNTIME_FILES_ARRAYS_NPY_H
#define TRANSFOLD_RUNTIME_FILES_ARRAYS_NPY_H

#include "runtime/files/input/FileMapping.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

/// An array in a mapped file, or in memory: row-major, little-endian. The shape
/// of a file is checked against its size.
class NpyArray {
public:
  enum class Type { Float32, Float64, Int32, Int64, UInt8, Bool };

  /// Reads versions 1 to 3 of the format. Throws Error.
  explicit NpyArray(const std::string &path);
  /// A view of memory that must outlive this object. Throws Error if the shape
  /// is invalid.
  NpyArray(Type type, std::span<const int64_t> shape, const void *numbers);

  Type type() const { return elementType; }
  bool isInteger() const {
    return elementType != Type::Float32 && elementType != Type::Float64;
  }
  const std::vector<int64_t> &shape() const { return extents; }
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
  const uint8_t *data = nullptr;

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

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_ARRAYS_NPY_H
