// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file is not guarded as an input: /save may write it again.

#include "runtime/commands/generate/ChatMessages.h"

#include "base/files/input/WholeFile.h"
#include "runtime/tasks/generate/Conversation.h"

namespace transfold::runtime::inline commands {

chat::Conversation readConversation(const std::string &path) {
  // A conversation may be saved to the file from which it was loaded.
  FileMapping file = wholeFile(path, SIZE_MAX, FileMapping::As::Replaceable);
  return parseConversation(file.text(), path);
}

} // namespace transfold::runtime::inline commands
