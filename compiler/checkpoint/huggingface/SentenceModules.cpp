// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads modules.json. The paths in it are checked, because they are joined to
// that of the directory.

#include "compiler/checkpoint/huggingface/SentenceModules.h"

#include "compiler/checkpoint/Checkpoint.h"

#include <fmt/format.h>

namespace transfold::checkpoint {

SentenceModules readSentenceModules(const Directory &directory) {
  constexpr const char *name = "modules.json";
  SentenceModules result;
  const nlohmann::json *modules = directory.json(name);
  if (!modules)
    return result;
  auto fail = [&](const std::string &what) {
    throw CheckpointError(fmt::format("{}: {}", directory.placeOf(name), what));
  };
  if (!modules->is_array())
    fail("is not a JSON list of modules");
  for (size_t k = 0; k < modules->size(); ++k) {
    const nlohmann::json &module = (*modules)[k];
    bool isNamed = module.is_object() && module.contains("path") &&
                   module["path"].is_string();
    if (!isNamed)
      fail(fmt::format("module {} has no path", k));
    auto path = module["path"].get<std::string>();
    if (!path.empty() && !Directory::staysInside(path))
      fail(fmt::format("the path of module {}, {}, is not the name of a folder "
                       "in the directory",
                       k, module["path"].dump()));
    if (k == 0)
      result.transformer = path;
    else if (!path.empty())
      result.others.push_back(path);
  }
  return result;
}

std::string weightsOfModule(const Directory &directory,
                            const std::string &folder) {
  std::string weights = folder + "/model.safetensors";
  if (directory.has(weights))
    return weights;
  std::string pickle = folder + "/pytorch_model.bin";
  if (directory.has(pickle))
    throw CheckpointError(fmt::format(
        "{}: is a Python pickle, which can run code; convert it (load the "
        "model with sentence-transformers, then save it)",
        directory.placeOf(pickle)));
  return "";
}

} // namespace transfold::checkpoint
