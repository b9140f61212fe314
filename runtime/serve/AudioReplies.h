// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clients get who sent a recording, in the form that OpenAI's servers give
// it.

#ifndef TRANSFOLD_RUNTIME_SERVE_AUDIOREPLIES_H
#define TRANSFOLD_RUNTIME_SERVE_AUDIOREPLIES_H

#include "runtime/serve/AudioRequests.h"
#include "runtime/tasks/Transcriber.h"

namespace transfold::runtime::serve {

HttpReply audioReply(const Transcription &transcription,
                     AudioRequest::Format format, bool translates);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_AUDIOREPLIES_H
