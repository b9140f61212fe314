// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be called, and the loop that a body can ask about.

#ifndef TRANSFOLD_RUNTIME_CHAT_VALUES_CALLABLE_H
#define TRANSFOLD_RUNTIME_CHAT_VALUES_CALLABLE_H

#include "runtime/chat/Nodes.h"
#include "runtime/chat/values/Builtin.h"

namespace transfold::runtime::chat {

struct Scope;

/// A builtin, with the object whose method it is; or a macro, with the names
/// that it saw where it was defined.
struct Callable {
  const Builtin *builtin = nullptr;
  std::optional<Value> self = {};
  NodeId macro = 0;
  Scope *closure = nullptr;
};

/// The variable `loop`.
struct Loop {
  Value all;        // a list: what it goes through
  size_t index = 0; // of the item now
  int64_t depth = 1;
  bool isOver = false;
  std::optional<Value> last = {}; // what `changed` was told
  // Of a recursive one, which is called with the items below.
  NodeId node = 0;
  Scope *closure = nullptr;
  bool isRecursive = false;

  const Values &items() const { return all.list()->items; }
  /// An attribute such as index0 or first; none where there is no such.
  std::optional<Value> find(std::string_view name) const;
};

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_VALUES_CALLABLE_H
