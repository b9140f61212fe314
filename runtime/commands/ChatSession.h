// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A conversation that goes on: its messages, what the user sets, and the
// commands that begin with a slash.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_CHATSESSION_H
#define TRANSFOLD_RUNTIME_COMMANDS_CHATSESSION_H

#include "runtime/commands/Commands.h"
#include "runtime/tasks/ChatModel.h"

namespace transfold::runtime {

class ChatSession {
public:
  /// `show` gets answers piece by piece, `say` lines about the session.
  ChatSession(ChatModel &model, const ChatOptions &options,
              TextStream::Show show, TextStream::Show say);

  /// Adds a message of the user and answers it. Where that fails, the message
  /// is not there. Throws Error.
  void tell(const std::string &text);
  /// A line such as "/undo". Returns false where the session ends. Throws
  /// Error where there is no such command, or it cannot be done.
  bool command(const std::string &line);
  /// What was said last.
  const ChatModel::Answer &lastAnswer() const { return last; }

private:
  ChatModel &model;
  ChatOptions options;
  TextStream::Show show, say;
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  ChatModel::Answer last;

  chat::Conversation conversation() const;
  void answer(nlohmann::ordered_json message);
  std::vector<int32_t> fittingTokens();
  bool dropOldest();
  bool hasSystem() const;
  void setSystem(const std::string &text);
  void clear();
  nlohmann::ordered_json undo();
  void retry();
  void save(const std::string &path) const;
  void load(const std::string &path);
  void set(const std::string &words);
  void showStatistics() const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_CHATSESSION_H
