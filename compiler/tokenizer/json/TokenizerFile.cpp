// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses by events: the parser passes each value to a handler, which puts those
// of the vocabulary and of the merges into their tables instead of a tree.

#include "compiler/tokenizer/json/TokenizerFile.h"

#include "base/Error.h"
#include "compiler/tokenizer/json/JsonNumber.h"

namespace transfold::tokenizer {

namespace {

using nlohmann::json;

/// The limit for nested values; later stages walk the tree recursively.
constexpr size_t deepestJson = 64;
/// The limit for values outside the tables, each of which takes up to 100 bytes
/// of memory and may be only 2 bytes of the file: added tokens have seven each.
constexpr size_t maximumValues = size_t{2} << 20;
/// Offsets into the text of the tokens have 32 bits.
constexpr size_t maximumBytes = size_t{1} << 30;

/// The handler of the parser's events: fills the tree, the vocabulary or the
/// merges.
class Builder {
public:
  explicit Builder(TokenizerFile &file) : file(file) {}
  std::string problem;

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(json::number_integer_t value) {
    return block == Block::Scores ? score(static_cast<double>(value))
                                  : add(value);
  }
  bool number_unsigned(json::number_unsigned_t value) {
    if (block == Block::Scores)
      return score(static_cast<double>(value));
    if (block != Block::Vocabulary)
      return add(value);
    if (value > INT32_MAX)
      return refuse("an id of the vocabulary is too large");
    return file.vocabulary.insert(key_, static_cast<int32_t>(value)) ||
           refuse(fmt::format("the token {} occurs twice", json(key_).dump()));
  }
  bool number_float(json::number_float_t value, const std::string &text) {
    if (block != Block::Scores)
      return add(value);
    auto number = jsonNumber(text);
    return number ? score(*number)
                  : refuse(fmt::format("the score {} is too large", text));
  }
  bool string(std::string &value) {
    if (block == Block::Scores && inPair && parts.empty())
      return part(value);
    if (block == Block::Merges)
      return inPair ? part(value) : mergeInOneText(value);
    return add(std::move(value));
  }
  bool binary(json::binary_t &) { return refuse("a binary value"); }

  bool start_object(size_t) {
    if (block == Block::None && opensBlock("vocab")) {
      block = Block::Vocabulary;
      return once(vocabularyRead);
    }
    return enter(json::object());
  }
  bool end_object() {
    if (block == Block::Vocabulary)
      block = Block::None;
    else
      open.pop_back();
    return true;
  }
  bool start_array(size_t) {
    if (block == Block::None && (opensBlock("vocab") || opensBlock("merges"))) {
      bool scores = key_ == "vocab";
      block = scores ? Block::Scores : Block::Merges;
      file.hasMerges |= !scores;
      return once(scores ? vocabularyRead : mergesRead);
    }
    if ((block == Block::Scores || block == Block::Merges) && !inPair) {
      inPair = true;
      parts.clear();
      return true;
    }
    return enter(json::array());
  }
  bool end_array() {
    if (inPair) {
      inPair = false;
      return block == Block::Scores ? endScore() : endMerge();
    }
    if (block == Block::None)
      open.pop_back();
    block = Block::None;
    return true;
  }
  bool key(std::string &name) {
    if (block == Block::None && open.back()->contains(name))
      return refuse(fmt::format("the key {} occurs twice", json(name).dump()));
    key_.swap(name);
    return true;
  }
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) {
    return refuse(fmt::format("is not valid JSON (byte {})", position));
  }

private:
  /// The kinds of tables that are filled instead of the tree.
  enum class Block { None, Vocabulary, Scores, Merges };

  TokenizerFile &file;
  std::vector<json *> open;
  std::string key_;
  Block block = Block::None;
  size_t values = 0;
  bool vocabularyRead = false, mergesRead = false;
  bool inPair = false;            // inside one entry of Scores or Merges
  std::vector<std::string> parts; // its texts so far
  std::optional<double> number;   // and its score

  bool opensBlock(const char *name) const {
    if (open.size() != 2 || key_ != name)
      return false;
    auto found = file.settings.find("model");
    return found != file.settings.end() && open.back() == &*found;
  }
  /// Rejects a second table of the same name, which the tree would not notice.
  bool once(bool &read) {
    return !std::exchange(read, true) ||
           refuse(fmt::format("the key \"{}\" occurs twice", key_));
  }
  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }
  bool refuseInBlock() {
    return refuse(block == Block::Vocabulary
                      ? "an id of the vocabulary is not a number"
                  : block == Block::Scores
                      ? "an entry of the vocabulary is not a token and a score"
                      : "a merge is not a pair of tokens");
  }

  bool part(std::string &value) {
    if (parts.size() == 2)
      return refuseInBlock();
    parts.push_back(std::move(value));
    return true;
  }
  bool score(double value) {
    if (!inPair || parts.size() != 1 || number)
      return refuseInBlock();
    number = value;
    return true;
  }
  bool endScore() {
    if (parts.size() != 1 || !number)
      return refuseInBlock();
    // A token that occurs twice has the id of its last position, as in
    // tokenizers.
    file.vocabulary.assign(parts[0], static_cast<int32_t>(file.scores.size()));
    file.scores.push_back(*number);
    number.reset();
    return true;
  }
  bool endMerge() {
    if (parts.size() != 2)
      return refuseInBlock();
    file.merges.add(parts[0], parts[1]);
    return true;
  }
  /// The older form of a merge: "a b".
  bool mergeInOneText(std::string_view text) {
    if (text.starts_with("#version"))
      return true;
    size_t space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos)
      return refuseInBlock();
    file.merges.add(text.substr(0, space), text.substr(space + 1));
    return true;
  }

  bool count() {
    return ++values <= maximumValues ||
           refuse(fmt::format("has more than {} values beside the vocabulary",
                              maximumValues));
  }
  json *place(json value) {
    if (open.empty())
      return &(file.settings = std::move(value));
    json &parent = *open.back();
    if (parent.is_array())
      return &parent.get_ref<json::array_t &>().emplace_back(std::move(value));
    return &(parent[key_] = std::move(value));
  }
  bool add(json value) {
    if (block != Block::None)
      return refuseInBlock();
    if (!count())
      return false;
    place(std::move(value));
    return true;
  }
  bool enter(json value) {
    if (block != Block::None)
      return refuseInBlock();
    if (open.size() == deepestJson)
      return refuse("values are nested too deep");
    if (!count())
      return false;
    open.push_back(place(std::move(value)));
    return true;
  }
};

} // namespace

TokenizerFile TokenizerFile::parse(std::string_view text) {
  if (text.size() > maximumBytes)
    fail("is larger than 1 GB");
  TokenizerFile file;
  Builder builder(file);
  if (!json::sax_parse(text.begin(), text.end(), &builder))
    fail("{}", builder.problem);
  if (!file.settings.is_object())
    fail("is not a JSON object");
  if (auto model = file.settings.find("model");
      model != file.settings.end() && model->is_object()) {
    // Tables are not in the tree.
    if (model->contains("vocab"))
      fail("the vocabulary is not a list or an object");
    if (auto merges = model->find("merges");
        merges != model->end() && !merges->is_null())
      fail("the merges are not a list");
  }
  return file;
}

} // namespace transfold::tokenizer
