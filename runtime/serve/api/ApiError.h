// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error as the client gets it, in the format of OpenAI's servers: a status
// and {"error": {message, type, param, code}}.

#pragma once

#include <nlohmann/json.hpp>

#include <exception>
#include <string>

namespace transfold::runtime::serve {

/// Thrown for errors that the client gets.
class ApiError : public std::exception {
public:
  /// `param` is the invalid field of the request, `code` a machine-readable
  /// name of the error; both may be empty.
  ApiError(int status, const std::string &message, std::string param = "",
           std::string code = "")
      : status(status), param(std::move(param)), code(std::move(code)),
        message(message) {}

  int status;
  std::string param, code;

  const char *what() const noexcept override { return message.c_str(); }
  /// The body of the reply.
  nlohmann::ordered_json body() const;

private:
  // The text is copied because errors pass from thread to thread: copies of a
  // std::runtime_error share their text, and ThreadSanitizer does not
  // understand the library's reference counting.
  std::string message;
};

/// A 400 error, for a request that is invalid in itself.
ApiError badRequest(const std::string &message, std::string param = "");

/// A request that arrived while the server stops.
ApiError serverIsStopping();
/// A request whose deadline has passed.
ApiError deadlineHasPassed(const std::string &message);

/// JSON as text; invalid UTF-8 is replaced.
std::string dump(const nlohmann::ordered_json &json);

} // namespace transfold::runtime::serve
