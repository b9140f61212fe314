// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parsing of requests, and the errors of invalid ones.

#include "runtime/serve/api/ApiError.h"
#include "runtime/serve/api/AudioRequests.h"
#include "runtime/serve/api/Replies.h"
#include "runtime/serve/api/Requests.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace transfold::runtime;
using namespace transfold::runtime::serve;

namespace {

/// The field and the message of the error; empty if there is none.
template <typename Read>
std::string problem(Read read, const std::string &body) {
  try {
    read(body, {});
  } catch (const ApiError &error) {
    EXPECT_EQ(error.status, 400);
    EXPECT_NO_THROW(dump(error.body()));
    return error.param + ": " + error.what();
  }
  return "";
}
std::string chatProblem(const std::string &more) {
  return problem(readChatRequest,
                 R"({"messages": [{"role": "user", "content": "x"}])" + more +
                     "}");
}

TEST(ServeRequestsTest, ReadsAChat) {
  CompletionRequest request = readChatRequest(
      R"({"model": "m", "messages": [{"role": "developer", "content": "Be."},
          {"role": "user", "content": [{"type": "text", "text": "a"},
                                       {"type": "text", "text": "b"}]}],
          "temperature": 0.5, "top_p": 0.9, "seed": -1, "stop": ["x", "y"],
          "max_tokens": 3, "max_completion_tokens": 7, "logprobs": true,
          "top_logprobs": 2, "stream": true, "user": "nobody",
          "stream_options": {"include_usage": true}, "n": 1, "tools": []})");
  EXPECT_TRUE(request.isChat);
  EXPECT_EQ(request.model, "m");
  EXPECT_EQ(request.conversation.messages[0]["role"], "system");
  EXPECT_EQ(request.conversation.messages[1]["content"], "ab");
  EXPECT_EQ(request.sampling.values.temperature, 0.5);
  EXPECT_EQ(request.sampling.values.topP, 0.9);
  EXPECT_EQ(request.sampling.areSet.count(), 2U); // no top_k, for example
  EXPECT_EQ(request.sampling.seed, UINT64_MAX);
  EXPECT_EQ(request.stops, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(request.most, 7);
  EXPECT_EQ(request.topScores, 2u);
  EXPECT_TRUE(request.isScored && request.stream && request.streamsUsage);
}

TEST(ServeRequestsTest, WhatARequestSaysGoesBeforeWhatIsUsual) {
  SamplingOptions usual;
  usual.temperature = 0.6;
  usual.topP = 0.95;
  usual.topK = 20;
  usual.repetitionPenalty = 1.1;
  auto of = [&](const std::string &more) {
    return readCompletionRequest(R"({"prompt": "a")" + more + "}")
        .sampling.over(usual);
  };
  SamplingOptions silent = of(R"(, "temperature": null)");
  EXPECT_EQ(silent.temperature, 0.6);
  EXPECT_EQ(silent.topP, 0.95);
  EXPECT_EQ(silent.topK, 20);
  EXPECT_EQ(silent.repetitionPenalty, 1.1);
  SamplingOptions said = of(R"(, "temperature": 0, "top_p": 1, "top_k": 0,
                              "min_p": 0.5, "repetition_penalty": 1,
                              "frequency_penalty": -0.5)");
  EXPECT_EQ(said.temperature, 0);
  EXPECT_EQ(said.topP, 1);
  EXPECT_EQ(said.topK, 0);
  EXPECT_EQ(said.minP, 0.5);
  EXPECT_EQ(said.repetitionPenalty, 1);
  EXPECT_EQ(said.frequencyPenalty, -0.5);
}

