/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* If a device refuses the kernels, each session gets the error, and goes on. */

#include "vectors.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const tfold_text text = {"the", 3};

static void *ask(void *program) {
  tfold_session *session = NULL;
  tfold_result *result;
  tfold_status made = tfold_session_new(program, &session);
  tfold_status status = made ? made : tfold_embed(session, &text, 1, &result);
  printf("status %d: %s\n", (int)status, tfold_error(session));
  tfold_session_free(session);
  return NULL;
}

int main(void) {
  tfold_program *program;
  if (tfold_open(vectors_model(), NULL, &program)) {
    printf("%s\n", tfold_open_error(program));
    return 1;
  }
  ask(program);
  pthread_t thread;
  if (pthread_create(&thread, NULL, ask, program))
    return 1;
  pthread_join(thread, NULL);
  ask(program);
  tfold_close(program);
  return 0;
}
