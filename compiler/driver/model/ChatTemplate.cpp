// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the chat template of a model, or of the user.

#include "compiler/driver/model/ChatTemplate.h"

#include "base/files/input/WholeFile.h"
#include "compiler/chat/CompileTemplate.h"
#include "compiler/checkpoint/huggingface/HuggingFaceChat.h"

#include <filesystem>

namespace transfold::driver {

using checkpoint::ChatTemplate;

/// The template as bytes, with its tokens by name.
static ChatProgram programOf(const ChatTemplate &source) {
  ChatProgram result;
  auto program =
      chat::compileTemplate(source.text, source.place, &result.notes);
  // Without its folder, so that equal inputs give equal bytes elsewhere.
  program.source = std::filesystem::path(source.place).filename().string();
  for (const auto &[name, text] : source.tokens) {
    program.tokens.push_back(name);
    program.tokens.push_back(text);
  }
  result.bytes = program.write();
  return result;
}

ChatProgram chatProgramOf(const checkpoint::Checkpoint &checkpoint,
                          const std::string &given) {
  ChatTemplate source;
  try {
    source = checkpoint.chatTemplate();
    if (given.empty() && !source.text.empty())
      return programOf(source);
  } catch (const chat::TemplateError &error) {
    return {"", error.what()};
  } catch (const checkpoint::CheckpointError &error) {
    if (given.empty())
      return {"", error.what()};
  }
  if (given.empty())
    return {"", "the model has no chat template", false};
  const FileMapping file = wholeFile(given, checkpoint::largestTemplate);
  source.place = given;
  source.text = file.text();
  return programOf(source);
}

} // namespace transfold::driver
