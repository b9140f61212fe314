// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tokenizer as the bytes that a program carries. The compiler writes them
// (compiler/tokenizer/TableWriter.h), the program uses them where they lie:
// vocabularies, merges and scores are views of the bytes, and only the few
// settings beside them are copied. So a program starts in the same time
// whatever the size of its vocabulary.
//
// A struct that is stored says which of its members are:
//
//   static auto fields(auto &self) { return std::tie(self.a, self.b); }
//
// and, where not every value will do, `void check() const`, which calls
// `damagedTables`. What lies in a view is checked where it is used.
//
// All numbers lie at a multiple of their size, in the order of bytes of the
// machine; a text, list or view is its length in 64 bits, then its elements;
// an optional value is a byte, 0 or 1, then the value; of a variant, which
// alternative comes first, in 32 bits.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_TABLES_TABLES_H
#define TRANSFOLD_RUNTIME_TOKENIZER_TABLES_TABLES_H

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

namespace transfold::runtime {

/// At the beginning of the bytes. The version changes with what is stored.
constexpr uint32_t tablesMagic = 0x4b4f5458; // "XTOK"
constexpr uint32_t tablesVersion = 3;
/// Where the bytes have to lie in memory: at a multiple of this.
constexpr size_t tablesAlignment = 8;

[[noreturn]] void damagedTables(const char *how);

template <typename T>
concept StoredFields = requires(T &value) { T::fields(value); };
template <typename T>
concept StoredNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T>
concept CheckedAfterReading = requires(const T &value) { value.check(); };

class TableReader {
public:
  /// Throws Error where the bytes are not a tokenizer of this version.
  explicit TableReader(std::string_view bytes);

  /// Reads a value. Throws Error where the bytes end before.
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

  /// The place of the next `size` bytes, which begin at a multiple of
  /// `alignment`.
  const char *take(size_t size, size_t alignment);
  /// How many elements of `size` bytes or more follow.
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

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_TABLES_TABLES_H
