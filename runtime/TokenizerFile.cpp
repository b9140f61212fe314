// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/TokenizerFile.h"

#include "runtime/Error.h"

namespace transfold::runtime {

namespace {

using nlohmann::json;

constexpr size_t maximumDepth = 64;

/// The parser's events: into the tree, or into the vocabulary.
class Builder {
public:
  explicit Builder(TokenizerFile &file) : file(file) {}
  std::string problem;

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(json::number_integer_t value) { return add(value); }
  bool number_unsigned(json::number_unsigned_t value) {
    if (!inVocabulary)
      return add(value);
    if (value > INT32_MAX)
      return refuse("an id of the vocabulary is too large");
    return file.vocabulary.insert(key_, static_cast<int32_t>(value)) ||
           refuse(fmt::format("the token {} occurs twice", json(key_).dump()));
  }
  bool number_float(json::number_float_t value, const std::string &) {
    return add(value);
  }
  bool string(std::string &value) { return add(std::move(value)); }
  bool binary(json::binary_t &) { return refuse("a binary value"); }

  bool start_object(size_t) {
    if (inVocabulary)
      return refuse("an id of the vocabulary is not a number");
    inVocabulary =
        open.size() == 2 && key_ == "vocab" && open.back() == modelObject();
    return inVocabulary || enter(json::object());
  }
  bool end_object() {
    if (!std::exchange(inVocabulary, false))
      open.pop_back();
    return true;
  }
  bool start_array(size_t) { return enter(json::array()); }
  bool end_array() {
    open.pop_back();
    return true;
  }
  bool key(std::string &name) {
    if (!inVocabulary && open.back()->contains(name))
      return refuse(fmt::format("the key {} occurs twice", json(name).dump()));
    key_.swap(name);
    return true;
  }
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) {
    return refuse(fmt::format("is not valid JSON (byte {})", position));
  }

private:
  TokenizerFile &file;
  std::vector<json *> open;
  std::string key_;
  bool inVocabulary = false;

  const json *modelObject() const {
    auto found = file.settings.find("model");
    return found == file.settings.end() ? nullptr : &*found;
  }
  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
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
    if (inVocabulary)
      return refuse("an id of the vocabulary is not a number");
    place(std::move(value));
    return true;
  }
  bool enter(json value) {
    if (inVocabulary)
      return refuse("an id of the vocabulary is not a number");
    if (open.size() == maximumDepth)
      return refuse("values are nested too deep");
    open.push_back(place(std::move(value)));
    return true;
  }
};

} // namespace

TokenizerFile TokenizerFile::parse(std::string_view text) {
  TokenizerFile file;
  Builder builder(file);
  if (!json::sax_parse(text.begin(), text.end(), &builder))
    fail("tokenizer.json: {}", builder.problem);
  if (!file.settings.is_object())
    fail("tokenizer.json: is not a JSON object");
  return file;
}

} // namespace transfold::runtime
