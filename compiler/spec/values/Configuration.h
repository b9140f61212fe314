// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queries of a spec to the container that are not about weights: keys of
// the configuration and of other files, whether tensors exist, their shapes,
// single values. All queries are recorded, because a key or a tensor that is
// never mentioned is an error.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/values/StaticValue.h"

#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace transfold::spec {

/// Answers and records the queries. Without a checkpoint all values are
/// unknown.
class Configuration {
public:
  /// `checkpoint` must outlive this; null if there is none.
  explicit Configuration(const checkpoint::Checkpoint *checkpoint)
      : checkpoint(checkpoint) {}

  /// The record `config`.
  StaticValue root();
  /// The record `generation`: the sampling settings that the model's authors
  /// chose (generation_config.json); `none` if they chose none.
  StaticValue generation();
  /// The value of a key: `none` where it is absent or null.
  StaticValue field(const StaticValue &record, const std::string &key);
  /// The content of a JSON file: file("1_Pooling/config.json"); `none` if
  /// absent.
  StaticValue file(const std::string &name);
  /// Whether the tensor exists. With made-up weights, an optional weight whose
  /// tensor was denied here stays absent.
  StaticValue exists(const std::string &tensor);
  /// The shape of a tensor, as a list. Throws MissingTensor if the tensor does
  /// not exist, as do the next three functions.
  StaticValue shape(const std::string &tensor);
  /// The format of its elements, as messages spell it: "f32".
  StaticValue format(const std::string &tensor);
  /// Its value if it has one element, or a list if it is a short vector.
  StaticValue value(const std::string &tensor);
  /// Whether both tensors have the same elements.
  StaticValue same(const std::string &tensor, const std::string &other);
  /// The number of tensors whose names match.
  StaticValue count(const std::string &pattern);
  /// The id of a token; `none` if the container has no such token.
  StaticValue token(const std::string &text);
  /// A record of all tokens that match a pattern: their ids, by the text that
  /// the stars stand for (Checkpoint::codes).
  StaticValue codes(const std::string &pattern);

  /// Marks all keys that `expr` names by a path from `config` as read, and
  /// notes the files that it names, whose keys must then all be read.
  void mention(const Expr &expr);
  /// The same for the value of a definition and for its `where` clauses.
  void mentionAll(const Definition &definition);
  /// From now on, keys of `generation` must be read or ignored, too: for a
  /// model that generates tokens.
  void wantGeneration();
  /// Marks everything below a value as read, because the value is passed on
  /// whole.
  void readWhole(const StaticValue &value);

  /// Keys that were not read and that no pattern ignores, with their values;
  /// keys of other files have the file's name and a colon in front.
  std::vector<std::pair<std::string, std::string>>
  unread(const std::vector<std::string> &ignored) const;

  /// The one of the keys that were not read and that no pattern ignores that
  /// was probably meant by `key`; empty if none is close.
  std::string nearestUnread(const std::string &key,
                            const std::vector<std::string> &ignored) const;

  /// The tensors whose values were read (`value`).
  const std::set<std::string> &tensorsRead() const { return tensors; }

  /// The tensors that `exists` answered with false.
  const std::set<std::string> &tensorsDenied() const { return denied; }
  /// For a container with made-up weights: the tensors that `exists` denied,
  /// other than those in `before`, count as existing from now on.
  void assumeDenied(const std::set<std::string> &before);

private:
  const checkpoint::Checkpoint *checkpoint;
  std::set<std::string> keys;  // "rope_parameters.rope_theta", "FILE:key"
  std::set<std::string> files; // files that were opened or mentioned
  std::set<std::string> tensors;
  std::set<std::string> denied, assumed;

  /// Marks the paths in `expr`; returns its own path if it is one.
  std::string mentionPath(const Expr &expr, bool &isPath);
};

/// Thrown by `shape`, `value` and others for a tensor that does not exist.
class MissingTensor : public std::domain_error {
public:
  /// `tensor` is the name that the checkpoint lacks.
  explicit MissingTensor(const std::string &tensor);
  std::string tensor;
};

/// Whether `text` matches a shell pattern with * and ?, as in `ignore` and
/// `count`.
bool matches(std::string_view pattern, std::string_view text);

} // namespace transfold::spec
