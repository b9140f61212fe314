// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for masks that were forgotten.

#include "compiler/driver/verify/MaskHint.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string_view>

namespace transfold::driver {

std::string noteMasksBeside(const std::vector<std::string> &inputs) {
  std::set<std::string> given;
  for (const std::string &input : inputs)
    given.insert(input.substr(0, input.find('=')));
  std::string notes;
  for (const std::string &input : inputs) {
    // runtime/tasks/eval/EvalInputs.h defines which mask belongs to which
    // array.
    size_t equals = input.find('='), length = 0;
    for (std::string_view masked :
         {"input_ids", "input_values", "input_features"})
      if (equals != input.npos &&
          std::string_view(input).substr(0, equals).ends_with(masked))
        length = masked.size();
    if (!length)
      continue;
    std::string name = input.substr(0, equals - length) + "attention_mask";
    std::filesystem::path mask(input.substr(equals + 1));
    mask.replace_filename(name + ".npy");
    std::error_code error; // errors count as absent
    if (!given.contains(name) && std::filesystem::is_regular_file(mask, error))
      notes += fmt::format("note: {0} lies beside {1}: give it with --in "
                           "{2}={0}, or padding counts as tokens\n",
                           mask.string(), input.substr(0, equals), name);
  }
  return notes;
}

} // namespace transfold::driver
