/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each error of the library, of a model that chats (talk) and one that embeds
 * (vectors). Prints each failed check; exits with the number of failures.
 */

#include "talk.h"
#include "vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int line, tfold_status found, tfold_status wanted,
                   const char *text, const char *part) {
  if (found == wanted && strstr(text, part))
    return;
  printf("line %d: status %d, not %d; '%s' has no '%s'\n", line, (int)found,
         (int)wanted, text, part);
  ++failures;
}

#define EXPECT(call, wanted, part)                                             \
  do {                                                                         \
    result = (tfold_result *)&failures; /* must be overwritten */              \
    tfold_status status = call;                                                \
    expect(__LINE__, status, wanted, tfold_error(session), part);              \
    if (status != TFOLD_OK && result) {                                        \
      printf("line %d: a result in spite of an error\n", __LINE__);            \
      ++failures;                                                              \
    } else {                                                                   \
      tfold_result_free(result);                                               \
    }                                                                          \
  } while (0)

static const tfold_text hello = {"the", 3}, none = {NULL, 0}, wild = {NULL, 7},
                        broken = {"a\xff", 2}, huge = {"a", SIZE_MAX - 1};

static void check_texts(tfold_session *session) {
  static const int32_t ids[] = {5, 6, 999, -1};
  static const int64_t good[] = {2}, empty[] = {0}, negative[] = {-1},
                       wrong[] = {4},
                       vast[] = {INT64_MAX, INT64_MAX, INT64_MAX};
  tfold_result *result;
  tfold_status found;
  EXPECT(tfold_embed(session, &hello, 1, &result), TFOLD_OK, "");
  EXPECT(tfold_embed(session, NULL, 0, &result), TFOLD_OK, "");
  EXPECT(tfold_embed(session, &none, 1, &result), TFOLD_OK, "");
  EXPECT(tfold_embed(session, NULL, 1, &result), TFOLD_ERROR_ARGUMENT,
         "texts is null");
  EXPECT(tfold_embed(session, &hello, SIZE_MAX, &result), TFOLD_ERROR_ARGUMENT,
         "too many");
  EXPECT(tfold_embed(session, &wild, 1, &result), TFOLD_ERROR_ARGUMENT, "null");
  EXPECT(tfold_embed(session, &huge, 1, &result), TFOLD_ERROR_ARGUMENT,
         "bytes");
  EXPECT(tfold_embed(session, &broken, 1, &result), TFOLD_ERROR_ARGUMENT,
         "text 0: the text is not valid UTF-8 (byte 2)");
  found = tfold_embed(session, &hello, 1, NULL);
  expect(__LINE__, found, TFOLD_ERROR_ARGUMENT, tfold_error(session),
         "result is null");
  EXPECT(tfold_embed_ids(session, ids, good, 1, &result), TFOLD_OK, "");
  EXPECT(tfold_embed_ids(session, ids, empty, 1, &result), TFOLD_ERROR_ARGUMENT,
         "0 tokens");
  EXPECT(tfold_embed_ids(session, ids, negative, 1, &result),
         TFOLD_ERROR_ARGUMENT, "-1 tokens");
  EXPECT(tfold_embed_ids(session, ids, wrong, 1, &result), TFOLD_ERROR_ARGUMENT,
         "there is no token 999");
  EXPECT(tfold_embed_ids(session, ids, vast, 3, &result), TFOLD_ERROR_ARGUMENT,
         "tokens");
  EXPECT(tfold_detokenize(session, ids + 2, 1, 0, &result),
         TFOLD_ERROR_ARGUMENT, "no token 999");
  EXPECT(tfold_classify(session, &hello, 1, 0, &result),
         TFOLD_ERROR_UNSUPPORTED, "no task 'classify'");
  EXPECT(tfold_tag(session, &hello, 1, 0, &result), TFOLD_ERROR_UNSUPPORTED,
         "no task 'tag'");
  EXPECT(tfold_generate(session, &hello, NULL, &result),
         TFOLD_ERROR_UNSUPPORTED, "no task");
  EXPECT(tfold_chat(session, &hello, NULL, &result), TFOLD_ERROR_UNSUPPORTED,
         "no task 'chat'");
}

