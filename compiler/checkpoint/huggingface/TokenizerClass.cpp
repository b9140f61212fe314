// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the name of a tokenizer's class.

#include "compiler/checkpoint/huggingface/TokenizerClass.h"

namespace transfold::checkpoint {

std::string tokenizerClassIn(const Directory &directory, const char *file) {
  const nlohmann::json *settings = directory.json(file);
  if (!settings || !settings->is_object())
    return "";
  auto found = settings->find("tokenizer_class");
  if (found == settings->end() || !found->is_string())
    return "";
  auto name = found->get<std::string>();
  constexpr std::string_view fast = "Fast";
  if (name.ends_with(fast))
    name.resize(name.size() - fast.size());
  return name;
}

} // namespace transfold::checkpoint
