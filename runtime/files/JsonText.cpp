// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/files/JsonText.h"

#include "runtime/Error.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace transfold::runtime {

namespace {

using Json = nlohmann::ordered_json;

/// Builds the value from the parser's events, and stops at the first violation
/// of the limits.
class Builder : public nlohmann::json_sax<Json> {
public:
  explicit Builder(const JsonLimits &limits) : limits(limits) {}

  Json root;
  std::string problem; // the error message, or empty

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &text) override {
    if (limits.exactIntegers && text.find_first_of(".eE") == text.npos)
      return refuse(fmt::format("has an integer beyond 64 bits, {}; write it "
                                "as a text",
                                text.substr(0, 40)));
    return add(value);
  }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &) override { return refuse("has a binary value"); }
  bool start_object(size_t) override { return enter(Json::object()); }
  bool start_array(size_t) override { return enter(Json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool key(string_t &name) override {
    Open &object = open.back();
    auto &entries = object.value->get_ref<Json::object_t &>();
    object.entry = findOrAdd(object, entries, name);
    if (entries.size() > limits.names)
      return refuse(
          fmt::format("has an object of more than {} names", limits.names));
    return true;
  }

  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: why"
    std::string_view why = error.what();
    for (std::string_view prefix : {"] ", "parse error at "})
      if (size_t found = why.find(prefix); found != why.npos)
        why.remove_prefix(found + prefix.size());
    return refuse(fmt::format("is not JSON: {}", why));
  }

private:
  /// A list or an object that is not complete.
  struct Open {
    Json *value;
    size_t entry = 0; // for an object: index of the entry whose name came last
    /// Indices of the names of a large object.
    std::unordered_map<std::string, size_t> places = {};
  };

  const JsonLimits &limits;
  std::vector<Open> open;
  size_t values = 0;

  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }

  /// Index of the entry `name`, which is added if there is none.
  static size_t findOrAdd(Open &object, Json::object_t &entries,
                          std::string &name) {
    constexpr size_t few = 16; // searched linearly
    if (entries.size() < few) {
      auto found = std::ranges::find_if(
          entries, [&](const auto &entry) { return entry.first == name; });
      if (found != entries.end())
        return static_cast<size_t>(found - entries.begin());
    } else {
      if (object.places.empty())
        for (size_t i = 0; i < entries.size(); ++i)
          object.places.emplace(entries.data()[i].first, i);
      auto [found, isNew] = object.places.emplace(name, entries.size());
      if (!isNew)
        return found->second;
    }
    // Uses the vector that the map is derived from: the map would search again.
    static_cast<Json::object_t::Container &>(entries).emplace_back(
        std::move(name), nullptr);
    return entries.size() - 1;
  }

  Json *place(Json value) {
    if (open.empty())
      return &(root = std::move(value));
    Open &parent = open.back();
    if (parent.value->is_array())
      return &parent.value->get_ref<Json::array_t &>().emplace_back(
          std::move(value));
    auto &entries = parent.value->get_ref<Json::object_t &>();
    auto entry = entries.begin() + static_cast<std::ptrdiff_t>(parent.entry);
    return &(entry->second = std::move(value));
  }
  bool add(Json value) {
    look();
    place(std::move(value));
    return true;
  }
  void look() {
    constexpr size_t lookEvery = 1 << 12; // number of values
    if (limits.look && ++values % lookEvery == 0)
      limits.look();
  }
  bool enter(Json value) {
    look();
    if (open.size() == limits.depth)
      return refuse(
          fmt::format("is nested deeper than {} levels", limits.depth));
    open.push_back({place(std::move(value))});
    return true;
  }
  bool leave() {
    open.pop_back();
    return true;
  }
};

} // namespace

Json parseJsonText(std::string_view text, const JsonLimits &limits) {
  Builder builder(limits);
  if (!Json::sax_parse(text, &builder))
    throw Error(builder.problem);
  return std::move(builder.root);
}

} // namespace transfold::runtime
