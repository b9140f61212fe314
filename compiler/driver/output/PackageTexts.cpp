// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of a package. Names of packages have no characters with a meaning
// in roff or for systemd, except for hyphens in roff.

#include "compiler/driver/output/PackageTexts.h"

#include <fmt/format.h>

#include <algorithm>

using namespace transfold;

// Debian's tools would enable a unit by a script of the package. This package
// has none: the unit stays disabled until an administrator enables it.
std::string driver::systemdUnit(const std::string &name,
                                const std::string &model) {
  return fmt::format("[Unit]\n"
                     "Description={0}: {1}, for OpenAI's clients\n"
                     "Documentation=man:{0}(1)\n"
                     "After=network.target\n"
                     "\n"
                     "[Service]\n"
                     "# OPTIONS=… in that file replaces these.\n"
                     "Environment=\"OPTIONS=--port 8080\"\n"
                     "EnvironmentFile=-/etc/default/{0}\n"
                     "ExecStart=/usr/bin/{0} serve $OPTIONS\n"
                     "Restart=on-failure\n"
                     "TimeoutStopSec=30\n"
                     "DynamicUser=yes\n"
                     "ProtectHome=yes\n"
                     "ProtectKernelTunables=yes\n"
                     "ProtectControlGroups=yes\n"
                     "CapabilityBoundingSet=\n"
                     "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX\n"
                     "SystemCallArchitectures=native\n"
                     "MemoryDenyWriteExecute=yes\n"
                     "\n"
                     "[Install]\n"
                     "WantedBy=multi-user.target\n",
                     name, model);
}

std::string driver::programManual(const std::string &name,
                                  const std::string &model, bool serves) {
  std::string upper = name, dashed;
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  for (char c : name)
    dashed += c == '-' ? "\\-" : std::string(1, c);
  std::string text = fmt::format(
      ".\\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
      ".TH {0} 1 \"\" \"\" \"User Commands\"\n"
      ".SH NAME\n"
      "{1} \\- the model {2}, compiled by transfold\n"
      ".SH SYNOPSIS\n"
      "\\fB{1}\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\n"
      "A program that computes one model. Its commands depend on what the "
      "model can do:\n"
      ".PP\n"
      ".nf\n"
      "{1} \\-\\-help            the commands\n"
      "{1} COMMAND \\-\\-help    the options of one\n"
      "{1} info \\-\\-licences   the licences of what is inside\n"
      "{1} info \\-\\-sbom       what is inside, as an SPDX document\n"
      ".fi\n",
      upper, dashed, model);
  if (serves)
    text += fmt::format(".PP\n"
                        "\\fB{0} serve\\fR serves OpenAI's clients. A systemd "
                        "unit is installed, but not enabled:\n"
                        ".PP\n"
                        ".nf\n"
                        "systemctl enable \\-\\-now {0}\n"
                        ".fi\n"
                        ".SH FILES\n"
                        ".TP\n"
                        "/etc/default/{0}\n"
                        "OPTIONS of the unit, such as \\-\\-port 8080.\n",
                        dashed);
  return text + ".SH ENVIRONMENT\n"
                ".TP\n"
                "\\fBTRANSFOLD_CPU\\fR\n"
                "The processor whose kernels are used, instead of the best "
                "that this machine supports.\n";
}
