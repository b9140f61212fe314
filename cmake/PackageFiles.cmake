# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CPack runs this after it has staged the files of the package: it removes the build machine's
# folders from the run path, and compresses the files for which Debian requires it.
set(all ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
file(GLOB_RECURSE programs ${all}/transfold)
list(FILTER programs INCLUDE REGEX "/usr/bin/transfold$")
foreach(program ${programs})
  file(RPATH_SET FILE ${program} NEW_RPATH "$ORIGIN/../lib/transfold")
endforeach()
file(GLOB_RECURSE pages ${all}/transfold.1 ${all}/changelog)
if(NOT programs OR NOT pages)
  message(FATAL_ERROR "the package's files are not in ${all}")
endif()
foreach(page ${pages})
  execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
