// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that an answer may call.

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace transfold::runtime::serve {

/// A function.
struct Tool {
  std::string name;                 // letters, digits, "_" and "-"
  nlohmann::ordered_json arguments; // a schema whose values are objects
};

/// What a request says about functions.
struct AskedTools {
  enum class Choice { None, Auto, Required };

  /// Those that the answer may call; empty if the request has no functions.
  std::vector<Tool> callable;
  Choice choice = Choice::Auto;
  bool mayBeSeveral = true; // calls in one answer

  bool areGiven() const { return !callable.empty(); }
};

} // namespace transfold::runtime::serve
