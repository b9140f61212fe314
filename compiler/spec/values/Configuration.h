// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a spec asks of the container besides weights: keys of the configuration
// and of other files, whether tensors exist, their shapes, single numbers. It
// remembers everything that was asked, because a key or a tensor that nobody
// mentions is an error.

#ifndef TRANSFOLD_COMPILER_SPEC_VALUES_CONFIGURATION_H
#define TRANSFOLD_COMPILER_SPEC_VALUES_CONFIGURATION_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/values/StaticValue.h"

#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace transfold::spec {

class Configuration {
public:
  explicit Configuration(const checkpoint::Checkpoint *checkpoint)
      : checkpoint(checkpoint) {}

  bool hasCheckpoint() const { return checkpoint != nullptr; }
  /// The record `config`.
  StaticValue root();
  /// The record `generation`: how the model's makers choose tokens; `none`
  /// where they say nothing.
  StaticValue generation();
  /// The value of a key: `none` where it is absent or null.
  StaticValue field(const StaticValue &record, const std::string &key);
  /// file("1_Pooling/config.json")
  StaticValue file(const std::string &name);
  /// Where weights are made up, none is there that this denied.
  StaticValue exists(const std::string &tensor);
  /// These throw MissingTensor where there is no such tensor.
  StaticValue shape(const std::string &tensor);
  /// How its numbers are written, as messages spell it: "f32".
  StaticValue format(const std::string &tensor);
  StaticValue value(const std::string &tensor);
  /// Whether both names are of the same numbers.
  StaticValue same(const std::string &tensor, const std::string &other);
  StaticValue count(const std::string &pattern);
  /// The number of a token; `none` where the container knows no such token.
  StaticValue token(const std::string &text);
  /// The record of all tokens that match a pattern: their numbers, by what the
  /// stars stand for (Checkpoint::codes).
  StaticValue codes(const std::string &pattern);

  /// Marks all keys that `expr` names by a path from `config` as read, and the
  /// files that it names as those whose keys must be.
  void mention(const Expr &expr);
  void mentionAll(const Definition &definition);
  /// From now on, what nobody read of `generation` is unread: a model that
  /// makes tokens.
  void wantGeneration();
  /// Everything below a value that is handed on whole.
  void readWhole(const StaticValue &value);

  /// Keys that nobody read and no pattern ignores, with their values; those of
  /// other files behind the file's name and a colon.
  std::vector<std::pair<std::string, std::string>>
  unread(const std::vector<std::string> &ignored) const;

  /// Of the keys that nobody read and no pattern ignores, the one that was
  /// probably meant by `key`; empty where none is near.
  std::string nearestUnread(const std::string &key,
                            const std::vector<std::string> &ignored) const;

  const std::set<std::string> &tensorsRead() const { return tensors; }

  /// The tensors that `exists` denied.
  const std::set<std::string> &tensorsDenied() const { return denied; }
  /// Of a container whose weights are made up: those that `exists` denied and
  /// that `before` has not will be there after all.
  void assumeDenied(const std::set<std::string> &before);

private:
  const checkpoint::Checkpoint *checkpoint;
  std::set<std::string> keys;  // "rope_parameters.rope_theta", "FILE:key"
  std::set<std::string> files; // that were opened, or are spoken of
  std::set<std::string> tensors;
  std::set<std::string> denied, assumed;

  std::string mentionPath(const Expr &expr, bool &isPath);
};

/// What shape, value and others of a tensor that is not there throw.
class MissingTensor : public std::domain_error {
public:
  explicit MissingTensor(const std::string &tensor);
  std::string tensor;
};

/// Shell patterns, * and ?, as `ignore` and `count` have them.
bool matches(std::string_view pattern, std::string_view text);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_VALUES_CONFIGURATION_H
