// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes files of schedules. A file may have been edited, so every
// value is checked, and an error names its place.

#include "compiler/kernels/schedule/tune/ScheduleFile.h"

#include "compiler/checkpoint/JsonFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>

#include <cmath>
#include <cstdlib>
#include <set>

using nlohmann::json;
using namespace transfold;
using namespace transfold::kernels;

/// The version of the file's format.
constexpr int64_t version = 2;
constexpr const char *versionKey = "transfold_schedules";

namespace {
/// A JSON object of the file; the constructor checks that it has exactly the
/// given keys.
class Object {
public:
  Object(const json &value, std::string place,
         std::initializer_list<const char *> keys)
      : value(value), place(std::move(place)) {
    if (!value.is_object())
      refuse("", "is not an object");
    const std::set<std::string> known(keys.begin(), keys.end());
    for (const auto &[key, own] : value.items())
      if (!known.contains(key))
        refuse(key, fmt::format(
                        "is not a key of a schedule file; expected one of {}",
                        fmt::join(keys, ", ")));
    for (const std::string &key : known)
      if (!value.contains(key))
        refuse(key, "is missing");
  }

  /// Throws with the place of `key`; of the object itself if `key` is empty.
  [[noreturn]] void refuse(const std::string &key,
                           const std::string &why) const {
    throw std::runtime_error(
        fmt::format("{}{}{}: {}", place, key.empty() ? "" : ".", key, why));
  }

  /// The values by kind; each throws if the kind or the range is wrong.
  std::string text(const char *key) const {
    if (!value[key].is_string())
      refuse(key, "is not a string");
    return value[key];
  }
  int64_t rows(const char *key) const {
    if (!value[key].is_number_unsigned() || value[key].get<uint64_t>() > 4096)
      refuse(key, "is not a number of rows from 0 to 4096");
    return value[key];
  }
  double positive(const char *key) const {
    if (!value[key].is_number() || !(value[key].get<double>() > 0) ||
        !std::isfinite(value[key].get<double>()))
      refuse(key, "is not a number above 0");
    return value[key];
  }
  int64_t count(const std::string &key) const {
    // Values beyond 2⁶³ wrap around and become negative.
    if (!value[key].is_number_integer() || value[key].get<int64_t>() < 1)
      refuse(key, "is not an integer above 0");
    return value[key];
  }

private:
  const json &value;
  std::string place;
};
} // namespace

// Reads an element of `kernels`; `place` names it in error messages.
static MeasuredSchedule readSchedule(const json &value,
                                     const std::string &place) {
  Object own(value, place,
             {"kernel", "signature", "processor", "few_rows", "schedule",
              "microseconds", "by_rule", "rounds"});
  MeasuredSchedule schedule = {own.text("kernel"),
                               own.text("signature"),
                               own.text("processor"),
                               own.rows("few_rows"),
                               {},
                               own.positive("microseconds"),
                               own.positive("by_rule"),
                               own.count("rounds")};
  if (schedule.signature.size() != 16 ||
      !llvm::all_of(schedule.signature, llvm::isHexDigit))
    own.refuse("signature", "is not 16 hexadecimal digits");
  const json &numbers = value["schedule"];
  if (!numbers.is_object() || numbers.empty())
    own.refuse("schedule", "is not an object of parameters");
  for (const auto &[name, number] : numbers.items())
    schedule.numbers[name] =
        Object(json{{name, number}}, place + ".schedule", {name.c_str()})
            .count(name);
  return schedule;
}

/// Checked before the keys, since another version may have other keys.
static void checkVersion(const json &root, const std::string &path) {
  if (!root.is_object() || !root.contains(versionKey))
    throw std::runtime_error(fmt::format(
        "{}: not a schedule file; `transfold tune` writes one", path));
  if (root[versionKey] != version)
    throw std::runtime_error(
        fmt::format("{}: has version {}, but this compiler reads version {}; "
                    "measure again with `transfold tune`",
                    path, root[versionKey].dump(), version));
}

ScheduleFile kernels::readScheduleFile(const std::string &path) {
  if (!llvm::sys::fs::exists(path))
    throw std::runtime_error(path +
                             ": no such file; `transfold tune` writes one");
  const json root = checkpoint::readJsonFile(path);
  checkVersion(root, path);
  Object own(root, path + ": the file",
             {versionKey, "model", "machine", "measured", "kernels"});
  ScheduleFile file = {
      own.text("model"), own.text("machine"), own.text("measured"), {}};
  if (!root["kernels"].is_array())
    own.refuse("kernels", "is not a list");
  std::set<std::tuple<std::string, std::string, int64_t>> known;
  for (const auto &[index, value] : llvm::enumerate(root["kernels"])) {
    const std::string place = fmt::format("{}: kernels[{}]", path, index);
    MeasuredSchedule added = readSchedule(value, place);
    if (!known.insert(added.key()).second)
      throw std::runtime_error(place + ": this kernel has a schedule already");
    file.schedules.push_back(std::move(added));
  }
  return file;
}

/// Rounds to four digits, the precision of the measurement: 12.345678 becomes
/// 12.35. Values in a file that cannot be times are kept (the largest doubles
/// would become infinite).
static double rounded(double microseconds) {
  double result =
      std::strtod(fmt::format("{:.4g}", microseconds).c_str(), nullptr);
  return std::isfinite(result) ? result : microseconds;
}

std::string kernels::asJson(const ScheduleFile &file) {
  nlohmann::ordered_json root = {{versionKey, version},
                                 {"model", file.model},
                                 {"machine", file.machine},
                                 {"measured", file.measured},
                                 {"kernels", nlohmann::ordered_json::array()}};
  for (const MeasuredSchedule &own : file.schedules)
    root["kernels"].push_back({{"kernel", own.kernel},
                               {"signature", own.signature},
                               {"processor", own.processor},
                               {"few_rows", own.fewRows},
                               {"schedule", own.numbers},
                               {"microseconds", rounded(own.microseconds)},
                               {"by_rule", rounded(own.byRule)},
                               {"rounds", own.rounds}});
  return root.dump(2) + "\n";
}
