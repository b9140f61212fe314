// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of errors are those by which OpenAI's clients decide what to raise.

#include "runtime/serve/api/ApiError.h"

namespace transfold::runtime::serve {

namespace {

/// The type of an error with this status.
const char *typeOf(int status) {
  switch (status) {
  case 401:
    return "authentication_error";
  case 429:
    return "rate_limit_error";
  default:
    return status < 500 ? "invalid_request_error" : "server_error";
  }
}

} // namespace

nlohmann::ordered_json ApiError::body() const {
  auto orNull = [](const std::string &text) {
    return text.empty() ? nlohmann::ordered_json()
                        : nlohmann::ordered_json(text);
  };
  return {{"error",
           {{"message", what()},
            {"type", typeOf(status)},
            {"param", orNull(param)},
            {"code", orNull(code)}}}};
}

ApiError badRequest(const std::string &message, std::string param) {
  return {400, message, std::move(param)};
}

ApiError serverIsStopping() {
  return {503, "The server is stopping.", "", "server_stopping"};
}

ApiError deadlineHasPassed(const std::string &message) {
  return {504, message, "", "deadline_exceeded"};
}

std::string dump(const nlohmann::ordered_json &json) {
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace transfold::runtime::serve
