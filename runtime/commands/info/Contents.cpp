// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the software in a program with the versions that it was compiled with,
// as a bill of materials and as license notices.

#include "runtime/commands/info/Contents.h"

#include "base/Error.h"
#include "runtime/commands/info/Licences.h"

#include <CLI/Version.hpp>
#include <HalideRuntime.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <utf8proc.h>
#include <xxhash.h>

#include <charconv>
#include <cstdlib>
#include <ctime>

namespace transfold::runtime::inline commands {

using nlohmann::ordered_json;

namespace {

/// A version as text.
std::string dotted(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

/// Software that is linked or compiled in, with the versions of its headers.
std::vector<IncludedPart> partsOf(const ProgramContents &contents) {
  std::vector<IncludedPart> parts = {
      {"fmt",
       dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100),
       "MIT", "https://github.com/fmtlib/fmt", "2012-2020 Victor Zverovich"},
      {"nlohmann-json",
       dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
              NLOHMANN_JSON_VERSION_PATCH),
       "MIT", "https://github.com/nlohmann/json",
       "2013-2022 Niels Lohmann, 2009 Florian Loitsch, 2008-2009 Bjoern "
       "Hoehrmann"},
      {"utf8proc",
       dotted(UTF8PROC_VERSION_MAJOR, UTF8PROC_VERSION_MINOR,
              UTF8PROC_VERSION_PATCH),
       "MIT AND Unicode-DFS-2015", "https://github.com/JuliaStrings/utf8proc",
       "2014-2021 Steven G. Johnson, Jiahao Chen, Tony Kelman, Jonas Fonseca "
       "and others, 2009, 2013 Public Software Group e. V., 1991-2007 Unicode, "
       "Inc."},
      {"xxHash",
       dotted(XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE),
       "BSD-2-Clause", "https://github.com/Cyan4973/xxHash",
       "2012-2021 Yann Collet"},
      {"Halide",
       dotted(HALIDE_VERSION_MAJOR, HALIDE_VERSION_MINOR, HALIDE_VERSION_PATCH),
       "MIT", "https://github.com/halide/Halide",
       "2012-2020 MIT CSAIL, Google, Facebook, Adobe, NVIDIA CORPORATION, and "
       "other contributors"},
      {"libstdc++ and libgcc", std::to_string(_GLIBCXX_RELEASE),
       "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org",
       "Free Software Foundation, Inc."}};
  if (contents.hasCommands) {
    parts.push_back({"CLI11", CLI11_VERSION, "BSD-3-Clause",
                     "https://github.com/CLIUtils/CLI11",
                     "2017-2020 University of Cincinnati, developed by Henry "
                     "Schreiner under NSF AWARD 1414736"});
    parts.push_back({"llhttp", TRANSFOLD_LLHTTP_VERSION, "MIT",
                     "https://github.com/nodejs/llhttp", "2018 Fedor Indutny"});
  }
  if (contents.isStatic)
    // The version of this process's C library: that of the machine, or linked
    // statically.
    parts.push_back({"glibc", ::gnu_get_libc_version(), "LGPL-2.1-or-later",
                     "https://www.gnu.org/software/libc",
                     "Free Software Foundation, Inc."});
  return parts;
}

/// An identifier of SPDX: letters, digits, dots and hyphens are allowed.
std::string idOf(const std::string &name) {
  std::string id = "SPDXRef-";
  for (char c : name) {
    bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9') || c == '.';
    id += isPlain ? c : '-';
  }
  return id;
}

constexpr const char *ownLicence = "Apache-2.0 WITH LLVM-exception";
constexpr const char *modelLicence = "LicenseRef-model";

/// A package of the document, whose files are not listed.
ordered_json package(const std::string &id, const std::string &name,
                     const std::string &version, const std::string &licence,
                     const std::string &place, const std::string &copyright) {
  return {{"SPDXID", id},
          {"name", name},
          {"versionInfo", version},
          {"downloadLocation", place},
          {"filesAnalyzed", false},
          {"licenseConcluded", licence},
          {"licenseDeclared", licence},
          {"copyrightText", copyright}};
}

/// A relationship between two elements of the document.
ordered_json relation(const std::string &from, const char *type,
                      const std::string &to) {
  return {{"spdxElementId", from},
          {"relationshipType", type},
          {"relatedSpdxElement", to}};
}

/// A time in ISO 8601, as SPDX wants it: "2026-11-27T22:12:15Z".
std::string timeText(std::time_t time) {
  std::tm utc = {};
  ::gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                     utc.tm_sec);
}

} // namespace

int64_t sourceDate() {
  const char *given = std::getenv("SOURCE_DATE_EPOCH");
  if (!given || !*given)
    return std::time(nullptr);
  int64_t seconds = 0;
  const std::string_view word = given;
  auto [end, problem] =
      std::from_chars(word.data(), word.data() + word.size(), seconds);
  // The limit is the last second of the year 9999.
  if (problem != std::errc() || end != word.data() + word.size() ||
      seconds < 0 || seconds > 253402300799)
    fail("SOURCE_DATE_EPOCH is '{}'; give seconds since 1970", given);
  return seconds;
}

ordered_json sbomOf(const ProgramContents &contents) {
  const std::string none = "NOASSERTION", program = "SPDXRef-program",
                    model = "SPDXRef-model", runtime = "SPDXRef-transfold",
                    created = timeText(sourceDate());
  const bool isKnown = !contents.modelLicence.empty();
  ordered_json packages = {
      package(program, contents.name, contents.hash, none, none, none),
      package(model, "weights of " + contents.model, contents.hash,
              isKnown ? modelLicence : none, none, none),
      package(runtime, "transfold", contents.version, ownLicence, none,
              "The transfold authors")};
  ordered_json relations = {relation("SPDXRef-DOCUMENT", "DESCRIBES", program),
                            relation(program, "CONTAINS", model),
                            relation(program, "CONTAINS", runtime)};
  for (const IncludedPart &part : partsOf(contents)) {
    packages.push_back(package(idOf(part.name), part.name, part.version,
                               part.licence, part.place,
                               "Copyright " + part.holders));
    relations.push_back(relation(program, "CONTAINS", idOf(part.name)));
  }
  ordered_json document = {
      {"spdxVersion", "SPDX-2.3"},
      {"dataLicense", "CC0-1.0"},
      {"SPDXID", "SPDXRef-DOCUMENT"},
      {"name", contents.name},
      {"documentNamespace",
       fmt::format("https://transfold.invalid/spdx/{}-{}-{}",
                   idOf(contents.name).substr(8), contents.hash, created)},
      {"creationInfo",
       {{"created", created},
        {"creators",
         ordered_json::array({"Tool: transfold-" + contents.version})}}},
      {"packages", packages},
      {"relationships", relations}};
  if (isKnown)
    document["hasExtractedLicensingInfos"] =
        ordered_json::array({{{"licenseId", modelLicence},
                              {"name", "The licence in the model's directory"},
                              {"extractedText", contents.modelLicence}}});
  return document;
}

std::string licencesOf(const ProgramContents &contents) {
  return licenceTexts(partsOf(contents), contents.version,
                      contents.modelLicence);
}

} // namespace transfold::runtime::inline commands
