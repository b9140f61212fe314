// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the numbers of a configuration are called in equations, by the keys that
// people give them.

#ifndef TRANSFOLD_COMPILER_DRAFT_SIZES_H
#define TRANSFOLD_COMPILER_DRAFT_SIZES_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace transfold::draft {

/// What a configuration says of the constants that equations need.
class Sizes {
public:
  /// `config` must outlive this.
  explicit Sizes(const nlohmann::json &config);

  /// The value of `name`; 0 where the configuration does not say it.
  int64_t number(const std::string &name) const;
  bool has(const std::string &name) const;
  /// `name` as the configuration has it: ".hidden_size".
  std::string key(const std::string &name) const;

private:
  const nlohmann::json &config;
};

} // namespace transfold::draft

#endif // TRANSFOLD_COMPILER_DRAFT_SIZES_H
