// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The status line and header fields of RFC 9112.

#include "runtime/serve/http/ReplyText.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Reason phrases of the statuses; clients may ignore them.
constexpr std::pair<int, const char *> reasons[] = {
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

/// The reason phrase of a status; may be empty.
const char *reasonOf(int status) {
  auto found =
      std::ranges::find(reasons, status, &std::pair<int, const char *>::first);
  return found == std::end(reasons) ? "" : found->second;
}

} // namespace

std::string dateText(std::time_t time) {
  constexpr const char *days[] = {"Sun", "Mon", "Tue", "Wed",
                                  "Thu", "Fri", "Sat"};
  constexpr const char *months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc = {};
  ::gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     days[utc.tm_wday], utc.tm_mday, months[utc.tm_mon],
                     utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string headOf(const HttpReply &reply, bool isLast, bool knowsParts,
                   std::chrono::seconds idle) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", reply.status,
                  reasonOf(reply.status), dateText(std::time(nullptr)));
  auto add = [&](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  add("Content-Type", reply.contentType);
  for (const auto &[name, value] : reply.headers)
    add(name, value);
  if (!reply.parts)
    add("Content-Length", std::to_string(reply.body.size()));
  else if (knowsParts)
    add("Transfer-Encoding", "chunked");
  if (isLast) {
    add("Connection", "close");
  } else {
    add("Connection", "keep-alive");
    add("Keep-Alive", fmt::format("timeout={}", idle.count()));
  }
  return text + "\r\n";
}

std::string chunkOf(std::string_view part) {
  return fmt::format("{:x}\r\n{}\r\n", part.size(), part);
}

} // namespace transfold::runtime::serve
