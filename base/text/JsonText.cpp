// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A SAX handler for nlohmann's parser, which builds the value itself: each
// value is placed once, and names of large objects are found by hashing, so
// that the time is linear in the length of the text.

#include "base/text/JsonText.h"

#include "base/Error.h"
#include "base/text/JsonEvents.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace transfold {

namespace {

using Json = nlohmann::ordered_json;

/// Builds the value from the parser's events, and stops at the first violation
/// of the limits.
class Builder : public JsonEvents<Json> {
public:
  explicit Builder(const JsonLimits &limits) : limits(limits) {}

  Json root;

  bool number_float(number_float_t value, const string_t &text) override {
    // The parser reports an integer that does not fit in 64 bits as a real
    // number.
    if (limits.exactIntegers && text.find_first_of(".eE") == text.npos)
      return refuse(fmt::format("has an integer beyond 64 bits, {}; write it "
                                "as a text",
                                text.substr(0, 40)));
    return add(value);
  }
  bool binary(binary_t &) override { return refuse("has a binary value"); }

  bool key(string_t &name) override {
    // Remembers where the value that follows the name is placed.
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
    return refuse(fmt::format("is not JSON: {}",
                              reasonOf(error, {"] ", "parse error at "})));
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
  /// The containers around the current place, the outermost first. The pointers
  /// in it stay valid: a container gets no new entry while one inside it is
  /// open.
  std::vector<Open> open;
  /// Number of values so far, to call `look` now and then.
  size_t values = 0;

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

  /// Puts a value where the text has it: at the top, at the end of the
  /// innermost list, or into the entry whose name came last. Returns its
  /// address.
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
  bool add(Json value) override {
    look();
    place(std::move(value));
    return true;
  }
  void look() {
    constexpr size_t lookEvery = 1 << 12; // number of values
    if (limits.look && ++values % lookEvery == 0)
      limits.look();
  }
  bool enter(Json value) override {
    look();
    if (open.size() == limits.depth)
      return refuse(
          fmt::format("is nested deeper than {} levels", limits.depth));
    open.push_back({place(std::move(value))});
    return true;
  }
  bool leave() override {
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

} // namespace transfold
