// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints diagnostics in the chosen format.

#include "compiler/driver/cli/Report.h"

#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace transfold;
using driver::DiagnosticFormat;

/// Global, because the failure of a command is reported after its options are
/// gone.
static DiagnosticFormat chosen = DiagnosticFormat::Text;

void driver::setDiagnosticFormat(DiagnosticFormat format) { chosen = format; }

/// Paths may have bytes that are not UTF-8; these are replaced.
static void reportJson(const nlohmann::json &value) {
  reportLine(
      value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void driver::report(std::span<const spec::Diagnostic> diagnostics) {
  for (const spec::Diagnostic &diagnostic : diagnostics)
    if (chosen == DiagnosticFormat::Json)
      reportJson(diagnostic.toJson());
    else
      reportLine(diagnostic.str());
}

void driver::reportFailure(const std::exception &failure) {
  if (auto *error = dynamic_cast<const spec::SpecError *>(&failure))
    report(error->diagnostics);
  else if (chosen == DiagnosticFormat::Json)
    reportJson({{"severity", "error"}, {"message", failure.what()}});
  else
    reportError(failure.what());
}

void driver::explain(const spec::CodePage &page) {
  printNow(
      fmt::format("{}: {}\n{}", spec::text(page.code), page.title, page.page));
}