TEST(ServeRequestsTest, ReadsTheFormOfAnswers) {
  auto isConstrained = [](const char *format) {
    return readChatRequest(fmt::format(R"({{"messages": [{{"role": "user",
        "content": "a"}}], "response_format": {}}})",
                                       format))
               .constraint != nullptr;
  };
  EXPECT_FALSE(isConstrained("null"));
  EXPECT_FALSE(isConstrained(R"({"type": "text"})"));
  EXPECT_TRUE(isConstrained(R"({"type": "json_object"})"));
  EXPECT_TRUE(isConstrained(R"({"type": "json_schema", "json_schema": {"name":
      "n", "strict": true, "schema": {"type": "object"}}})"));
  EXPECT_TRUE(isConstrained(R"({"type": "regex", "regex": "a+"})"));
  EXPECT_TRUE(
      isConstrained(R"({"type": "grammar", "grammar": "start: \"a\""})"));
  auto problem = [](const std::string &format) {
    return chatProblem(", \"response_format\": " + format);
  };
  EXPECT_EQ(problem(R"({"type": "json_schema", "json_schema": {"schema":
      {"properties": {"a": {"not": {}}}}}})"),
            "response_format: 'response_format': the schema's 'not' at "
            "'#/properties/a' is not supported.");
  EXPECT_EQ(problem(R"({"type": "json_schema"})"),
            "response_format: 'response_format' of type 'json_schema' needs "
            "'json_schema'.");
  EXPECT_EQ(problem(R"({"type": "xml"})"),
            "response_format: 'type' of 'response_format' must be text, "
            "json_object, json_schema, regex or grammar.");
  EXPECT_EQ(problem(R"({"type": "regex", "regex": "(a"})"),
            "response_format: 'response_format': the regular expression has "
            "'(' at 1 without ')'.");
  EXPECT_EQ(problem(R"({"type": "json_object"}, "ignore_eos": true)"),
            "ignore_eos: 'ignore_eos': a text that follows 'response_format' "
            "must be able to end.");
}

TEST(ServeRequestsTest, RefusesWhatItDoesNotDo) {
  EXPECT_EQ(chatProblem(R"(, "temperature": 1, "presence_penalty": 2)"), "");
  EXPECT_EQ(chatProblem(R"(, "n": 0)"), "n: 'n' must be 1 to 128, not 0.");
  EXPECT_EQ(chatProblem(R"(, "best_of": 2)"),
            "best_of: 'best_of': only 1 is supported; use 'n'.");
  EXPECT_EQ(chatProblem(R"(, "frequency_penalty": 2.5)"),
            "frequency_penalty: 'frequency_penalty' must be -2 to 2, not "
            "2.5.");
  EXPECT_EQ(chatProblem(R"(, "functions": [{}])"),
            "functions: 'functions': is not supported; use 'tools'.");
  EXPECT_EQ(chatProblem(R"(, "top_logprobs": 2)"),
            "top_logprobs: 'top_logprobs': belongs to 'logprobs'.");
  EXPECT_EQ(chatProblem(R"(, "min_tokens": 8)"),
            "min_tokens: 'min_tokens': is not supported; use ignore_eos.");
  EXPECT_EQ(problem(readCompletionRequest, R"({"prompt": "a", "best_of": 2})"),
            "best_of: 'best_of': only the value of 'n' is supported.");
}

/// Each of these would change the answer if it were supported.
TEST(ServeRequestsTest, RefusesWhatItDoesNotKnow) {
  auto ofVectors = [](const std::string &more) {
    return problem(readEmbeddingRequest, R"({"input": "a")" + more + "}");
  };
  EXPECT_EQ(chatProblem(R"(, "max_token": 2)"),
            "max_token: There is no field 'max_token'. Did you mean "
            "'max_tokens'?");
  EXPECT_EQ(chatProblem(R"(, "repeat_penalty": 2)"),
            "repeat_penalty: There is no field 'repeat_penalty'. Did you mean "
            "'repetition_penalty'?");
  EXPECT_EQ(chatProblem(R"(, "guided_json": {})"),
            "guided_json: There is no field 'guided_json'.");
  EXPECT_EQ(chatProblem(R"(, "stream_options": {"include_usages": true})"),
            "include_usages: There is no field 'include_usages'. Did you mean "
            "'include_usage'?");
  EXPECT_EQ(ofVectors(R"(, "truncate_prompt_tokens": 3)"),
            "truncate_prompt_tokens: There is no field "
            "'truncate_prompt_tokens'. Did you mean 'truncate'?");
  for (const char *field : {"guided_choice",
                            "guided_regex",
                            "guided_grammar",
                            "structured_outputs",
                            "grammar",
                            "json_schema",
                            "stop_token_ids",
                            "min_tokens",
                            "tool_choice",
                            "temprature",
                            "reasoning_effort",
                            "chat_template",
                            "documents",
                            "samplers",
                            "mirostat",
                            "dry_multiplier",
                            "xtc_probability",
                            "n_predict",
                            "logits_processors",
                            "lora",
                            "continue_final_message",
                            "add_special_tokens",
                            "thinking",
                            "web_search_options",
                            "audio"})
    EXPECT_NE(chatProblem(fmt::format(R"(, "{}": [true])", field)), "")
        << field;
  for (const char *field :
       {"normalize", "add_special_tokens", "prompt_name", "input_type",
        "truncate_prompt_tokens", "task", "late_chunking", "pooling",
        "instruction", "embedding_type", "tools", "stream"})
    EXPECT_NE(ofVectors(fmt::format(R"(, "{}": false)", field)), "") << field;
  // A very long name is not repeated in the message.
  EXPECT_LT(chatProblem(", \"" + std::string(9000, 'x') + "\": 1").size(),
            200u);
}

