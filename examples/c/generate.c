/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Answers a question and prints the answer piece by piece. Stops at the end of
 * the model's answer, or after BYTES bytes:
 *
 *   generate "What is a compiler?" [BYTES]
 */

#include "smollm2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the new piece; a result other than 0 ends the answer. */
static int32_t show(void *context, const tfold_piece *piece) {
  size_t *left = context;
  fwrite(piece->text.data, 1, piece->text.size, stdout);
  fflush(stdout);
  *left -= piece->text.size < *left ? piece->text.size : *left;
  return *left == 0;
}

/* A conversation is JSON: the user's text must be escaped. */
static char *conversation_of(const char *question) {
  const char *before = "[{\"role\": \"user\", \"content\": \"";
  const char *behind = "\"}]";
  char *json =
      malloc(strlen(before) + 6 * strlen(question) + strlen(behind) + 1);
  char *to = json;
  if (!json)
    return NULL;
  to += sprintf(to, "%s", before);
  for (; *question; ++question) {
    unsigned char c = (unsigned char)*question;
    if (c < 0x20 || c == '"' || c == '\\')
      to += sprintf(to, "\\u%04x", c);
    else
      *to++ = (char)c;
  }
  strcpy(to, behind);
  return json;
}

static int answer(tfold_session *session, const char *question, size_t bytes) {
  tfold_generate_options options;
  tfold_result *result = NULL;
  tfold_text conversation;
  tfold_status status;
  char *json = conversation_of(question);

  if (!json)
    return 1;
  conversation.data = json;
  conversation.size = TFOLD_TERMINATED;
  tfold_generate_options_init(&options, sizeof options);
  options.max_tokens = 200;
  options.stream = show;
  options.context = &bytes;
  status = tfold_chat(session, &conversation, &options, &result);
  free(json);
  printf("\n");
  if (status != TFOLD_OK && status != TFOLD_CANCELLED) {
    fprintf(stderr, "generate: %s\n", tfold_error(session));
    return 1;
  }
  tfold_result_free(result); /* it holds the whole text again */
  return 0;
}

int main(int argc, char **argv) {
  tfold_program *program = NULL;
  tfold_session *session = NULL;
  int status = 1;

  if (argc < 2) {
    fprintf(stderr, "generate QUESTION [BYTES]: answers it\n");
    return 1;
  }
  if (tfold_open(smollm2_model(), NULL, &program) != TFOLD_OK)
    fprintf(stderr, "generate: %s\n", tfold_open_error(program));
  else if (tfold_session_new(program, &session) == TFOLD_OK)
    status = answer(session, argv[1],
                    argc > 2 ? strtoul(argv[2], NULL, 10) : (size_t)-1);
  tfold_session_free(session);
  tfold_close(program);
  return status;
}
