// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model on disk, independent of its container: named tensors whose bytes stay
// in their mapped files, the configuration, and the other files beside it.

#pragma once

#include "compiler/checkpoint/Format.h"
#include "compiler/checkpoint/TokenizerSource.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::checkpoint {

/// An error in a file, with its place and the remedy: one message that starts
/// with the file's path.
class CheckpointError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A tensor in a mapped file: row-major; `bytes` has exactly the size that its
/// format needs for the product of `shape` (checked when the file was opened).
/// Not necessarily aligned.
///
/// Integers may have float32 scales, each shared by `sharing` integers:
///
///   element i = integer i / scale (i div sharing)
///
/// 1 / scale is finite (also checked); a scale may be infinite, for a row of
/// zeros. In int8_row, 64 or a multiple of 64 integers share a scale.
struct StoredTensor {
  DType dtype;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
  std::span<const std::byte> scales = {};
  int64_t sharing = 1;

  const Format &format() const { return formatOf(dtype); }
  /// The number of elements.
  int64_t count() const {
    return format().numbersIn(static_cast<int64_t>(bytes.size()));
  }
  /// Element `index` in row-major order.
  double element(int64_t index) const {
    double number;
    read(index, 1, {&number, 1});
    return number;
  }
  /// Elements `first`, `first` + `step`, …
  void read(int64_t first, int64_t step, std::span<double> to) const;
  /// The scale that element `index` is divided by.
  float scaleOf(int64_t index) const;
};

/// What to do if a model has no weights.
enum class WithoutWeights { Fail, MakeUp };

/// The architecture of a model, as stated by its container.
struct Architecture {
  std::string name;  // "bert"; empty if not stated
  std::string key;   // the key that states it: "model_type"
  std::string place; // the place of the key: "DIR/config.json"
};

/// How a model formats a conversation: a Jinja template, and the texts of the
/// tokens that it refers to by name.
struct ChatTemplate {
  std::string text;
  std::string place; // "DIR/chat_template.jinja", for messages
  std::map<std::string, std::string> tokens; // "eos_token" -> "</s>"
};

/// A model on disk.
class Checkpoint {
public:
  /// Opens any of the containers in Container.h, such as a Hugging Face
  /// directory with config.json, and model.safetensors or
  /// model.safetensors.index.json with its shards. Every number in a header is
  /// checked before use. Missing weights may be made up; then `path` may also
  /// be the configuration alone, a .json file. Throws CheckpointError.
  static std::unique_ptr<Checkpoint>
  open(const std::string &path, WithoutWeights missing = WithoutWeights::Fail);
  virtual ~Checkpoint() = default;

  /// "hf", "gguf" or "ct2": selects the `config` and `names` tables of a spec.
  virtual std::string_view container() const = 0;
  /// The directory or file that was opened.
  virtual const std::string &path() const = 0;
  /// The configuration; a JSON object. Numbers that JSON spells with a fraction
  /// or exponent keep their text through `spelling`.
  virtual const nlohmann::json &config() const = 0;
  /// What the container states about the model's architecture; empty fields if
  /// nothing.
  virtual Architecture architecture() const { return {}; }
  /// The tokenizer. Throws CheckpointError if its files are damaged or not
  /// supported.
  virtual TokenizerSource tokenizer() const { return {}; }
  /// The template of conversations; `text` is empty if there is none. Throws
  /// CheckpointError.
  virtual ChatTemplate chatTemplate() const { return {}; }
  /// Another JSON file of the directory, such as "1_Pooling/config.json"; null
  /// if there is none. Paths that leave the directory are refused.
  virtual const nlohmann::json *file(const std::string &name) const = 0;
  /// The id of a token, if a list of tokens beside the weights contains it.
  virtual std::optional<int64_t> token(const std::string &text) const {
    return std::nullopt;
  }
  /// The ids of the tokens that match a pattern, by their codes (TokenCodes.h):
  /// "de" for "__de__" and "__*__".
  virtual std::map<std::string, int64_t>
  codes(const std::string &pattern) const {
    return {};
  }
  /// All tensors, by name.
  virtual const std::map<std::string, StoredTensor> &tensors() const = 0;
  /// Whether there are no weights, and tensors are created when they are
  /// requested.
  virtual bool isMadeUp() const { return false; }
  /// If `isMadeUp`, creates a tensor with random elements, unless it exists
  /// already.
  virtual void makeUp(const std::string &name,
                      const std::vector<int64_t> &shape) const {}
};

} // namespace transfold::checkpoint
