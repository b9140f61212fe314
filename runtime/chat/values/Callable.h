// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that can be called, and the variable `loop`.

#pragma once

#include "runtime/chat/Nodes.h"
#include "runtime/chat/values/Builtin.h"

namespace transfold::runtime::chat {

struct Scope;

/// A builtin, with its object if it is a method; or a macro, with the scope in
/// which it was defined.
struct Callable {
  const Builtin *builtin = nullptr;
  std::optional<Value> self = {};
  NodeId macro = 0;
  Scope *closure = nullptr;
};

/// The variable `loop`.
struct Loop {
  Value all;        // a list: the items of the loop
  size_t index = 0; // of the current item
  int64_t depth = 1;
  bool isOver = false;
  std::optional<Value> last = {}; // the last arguments of `changed`
  // For a recursive loop, which is called with the items of the next level.
  NodeId node = 0;
  Scope *closure = nullptr;
  bool isRecursive = false;

  const Values &items() const { return all.list()->items; }
  /// The value of an attribute such as index0 or first; nullopt if there is no
  /// such attribute.
  std::optional<Value> find(std::string_view name) const;
};

} // namespace transfold::runtime::chat
