// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a tokenizer in the bytes of a program. The compiler writes them
// (compiler/tokenizer/TableWriter.h), and the program uses them in place:
// vocabularies, merges and scores are views of the bytes, and only the few
// other settings are copied. Therefore the start time of a program does not
// depend on the size of its vocabulary.
//
// A struct that is stored lists its members in
//
//   static auto fields(auto &self) { return std::tie(self.a, self.b); }
//
// and, if not every value is valid, has a function `void check() const`, which
// calls `damagedTables`. The elements of views are checked when they are used.
//
// All numbers are aligned to their size, in the byte order of the machine; a
// text, list or view is its length in 64 bits, followed by its elements; an
// optional value is a byte, 0 or 1, followed by the value; a variant is the
// index of the alternative in 32 bits, followed by the value.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// At the beginning of the bytes. The version must change whenever the stored
/// data change.
constexpr uint32_t tablesMagic = 0x4b4f5458; // "XTOK"
constexpr uint32_t tablesVersion = 6;
/// Required alignment of the bytes in memory.
constexpr size_t tablesAlignment = 8;

/// Throws Error that the tables are damaged; `how` completes the message.
[[noreturn]] void damagedTables(const char *how);

/// A struct that lists its members in fields().
template <typename T>
concept StoredFields = requires(T &value) { T::fields(value); };
template <typename T>
concept StoredNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;
/// A type of which not all values are valid: check() throws Error.
template <typename T>
concept CheckedAfterReading = requires(const T &value) { value.check(); };

/// Reads values from the bytes of a tokenizer.
class TableReader {
public:
  /// Throws Error if the bytes are not a tokenizer of this version.
  explicit TableReader(std::string_view bytes);

  /// Reads a value. Throws Error if the bytes end before.
  template <typename T> void read(T &value) {
    if constexpr (StoredFields<T>)
      std::apply([&](auto &...field) { (read(field), ...); }, T::fields(value));
    else if constexpr (std::is_same_v<T, bool>)
      value = number<uint8_t>() != 0;
    else
      value = number<T>();
    if constexpr (CheckedAfterReading<T>)
      value.check();
  }
  template <typename T> void read(std::basic_string<T> &text) {
    std::span<const T> characters = view<T>();
    text.assign(characters.data(), characters.size());
  }
  void read(std::string_view &text) {
    std::span<const char> characters = view<char>();
    text = {characters.data(), characters.size()};
  }
  template <typename T> void read(std::span<const T> &list) {
    list = view<T>();
  }
  template <typename T> void read(std::vector<T> &list) {
    list.clear();
    for (size_t left = count(1); left > 0; --left)
      read(list.emplace_back());
  }
  template <typename T, size_t N> void read(std::array<T, N> &list) {
    for (T &value : list)
      read(value);
  }
  template <typename T> void read(std::optional<T> &value) {
    value.reset();
    if (number<uint8_t>())
      read(value.emplace());
  }
  template <typename First, typename Second>
  void read(std::pair<First, Second> &pair) {
    read(pair.first);
    read(pair.second);
  }
  template <typename... T> void read(std::variant<T...> &value) {
    readAlternative(value, number<uint32_t>(), std::index_sequence_for<T...>());
  }

private:
  std::string_view bytes;
  size_t at = 0;

  /// Takes the next `size` bytes, aligned to `alignment`.
  const char *take(size_t size, size_t alignment);
  /// Reads the number of elements that follow, each of at least `size` bytes.
  size_t count(size_t size);

  template <typename T> T number() {
    T value;
    std::memcpy(&value, take(sizeof(T), alignof(T)), sizeof(T));
    return value;
  }
  template <typename T> std::span<const T> view() {
    static_assert(std::is_trivially_copyable_v<T> &&
                  alignof(T) <= tablesAlignment);
    size_t elements = count(sizeof(T));
    return {reinterpret_cast<const T *>(take(elements * sizeof(T), alignof(T))),
            elements};
  }
  template <typename Variant, size_t... I>
  void readAlternative(Variant &value, uint32_t index,
                       std::index_sequence<I...>) {
    auto readAs = [&]<size_t K>() {
      if (index == K)
        read(value.template emplace<K>());
      return index == K;
    };
    if (!(readAs.template operator()<I>() || ...))
      damagedTables("name an unknown step");
  }
};

} // namespace transfold::runtime::inline tokenizer
