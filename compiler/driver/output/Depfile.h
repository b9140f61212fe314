// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of inputs for build systems.

#pragma once

#include <string>
#include <vector>

namespace transfold::driver {

/// The rule of Make and Ninja that lists the `sources` of `output`:
///
///   minilm: \
///     all-MiniLM-L6-v2/config.json \
///     all-MiniLM-L6-v2/model.safetensors
///
/// Throws std::runtime_error if a path contains a line break, which such a rule
/// cannot represent.
std::string dependencyRule(const std::string &output,
                           const std::vector<std::string> &sources);

} // namespace transfold::driver
