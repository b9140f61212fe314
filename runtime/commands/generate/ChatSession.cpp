// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of a conversation. Each either succeeds or leaves the messages
// as they were.

#include "runtime/commands/generate/ChatSession.h"

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "runtime/commands/generate/ChatMessages.h"
#include "runtime/steps/sampling/SamplingOptions.h"
#include "runtime/tasks/generate/Conversation.h"

#include <algorithm>
#include <charconv>

namespace transfold::runtime::inline commands {

using nlohmann::ordered_json;

namespace {

constexpr std::string_view help =
    "/system TEXT     set the system message; without TEXT: the model's own\n"
    "/clear, /new     start a new conversation; the system message stays\n"
    "/undo            forget the last message and its answer\n"
    "/retry           answer the last message again\n"
    "/save FILE       write the messages as JSON\n"
    "/load FILE       continue with the messages of a file\n"
    "/set NAME VALUE  temperature, top-k, top-p, min-p, repetition-penalty,\n"
    "                 seed or max-tokens\n"
    "/stats           tokens and times of the last answer\n"
    "/exit, /quit     exit, as Ctrl-D does\n"
    "Ctrl-C ends an answer. A line that ends with \\ continues on the next, "
    "and\n"
    "\"\"\" encloses a message of several lines. Put a space before a message "
    "that\n"
    "begins with /.\n";

/// Parses all of a word as a number in a range.
template <typename Number>
void readNumber(std::string_view name, const std::string &word,
                NumberRange<Number> range, Number &value) {
  const char *end = word.data() + word.size();
  Number given = 0;
  auto [rest, problem] = std::from_chars(word.data(), end, given);
  if (problem != std::errc() || rest != end || !range.has(given))
    fail("/set {} takes {} from {} to {}, not '{}'", name,
         std::is_integral_v<Number> ? "an integer" : "a number", range.least,
         range.most, word);
  value = given;
}

/// Changes the option `name`; false if there is no such option. Throws Error
/// for an invalid value.
bool setOption(ChatOptions &options, const std::string &name,
               const std::string &word) {
  bool isKnown = false;
  forEachSamplingField([&](const auto &field, size_t) {
    if (field.word() != name)
      return;
    readNumber(name, word, field.range, options.sampling.*field.member);
    isKnown = true;
  });
  if (name == "seed")
    readNumber<uint64_t>(name, word, {0, UINT64_MAX}, options.sampling.seed);
  else if (name == "max-tokens")
    readNumber<int64_t>(name, word, {0, ranges::tokens.most}, options.most);
  else
    return isKnown;
  return true;
}

/// The options that /set changes, as a list in a sentence.
std::string settableOptions() {
  std::string names;
  forEachSamplingField(
      [&](const auto &field, size_t) { names += field.word() + ", "; });
  return names + "seed and max-tokens";
}

/// Removes the first word of a line and the spaces after it, and returns the
/// word.
std::string takeWord(std::string &line) {
  size_t end = std::min(line.find(' '), line.size());
  std::string word = line.substr(0, end);
  line.erase(0, std::min(line.find_first_not_of(' ', end), line.size()));
  return word;
}

} // namespace

ChatSession::ChatSession(ChatModel &model, const ChatOptions &options,
                         TextStream::Show show, TextStream::Show say)
    : model(model), options(options), show(std::move(show)),
      say(std::move(say)) {
  if (!options.system.empty())
    setSystem(options.system);
}

chat::Conversation ChatSession::conversation() const {
  return {messages, nullptr, true, options.variables};
}

bool ChatSession::hasSystem() const {
  return !messages.empty() && messages[0]["role"] == "system";
}

void ChatSession::setSystem(const std::string &text) {
  if (hasSystem())
    messages.erase(messages.begin());
  if (!text.empty())
    messages.insert(messages.begin(), messageOf("system", text));
}

void ChatSession::clear() {
  ordered_json kept = ordered_json::array();
  if (hasSystem())
    kept.push_back(messages[0]);
  messages = std::move(kept);
}

/// Removes the oldest message after the system message, with the messages after
/// it up to the user's next one. False if there is only one turn.
bool ChatSession::dropOldest() {
  size_t first = hasSystem() ? 1 : 0, next = first + 1;
  while (next < messages.size() && messages[next]["role"] != "user")
    ++next;
  if (next >= messages.size())
    return false;
  messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(first),
                 messages.begin() + static_cast<std::ptrdiff_t>(next));
  return true;
}

