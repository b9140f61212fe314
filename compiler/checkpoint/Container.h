// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of directory and file that a model comes in: one record for each.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_CONTAINER_H
#define TRANSFOLD_COMPILER_CHECKPOINT_CONTAINER_H

#include "compiler/checkpoint/Checkpoint.h"

namespace transfold::checkpoint {

struct Container {
  /// "gguf": that of its checkpoints, and of tables in specs.
  std::string_view name;
  /// Such files of several models: "GGUF files".
  std::string_view several;
  /// What to give: "the directory that holds config.json and …".
  std::string_view what;
  /// Whether a path looks like one; nothing is read but its names.
  bool (*recognises)(const std::string &path, WithoutWeights missing);
  /// Throws CheckpointError.
  std::unique_ptr<Checkpoint> (*open)(const std::string &path,
                                      WithoutWeights missing);
};

/// In the order in which they are tried.
std::span<const Container> containers();

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_CONTAINER_H
