// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses numbers of a tokenizer.json as Hugging Face's tokenizers parse them.
//
// Their JSON reader (serde_json, without its feature `float_roundtrip`) takes
// the digits as one 64-bit integer and divides it by a power of ten, or
// multiplies it, in double: two roundings where the nearest double needs one.
// For the scores of a unigram model, the last bit can decide between two
// segmentations of a word with otherwise equal sums, so it must be the same
// bit.

#pragma once

#include <optional>
#include <string_view>

namespace transfold::tokenizer {

/// The value of `text`, a number in JSON syntax; nullopt if it is too large for
/// a double.
std::optional<double> jsonNumber(std::string_view text);

} // namespace transfold::tokenizer
