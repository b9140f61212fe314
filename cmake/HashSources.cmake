# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A script: writes the header OUTPUT that defines NAME as a hash over the files
# FILES (with | between them). What is stored under such a hash is never taken for the
# work of changed code.
set(hashes "")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
file(WRITE ${OUTPUT} "#define ${NAME} \"${hash}\"\n")
