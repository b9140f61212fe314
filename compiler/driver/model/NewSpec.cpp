// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `new`: writes a draft, compares it with the checkpoint, and
// appends what does not fit.

#include "compiler/driver/model/NewSpec.h"

#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/draft/Draft.h"
#include "compiler/draft/Start.h"
#include "compiler/driver/model/Locations.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ranges>

using namespace transfold;
using driver::NewOptions;

template <typename... Args>
static void printOut(fmt::format_string<Args...> format, Args &&...args) {
  print(fmt::format(format, std::forward<Args>(args)...));
}

/// Whether `name` can be written in a spec without quotes: not if it is a
/// keyword.
static bool isFreeName(const std::string &name) {
  try {
    spec::parse(spec::Source::fromText("name", "model " + name + "\n"));
    return true;
  } catch (const spec::SpecError &) {
    return false;
  }
}

/// The architecture's name as a spec writes it: a string if it is not an
/// identifier.
static std::string modelName(const checkpoint::Checkpoint &checkpoint) {
  std::string name = checkpoint.architecture().name.substr(0, 64);
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
  if (!isName)
    return "model_" + name;
  return isFreeName(name) ? name : '"' + name + '"';
}

static void write(const std::string &path, const std::string &text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

/// The number of lines that end in the mark of a guess.
static size_t guesses(const std::string &text) {
  size_t count = 0;
  for (size_t at = text.find("// ?\n"); at != std::string::npos;
       at = text.find("// ?\n", at + 1))
    ++count;
  return count;
}

/// "1 guess", "2 guesses".
static std::string counted(size_t count, const char *thing,
                           const char *ending = "s") {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : ending);
}

/// The spec that the draft starts from; nullopt if it is generated from names.
/// `near` is then the spec that fits best.
static std::optional<draft::Candidate>
chooseStart(const NewOptions &options, const checkpoint::Checkpoint &checkpoint,
            std::optional<draft::Candidate> &near) {
  auto specs = driver::specFiles();
  std::string folder = driver::specFolder();
  if (options.like.empty()) {
    near = draft::nearest(specs, folder, checkpoint);
    return near && near->isStart() ? near : std::nullopt;
  }
  // Matched by the name of its model or of its file, which may be that of its
  // paper.
  auto found = std::ranges::find_if(specs, [&](const auto &spec) {
    return spec.first == options.like ||
           std::filesystem::path(spec.second).stem() == options.like;
  });
  if (found == specs.end())
    throw std::runtime_error(fmt::format(
        "--like {}: there is no such spec\n   Specs in {}: {}", options.like,
        folder, fmt::join(std::views::keys(specs), ", ")));
  return draft::candidate(found->first, found->second, folder, checkpoint);
}

/// "3 keys and 8 tensors are left over, 2 tensors are missing; …"
static void printFit(const spec::Fit &fit) {
  std::vector<std::string> lists;
  if (!fit.left.keys.empty() || !fit.left.tensors.empty())
    lists.push_back(fmt::format("{} and {} are unused",
                                counted(fit.left.keys.size(), "key"),
                                counted(fit.left.tensors.size(), "tensor")));
  auto add = [&](size_t count, const char *thing, const char *what) {
    if (count)
      lists.push_back(fmt::format("{} {} {}", counted(count, thing),
                                  count == 1 ? "is" : "are", what));
  };
  add(fit.missing.size(), "tensor", "missing");
  add(fit.reshaped.size(), "tensor", "with another shape");
  add(fit.unfulfilled.size(), "expectation", "not fulfilled");
  bool isOne =
      fit.left.keys.empty() && fit.left.tensors.empty() &&
      fit.missing.size() + fit.reshaped.size() + fit.unfulfilled.size() == 1;
  if (!lists.empty())
    printOut("   {}; {} listed at its end\n", fmt::join(lists, ", "),
             isOne ? "it is" : "they are");
}

/// Prints where the equations come from, or which spec would be another start.
static void printOrigin(const std::optional<draft::Candidate> &start,
                        const std::optional<draft::Candidate> &near) {
  if (start)
    printOut("   It starts from the spec of {}, whose tables name {}\n",
             start->model, start->share());
  else if (near && 3 * near->agreeing >= near->tensors)
    printOut("   It is derived from names. The spec of {} names {}: --like {} "
             "starts from it\n",
             near->model, near->share(), near->model);
}

/// A draft that is not a valid spec is a bug of transfold; the user still gets
/// the text and the lists.
static spec::Fit fitOf(const std::string &path,
                       const checkpoint::Checkpoint &checkpoint) {
  try {
    return spec::fitOf(path, driver::specFolder(), checkpoint);
  } catch (const spec::SpecError &error) {
    spec::Fit fit;
    fit.failures.emplace_back(error.what());
    for (const auto &[name, tensor] : checkpoint.tensors())
      fit.left.tensors.push_back(name);
    return fit;
  }
}

void driver::newSpec(const NewOptions &options) {
  auto checkpoint = checkpoint::Checkpoint::open(options.model);
  if (checkpoint->container() != "hf")
    throw std::runtime_error(fmt::format(
        "{}: drafts can be made from Hugging Face directories only; draft the "
        "spec from the model's, and add tables for this file "
        "(docs/add-a-model.md: The same model as a GGUF file)",
        options.model));
  std::string name = modelName(*checkpoint);
  std::string plain = name;
  std::erase(plain, '"');
  std::string path = options.output.empty() ? plain + ".xf" : options.output;
  if (std::filesystem::exists(path))
    throw std::runtime_error(fmt::format(
        "{}: already exists; give another file for the draft with -o", path));
  std::optional<draft::Candidate> near;
  auto start = chooseStart(options, *checkpoint, near);
  std::string text = start ? draft::startFrom(*start, name)
                           : draft::draftSpec(*checkpoint, name);
  write(path, text);
  printOut("{}: {} to review\n", path, counted(guesses(text), "guess", "es"));
  printOrigin(start, near);
  spec::Fit fit = fitOf(path, *checkpoint);
  write(path, text + draft::toDoList(*checkpoint, fit));
  for (const std::string &failure : fit.failures)
    printOut("   It does not fit yet:\n{}\n", failure);
  printFit(fit);
  printOut("   transfold check {} {} lists what does not fit\n", path,
           options.model);
}
