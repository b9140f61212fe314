// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people give who have a recording: files of many kinds, which their first
// bytes tell.

#ifndef TRANSFOLD_RUNTIME_AUDIO_FILEKINDS_H
#define TRANSFOLD_RUNTIME_AUDIO_FILEKINDS_H

#include <cstdint>
#include <span>
#include <string>

namespace transfold::runtime {

/// "an MP3 file", for a message; empty where the bytes are of no known kind.
std::string kindOfRecording(std::span<const uint8_t> bytes);

/// Whether a file begins as recordings do, of those kinds or a WAV file.
bool isRecording(std::span<const uint8_t> bytes);

/// What a recording is called that has no file.
inline constexpr const char *standardInput = "standard input";

/// The command that makes a WAV file of the recording `name`.
std::string commandToConvert(const std::string &name);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_AUDIO_FILEKINDS_H
