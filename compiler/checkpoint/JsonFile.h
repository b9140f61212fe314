// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON from untrusted files: size and depth are bounded, a key that occurs
// twice is an error (parsers disagree on which one counts), text must be UTF-8,
// and every message states the position.

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace transfold::checkpoint {

/// The largest depth of nested values.
inline constexpr unsigned maximumJsonDepth = 64;
/// The largest size of a file. The largest in use, lists of shards and of
/// tokens, have 10 MB, and a tree takes up to 25 times the memory of its text.
inline constexpr size_t maximumJsonBytes = size_t{32} << 20;

/// Parses `text`. Messages begin with `place`, the file's path; positions count
/// from the start of `text` plus `offset`. Throws CheckpointError.
nlohmann::json parseJson(std::string_view text, const std::string &place,
                         size_t offset = 0);

/// Whether a text from a file is UTF-8, as keys and names must be.
bool isUtf8(std::string_view text);

/// Reads and parses a whole file. Throws CheckpointError.
nlohmann::json readJsonFile(const std::string &path);

} // namespace transfold::checkpoint
