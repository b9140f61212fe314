// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/ChatMessages.h"

#include "runtime/files/FileMapping.h"
#include "runtime/tasks/Conversation.h"

namespace transfold::runtime {

chat::Conversation readConversation(const std::string &path) {
  // A conversation that goes on is saved where it was.
  FileMapping file(path, FileMapping::As::Replaceable);
  return parseConversation({reinterpret_cast<const char *>(file.bytes().data()),
                            file.bytes().size()},
                           path);
}

} // namespace transfold::runtime
