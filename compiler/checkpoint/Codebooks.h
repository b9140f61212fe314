// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codebooks of llama.cpp's formats IQ1 to IQ3: the groups of eight elements
// (four for IQ3) that a file can contain, up to their signs. They are part of
// the formats (ggml/src/ggml-common.h), as are the values of IQ4_NL.

#pragma once

#include <array>
#include <cstdint>

namespace transfold::checkpoint::codebooks {

/// Entry `index` has the codes of eight elements, of 2 bits each, the first in
/// the lowest bits; or of four elements, of 3 bits each.
extern const std::array<uint16_t, 256> iq2Xxs;
extern const std::array<uint16_t, 512> iq2Xs;
extern const std::array<uint16_t, 1024> iq2S;
extern const std::array<uint16_t, 2048> iq1;
extern const std::array<uint16_t, 256> iq3Xxs;
extern const std::array<uint16_t, 512> iq3S;

} // namespace transfold::checkpoint::codebooks