static void check_arrays(tfold_session *session) {
  static const int64_t shape[] = {1, 2}, vast[] = {INT64_MAX, INT64_MAX},
                       negative[] = {1, -2}, other[] = {2, 2};
  static const int32_t ids[] = {5, 6, 7, 8}, unknown[] = {5, 999},
                       hole[] = {0, 1};
  static const float reals[] = {5, 6};
  tfold_array good = {"input_ids", TFOLD_INT32, 2, shape, ids}, array;
  tfold_array two[2];
  tfold_result *result;
  EXPECT(tfold_run(session, NULL, &good, 1, &result), TFOLD_OK, "");
  EXPECT(tfold_run(session, "nowhere", &good, 1, &result), TFOLD_ERROR_ARGUMENT,
         "no entry 'nowhere'");
  EXPECT(tfold_run(session, NULL, NULL, 1, &result), TFOLD_ERROR_ARGUMENT,
         "inputs is null");
  EXPECT(tfold_run(session, NULL, NULL, 0, &result), TFOLD_ERROR_ARGUMENT,
         "input_ids");
#define WITH(field, value, part)                                               \
  array = good;                                                                \
  array.field = value;                                                         \
  EXPECT(tfold_run(session, NULL, &array, 1, &result), TFOLD_ERROR_ARGUMENT,   \
         part)
  WITH(name, NULL, "no name");
  WITH(name, "", "no name");
  WITH(name, "nothing", "no entry has an argument 'nothing'");
  WITH(type, (tfold_type)17, "no type 17");
  WITH(rank, -1, "rank");
  WITH(rank, 1000, "rank");
  WITH(rank, 0, "batch");
  WITH(rank, 1, "input_ids");
  WITH(shape, NULL, "shape");
  WITH(shape, vast, "not the shape");
  WITH(shape, negative, "not the shape");
  WITH(data, NULL, "null");
  WITH(data, unknown, "999");
  array = good;
  array.type = TFOLD_FLOAT32;
  array.data = reals;
  EXPECT(tfold_run(session, NULL, &array, 1, &result), TFOLD_ERROR_ARGUMENT,
         "integers");
  two[0] = two[1] = good;
  EXPECT(tfold_run(session, NULL, two, 2, &result), TFOLD_ERROR_ARGUMENT,
         "twice");
  two[1].name = "attention_mask";
  two[1].data = hole;
  EXPECT(tfold_run(session, NULL, two, 2, &result), TFOLD_ERROR_ARGUMENT,
         "ones followed by zeros");
  two[1].shape = other;
  EXPECT(tfold_run(session, NULL, two, 2, &result), TFOLD_ERROR_ARGUMENT,
         "sequences");
}

