// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of tokens as a tree, stored in the order in which it is walked: a
// walk reads the nodes from first to last, and skips subtrees.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline constrain {

/// A tree of texts.
class TokenTrie {
public:
  /// A token, and the number of characters before the text that is in the tree.
  struct Entry {
    uint32_t token, lead;
  };
  struct Word {
    std::string_view text; // not empty
    Entry entry;
  };
  struct Node {
    uint32_t end; // the number of the node after its subtree
    uint16_t depth;
    uint8_t byte;
  };

  TokenTrie() = default;
  /// Texts must be shorter than 64 KiB.
  explicit TokenTrie(std::vector<Word> words);

  std::span<const Node> nodes() const { return all; }
  /// The entries whose text ends at a node, by their lead.
  std::span<const Entry> entries(size_t node) const {
    return {listed.data() + firsts[node], listed.data() + firsts[node + 1]};
  }
  /// The largest number of bytes of a text.
  size_t deepest() const { return mostDepth; }

private:
  std::vector<Node> all;
  std::vector<uint32_t> firsts = {0};
  std::vector<Entry> listed;
  size_t mostDepth = 0;
};

} // namespace transfold::runtime::inline constrain
