/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Turns texts into vectors and prints the similarity of the first text to each
 * of the others.
 *
 *   embed "A cat sat." "A kitten was sitting." "The market fell."
 */

#include "minilm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double dot(const float *a, const float *b, int64_t count) {
  double sum = 0;
  int64_t i;
  for (i = 0; i < count; ++i)
    sum += (double)a[i] * b[i];
  return sum;
}

static int compare(tfold_session *session, char **arguments, size_t count) {
  tfold_text *texts = malloc(count * sizeof *texts);
  tfold_result *result = NULL;
  tfold_array embedding;
  size_t i;

  if (!texts)
    return 1;
  for (i = 0; i < count; ++i) {
    texts[i].data = arguments[i];
    texts[i].size = TFOLD_TERMINATED;
  }
  if (tfold_embed(session, texts, count, &result) != TFOLD_OK) {
    fprintf(stderr, "embed: %s\n", tfold_error(session));
    free(texts);
    return 1;
  }
  if (tfold_result_find(result, "embedding", &embedding) == TFOLD_OK) {
    const float *rows = embedding.data;
    int64_t width = embedding.shape[1];
    for (i = 1; i < count; ++i) {
      const float *row = rows + (int64_t)i * width;
      double norms = sqrt(dot(rows, rows, width) * dot(row, row, width));
      printf("%6.3f  %s\n", dot(rows, row, width) / norms, arguments[i]);
    }
  }
  tfold_result_free(result);
  free(texts);
  return 0;
}

int main(int argc, char **argv) {
  tfold_program *program = NULL;
  tfold_session *session = NULL;
  int status = 1;

  if (argc < 3) {
    fprintf(stderr,
            "embed TEXT TEXT...: how alike the first is to the others\n");
    return 1;
  }
  if (tfold_open(minilm_model(), NULL, &program) != TFOLD_OK)
    fprintf(stderr, "embed: %s\n", tfold_open_error(program));
  else if (tfold_session_new(program, &session) == TFOLD_OK)
    status = compare(session, argv + 1, (size_t)argc - 1);
  tfold_session_free(session);
  tfold_close(program);
  return status;
}
