// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serializes a tokenizer's description: the inverse of TableReader, method by
// method (runtime/tokenizer/tables/Tables.h describes the layout).

#pragma once

#include "runtime/tokenizer/tables/Tables.h"

#include <string>

namespace transfold::tokenizer {

/// Writes values one after the other, each aligned for its type.
class TableWriter {
public:
  /// Begins with the magic number and the version of the format.
  TableWriter() {
    write(runtime::tablesMagic);
    write(runtime::tablesVersion);
  }
  /// The bytes; the writer is empty afterwards.
  std::string take() { return std::move(bytes); }

  /// A structure is written field by field, so that no padding is: equal
  /// descriptions give equal bytes.
  template <typename T> void write(const T &value) {
    if constexpr (runtime::StoredFields<T>)
      std::apply([&](const auto &...field) { (write(field), ...); },
                 T::fields(value));
    else if constexpr (std::is_same_v<T, bool>)
      number<uint8_t>(value);
    else
      number(value);
  }
  template <typename T> void write(const std::basic_string<T> &text) {
    view(text.data(), text.size());
  }
  void write(const std::string_view &text) { view(text.data(), text.size()); }
  template <typename T> void write(const std::span<const T> &list) {
    view(list.data(), list.size());
  }
  /// Elements with members of variable size, one after another.
  template <typename T> void write(const std::vector<T> &list) {
    number<uint64_t>(list.size());
    for (const T &value : list)
      write(value);
  }
  template <typename T, size_t N> void write(const std::array<T, N> &list) {
    for (const T &value : list)
      write(value);
  }
  template <typename T> void write(const std::optional<T> &value) {
    number<uint8_t>(value.has_value());
    if (value)
      write(*value);
  }
  template <typename First, typename Second>
  void write(const std::pair<First, Second> &pair) {
    write(pair.first);
    write(pair.second);
  }
  template <typename... T> void write(const std::variant<T...> &value) {
    number<uint32_t>(static_cast<uint32_t>(value.index()));
    std::visit([&](const auto &alternative) { write(alternative); }, value);
  }

private:
  std::string bytes;

  /// Appends bytes at the next multiple of `alignment`.
  void append(const void *data, size_t size, size_t alignment) {
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    bytes.append(static_cast<const char *>(data), size);
  }
  /// A number in the byte order of this machine.
  template <typename T> void number(T value) {
    static_assert(runtime::StoredNumber<T>);
    append(&value, sizeof(T), alignof(T));
  }
  /// A count, followed by the elements as they lie in memory; the reader makes
  /// a view of them.
  template <typename T> void view(const T *data, size_t size) {
    static_assert(std::has_unique_object_representations_v<T> ||
                      std::is_floating_point_v<T>,
                  "padding would make the bytes differ");
    number<uint64_t>(size);
    append(data, size * sizeof(T), alignof(T));
  }
};

} // namespace transfold::tokenizer
