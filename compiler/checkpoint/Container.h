// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of directories and files that contain models: one record for each.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"

namespace transfold::checkpoint {

/// A kind of container.
struct Container {
  /// "gguf": the name of such checkpoints, and of their tables in specs.
  std::string_view name;
  /// Plural, for messages: "GGUF files".
  std::string_view several;
  /// What to pass: "the directory that holds config.json and …".
  std::string_view what;
  /// Whether a path looks like one; only names (and first bytes) are examined.
  bool (*recognises)(const std::string &path, WithoutWeights missing);
  /// Opens the model. Throws CheckpointError.
  std::unique_ptr<Checkpoint> (*open)(const std::string &path,
                                      WithoutWeights missing);
};

/// All containers, in the order in which they are tried.
std::span<const Container> containers();

} // namespace transfold::checkpoint
