// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a request: named arrays, and optionally a text.

#pragma once

#include "runtime/library/Interfaces.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace transfold::runtime::inline library {

/// Implements tfold_result.
class ResultHandle final : public tfold_result {
public:
  using Shape = std::vector<int64_t>;
  /// Adds an array of the given shape; `numbers` are its elements, row-major.
  template <typename Number>
  void add(std::string name, Shape shape, std::vector<Number> numbers) {
    arrays.push_back({std::move(name), std::move(shape), std::move(numbers)});
  }
  /// Adds an array with one axis.
  template <typename Number>
  void add(std::string name, std::vector<Number> numbers) {
    Shape shape = {static_cast<int64_t>(numbers.size())};
    add(std::move(name), std::move(shape), std::move(numbers));
  }
  /// Appends to the text of the result.
  void say(std::string_view more) {
    if (!said)
      said.emplace();
    *said += more;
  }
  /// Sets why the generation of tokens ended.
  void endWith(tfold_end end) { ending = end; }

  void free() override { delete this; }
  size_t count() const override { return arrays.size(); }
  bool array(size_t index, tfold_array *array) const override;
  bool find(const char *name, tfold_array *array) const override;
  const char *text(size_t *size) const override;
  tfold_end end() const override { return ending; }

private:
  struct Array {
    std::string name;
    Shape shape;
    std::variant<std::vector<float>, std::vector<double>, std::vector<int32_t>,
                 std::vector<int64_t>>
        numbers; // same order as tfold_type
  };
  std::deque<Array> arrays; // a deque: its elements do not move
  std::optional<std::string> said;
  tfold_end ending = TFOLD_END_NONE;
};

} // namespace transfold::runtime::inline library
