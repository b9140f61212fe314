// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a transcription, told to the thread that waits for it.

#include "runtime/serve/engine/TranscriptionJob.h"

namespace transfold::runtime::serve {

void TranscriptionJob::finish() {
  std::lock_guard lock(mutex);
  isDone = true;
  isNew.notify_one();
}

} // namespace transfold::runtime::serve
