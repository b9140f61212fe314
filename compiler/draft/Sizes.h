// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps the names of constants in equations to the keys that configurations use
// for them.

#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace transfold::draft {

/// The constants in a configuration that equations need.
class Sizes {
public:
  /// `config` must outlive this.
  explicit Sizes(const nlohmann::json &config);

  /// The value of `name`; 0 if the configuration does not contain it.
  int64_t number(const std::string &name) const;
  /// Whether the configuration has a key for `name`.
  bool has(const std::string &name) const;
  /// The key of `name` in the configuration: ".hidden_size".
  std::string key(const std::string &name) const;

private:
  const nlohmann::json &config;
};

} // namespace transfold::draft
