// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses JSON by events instead of nlohmann's own tree builder, which would
// accept repeated keys and any depth. Infinite numbers, which JSON does not
// have, are read in the two forms of Hugging Face's files: Python's Infinity,
// and {"__float__": "Infinity"} since version 5 of transformers.

#include "compiler/checkpoint/JsonFile.h"

#include "base/text/JsonEvents.h"
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace transfold::checkpoint {

namespace {

using nlohmann::json;

/// The parser's events do not include a position, so its input provides it: the
/// iterator stores the position that it reached in `*reached`.
class TrackedByte {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  TrackedByte(const char *position, const char **reached)
      : position(position), reached(reached) {}
  reference operator*() const { return *position; }
  TrackedByte &operator++() {
    *reached = ++position;
    return *this;
  }
  bool operator==(const TrackedByte &other) const {
    return position == other.position;
  }
  bool operator!=(const TrackedByte &other) const { return !(*this == other); }

private:
  const char *position;
  const char **reached;
};

/// A text of private characters, as long in JSON as the word that it replaces.
constexpr std::string_view infinityWord = "Infinity",
                           infinityText = R"("\uE000")",
                           infinityValue = "\xEE\x80\x80";

/// `text` with each Infinity that is not in a string replaced by infinityText;
/// all positions stay the same.
std::string withInfinityAsText(std::string_view text) {
  std::string result(text);
  bool isInString = false;
  for (size_t at = 0; at < result.size(); ++at) {
    if (result[at] == '"')
      isInString = !isInString;
    else if (isInString && result[at] == '\\')
      ++at; // the next character is escaped
    else if (!isInString && text.substr(at).starts_with(infinityWord))
      result.replace(at, infinityWord.size(), infinityText), at += 7;
  }
  return result;
}

/// Builds the tree from the parser's events, and stops at the first error.
class Builder : public JsonEvents<json> {
public:
  json root;

  bool string(string_t &value) override {
    if (value == infinityValue)
      return add(std::numeric_limits<double>::infinity());
    return add(std::move(value));
  }
  bool binary(binary_t &) override { return refuse("binary value"); }

  bool key(string_t &name) override {
    if (open.back()->contains(name))
      return refuse(fmt::format("the key {} occurs twice",
                                json(name).dump())); // quoted and escaped
    nextKey = std::move(name);
    return true;
  }

  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: why"
    return refuse(fmt::format("not valid JSON: {}",
                              reasonOf(error, {"] ", "column ", ": "})));
  }

private:
  std::vector<json *> open;
  std::string nextKey;

  /// Puts a value into the innermost open list or object. Pointers to open
  /// values stay valid: only the innermost one grows.
  json *place(json value) {
    if (open.empty())
      return &(root = std::move(value));
    json &parent = *open.back();
    if (parent.is_array())
      return &parent.get_ref<json::array_t &>().emplace_back(std::move(value));
    return &(parent[nextKey] = std::move(value));
  }
  bool add(json value) override {
    place(std::move(value));
    return true;
  }
  /// Refuses a list or an object that is too deep.
  bool enter(json value) override {
    if (open.size() == maximumJsonDepth)
      return refuse(
          fmt::format("values are nested deeper than {}", maximumJsonDepth));
    open.push_back(place(std::move(value)));
    return true;
  }
  bool leave() override {
    json &value = *open.back();
    if (value.is_object() && value.size() == 1 && value.contains("__float__") &&
        value["__float__"] == "Infinity")
      value = std::numeric_limits<double>::infinity();
    open.pop_back();
    return true;
  }
};

} // namespace

json parseJson(std::string_view text, const std::string &place, size_t offset) {
  std::string replaced;
  if (text.find(infinityWord) != text.npos)
    text = replaced = withInfinityAsText(text);
  const char *begin = text.data();
  const char *end = begin + text.size();
  const char *reached = begin;
  Builder builder;
  if (json::sax_parse(TrackedByte(begin, &reached), TrackedByte(end, &reached),
                      &builder))
    return std::move(builder.root);
  std::string_view read(begin, static_cast<size_t>(reached - begin));
  auto line = 1 + std::count(read.begin(), read.end(), '\n');
  throw CheckpointError(fmt::format("{}: byte {}, line {}: {}", place,
                                    offset + read.size(), line,
                                    builder.problem));
}

/// nlohmann's writer throws for text that is not UTF-8.
bool isUtf8(std::string_view text) {
  try {
    json(text).dump();
    return true;
  } catch (const json::type_error &) {
    return false;
  }
}

json readJsonFile(const std::string &path) {
  auto file = MappedFile::open(path);
  std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() > maximumJsonBytes)
    throw CheckpointError(
        fmt::format("{}: has {} bytes; a JSON file may have {}", path,
                    bytes.size(), maximumJsonBytes));
  if (bytes.empty())
    throw CheckpointError(
        fmt::format("{}: the file is empty; fetch it again", path));
  return parseJson(file->text(), path);
}

} // namespace transfold::checkpoint