TEST(ServeRequestsTest, RefusesPartsOfAFormThatItDoesNotKnow) {
  auto of = [](const std::string &name, const std::string &value) {
    const HttpPart form[] = {{"file", "a.wav", "x"}, {name, "", value}};
    return problem(
        [&](const std::string &, const Look &) { readAudioRequest(form); }, "");
  };
  EXPECT_EQ(of("langauge", "en"),
            "langauge: There is no field 'langauge'. Did you mean "
            "'language'?");
  EXPECT_NE(of("chunking_strategy", "auto"), "");
  EXPECT_NE(of("beam_size", "5"), "");
  EXPECT_EQ(of("timestamp_granularities[]", "segment"), "");
  EXPECT_EQ(of("user", "a"), "");
  EXPECT_EQ(of("stream", "false"), "");
}

/// Fields that clients send by default.
TEST(ServeRequestsTest, PassesOverWhatChangesNothing) {
  EXPECT_EQ(chatProblem(
                R"(, "user": "a", "metadata": {"a": "b"}, "store": false,
             "service_tier": "auto", "safety_identifier": "a",
             "prompt_cache_key": "a", "parallel_tool_calls": true,
             "prediction": {"type": "content", "content": "x"}, "n": 1,
             "stream": false, "stream_options": {"include_usage": true},
             "tools": [], "tool_choice": "auto", "functions": [],
             "function_call": "none", "response_format": {"type": "text"},
             "logit_bias": {}, "presence_penalty": 0.0,
             "frequency_penalty": 0, "modalities": ["text"], "stop": [],
             "logprobs": false, "top_logprobs": 0, "verbosity": "medium",
             "skip_special_tokens": true, "min_tokens": 0,
             "stop_token_ids": [], "add_generation_prompt": true)"),
            "");
  // A null field counts as absent, whatever its name.
  EXPECT_EQ(chatProblem(R"(, "reasoning_effort": null, "audio": null)"), "");
  EXPECT_EQ(problem(readCompletionRequest,
                    R"({"prompt": "a", "best_of": 1, "echo": false,
                        "suffix": "", "user": "a", "logit_bias": []})"),
            "");
  EXPECT_EQ(problem(readEmbeddingRequest,
                    R"({"input": "a", "user": "a", "encoding_format": "float",
                        "dimensions": 4, "add_special_tokens": true})"),
            "");
  EXPECT_EQ(problem(readRerankRequest,
                    R"({"query": "a", "documents": ["b"], "user": "a",
                        "top_n": 1, "add_special_tokens": true})"),
            "");
}

TEST(ServeRequestsTest, ReadsQueriesAndDocuments) {
  const RerankRequest request = readRerankRequest(
      R"({"query": "a", "documents": ["b", {"text": "c"}], "top_k": 2,
          "return_documents": true, "truncate": true})");
  EXPECT_EQ(request.query, "a");
  EXPECT_EQ(request.documents, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(request.top, 2U);
  EXPECT_TRUE(request.returnsDocuments && request.truncate);
  for (const char *wrong : {R"("b")", "[]", "[1]", R"([{"text": 1}])",
                            R"([{}])", R"([{"text": "b", "title": "c"}])"})
    EXPECT_EQ(problem(readRerankRequest, R"({"query": "a", "documents": )" +
                                             std::string(wrong) + "}"),
              "documents: 'documents' must be a list of texts, or of objects "
              "with a text: [{\"text\": \"…\"}].")
        << wrong;
  EXPECT_EQ(problem(readRerankRequest, R"({"documents": ["b"]})"),
            "query: 'query' is missing; it must be a text.");
}

