// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tasks/ChatModel.h"

#include "runtime/Error.h"
#include "runtime/program/TokenIds.h"
#include "runtime/tasks/TextCall.h"

#include <algorithm>
#include <chrono>

namespace transfold::runtime {

namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

/// The parts of a prompt that come from messages.
std::vector<TextRange> typedRanges(const chat::Text &text) {
  std::vector<TextRange> ranges;
  constexpr char typed = static_cast<char>(chat::Origin::Message);
  for (size_t at = 0; at < text.size();) {
    size_t begin = text.origins.find(typed, at);
    if (begin == std::string::npos)
      break;
    at = std::min(text.origins.find_first_not_of(typed, begin), text.size());
    ranges.push_back({begin, at});
  }
  return ranges;
}

Steps &makeSteps(Generator &generator, int64_t context) {
  if (generator.encoder())
    fail("this model reads a text with an encoder, and does not chat");
  return generator.makeSteps(context, {});
}

} // namespace

std::string_view ChatModel::templateOf(const LoadedProgram &program) {
  checkTokenizer(program, "`generate --ids` takes ids");
  if (!program.chatTemplate().empty()) {
    program.weights(); // the system reads them while the tokenizer is made
    return program.chatTemplate();
  }
  const std::string &why = program.metadata().noChat;
  fail("this program does not chat: {}; compile the model with --chat-template "
       "FILE, or use `generate`",
       why.empty() ? "it has no chat template" : why);
}

ChatModel::ChatModel(Session &session, int64_t context)
    : generator(session),
      program(chat::TemplateProgram::read(templateOf(session.program()))),
      tokenizer(session.program().tokenizerTables()),
      steps(makeSteps(generator, context)), sequence(generator.begin({})),
      ends(generator.ends({})) {
  // What the template calls the end of a turn ends one, too.
  for (size_t i = 0; i + 1 < program.tokens.size(); i += 2)
    if (program.tokens[i] == "eos_token")
      if (auto id = tokenizer.findAdded(program.tokens[i + 1]);
          id && std::ranges::find(ends, *id) == ends.end())
        ends.push_back(*id);
}

chat::Text ChatModel::prompt(const chat::Conversation &conversation) const {
  return chat::render(program, conversation, chat::localTime());
}

std::vector<int32_t> ChatModel::tokens(const chat::Text &prompt) const {
  std::vector<int32_t> ids;
  for (const Token &token :
       tokenizer.tokenize(prompt.bytes, typedRanges(prompt)))
    ids.push_back(token.id);
  checkTokens(ids, generator.knownTokens(), "the ids of the tokenizer");
  return ids;
}

/// To where the prompt goes on differently; at least its last token is run
/// again, whose logits are needed. Returns how many tokens are kept.
size_t ChatModel::goBack(const std::vector<int32_t> &prompt) {
  auto there = static_cast<size_t>(steps.length(sequence));
  computed.resize(there);
  size_t same = 0;
  while (same < std::min(there, prompt.size() - 1) &&
         computed[same] == prompt[same])
    ++same;
  return static_cast<size_t>(
      steps.goBack(sequence, static_cast<int64_t>(same)));
}

ChatModel::Answer
ChatModel::answer(const std::vector<int32_t> &prompt, GenerationOptions options,
                  const std::vector<std::string> &stops,
                  const TextStream::Show &show,
                  const std::function<bool(int32_t)> &onToken) {
  if (prompt.empty())
    fail("the chat template makes an empty text of this conversation");
  Answer answer;
  answer.reused = goBack(prompt);
  answer.computed = prompt.size() - answer.reused;
  int64_t left = room() - static_cast<int64_t>(prompt.size());
  options.most = options.most ? std::min(options.most, left) : left;
  if (options.ends.empty())
    options.ends = ends;
  TextStream stream(
      [&](std::span<const int32_t> ids) { return tokenizer.decode(ids); },
      stops,
      [&](std::string_view text) {
        answer.text += text;
        show(text);
      });
  auto start = std::chrono::steady_clock::now();
  auto told = [&](int32_t token) {
    if (answer.made++ == 0) {
      answer.promptSeconds = secondsSince(start);
      start = std::chrono::steady_clock::now();
    }
    return !onToken || onToken(token);
  };
  answer.completion =
      goOn(generator, steps, sequence, prompt, options, {&stream, told});
  answer.answerSeconds = secondsSince(start);
  computed = prompt;
  computed.insert(computed.end(), answer.completion.tokens.begin(),
                  answer.completion.tokens.end());
  return answer;
}

} // namespace transfold::runtime
