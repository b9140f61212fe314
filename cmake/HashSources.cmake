# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A script: writes the header OUTPUT that defines NAME as a hash over the files
# FILES (separated by |). Cache entries stored under such a hash are never used by
# changed code.
set(hashes "")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
file(WRITE ${OUTPUT} "#define ${NAME} \"${hash}\"\n")
