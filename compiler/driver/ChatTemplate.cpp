// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/ChatTemplate.h"

#include "compiler/chat/CompileTemplate.h"
#include "compiler/checkpoint/MappedFile.h"

#include <filesystem>

namespace transfold::driver {

using checkpoint::ChatTemplate;

static std::string bytesOf(const ChatTemplate &source) {
  auto program = chat::compileTemplate(source.text, source.place);
  // Without its folder: the same inputs give the same bytes elsewhere.
  program.source = std::filesystem::path(source.place).filename().string();
  for (const auto &[name, text] : source.tokens) {
    program.tokens.push_back(name);
    program.tokens.push_back(text);
  }
  return program.write();
}

ChatProgram chatProgramOf(const checkpoint::Checkpoint &checkpoint,
                          const std::string &given) {
  ChatTemplate source;
  try {
    source = checkpoint.chatTemplate();
    if (given.empty() && !source.text.empty())
      return {bytesOf(source), ""};
  } catch (const chat::TemplateError &error) {
    return {"", error.what()};
  } catch (const checkpoint::CheckpointError &error) {
    if (given.empty())
      return {"", error.what()};
  }
  if (given.empty())
    return {"", "the model has no chat template", false};
  auto file = checkpoint::MappedFile::open(given);
  source.place = given;
  source.text = file->text();
  return {bytesOf(source), ""};
}

} // namespace transfold::driver
