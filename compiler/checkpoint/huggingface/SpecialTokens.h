// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of a Hugging Face directory that are not pieces of its tokenizer:
// from tokenizer_config.json, special_tokens_map.json and added_tokens.json,
// which overlap in part.

#pragma once

#include "compiler/checkpoint/Directory.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace transfold::checkpoint {

/// The id of a token from a JSON value. `place` is the path of its file. Throws
/// CheckpointError.
int32_t tokenNumber(const nlohmann::json &value, const std::string &text,
                    const std::string &place);

/// The special tokens and settings of a tokenizer.
class SpecialTokens {
public:
  /// Reads the files. Throws CheckpointError if they are malformed.
  explicit SpecialTokens(const Directory &directory);

  /// A token, its id if a file states one, and how it is matched in texts:
  /// whether it takes the spaces before or after it, and whether it must be a
  /// word of its own.
  struct Token {
    std::string text;
    std::optional<int32_t> id;
    bool special = true;
    bool leftStrip = false, rightStrip = false, singleWord = false;
  };
  /// All tokens, in the order of the files; those of
  /// `additional_special_tokens` in the order of the list.
  const std::vector<Token> &all() const { return tokens; }
  /// The token with that text; null if there is none.
  const Token *find(std::string_view text) const;
  /// The text of a role ("eos_token"); `otherwise` if no file defines it, empty
  /// if a file states that there is none.
  std::string textOf(const std::string &role,
                     const std::string &otherwise) const;

  /// Settings of tokenizer_config.json; null values count as absent.
  std::string setting(const char *name, const std::string &otherwise) const;
  bool flag(const char *name, bool otherwise) const;
  int64_t count(const char *name, int64_t otherwise) const;

private:
  const Directory &directory;
  const nlohmann::json *settings;
  std::vector<Token> tokens;
  std::map<std::string, size_t, std::less<>> byText;
  std::map<std::string, std::string> roles;

  /// The token with that text; a new one, with defaults, if there is none.
  Token &add(const std::string &text);
  /// Adds the token that a JSON value describes.
  Token &read(const nlohmann::json &value, const std::string &place);
  /// Reads the roles and tokens of a file; null if the file does not exist.
  void readMap(const nlohmann::json *file, const char *name);
  void readAdded();
  void readAddedDecoder();
  /// The value of a key of tokenizer_config.json; null if it is absent.
  const nlohmann::json &value(const char *name) const;
};

} // namespace transfold::checkpoint
