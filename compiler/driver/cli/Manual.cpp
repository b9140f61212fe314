// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the manual page of the compiler in roff.

#include "compiler/driver/cli/CommandTree.h"

#include <fmt/ranges.h>

#include <algorithm>

using namespace transfold::driver;

/// Escapes text for roff: a backslash begins its commands, and so does a dot or
/// an apostrophe at the beginning of a line. A plain - would become a
/// typographic hyphen, which shells do not understand if pasted.
static std::string roff(const std::string &text) {
  std::string result;
  bool beginsLine = true;
  for (char c : text) {
    if (beginsLine && (c == '.' || c == '\''))
      result += "\\&";
    beginsLine = c == '\n';
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

static std::string bold(const std::string &text) {
  return "\\fB" + roff(text) + "\\fR";
}

static std::string italic(const std::string &text) {
  return "\\fI" + roff(text) + "\\fR";
}

/// The first line of an option's paragraph: "-o, --out FILE".
static std::string optionHead(const OptionInfo &option) {
  if (option.isWord)
    return italic(option.names.front());
  std::vector<std::string> names;
  for (const std::string &name : option.names)
    names.push_back(bold(name));
  return fmt::format("{}{}", fmt::join(names, ", "),
                     option.value.empty() ? "" : " " + italic(option.value));
}

/// A paragraph with a hanging indent for each option.
static std::string optionParagraphs(const CommandInfo &command) {
  std::string text;
  for (const OptionInfo &option : command.options) {
    // An empty line would end the paragraph.
    std::string description = roff(option.description);
    text += fmt::format(".TP\n{}\n{}\n", optionHead(option),
                        description.empty() ? "\\&" : description);
  }
  return text;
}

/// Text whose line breaks are kept.
static std::string verbatim(const std::string &text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text));
}

/// The synopsis of a command: `transfold check [OPTIONS] SPEC [MODEL]`
static std::string synopsis(const CommandInfo &program,
                            const CommandInfo &command) {
  std::string text = bold(program.name + " " + command.name);
  if (std::ranges::any_of(command.options,
                          [](const OptionInfo &o) { return !o.isWord; }))
    text += " [" + italic("OPTIONS") + "]";
  for (const OptionInfo &option : command.options)
    if (option.isWord) {
      std::string word = italic(option.names.front());
      text += option.isRequired ? " " + word : " [" + word + "]";
    }
  return text;
}

/// Sections that are not derived from the option tree.
static constexpr const char *environment =
    ".SH ENVIRONMENT\n"
    ".TP\n"
    "\\fBTRANSFOLD_SPECS\\fR\n"
    "The folder of specs, instead of the installed ones.\n"
    ".TP\n"
    "\\fBTRANSFOLD_CACHE\\fR, \\fBTRANSFOLD_CACHE_MIB\\fR\n"
    "The folder of the kernel cache (~/.cache/transfold), and its maximum size "
    "in MiB (1024).\n"
    ".TP\n"
    "\\fBTMPDIR\\fR\n"
    "The folder for temporary files.\n"
    ".TP\n"
    "\\fBSOURCE_DATE_EPOCH\\fR\n"
    "The time that Debian packages and SBOMs record, in seconds since 1970.\n"
    ".SH EXIT STATUS\n"
    "0, or 1 after a message on standard error. If a command fails, no file is "
    "written or replaced.\n";

std::string transfold::driver::manualPage(const CommandInfo &program,
                                          const std::string &version) {
  std::string upper = program.name;
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  std::string brief = program.description;
  if (brief.ends_with('.'))
    brief.pop_back();
  std::string page = fmt::format(
      ".\\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
      ".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
      upper, program.name, version, program.name, roff(brief));
  for (const CommandInfo &command : program.commands)
    page += synopsis(program, command) + "\n.br\n";
  page += ".SH OPTIONS\n" + optionParagraphs(program);
  page += ".SH COMMANDS\n";
  for (const CommandInfo &command : program.commands)
    page += fmt::format(".SS {}\n{}\n{}{}", synopsis(program, command),
                        roff(command.description), optionParagraphs(command),
                        verbatim(command.footer));
  return page + environment + ".SH EXAMPLES\n" + verbatim(program.footer);
}
