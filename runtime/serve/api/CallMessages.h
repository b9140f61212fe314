// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a conversation that call functions, and their results.

#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace transfold::runtime::serve {

/// Reads the messages of one conversation, in order.
class CallMessages {
public:
  /// Converts a message to the form that templates expect: the arguments of
  /// calls become objects, and a result gets the name of its function. Throws
  /// ApiError if it is not valid, or if a result has no call before it.
  void read(nlohmann::ordered_json &message);

private:
  std::map<std::string, std::string> names; // of the functions, by call ids

  nlohmann::ordered_json readCall(const nlohmann::ordered_json &given);
};

/// Converts the arguments of all calls to texts, for templates that expect
/// those.
void writeArgumentsAsText(nlohmann::ordered_json &messages);

} // namespace transfold::runtime::serve
