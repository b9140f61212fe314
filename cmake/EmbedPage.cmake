# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A script: writes the header OUTPUT with the text of the page PAGE, and with the hashes of its
# style and its script in the format of Content-Security-Policy: sha256- and the hash in base64.

# Limits of a page, so that it can be embedded as a raw string literal.
set(delimiter page)
set(most_bytes 65000) # C++ compilers support string literals of at least 65536 characters

# The hash of the exact bytes between <TAG> and </TAG>.
function(source_hash text tag result)
  string(FIND "${text}" "<${tag}>" begin)
  string(FIND "${text}" "</${tag}>" end)
  if(begin EQUAL -1 OR end LESS begin)
    message(FATAL_ERROR "${PAGE} has no <${tag}> without attributes, and its end")
  endif()
  string(LENGTH "<${tag}>" skipped)
  math(EXPR begin "${begin} + ${skipped}")
  math(EXPR length "${end} - ${begin}")
  string(SUBSTRING "${text}" ${begin} ${length} content)
  string(SHA256 hash "${content}")
  base64("${hash}" hash)
  set(${result} "sha256-${hash}" PARENT_SCOPE)
endfunction()

# Encodes 32 bytes, given as hexadecimal digits, in base64 (RFC 4648): 3 digits make 2 letters;
# 64 digits are 21 times 3 and one more.
function(base64 digits result)
  set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  string(APPEND digits 00)
  foreach(place RANGE 0 63 3)
    string(SUBSTRING ${digits} ${place} 3 three)
    foreach(shift 6 0)
      math(EXPR letter "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING ${letters} ${letter} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  # The two appended zeros made one letter too many, which is replaced by =.
  string(SUBSTRING ${text} 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

file(READ ${PAGE} text)
string(LENGTH "${text}" bytes)
file(SIZE ${PAGE} size)
string(FIND "${text}" ")${delimiter}\"" early_end)
if(NOT bytes EQUAL size OR bytes GREATER most_bytes OR NOT early_end EQUAL -1)
  message(FATAL_ERROR "${PAGE} must be text of at most ${most_bytes} bytes without )${delimiter}\"")
endif()
source_hash("${text}" style style)
source_hash("${text}" script script)
file(WRITE ${OUTPUT} "// Made by cmake/EmbedPage.cmake.
constexpr const char pageStyle[] = \"${style}\";
constexpr const char pageScript[] = \"${script}\";
constexpr const char pageText[] = R\"${delimiter}(${text})${delimiter}\";
")