/// The tokens of the conversation, after dropping old turns if they do not fit.
std::vector<int32_t> ChatSession::fittingTokens() {
  size_t dropped = 0;
  while (true) {
    std::vector<int32_t> ids =
        model.tokens(model.prompt(conversation(), options.isCancelled));
    if (static_cast<int64_t>(ids.size()) < model.room()) {
      if (dropped)
        say(fmt::format("(the {} oldest turns were dropped)\n", dropped));
      return ids;
    }
    if (!options.dropOldest || !dropOldest())
      fail("the conversation has {} tokens, but there is room for {} with its "
           "answer; {}",
           ids.size(), model.room(),
           options.dropOldest ? "a shorter message is needed"
                              : "/clear starts a new one, and --drop-oldest "
                                "drops the oldest turns");
    ++dropped;
  }
}

/// Adds a message and its answer; if that fails, neither.
void ChatSession::answer(ordered_json message) {
  ordered_json before = messages;
  try {
    messages.push_back(std::move(message));
    last = model.answer(fittingTokens(), options, options.stops, show);
  } catch (...) { // also if cancelled
    messages = std::move(before);
    throw;
  }
  show("\n");
  messages.push_back(messageOf("assistant", last.text));
  if (last.completion.end == Completion::End::Cancelled)
    say("(ended by Ctrl-C)\n");
  else if (last.completion.end == Completion::End::Length)
    say(fmt::format("({})\n", model.whyCut(last)));
}

void ChatSession::tell(const std::string &text) {
  answer(messageOf("user", text));
}

/// Removes the user's last message and all later ones, and returns it.
ordered_json ChatSession::undo() {
  size_t at = messages.size();
  while (at > 0 && messages[at - 1]["role"] != "user")
    --at;
  if (at == 0)
    fail("there is no earlier message");
  ordered_json message = messages[at - 1];
  messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(at - 1),
                 messages.end());
  return message;
}

void ChatSession::retry() {
  ordered_json before = messages;
  try {
    answer(undo());
  } catch (...) {
    messages = std::move(before);
    throw;
  }
}

void ChatSession::save(const std::string &path) const {
  OutputFile file(path);
  file.write(
      messages.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
      "\n");
  file.commit();
  say(fmt::format("(wrote {} messages to {})\n", messages.size(), path));
}

void ChatSession::load(const std::string &path) {
  messages = readConversation(path).messages;
  say(fmt::format("(read {} messages of {})\n", messages.size(), path));
}

void ChatSession::set(const std::string &words) {
  std::string text = words, name = takeWord(text);
  if (!setOption(options, name, text))
    fail("/set changes {}, not '{}'", settableOptions(), name);
  say(fmt::format("({} is {} now)\n", name, text));
}

void ChatSession::showStatistics() const {
  auto speed = [](size_t tokens, double seconds) {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  };
  say(fmt::format(
      "prompt  {} tokens computed, {} reused, {:.3f} s to the first "
      "token, {:.1f} tokens/s\n"
      "answer  {} tokens, {:.1f} tokens/s\n"
      "room    {} tokens\n",
      last.computed, last.reused, last.promptSeconds,
      speed(last.computed, last.promptSeconds), last.made,
      // The first token came with the prompt.
      speed(last.made - (last.made > 0), last.answerSeconds), model.room()));
}

bool ChatSession::command(const std::string &line) {
  std::string rest = line, name = takeWord(rest);
  auto needFile = [&] {
    if (rest.empty())
      fail("{} needs the name of a file", name);
  };
  if (name == "/exit" || name == "/quit")
    return false;
  if (name == "/help")
    say(help);
  else if (name == "/system")
    setSystem(rest);
  else if (name == "/clear" || name == "/new")
    clear();
  else if (name == "/undo")
    undo();
  else if (name == "/retry")
    retry();
  else if (name == "/save")
    needFile(), save(rest);
  else if (name == "/load")
    needFile(), load(rest);
  else if (name == "/set")
    set(rest);
  else if (name == "/stats")
    showStatistics();
  else
    fail("there is no command {}; /help lists the commands; put a space before "
         "a message that begins with /",
         name);
  return true;
}

} // namespace transfold::runtime::inline commands