TEST(ServeRequestsTest, RefusesWrongTypesAndRanges) {
  EXPECT_EQ(chatProblem(R"(, "temperature": "hot")"),
            "temperature: 'temperature' must be a number, not string.");
  EXPECT_EQ(chatProblem(R"(, "temperature": -1)"),
            "temperature: 'temperature' must be 0 to 100, not -1.");
  EXPECT_EQ(chatProblem(R"(, "max_tokens": 1.5)"),
            "max_tokens: 'max_tokens' must be an integer, not number.");
  EXPECT_EQ(chatProblem(R"(, "max_tokens": 18446744073709551615)"),
            "max_tokens: 'max_tokens' must be 1 to 1073741824, not "
            "1.8446744073709552e+19.");
  EXPECT_EQ(chatProblem(R"(, "stop": "")"),
            "stop: A text of 'stop' must have 1 to 1024 bytes.");
  EXPECT_EQ(chatProblem(R"(, "stream": "yes")"),
            "stream: 'stream' must be true or false, not string.");
  EXPECT_NE(problem(readChatRequest, "{}"), "");
  EXPECT_NE(problem(readChatRequest, R"({"messages": [{"role": 1}]})"), "");
  EXPECT_NE(
      problem(readChatRequest,
              R"({"messages": [{"role": "user", "content": [{"type": 3}]}]})"),
      "");
  EXPECT_EQ(problem(readCompletionRequest, R"([1])"),
            ": The body must be a JSON object, not array.");
  EXPECT_EQ(problem(readEmbeddingRequest, R"({"input": [1, -1]})"),
            "input: 'input': a list of tokens must contain ids from 0.");
  EXPECT_NE(problem(readEmbeddingRequest, R"({"input": []})"), "");
  EXPECT_NE(problem(readEmbeddingRequest, R"({"input": ["a", 1]})"), "");
}

TEST(ServeRequestsTest, MessagesHaveARoleAndContent) {
  auto of = [](const std::string &message) {
    return problem(readChatRequest, R"({"messages": [)" + message + "]}");
  };
  EXPECT_EQ(of(R"({"role": "user", "contents": "x"})"),
            "messages: A message has no content; it has 'contents'.");
  EXPECT_EQ(of(R"({"rôle": "user", "content": "x"})"),
            "messages: A message has no role.");
  EXPECT_EQ(of(R"({"rol": "user", "content": "x"})"),
            "messages: A message has no role; it has 'rol'.");
  for (const char *role : {"user", "system", "developer"})
    for (const char *more : {"", R"(, "content": null)", R"(, "content": [])",
                             R"(, "tool_calls": [])", R"(, "name": "a")"})
      EXPECT_EQ(of(fmt::format(R"({{"role": "{}"{}}})", role, more)),
                "messages: A message has no content.");
  EXPECT_EQ(of(R"({"role": "user", "conten": "x"})"),
            "messages: A message has no content; it has 'conten'.");
  EXPECT_EQ(of(R"({"role": "user", "content": ""})"), "");
  EXPECT_EQ(of(R"({"role": 1, "content": "x"})"),
            "messages: A message has a role that is not a string.");
  EXPECT_EQ(of("1"), "messages: A message is not an object.");
  EXPECT_EQ(of(R"({"role": "assistant", "content": null})"), "");
  EXPECT_EQ(of(R"({"role": "assistant", "tool_calls": []})"), "");
}

TEST(ServeRequestsTest, RefusesWhatIsNoText) {
  EXPECT_TRUE(problem(readCompletionRequest, "{\"prompt\": \"\xff\"}")
                  .starts_with(": The body is not JSON: "));
  EXPECT_TRUE(
      problem(readCompletionRequest, "").starts_with(": The body is not JSON"));
  std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_EQ(problem(readCompletionRequest, "{\"prompt\": " + deep + "}"),
            ": The body is nested deeper than 64 levels.");
  std::string wide = "{\"a\": {";
  for (int i = 0; i < 2000; ++i)
    wide += (i ? ", \"" : "\"") + std::to_string(i) + "\": 0";
  EXPECT_EQ(problem(readCompletionRequest, wide + "}}"),
            ": The body has an object of more than 1024 names.");
}

TEST(ServeRequestsTest, WritesBase64) {
  auto encoded = [](std::string_view text) {
    return base64(
        {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("M"), "TQ==");
  EXPECT_EQ(encoded("Ma"), "TWE=");
  EXPECT_EQ(encoded("Man"), "TWFu");
  EXPECT_EQ(encoded("\xff\xfe\xfd\xfc"), "//79/A==");
}

} // namespace
