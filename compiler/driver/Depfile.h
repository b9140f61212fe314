// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_DRIVER_DEPFILE_H
#define TRANSFOLD_COMPILER_DRIVER_DEPFILE_H

#include <string>
#include <vector>

namespace transfold::driver {

/// The rule of Make and Ninja that says of which `sources` `output` is made:
///
///   minilm: \
///     all-MiniLM-L6-v2/config.json \
///     all-MiniLM-L6-v2/model.safetensors
///
/// Throws std::runtime_error where a path has a line break, which no such rule
/// can have.
std::string dependencyRule(const std::string &output,
                           const std::vector<std::string> &sources);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_DEPFILE_H
