// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the tables of a vocabulary (runtime/tokenizer/tables/Vocabulary.h).

#pragma once

#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/tables/Vocabulary.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transfold::tokenizer {

/// Builds a hash table from the texts of tokens to their ids.
class VocabularyBuilder {
public:
  /// Adds a token; false if it exists already.
  bool insert(std::string_view token, int32_t id);
  /// Adds a token, or changes the id of an existing one.
  void assign(std::string_view token, int32_t id);
  size_t size() const { return texts.size(); }

  /// The finished vocabulary; its tables move into the storage. Throws Error if
  /// a token has more than 65535 bytes.
  runtime::Vocabulary finish(Storage &storage);

private:
  std::unordered_map<std::string, size_t> entries; // by text
  std::vector<std::string> texts;                  // in the order of the file
  std::vector<int32_t> ids;                        // of each

  bool areIdsDense() const;
  std::vector<uint32_t> entriesById() const;
  std::vector<uint32_t> hashTable() const;
  bool findEnds(unsigned bits, std::vector<uint32_t> &blocks,
                std::vector<uint16_t> &ends) const;
};

} // namespace transfold::tokenizer
