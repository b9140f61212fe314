// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detection of the kind of a recording's file by its first bytes.

#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace transfold::runtime::inline audio {

/// "an MP3 file", for a message; empty if the kind is unknown.
std::string kindOfRecording(std::span<const uint8_t> bytes);

/// Whether a file begins like a recording of one of those kinds, or like a WAV
/// file.
bool isRecording(std::span<const uint8_t> bytes);

/// Name of a recording that is not a file.
inline constexpr const char *standardInput = "standard input";

/// A command that converts the recording `name` to a WAV file.
std::string commandToConvert(const std::string &name);

} // namespace transfold::runtime::inline audio