static void check_options(tfold_session *session) {
  static const int32_t ids[] = {9, 10}, unknown[] = {4096};
  static const tfold_text empty = {"", 0};
  tfold_generate_options options;
  tfold_setting setting;
  tfold_result *result;
  EXPECT(tfold_generate_ids(session, ids, 2, NULL, &result), TFOLD_OK, "");
  EXPECT(tfold_generate_ids(session, ids, 0, NULL, &result),
         TFOLD_ERROR_ARGUMENT, "no tokens");
  EXPECT(tfold_generate_ids(session, NULL, 2, NULL, &result),
         TFOLD_ERROR_ARGUMENT, "null");
  EXPECT(tfold_generate_ids(session, unknown, 1, NULL, &result),
         TFOLD_ERROR_ARGUMENT, "no token 4096");
  EXPECT(tfold_generate(session, NULL, NULL, &result), TFOLD_ERROR_ARGUMENT,
         "text is null");
  EXPECT(tfold_generate(session, &broken, NULL, &result), TFOLD_ERROR_ARGUMENT,
         "UTF-8");
  EXPECT(tfold_generate_array(session, NULL, NULL, &result),
         TFOLD_ERROR_UNSUPPORTED, "reads tokens");
  EXPECT(tfold_embed(session, &hello, 1, &result), TFOLD_ERROR_UNSUPPORTED,
         "no task 'embed'; it has: generate, chat");
#define OPTION(field, value, wanted, part)                                     \
  tfold_generate_options_init(&options, sizeof options);                       \
  options.max_tokens = 2;                                                      \
  options.field = value;                                                       \
  EXPECT(tfold_generate_ids(session, ids, 2, &options, &result), wanted, part)
  OPTION(chunk, 1, TFOLD_OK, "");
  OPTION(size, 0, TFOLD_ERROR_ARGUMENT, "size");
  OPTION(max_tokens, -1, TFOLD_ERROR_ARGUMENT, "max_tokens");
  OPTION(temperature, (double)NAN, TFOLD_ERROR_ARGUMENT, "temperature");
  OPTION(temperature, -1, TFOLD_ERROR_ARGUMENT, "temperature");
  OPTION(top_k, -1, TFOLD_ERROR_ARGUMENT, "top_k");
  OPTION(top_p, 2, TFOLD_ERROR_ARGUMENT, "top_p");
  OPTION(min_p, 2, TFOLD_ERROR_ARGUMENT, "min_p");
  OPTION(repetition_penalty, 0, TFOLD_ERROR_ARGUMENT, "repetition_penalty");
  OPTION(beams, 0, TFOLD_ERROR_ARGUMENT, "beams");
  OPTION(length_penalty, 1000, TFOLD_ERROR_ARGUMENT, "length_penalty");
  OPTION(chunk, -1, TFOLD_ERROR_ARGUMENT, "chunk");
  OPTION(stop_count, 1, TFOLD_ERROR_ARGUMENT, "stop is null");
  OPTION(end_token_count, 1, TFOLD_ERROR_ARGUMENT, "end_tokens is null");
#define SETTING(which, number, wanted, part)                                   \
  tfold_generate_options_init(&options, sizeof options);                       \
  setting.value = number;                                                      \
  setting.name = which;                                                        \
  options.settings = &setting;                                                 \
  options.setting_count = 1;                                                   \
  EXPECT(tfold_generate_ids(session, ids, 2, &options, &result), wanted, part)
  SETTING("presence_penalty", 0.5, TFOLD_OK, "");
  SETTING("top_k", 3, TFOLD_OK, "");
  SETTING("top_k", 2.5, TFOLD_ERROR_ARGUMENT, "top_k is 2.5; it must be an");
  SETTING("top_k", (double)NAN, TFOLD_ERROR_ARGUMENT, "top_k is nan");
  SETTING("frequency_penalty", 3, TFOLD_ERROR_ARGUMENT, "it can be -2 to 2");
  SETTING("frequency", 1, TFOLD_ERROR_ARGUMENT,
          "no setting 'frequency'; there are temperature, top_k");
  SETTING(NULL, 1, TFOLD_ERROR_ARGUMENT, "a setting has no name");
  OPTION(setting_count, 1, TFOLD_ERROR_ARGUMENT, "settings is null");
#define OPTIONS(list, count, values, wanted, part)                             \
  tfold_generate_options_init(&options, sizeof options);                       \
  options.list = values;                                                       \
  options.count = 1;                                                           \
  EXPECT(tfold_generate_ids(session, ids, 2, &options, &result), wanted, part)
  OPTIONS(suppress, suppress_count, unknown, TFOLD_ERROR_ARGUMENT,
          "suppress: there is no token 4096");
  OPTIONS(end_tokens, end_token_count, unknown, TFOLD_ERROR_ARGUMENT,
          "end_tokens: there is no token 4096");
  OPTIONS(start, start_count, ids, TFOLD_ERROR_UNSUPPORTED, "start");
  OPTIONS(stop, stop_count, &empty, TFOLD_ERROR_ARGUMENT,
          "a stop text is empty");
}

