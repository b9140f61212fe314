// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats of strings as regular expressions. Each accepts only texts that
// have the format; where a standard has rare forms or limits that would make an
// automaton large, some texts that have it are not accepted
// (docs/constrained.md).

#include "runtime/constrain/schema/Formats.h"

#include <iterator>

namespace transfold::runtime::inline constrain {

namespace {

// RFC 3339: the days of each month, and the 29th of February of leap years.
#define LEAP_YEAR                                                              \
  "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
#define DATE                                                                   \
  "(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])"                   \
  "|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))"            \
  "|" LEAP_YEAR "-02-29)"
#define TIME                                                                   \
  "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?"                       \
  "(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)"
// RFC 3339, appendix A.
#define CLOCK_DURATION                                                         \
  "T(?:\\d{1,6}H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|\\d{1,6}M(?:\\d{1,6}S)?"          \
  "|\\d{1,6}S)"
#define DAY_DURATION                                                           \
  "(?:\\d{1,6}Y(?:\\d{1,6}M(?:\\d{1,6}D)?)?|\\d{1,6}M(?:\\d{1,6}D)?"           \
  "|\\d{1,6}D)"
// RFC 1123; at most six labels of 41 characters: never more than 253.
#define LABEL "[A-Za-z0-9](?:[A-Za-z0-9-]{0,39}[A-Za-z0-9])?"
#define HOSTNAME LABEL "(?:\\." LABEL "){0,5}"
// RFC 5321 without quoted parts, of at most 64 characters before the @.
#define ATOM "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,30}"
#define BYTE "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
#define IPV4 BYTE "(?:\\." BYTE "){3}"
#define H16 "[0-9A-Fa-f]{1,4}"
#define LS32 "(?:" H16 ":" H16 "|" IPV4 ")"
// RFC 3986.
#define PCHAR "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
#define URI_REST "(?:\\?(?:" PCHAR "|[/?])*)?(?:#(?:" PCHAR "|[/?])*)?"
#define AUTHORITY                                                              \
  "(?:(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(?::[0-9]{1,5})?)"
#define URI                                                                    \
  "[A-Za-z][A-Za-z0-9+.-]*:(?://" AUTHORITY "(?:/" PCHAR "*)*|/?" PCHAR        \
  "+(?:/" PCHAR "*)*)" URI_REST

struct Format {
  std::string_view name, regex;
};
constexpr Format formats[] = {
    {"date", DATE},
    {"time", TIME},
    {"date-time", DATE "T" TIME},
    {"duration", "P(?:" DAY_DURATION "(?:" CLOCK_DURATION ")?|" CLOCK_DURATION
                 "|\\d{1,6}W)"},
    {"email", ATOM "(?:\\." ATOM ")?@" HOSTNAME},
    {"hostname", HOSTNAME},
    {"ipv4", IPV4},
    {"ipv6", "(?:(?:" H16 ":){6}" LS32 "|::(?:" H16 ":){5}" LS32 "|(?:" H16
             ")?::(?:" H16 ":){4}" LS32 "|(?:(?:" H16 ":){0,1}" H16
             ")?::(?:" H16 ":){3}" LS32 "|(?:(?:" H16 ":){0,2}" H16
             ")?::(?:" H16 ":){2}" LS32 "|(?:(?:" H16 ":){0,3}" H16 ")?::" H16
             ":" LS32 "|(?:(?:" H16 ":){0,4}" H16 ")?::" LS32 "|(?:(?:" H16
             ":){0,5}" H16 ")?::" H16 "|(?:(?:" H16 ":){0,6}" H16 ")?::)"},
    {"uuid", "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"},
    {"uri", URI},
    {"json-pointer", "(?:/(?:[^~/]|~[01])*)*"},
    // About numbers only, or about how strings are shown.
    {"int32", ""},
    {"int64", ""},
    {"float", ""},
    {"double", ""},
    {"password", ""},
};

} // namespace

std::string_view regexOfFormat(std::string_view format) {
  for (const Format &each : formats)
    if (each.name == format)
      return each.regex;
  return {};
}

} // namespace transfold::runtime::inline constrain
