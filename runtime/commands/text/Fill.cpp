// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `fill`: the most likely tokens in place of a text's mask token.

#include "runtime/commands/text/RankEach.h"
#include "runtime/tasks/text/Filler.h"

#include <fmt/ranges.h>

namespace transfold::runtime::inline commands {

namespace {

/// Prints a line for each candidate of a mask, without the space that it begins
/// with.
void printPlain(const std::vector<Filling> &fillings, bool indented) {
  for (const Filling &filling : fillings)
    print(fmt::format("{}{:.4f}  {}\n", indented ? "  " : "",
                      filling.probability,
                      filling.text.substr(filling.text.starts_with(' '))));
}

std::string jsonOf(size_t place, const std::vector<Filling> &fillings) {
  std::vector<std::string> parts;
  for (const Filling &filling : fillings)
    parts.push_back(
        fmt::format("{{\"text\": {}, \"id\": {}, \"probability\": {}}}",
                    nlohmann::ordered_json(filling.text).dump(), filling.id,
                    static_cast<float>(filling.probability)));
  return fmt::format("{{\"token\": {}, \"fillings\": [{}]}}", place,
                     fmt::join(parts, ", "));
}

} // namespace

void fill(Session &session, const RankingOptions &options) {
  Filler filler(session);
  rankEach(filler, options,
           [&](const std::string &text, const auto &masks, bool indented) {
             std::vector<std::string> parts;
             for (const auto &[place, fillings] : masks) {
               if (options.json) {
                 parts.push_back(jsonOf(place, fillings));
                 continue;
               }
               if (place != masks.front().place)
                 print("\n");
               printPlain(fillings, indented);
             }
             if (options.json)
               print(fmt::format("{{\"text\": {}, \"masks\": [{}]}}\n",
                                 nlohmann::ordered_json(text).dump(),
                                 fmt::join(parts, ", ")));
           });
}

} // namespace transfold::runtime::inline commands
