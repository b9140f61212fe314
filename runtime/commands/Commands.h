// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program can be asked to do. Each throws Error.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_COMMANDS_H
#define TRANSFOLD_RUNTIME_COMMANDS_COMMANDS_H

#include "runtime/program/Session.h"
#include "runtime/steps/Generator.h"

#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime {

struct EmbedOptions {
  std::vector<std::string> texts; // none: a text per line of standard input
  bool json = false;
  bool similar = false;
};
/// Prints an embedding for each text, or which texts are alike.
void embed(Session &session, const EmbedOptions &options);

/// Of the commands that print the likeliest of something.
struct RankingOptions {
  // None: a text per line of standard input.
  std::vector<std::string> texts = {};
  bool json = false;
  size_t top = 5; // how many of the likeliest
};
/// Prints the likeliest classes of each text.
void classify(Session &session, const RankingOptions &options);
/// Prints the likeliest classes of each token of each text.
void tag(Session &session, const RankingOptions &options);
/// Prints what may stand in the place of each text's mask token.
void fill(Session &session, const RankingOptions &options);

struct TokenizeOptions {
  std::vector<std::string> texts; // none: a text per line of standard input
  bool json = false;
  bool pairs = false;   // the texts are read two by two
  bool decode = false;  // the texts are ids
  bool special = false; // and what they stand for has special tokens, too
};
/// Prints the tokens of each text; or the text of tokens.
void tokenize(const LoadedProgram &program, const TokenizeOptions &options);

struct GenerateOptions : GenerationOptions {
  std::vector<std::string> texts;  // none: a text per line of standard input
  std::string ids, mask, features; // files, instead of texts
  std::string output, scores;      // files, for what those give
  std::vector<std::string> stops;  // texts that end the result
};
/// Goes on with texts or ids, or translates them.
void generate(Session &session, const GenerateOptions &options);

struct ChatOptions : GenerationOptions {
  ChatOptions() { most = 0; }     // ChatModel::usualMost
  std::string system;             // what the system message says
  std::vector<std::string> stops; // texts that end an answer
  std::optional<int64_t> context; // tokens; the model's limit may be lower
  bool dropOldest = false;        // turns, where there is no room
  std::string messages;           // a file: it is answered once
  bool showPrompt = false;        // instead of an answer
  /// What else the template may ask for, by name.
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
};
/// Converses: with lines of a terminal, a line a turn of standard input, or the
/// messages of a file.
void converse(Session &session, const ChatOptions &options);

struct EvalOptions {
  std::vector<std::string> inputs; // NAME=FILE
  std::string directory;
  std::string entry; // empty: all that can run
  int64_t chunk = 0; // tokens of a step; 0: whole sequences
};
/// Arrays in, arrays out; see Eval.cpp.
void eval(Session &session, const EvalOptions &options);

struct BenchOptions {
  std::string entry; // empty: the first
  int64_t batch = 1, sequence = 128, runs = 20;
  int64_t shortest = 0;  // of mixed lengths; 0: all are `sequence` long
  bool byKernel = false; // and how the time is spread over them
  std::string limits;    // of the machine, for `byKernel`; empty: measured
  bool json = false;
  bool madeUpWeights = false;       // no file of weights is needed then
  int64_t prompt = 0, generate = 0; // tokens; above 0: of what generates
};
/// Times an entry on made-up input.
void bench(Session &session, const BenchOptions &options);
/// Times how a program goes on with a made-up prompt.
void benchGenerate(Session &session, const BenchOptions &options);

struct InfoOptions {
  bool json = false;
  bool check = false; // whether the weights are as they were written
  bool sbom = false, licences = false; // of all that is inside, instead
};
/// Prints what the program was made from.
void info(const LoadedProgram &program, const std::string &name,
          const InfoOptions &options);
/// Prints the equations that it was made from.
void spec(const LoadedProgram &program);
/// Where the constants of the equations went.
void ledger(const LoadedProgram &program, bool json);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_COMMANDS_H
