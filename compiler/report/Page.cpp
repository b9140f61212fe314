// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts style, script and data into the page (page/report.html).

#include "compiler/report/Page.h"

#include "compiler/report/PageTexts.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Base64.h>
#include <llvm/Support/SHA256.h>

using namespace transfold;

/// The hash by which the page's policy permits a script or a style.
static std::string hashOf(const std::string &text) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return "'sha256-" + llvm::encodeBase64(digest) + "'";
}

/// Replaces the only occurrence of `mark`. What is inserted is not searched.
static void fill(std::string &page, const std::string &mark,
                 const std::string &text) {
  page.replace(page.find(mark), mark.size(), text);
}

/// JSON that can be in a script element, which only text after a < could end.
/// Bytes that are not UTF-8 become U+FFFD.
static std::string escaped(const nlohmann::ordered_json &data) {
  std::string text =
      data.dump(-1, ' ', /*ensure_ascii=*/false,
                nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size() + text.size() / 16);
  for (char c : text) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

std::string report::pageOf(const nlohmann::ordered_json &data) {
  const std::string style = reportStyle;
  std::string script;
  for (const char *part : reportScripts)
    script += part;
  std::string page = reportPage;
  // The data last: what it contains is not searched for marks.
  fill(page, "@POLICY@",
       fmt::format("default-src 'none'; img-src data:; script-src {}; "
                   "style-src {}",
                   hashOf(script), hashOf(style)));
  fill(page, "@STYLE@", style);
  fill(page, "@SCRIPT@", script);
  fill(page, "@DATA@", escaped(data));
  return page;
}
