// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lenient where RFC 9110 allows variants (case, spaces, quotes), strict where a
// value decides about access (Host).

#include "runtime/serve/http/HeaderValues.h"

#include <algorithm>
#include <charconv>

namespace transfold::runtime::serve {

namespace {

constexpr std::string_view space = " \t";

/// ASCII only, whatever the locale.
bool isLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

/// Removes a quoted string from the beginning of `text` and returns its
/// content; `\"` is a quote.
std::string takeQuoted(std::string_view &text) {
  std::string result;
  size_t i = 1;
  for (; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    result += text[i];
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return result;
}

/// Replaces each %XX by its byte; invalid sequences are kept.
std::string percentDecoded(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char *digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

} // namespace

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(space);
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(space) + 1 - first);
}

std::string mediaTypeOf(std::string_view contentType) {
  return lowered(trimmed(contentType.substr(0, contentType.find(';'))));
}

std::optional<std::string> parameterOf(std::string_view value,
                                       std::string_view name) {
  value.remove_prefix(std::min(value.find(';'), value.size()));
  while (!value.empty()) {
    value.remove_prefix(1); // the semicolon
    std::string_view given =
        trimmed(value.substr(0, value.find_first_of("=;")));
    value.remove_prefix(std::min(value.find_first_of("=;"), value.size()));
    std::string content;
    if (value.starts_with('=')) {
      value = value.substr(1);
      value.remove_prefix(
          std::min(value.find_first_not_of(space), value.size()));
      if (value.starts_with('"'))
        content = takeQuoted(value);
      else
        content = trimmed(value.substr(0, value.find(';')));
    }
    if (lowered(given) == name)
      return content;
    value.remove_prefix(std::min(value.find(';'), value.size()));
  }
  return std::nullopt;
}

std::optional<std::string_view> bearerOf(std::string_view authorization) {
  std::string_view scheme =
      authorization.substr(0, authorization.find_first_of(space));
  if (lowered(scheme) != "bearer")
    return std::nullopt;
  return trimmed(authorization.substr(scheme.size()));
}

bool isHost(std::string_view host) {
  return std::ranges::all_of(host, [](char c) {
    return isLetterOrDigit(c) || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("-._~%!$&'()*+;=:[]").find(c) !=
               std::string_view::npos;
  });
}

std::optional<Target> targetOf(std::string_view text) {
  if (text == "*")
    return Target{"*"};
  Target result;
  std::string scheme = lowered(text.substr(0, text.find("://") + 3));
  if (scheme == "http://" || scheme == "https://") {
    text.remove_prefix(scheme.size());
    std::string_view host = text.substr(0, text.find_first_of("/?#"));
    if (host.empty() || !isHost(host))
      return std::nullopt;
    result.host = host;
    text.remove_prefix(host.size());
  } else if (!text.starts_with('/')) {
    return std::nullopt;
  }
  result.path = percentDecoded(text.substr(0, text.find_first_of("?#")));
  if (result.path.empty())
    result.path = "/";
  return result;
}

} // namespace transfold::runtime::serve
