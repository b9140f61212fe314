// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replies to requests with recordings, in the format of OpenAI's servers.

#pragma once

#include "runtime/serve/api/AudioRequests.h"
#include "runtime/tasks/speech/Transcriber.h"

namespace transfold::runtime::serve {

/// The reply with a transcription in the requested format.
HttpReply audioReply(const Transcription &transcription,
                     AudioRequest::Format format, bool translates);

} // namespace transfold::runtime::serve
