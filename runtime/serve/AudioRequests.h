// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clients ask for who send a recording: a form with a file and fields. As
// of other requests, what asks for something that this server does not do is
// refused.

#ifndef TRANSFOLD_RUNTIME_SERVE_AUDIOREQUESTS_H
#define TRANSFOLD_RUNTIME_SERVE_AUDIOREQUESTS_H

#include "runtime/serve/Http.h"

#include <span>
#include <string>

namespace transfold::runtime::serve {

/// Of /v1/audio/transcriptions and /v1/audio/translations.
struct AudioRequest {
  enum class Format { Json, Text, Srt, VerboseJson, Vtt };

  std::string model;    // empty: whatever is there
  std::string file;     // its bytes
  std::string fileName; // for messages
  std::string language; // a code; empty: the one that is heard
  Format format = Format::Json;
};

/// Throws ApiError.
AudioRequest readAudioRequest(std::span<const HttpPart> form);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_AUDIOREQUESTS_H
