// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of a program. Each throws Error.

#pragma once

#include "runtime/program/call/Session.h"
#include "runtime/steps/Generator.h"

#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime::inline commands {

/// Options of `embed`.
struct EmbedOptions {
  std::vector<std::string> texts; // none: a text per line of standard input
  bool json = false;
  bool similar = false;
};
/// Prints an embedding for each text, or which texts are similar.
void embed(Session &session, const EmbedOptions &options);

/// Options of the commands that print the most likely results.
struct RankingOptions {
  // Empty: a text per line of standard input.
  std::vector<std::string> texts = {};
  bool json = false;
  size_t top = 5; // number of results per text
};
/// Prints the most likely classes of each text.
void classify(Session &session, const RankingOptions &options);
/// Options of `rerank`.
struct RerankOptions {
  /// The query, then documents; without documents they are lines of standard
  /// input.
  std::vector<std::string> texts = {};
  bool json = false;
  size_t top = 0; // number of documents to print; 0: all
};
/// Prints documents, the most relevant to a query first.
void rerank(Session &session, const RerankOptions &options);
/// Prints the most likely classes of each token of each text.
void tag(Session &session, const RankingOptions &options);
/// Prints the most likely tokens for each text's mask token.
void fill(Session &session, const RankingOptions &options);

/// Options of `tokenize`.
struct TokenizeOptions {
  std::vector<std::string> texts; // none: a text per line of standard input
  bool json = false;
  bool pairs = false;   // texts are read in pairs
  bool decode = false;  // the texts are ids
  bool special = false; // include special tokens in decoded texts
};
/// Prints the tokens of each text, or decodes tokens.
void tokenize(Session &session, const TokenizeOptions &options);

/// Options of `generate`.
struct GenerateOptions : GenerationOptions {
  std::vector<std::string> texts;  // none: a text per line of standard input
  std::string ids, mask, features; // paths of input files, instead of texts
  std::string output, scores;      // paths of output files for their results
  std::vector<std::string> stops;  // texts that end the result
  /// What results follow: paths of files, or an expression.
  std::string jsonSchema, grammar, regex;

  bool isConstrained() const {
    return !jsonSchema.empty() || !grammar.empty() || !regex.empty();
  }
};
/// Generates continuations or translations of texts or ids.
void generate(Session &session, const GenerateOptions &options);

/// Options of `chat`.
struct ChatOptions : GenerationOptions {
  ChatOptions() { most = 0; }     // ChatModel::usualMost
  std::string system;             // text of the system message
  std::vector<std::string> stops; // texts that end an answer
  std::optional<int64_t> context; // tokens; the model's limit may be lower
  bool dropOldest = false;        // drop old turns if there is not enough room
  std::string messages;           // path of a file that is answered once
  bool showPrompt = false;        // print the prompt instead of an answer
  /// Further variables of the template, by name.
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
};
/// Runs a conversation: with messages typed on a terminal, with a line of
/// standard input per turn, or with the messages of a file.
void converse(Session &session, const ChatOptions &options);

/// Options of `eval`.
struct EvalOptions {
  std::vector<std::string> inputs; // NAME=FILE
  std::string directory;
  std::string entry; // empty: all entries whose arguments are given
  int64_t chunk = 0; // tokens per step; 0: whole sequences
};
/// Runs entries on arrays from files; see Eval.cpp.
void eval(Session &session, const EvalOptions &options);

/// Options of `bench`.
struct BenchOptions {
  std::string entry; // empty: the first
  int64_t batch = 1, sequence = 128, runs = 20;
  int64_t shortest = 0; // shortest of mixed lengths; 0: all are `sequence` long
  bool byKernel = false; // also report the time of each kernel
  /// Limits of the machine, for `byKernel`; empty: measured.
  std::string limits;
  bool json = false;
  bool madeUpWeights = false; // use generated weights instead of a file
  /// Numbers of tokens; above 0: benchmark generation.
  int64_t prompt = 0, generate = 0;
};
/// Measures the time of an entry on generated input.
void bench(Session &session, const BenchOptions &options);
/// Measures prefill and decode speed with a generated prompt.
void benchGenerate(Session &session, const BenchOptions &options);

/// Options of `prove-bits`.
struct ProveBitsOptions {
  int64_t requests = 16, batches = 32;
  int64_t longest = 64; // positions of a request
};
/// Compares the results of generated requests alone, in batches, in steps and
/// on several numbers of threads, bit by bit. Throws Error if any differ.
void proveBits(const LoadedProgram &program, const ProveBitsOptions &options);

/// Options of `info`.
struct InfoOptions {
  bool json = false;
  bool check = false; // verify the checksums of the weights
  bool sbom = false,
       licences = false; // print these lists of the included software instead
};
/// Prints what the program was compiled from.
void info(const LoadedProgram &program, const std::string &name,
          const InfoOptions &options);
/// Prints the equations that it was compiled from.
void spec(const LoadedProgram &program);
/// Prints what became of the equations' constants.
void ledger(const LoadedProgram &program, bool json);

} // namespace transfold::runtime::inline commands
