// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replies to requests with recordings, in the format of OpenAI's servers.

#ifndef TRANSFOLD_RUNTIME_SERVE_API_AUDIOREPLIES_H
#define TRANSFOLD_RUNTIME_SERVE_API_AUDIOREPLIES_H

#include "runtime/serve/api/AudioRequests.h"
#include "runtime/tasks/speech/Transcriber.h"

namespace transfold::runtime::serve {

/// The reply with a transcription in the requested format.
HttpReply audioReply(const Transcription &transcription,
                     AudioRequest::Format format, bool translates);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_API_AUDIOREPLIES_H
