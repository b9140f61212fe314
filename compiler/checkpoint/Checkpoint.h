// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as it lies on disk, whatever its container: named tensors whose bytes
// stay in their mapped files, the configuration, and the other files beside it.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_CHECKPOINT_H
#define TRANSFOLD_COMPILER_CHECKPOINT_CHECKPOINT_H

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

/// What is wrong with a file, where, and what to do about it: one message that
/// starts with the file's path.
class CheckpointError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A tensor in a mapped file: row-major; `bytes` has as many as its format
/// needs for the product of `shape` (checked when the file was opened). Not
/// necessarily aligned.
///
/// Integers may have scales, float32 of which `sharing` integers share one:
///
///   number i = integer i / scale (i div sharing)
///
/// They are finite, and so is 1 / scale (checked as well). Of int8_row, 64 or a
/// multiple of that share one.
struct StoredTensor {
  DType dtype;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
  std::span<const std::byte> scales = {};
  int64_t sharing = 1;

  const Format &format() const { return formatOf(dtype); }
  /// How many numbers it has.
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
  /// What element `index` is divided by.
  float scaleOf(int64_t index) const;
};

/// What to do where a model has no weights.
enum class WithoutWeights { Fail, MakeUp };

/// Which equations a model has, as its container says it.
struct Architecture {
  std::string name;  // "bert"; empty where it does not say
  std::string key;   // "model_type": what says it
  std::string place; // "DIR/config.json": where
};

/// How a model writes a conversation: a Jinja template, and the texts of the
/// tokens that it knows by name.
struct ChatTemplate {
  std::string text;
  std::string place; // "DIR/chat_template.jinja", for messages
  std::map<std::string, std::string> tokens; // "eos_token" -> "</s>"
};

class Checkpoint {
public:
  /// Opens what Container.h knows, as a Hugging Face directory with
  /// config.json, and model.safetensors or model.safetensors.index.json with
  /// its shards. Every number in a header is checked before use. Weights that
  /// are not there may be made up; then `path` may also be the configuration
  /// alone, a .json file. Throws CheckpointError.
  static std::unique_ptr<Checkpoint>
  open(const std::string &path, WithoutWeights missing = WithoutWeights::Fail);
  virtual ~Checkpoint() = default;

  /// "hf", "gguf" or "ct2": which `config` and `names` tables of a spec apply.
  virtual std::string_view container() const = 0;
  /// The directory or file that was opened.
  virtual const std::string &path() const = 0;
  /// The configuration; a JSON object. Numbers that JSON spells with a fraction
  /// or exponent keep their text through `spelling`.
  virtual const nlohmann::json &config() const = 0;
  virtual Architecture architecture() const { return {}; }
  /// Throws CheckpointError where its files are damaged or not supported.
  virtual TokenizerSource tokenizer() const { return {}; }
  /// The template of conversations; `text` is empty where there is none. Throws
  /// CheckpointError.
  virtual ChatTemplate chatTemplate() const { return {}; }
  /// Another JSON file of the directory, such as "1_Pooling/config.json"; null
  /// where there is none. Paths that leave the directory are refused.
  virtual const nlohmann::json *file(const std::string &name) const = 0;
  /// The number of a token, where there is a list of their texts beside the
  /// weights that has it.
  virtual std::optional<int64_t> token(const std::string &text) const {
    return std::nullopt;
  }
  /// The tokens that match a pattern, by their codes (TokenCodes.h): "de" of
  /// "__de__" and "__*__".
  virtual std::map<std::string, int64_t>
  codes(const std::string &pattern) const {
    return {};
  }
  /// All tensors, by name.
  virtual const std::map<std::string, StoredTensor> &tensors() const = 0;
  /// Whether there are no weights, and tensors come to be when they are asked
  /// for.
  virtual bool isMadeUp() const { return false; }
  /// Makes a tensor with random numbers, unless it is there, where `isMadeUp`.
  virtual void makeUp(const std::string &name,
                      const std::vector<int64_t> &shape) const {}
};

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_CHECKPOINT_H
