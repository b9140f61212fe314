# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A script: writes the header OUTPUT with the texts of a report's page: PAGE, STYLE and SCRIPTS, a list
# whose separator is |.

# Limits of a text, so that it can be embedded as a raw string literal.
set(delimiter page)
set(most_bytes 65000) # C++ compilers support string literals of at least 65536 characters

# The file as a literal.
function(literal file result)
  file(READ ${file} text)
  string(LENGTH "${text}" bytes)
  file(SIZE ${file} size)
  string(FIND "${text}" ")${delimiter}\"" early_end)
  if(NOT bytes EQUAL size OR bytes GREATER most_bytes OR NOT early_end EQUAL -1)
    message(FATAL_ERROR "${file} must be text of at most ${most_bytes} bytes without )${delimiter}\"")
  endif()
  # A comment or a string could end the element that the text is in.
  string(FIND "${text}" "</script" early_end)
  if(NOT file MATCHES "html$" AND NOT early_end EQUAL -1)
    message(FATAL_ERROR "${file} must not contain </script")
  endif()
  set(${result} "R\"${delimiter}(${text})${delimiter}\"" PARENT_SCOPE)
endfunction()

literal(${PAGE} page)
literal(${STYLE} style)
set(scripts "")
string(REPLACE "|" ";" files "${SCRIPTS}")
foreach(file ${files})
  literal(${file} script)
  string(APPEND scripts "${script},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/EmbedReport.cmake.
constexpr const char reportPage[] = ${page};
constexpr const char reportStyle[] = ${style};
constexpr const char *reportScripts[] = {${scripts}};
")
