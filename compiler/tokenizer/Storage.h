// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the data that the views of a description refer to until it is written.
// In a program, the views refer to the program's own bytes instead.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::tokenizer {

/// Keeps lists and texts alive.
class Storage {
public:
  /// Takes ownership and returns a view that is valid as long as the storage
  /// lives.
  template <typename T> std::span<const T> keep(std::vector<T> list) {
    auto owned = std::make_shared<std::vector<T>>(std::move(list));
    kept.push_back(owned);
    return *owned;
  }
  /// The same for a text.
  std::string_view keep(std::string text) {
    auto owned = std::make_shared<std::string>(std::move(text));
    kept.push_back(owned);
    return *owned;
  }

private:
  std::vector<std::shared_ptr<const void>> kept;
};

} // namespace transfold::tokenizer
