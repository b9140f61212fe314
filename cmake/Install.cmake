# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake --install build --prefix DIR --component compiler   the compiler and the files that it
#                                                           finds relative to itself
# cmake --install build --prefix DIR --component linker     a linker for it, with the start and
#                                                           end files of programs: it then needs
#                                                           no C++ compiler on the machine

# Third-party libraries are found where they were at link time, or next to the archives (in
# packages). Halide is listed explicitly: CMake leaves out folders below the source folder, where
# setup.sh puts it.
#
# The run path is the installed one from the beginning. If CMake had to change it on installation, it
# would append empty elements to reserve room for the new one, and one more (so that no symbol's name is
# a part of it): the loader takes each for the current folder, and would load libraries from there.
set_target_properties(transfold PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON
  BUILD_WITH_INSTALL_RPATH ON
  INSTALL_RPATH "$ORIGIN/../lib/transfold;$<TARGET_FILE_DIR:Halide::Halide>")
install(TARGETS transfold DESTINATION bin COMPONENT compiler)
install(TARGETS transfold-main transfold-runtime transfold-api transfold-library
  ARCHIVE DESTINATION lib/transfold COMPONENT compiler)
install(FILES ${UTF8PROC_STATIC} DESTINATION lib/transfold COMPONENT compiler)
install(FILES ${CMAKE_BINARY_DIR}/include/transfold.h ${CMAKE_BINARY_DIR}/include/transfold.hpp
  DESTINATION include COMPONENT compiler)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/ DESTINATION share/transfold/specs
  COMPONENT compiler FILES_MATCHING PATTERN "*.xf" PATTERN c EXCLUDE PATTERN container EXCLUDE PATTERN corpus EXCLUDE
  PATTERN python EXCLUDE PATTERN speech EXCLUDE)

# The manual page and the shell completions, which the compiler itself writes.
set(texts)
function(transfold_text file)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/share/${file}
    COMMAND $<TARGET_FILE:transfold> ${ARGN} > ${CMAKE_BINARY_DIR}/share/${file}
    DEPENDS transfold VERBATIM)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/${folder})
  install(FILES ${CMAKE_BINARY_DIR}/share/${file} DESTINATION share/${folder} COMPONENT compiler)
  set(texts ${texts} ${CMAKE_BINARY_DIR}/share/${file} PARENT_SCOPE)
endfunction()
transfold_text(man/man1/transfold.1 manual)
transfold_text(bash-completion/completions/transfold completions bash)
transfold_text(zsh/vendor-completions/_transfold completions zsh)
transfold_text(fish/vendor_completions.d/transfold.fish completions fish)
add_custom_target(transfold-texts ALL DEPENDS ${texts})

# compiler/link/Bundle.cpp explains their purpose.
find_program(TRANSFOLD_LLD NAMES lld-22 lld HINTS ${LLVM_TOOLS_BINARY_DIR})
if(TRANSFOLD_LLD)
  file(REAL_PATH ${TRANSFOLD_LLD} lld)
  install(PROGRAMS ${lld} DESTINATION lib/transfold/link RENAME ld.lld COMPONENT linker)
  foreach(name Scrt1.o crti.o crtbeginS.o crtendS.o crtn.o
      libstdc++.a libgcc.a libgcc_eh.a libc_nonshared.a)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
      OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
    install(FILES ${file} DESTINATION lib/transfold/link COMPONENT linker)
  endforeach()
endif()

include(Package)
