// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests with recordings: a form with a file and fields. As for other
// requests, fields that ask for unsupported features are refused.

#pragma once

#include "runtime/serve/http/Http.h"

#include <span>
#include <string>

namespace transfold::runtime::serve {

/// A request to /v1/audio/transcriptions or /v1/audio/translations.
struct AudioRequest {
  enum class Format { Json, Text, Srt, VerboseJson, Vtt };

  std::string model;    // empty: the model served
  std::string file;     // the bytes of the file
  std::string fileName; // for messages
  std::string language; // a language code; empty: the language is detected
  Format format = Format::Json;
};

/// Reads the parts of the form. Throws ApiError.
AudioRequest readAudioRequest(std::span<const HttpPart> form);

} // namespace transfold::runtime::serve
