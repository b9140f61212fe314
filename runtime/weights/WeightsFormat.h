/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The weights file beside an executable (EXE.weights), or at the end of it.
 *
 *   file      = header, zero padding to 4096 bytes, payload, zero padding to a
 *               multiple of 8, checksums
 *   embedded  = executable, zero padding to a multiple of 4096, file, trailer
 *
 * All numbers are little-endian. The payload is mapped, never read as a whole.
 * The checksums are XXH3 of 64 bits, one for each MiB of the payload and one
 * for the rest after the last MiB; a program starts without them, `info
 * --check` compares them.
 */

#pragma once

#include <stdint.h>

#define TRANSFOLD_WEIGHTS_MAGIC "xfweight"
#define TRANSFOLD_TRAILER_MAGIC "xfembed1"
#define TRANSFOLD_WEIGHTS_VERSION 2u
#define TRANSFOLD_WEIGHTS_PAYLOAD 4096u
#define TRANSFOLD_WEIGHTS_BLOCK 1048576u /* bytes for each checksum */

typedef struct transfold_weights_header {
  char magic[8];
  uint32_t version; /* 2 */
  uint32_t reserved;
  uint64_t payload_bytes;
  /* Hex digits: hash of the program that these weights belong to. */
  char hash[16];
} transfold_weights_header;

typedef struct transfold_weights_trailer {
  uint64_t offset; /* of the header, from the start of the executable */
  uint64_t size;   /* header, payload and checksums */
  char magic[8];
} transfold_weights_trailer;