static void check_chat(tfold_session *session) {
  static const char *bad[] = {"",
                              "{",
                              "7",
                              "[1]",
                              "[{}]",
                              "{\"messages\": 1}",
                              "[{\"role\": \"\xff\"}]"};
  static char deep[1000];
  tfold_generate_options options;
  tfold_text text = {NULL, TFOLD_TERMINATED};
  tfold_result *result;
  size_t i;
  for (i = 0; i < sizeof bad / sizeof *bad; ++i) {
    text.data = bad[i];
    EXPECT(tfold_chat(session, &text, NULL, &result), TFOLD_ERROR_ARGUMENT,
           "the conversation: ");
  }
  memset(deep, '[', sizeof deep - 1);
  text.data = deep;
  EXPECT(tfold_chat_prompt(session, &text, &result), TFOLD_ERROR_ARGUMENT,
         "nested deeper than 100 levels");
  EXPECT(tfold_chat(session, NULL, NULL, &result), TFOLD_ERROR_ARGUMENT,
         "null");
  tfold_generate_options_init(&options, sizeof options);
  options.beams = 2;
  text.data = "[{\"role\": \"user\", \"content\": \"x\"}]";
  EXPECT(tfold_chat(session, &text, &options, &result), TFOLD_ERROR_UNSUPPORTED,
         "beam search");
}

/* A second request from within one is refused, and does not disturb it. */
static int32_t ask_again(void *context, const tfold_piece *piece) {
  tfold_session *session = context;
  tfold_result *result;
  tfold_status found = tfold_generate(session, &hello, NULL, &result);
  expect(__LINE__, found, TFOLD_ERROR_BUSY, "", "");
  return piece->size == 0;
}

/* Another thread would do this. */
static int32_t cancel(void *context, const tfold_piece *piece) {
  tfold_cancel(context);
  return piece->size == 0;
}

static void check_session(tfold_session *session) {
  tfold_generate_options options;
  tfold_result *result = NULL;
  tfold_array tokens;
  tfold_generate_options_init(&options, sizeof options);
  options.max_tokens = 3;
  options.ignore_end = 1;
  options.stream = ask_again;
  options.context = session;
  EXPECT(tfold_generate(session, &hello, &options, &result), TFOLD_OK, "");
  options.stream = cancel;
  expect(__LINE__, tfold_generate(session, &hello, &options, &result),
         TFOLD_CANCELLED, "", "");
  if (tfold_result_find(result, "tokens", &tokens) != TFOLD_OK ||
      tokens.shape[0] != 1 || tfold_result_end(result) != TFOLD_END_CANCELLED) {
    printf("line %d: the first token is not there\n", __LINE__);
    ++failures;
  }
  expect(__LINE__, tfold_result_find(result, "nothing", &tokens),
         TFOLD_ERROR_ARGUMENT, "", "");
  expect(__LINE__, tfold_result_array(result, 1000, &tokens),
         TFOLD_ERROR_ARGUMENT, "", "");
  tfold_result_free(result);
  tfold_cancel(session); /* nothing is running, so this has no effect */
  options.stream = NULL;
  EXPECT(tfold_generate(session, &hello, &options, &result), TFOLD_OK, "");
}

static void check_open(const char *other) {
  tfold_open_options options = {0, NULL, 0};
  tfold_program *program = NULL;
  tfold_session *session = NULL;
  tfold_status found;
#define OPEN(wanted, part)                                                     \
  found = tfold_open(talk_model(), &options, &program);                        \
  expect(__LINE__, found, wanted, tfold_open_error(program), part);            \
  expect(__LINE__, tfold_session_new(program, &session), TFOLD_ERROR_ARGUMENT, \
         "", "");                                                              \
  tfold_close(program)
  OPEN(TFOLD_ERROR_ARGUMENT, "size");
  options.size = sizeof options;
  options.threads = -1;
  OPEN(TFOLD_ERROR_ARGUMENT, "threads");
  options.threads = 0;
  options.weights = "/nowhere/talk.weights";
  OPEN(TFOLD_ERROR_FILE, "/nowhere/talk.weights: there are no weights");
  options.weights = "/dev/null";
  OPEN(TFOLD_ERROR_FILE, "not a weights file");
  options.weights = other;
  OPEN(TFOLD_ERROR_FILE, "belongs to another program");
  expect(__LINE__, tfold_open(NULL, NULL, &program), TFOLD_ERROR_ARGUMENT, "",
         "");
  expect(__LINE__, tfold_open(talk_model(), NULL, NULL), TFOLD_ERROR_ARGUMENT,
         "", "");
}

