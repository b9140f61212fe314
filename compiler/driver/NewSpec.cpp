// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/NewSpec.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/draft/Draft.h"
#include "compiler/driver/Locations.h"
#include "compiler/spec/Model.h"
#include "runtime/Messages.h"
#include "runtime/OutputFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

using namespace transfold;

/// The model_type as a spec says it: a string where it is no name of the
/// language.
static std::string modelName(const nlohmann::json &config) {
  auto type = config.find("model_type");
  std::string name = type != config.end() && type->is_string()
                         ? type->get<std::string>().substr(0, 64)
                         : "";
  auto isLetter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  bool isPlain = std::ranges::all_of(name, isLetter) &&
                 !std::isdigit(static_cast<unsigned char>(name[0]));
  if (!name.empty() && !isPlain &&
      std::ranges::all_of(name, [&](unsigned char c) {
        return isLetter(c) || c == '-' || c == '.';
      }))
    return '"' + name + '"';
  for (char &c : name)
    if (!isLetter(static_cast<unsigned char>(c)))
      c = '_';
  bool isName =
      !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  return isName ? name : "model_" + name;
}

static void write(const std::string &path, const std::string &text) {
  runtime::OutputFile file(path);
  file.write(text);
  file.commit();
}

static size_t guesses(const std::string &text) {
  size_t count = 0;
  for (size_t at = text.find("// ?\n"); at != std::string::npos;
       at = text.find("// ?\n", at + 1))
    ++count;
  return count;
}

static std::string counted(size_t count, const char *thing,
                           const char *ending = "s") {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : ending);
}

void driver::newSpec(const NewOptions &options) {
  auto checkpoint = checkpoint::Checkpoint::open(options.model);
  std::string name = modelName(checkpoint->config());
  std::string plain = name;
  std::erase(plain, '"');
  std::string path = options.output.empty() ? plain + ".xf" : options.output;
  if (std::filesystem::exists(path))
    throw std::runtime_error(fmt::format(
        "{}: is there already; say with -o where to write the draft", path));
  std::string text = draft::draftSpec(*checkpoint, name);
  write(path, text);
  fmt::print("{}: {} to read\n", path, counted(guesses(text), "guess", "es"));
  try {
    spec::LeftOver left =
        spec::Model::load(path, specFolder(), checkpoint.get())->leftOver();
    write(path, text + draft::toDoList(*checkpoint, left.keys, left.tensors));
    if (!left.keys.empty() || !left.tensors.empty())
      fmt::print("   {} and {} are left over; they are listed at its end\n",
                 counted(left.keys.size(), "key"),
                 counted(left.tensors.size(), "tensor"));
  } catch (const spec::SpecError &error) {
    fmt::print("   It does not fit yet:\n{}\n",
               runtime::printable(error.what()));
  }
  fmt::print("   transfold check {} {} says what does not fit\n", path,
             options.model);
}
