// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a client is told where its request cannot be answered, as OpenAI's
// servers say it: a status and {"error": {message, type, param, code}}.

#ifndef TRANSFOLD_RUNTIME_SERVE_APIERROR_H
#define TRANSFOLD_RUNTIME_SERVE_APIERROR_H

#include <nlohmann/json.hpp>

#include <exception>
#include <string>

namespace transfold::runtime::serve {

class ApiError : public std::exception {
public:
  /// `param` is the field of the request that is wrong, `code` a word for
  /// programs; both may be empty.
  ApiError(int status, const std::string &message, std::string param = "",
           std::string code = "")
      : status(status), param(std::move(param)), code(std::move(code)),
        message(message) {}

  int status;
  std::string param, code;

  const char *what() const noexcept override { return message.c_str(); }
  nlohmann::json body() const;

private:
  // Errors go from thread to thread. Copies of a std::runtime_error share their
  // text, and the thread sanitizer does not see how the library counts them.
  std::string message;
};

/// Of a request that is wrong in itself.
ApiError badRequest(const std::string &message, std::string param = "");

/// Of one that came too late, and of one that would end too late.
ApiError serverIsStopping();
ApiError deadlineHasPassed(const std::string &message);

/// As text; bytes that are no UTF-8 are replaced.
std::string dump(const nlohmann::json &json);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_APIERROR_H