/* The first check between a library and a model: the model begins with the
 * version of the ABI for which it was compiled. If that is another one, the
 * rest of the model is unknown, and none of it is used. */
static void check_version(void) {
  static const uint32_t others[] = {TFOLD_ABI_VERSION - 1,
                                    TFOLD_ABI_VERSION + 1, UINT32_MAX};
  struct {
    uint32_t abi;
    void *rest[7];
  } model;
  tfold_session *session = NULL;
  size_t i;
  memset(&model, 0, sizeof model);
  for (i = 0; i < sizeof others / sizeof *others; ++i) {
    tfold_program *program = (tfold_program *)&failures; /* is overwritten */
    model.abi = others[i];
    expect(
        __LINE__,
        tfold_open((const tfold_model *)(const void *)&model, NULL, &program),
        TFOLD_ERROR_VERSION, tfold_status_text(TFOLD_ERROR_VERSION),
        "model and library do not belong together");
    if (program) {
      printf("line %d: a program in spite of its ABI\n", __LINE__);
      ++failures;
      continue;
    }
    expect(__LINE__, tfold_session_new(program, &session), TFOLD_ERROR_ARGUMENT,
           tfold_open_error(program), "");
    tfold_close(program);
  }
}

static void check_null(void) {
  tfold_result *result = NULL;
  tfold_session *session = NULL;
  expect(__LINE__, tfold_embed(NULL, &hello, 1, &result), TFOLD_ERROR_ARGUMENT,
         tfold_error(NULL), "no session");
  expect(__LINE__, tfold_session_new(NULL, &session), TFOLD_ERROR_ARGUMENT, "",
         "");
  tfold_close(NULL);
  tfold_session_free(NULL);
  tfold_result_free(NULL);
  tfold_cancel(NULL);
  tfold_generate_options_init(NULL, 8);
  if (tfold_result_count(NULL) || tfold_result_text(NULL, NULL) ||
      tfold_number(NULL, TFOLD_THREADS) != -1 || tfold_task(NULL, 0) ||
      tfold_label(NULL, "tag", 0) || strcmp(tfold_metadata(NULL), "{}") ||
      !strcmp(tfold_status_text((tfold_status)99), "done") ||
      tfold_abi_version() != TFOLD_ABI_VERSION) {
    printf("line %d: of nothing\n", __LINE__);
    ++failures;
  }
}

int main(int argc, char **argv) {
  tfold_program *talk = NULL, *vectors = NULL;
  tfold_session *session = NULL;
  check_open(argc > 1 ? argv[1] : "");
  check_version();
  check_null();
  if (tfold_open(vectors_model(), NULL, &vectors) != TFOLD_OK ||
      tfold_open(talk_model(), NULL, &talk) != TFOLD_OK)
    return 1;
  if (tfold_session_new(vectors, &session) != TFOLD_OK)
    return 1;
  check_texts(session);
  check_arrays(session);
  tfold_session_free(session);
  if (tfold_session_new(talk, &session) != TFOLD_OK)
    return 1;
  check_options(session);
  check_chat(session);
  check_session(session);
  tfold_session_free(session);
  if (tfold_number(talk, (tfold_property)99) != -1 ||
      tfold_number(talk, TFOLD_HAS_CHAT_TEMPLATE) != 1 ||
      tfold_number(vectors, TFOLD_DIMENSIONS) != 64 || tfold_task(talk, 99))
    ++failures;
  tfold_close(talk);
  tfold_close(vectors);
  printf("%d failures\n", failures);
  return failures != 0;
}
