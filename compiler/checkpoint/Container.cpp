// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a model by the first container that recognizes its path.

#include "compiler/checkpoint/Container.h"

#include "compiler/checkpoint/ctranslate2/Ct2.h"
#include "compiler/checkpoint/gguf/Gguf.h"
#include "compiler/checkpoint/huggingface/HuggingFace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace transfold::checkpoint {

/// Hugging Face comes last, since it recognizes every directory.
std::span<const Container> containers() {
  static const Container all[] = {gguf, ct2, huggingFace};
  return all;
}

std::unique_ptr<Checkpoint> Checkpoint::open(const std::string &path,
                                             WithoutWeights missing) {
  std::vector<std::string_view> known;
  for (const Container &container : containers()) {
    if (container.recognises(path, missing))
      return container.open(path, missing);
    known.push_back(container.what);
  }
  std::error_code ignored;
  bool exists = std::filesystem::exists(path, ignored);
  throw CheckpointError(fmt::format("{}: {}; give {}", path,
                                    exists ? "not a model" : "not found",
                                    fmt::join(known, ", or ")));
}

} // namespace transfold::checkpoint
