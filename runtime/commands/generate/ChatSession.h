// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An interactive conversation: its messages, the user's settings, and the
// commands that begin with a slash.

#pragma once

#include "runtime/commands/Commands.h"
#include "runtime/tasks/generate/ChatModel.h"

namespace transfold::runtime::inline commands {

/// The state of one conversation; for use by one thread.
class ChatSession {
public:
  /// `show` receives answers piece by piece, `say` messages about the session.
  ChatSession(ChatModel &model, const ChatOptions &options,
              TextStream::Show show, TextStream::Show say);

  /// Adds a message of the user and answers it. If that fails, the message is
  /// removed again. Throws Error.
  void tell(const std::string &text);
  /// Executes a line such as "/undo". Returns false if the session ends. Throws
  /// Error if the command is unknown or fails.
  bool command(const std::string &line);
  /// The last answer.
  const ChatModel::Answer &lastAnswer() const { return last; }

private:
  ChatModel &model;
  ChatOptions options;
  TextStream::Show show, say;
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  ChatModel::Answer last;

  /// The messages so far as the input of the template.
  chat::Conversation conversation() const;
  void answer(nlohmann::ordered_json message);
  std::vector<int32_t> fittingTokens();
  bool dropOldest();
  /// Whether the first message is a system message.
  bool hasSystem() const;
  /// Replaces the system message; an empty text removes it.
  void setSystem(const std::string &text);
  /// Removes all messages but the system message.
  void clear();
  nlohmann::ordered_json undo();
  /// Answers the last message again. If that fails, the old answer stays.
  void retry();
  /// Write the messages to a file, and read those of a file. Throw Error.
  void save(const std::string &path) const;
  void load(const std::string &path);
  /// Changes an option: "NAME VALUE". Throws Error.
  void set(const std::string &words);
  void showStatistics() const;
};

} // namespace transfold::runtime::inline commands
