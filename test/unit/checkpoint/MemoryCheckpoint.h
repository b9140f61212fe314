// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint that no file contains, for unit tests and fuzz targets.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <utility>

namespace transfold::test {

/// The base of checkpoints that add their own tensors, in the form of a Hugging
/// Face directory.
class MemoryCheckpoint : public checkpoint::Checkpoint {
public:
  explicit MemoryCheckpoint(
      std::string name, nlohmann::json configuration = nlohmann::json::object())
      : configuration(std::move(configuration)), name(std::move(name)) {}

  std::string_view container() const override { return "hf"; }
  const std::string &path() const override { return name; }
  const nlohmann::json &config() const override { return configuration; }
  const nlohmann::json *file(const std::string &) const override {
    return nullptr;
  }
  const std::map<std::string, checkpoint::StoredTensor> &
  tensors() const override {
    return stored;
  }

protected:
  const nlohmann::json configuration;
  std::map<std::string, checkpoint::StoredTensor> stored;

private:
  std::string name;
};

} // namespace transfold::test
