/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ask WHAT ARGUMENTS: runs a request of the library MODEL and prints its whole
 * result, one line per array, so that a script can compare it.
 *
 *   ask embed|classify|tag|fill|tokenize|generate|chat|prompt TEXT...
 *   ask embed_ids|generate_ids|detokenize ID...
 *   ask run FEATURE_ID...     all entries on a batch of one
 *
 * Options of requests: ASK_TOKENS, ASK_TEMPERATURE, ASK_SEED, ASK_BEAMS,
 * ASK_STOP, ASK_TOP, ASK_SCORES, ASK_CANCEL (after so many pieces).
 */

#include HEADER

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const char *variable, double otherwise) {
  const char *text = getenv(variable);
  return text ? strtod(text, NULL) : otherwise;
}

static void print_number(const tfold_array *array, int64_t i) {
  switch (array->type) {
  case TFOLD_FLOAT32:
    printf(" %.9g", (double)((const float *)array->data)[i]);
    break;
  case TFOLD_FLOAT64:
    printf(" %.17g", ((const double *)array->data)[i]);
    break;
  case TFOLD_INT32:
    printf(" %" PRId32, ((const int32_t *)array->data)[i]);
    break;
  case TFOLD_INT64:
    printf(" %" PRId64, ((const int64_t *)array->data)[i]);
    break;
  default:
    printf(" ?");
  }
}

/* A text in one line: control characters are written as \x0a. */
static void print_text(const char *name, const char *text, size_t size) {
  size_t i;
  printf("%s: ", name);
  for (i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c < 0x20 || c == 0x7f || c == '\\')
      printf("\\x%02x", c);
    else
      putchar(c);
  }
  printf("\n");
}

static void print_result(const tfold_result *result) {
  size_t k, size = 0;
  const char *text = tfold_result_text(result, &size);
  for (k = 0; k < tfold_result_count(result); ++k) {
    tfold_array array;
    int64_t count = 1, i;
    int32_t axis;
    if (tfold_result_array(result, k, &array) != TFOLD_OK)
      abort();
    printf("%s", array.name);
    for (axis = 0; axis < array.rank; ++axis) {
      printf("%c%" PRId64, axis ? 'x' : '/', array.shape[axis]);
      count *= array.shape[axis];
    }
    printf(":");
    for (i = 0; i < count; ++i)
      print_number(&array, i);
    printf("\n");
  }
  printf("ended: %d\n", (int)tfold_result_end(result));
  if (text && text[size] == 0)
    print_text("text", text, size);
}

struct streamed {
  char text[4096];
  size_t size, tokens, calls, most;
};

static int32_t take(void *context, const tfold_piece *piece) {
  struct streamed *so_far = context;
  memcpy(so_far->text + so_far->size, piece->text.data, piece->text.size);
  so_far->size += piece->text.size;
  so_far->tokens += piece->token_count;
  return ++so_far->calls == so_far->most;
}

static tfold_status ask_texts(tfold_session *session, const char *what,
                              const tfold_text *texts, size_t count,
                              tfold_result **result) {
  size_t top = (size_t)number_of("ASK_TOP", 0);
  if (!strcmp(what, "embed"))
    return tfold_embed(session, texts, count, result);
  if (!strcmp(what, "classify"))
    return tfold_classify(session, texts, count, top, result);
  if (!strcmp(what, "tag"))
    return tfold_tag(session, texts, count, top, result);
  if (!strcmp(what, "fill"))
    return tfold_fill(session, texts, count, top, result);
  if (!strcmp(what, "tokenize"))
    return tfold_tokenize(session, texts, count, result);
  return tfold_chat_prompt(session, texts, result);
}

static tfold_status ask_ids(tfold_session *session, const char *what,
                            const int32_t *ids, size_t count,
                            const tfold_generate_options *options,
                            tfold_result **result) {
  int64_t lengths[1], shape[2] = {1, 0};
  tfold_array array = {"input_ids", TFOLD_INT32, 2, NULL, NULL};
  lengths[0] = shape[1] = (int64_t)count;
  array.shape = shape;
  array.data = ids;
  if (!strcmp(what, "embed_ids"))
    return tfold_embed_ids(session, ids, lengths, 1, result);
  if (!strcmp(what, "detokenize"))
    return tfold_detokenize(session, ids, count, 0, result);
  if (!strcmp(what, "generate_ids"))
    return tfold_generate_ids(session, ids, count, options, result);
  return tfold_run(session, NULL, &array, 1, result);
}

static tfold_status ask(tfold_session *session, const char *what, size_t count,
                        char **words, struct streamed *so_far,
                        tfold_result **result) {
  tfold_text texts[16], stop;
  int32_t ids[16];
  size_t i;
  tfold_generate_options options;
  tfold_generate_options_init(&options, sizeof options);
  options.max_tokens = (int64_t)number_of("ASK_TOKENS", 0);
  options.temperature = number_of("ASK_TEMPERATURE", 0);
  options.seed = (uint64_t)number_of("ASK_SEED", 0);
  options.beams = (int64_t)number_of("ASK_BEAMS", 1);
  options.log_probabilities = number_of("ASK_SCORES", 0) != 0;
  stop.data = getenv("ASK_STOP");
  stop.size = TFOLD_TERMINATED;
  options.stop = &stop;
  options.stop_count = stop.data != NULL;
  options.stream = take;
  options.context = so_far;
  for (i = 0; i < count && i < 16; ++i) {
    texts[i].data = words[i];
    texts[i].size = i % 2 ? strlen(words[i]) : TFOLD_TERMINATED;
    ids[i] = (int32_t)strtol(words[i], NULL, 10);
  }
  if (!strcmp(what, "generate"))
    return tfold_generate(session, texts, &options, result);
  if (!strcmp(what, "chat"))
    return tfold_chat(session, texts, &options, result);
  if (!strcmp(what, "embed_ids") || !strcmp(what, "generate_ids") ||
      !strcmp(what, "run") || !strcmp(what, "detokenize"))
    return ask_ids(session, what, ids, count, &options, result);
  return ask_texts(session, what, texts, count, result);
}

int main(int argc, char **argv) {
  static struct streamed so_far;
  tfold_open_options options = {sizeof(tfold_open_options), NULL, 2};
  tfold_program *program = NULL;
  tfold_session *session = NULL;
  tfold_result *result = NULL;
  tfold_status status;

  options.weights = getenv("ASK_WEIGHTS");
  if (argc < 2 || tfold_open(MODEL(), &options, &program) != TFOLD_OK) {
    fprintf(stderr, "%s\n", tfold_open_error(program));
    tfold_close(program);
    return 1;
  }
  if (tfold_session_new(program, &session) != TFOLD_OK)
    return 1;
  so_far.most = (size_t)number_of("ASK_CANCEL", 0);
  if (!strcmp(argv[1], "about")) {
    printf("%s\n", tfold_metadata(program));
    status = TFOLD_OK;
  } else {
    status =
        ask(session, argv[1], (size_t)argc - 2, argv + 2, &so_far, &result);
    if (result)
      print_result(result);
    else
      printf("error %d: %s\n", (int)status, tfold_error(session));
    if (so_far.calls) {
      print_text("streamed", so_far.text, so_far.size);
      printf("streamed tokens: %lu\n", (unsigned long)so_far.tokens);
    }
    printf("status: %d\n", (int)status);
  }
  tfold_result_free(result);
  tfold_session_free(session);
  tfold_close(program);
  return 0;
}
