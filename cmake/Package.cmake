# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# scripts/deb.sh makes the Debian package of the compiler with CPack: the components of
# Install.cmake, and the component `debian`, whose files only this package has.

# Debian 12 has no package of Halide. MLIR's library is outside of the folders that the loader
# searches: with a link to it next to Halide, one folder in the run path is enough for both.
find_library(TRANSFOLD_MLIR NAMES MLIR HINTS ${LLVM_LIBRARY_DIR} REQUIRED)
file(REAL_PATH ${TRANSFOLD_MLIR} mlir)
get_filename_component(mlir_name ${mlir} NAME)
file(RELATIVE_PATH mlir /usr/lib/transfold ${mlir})
install(FILES $<TARGET_FILE:Halide::Halide> DESTINATION lib/transfold COMPONENT debian)
install(CODE "file(CREATE_LINK ${mlir} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/transfold/${mlir_name}\" SYMBOLIC)"
  COMPONENT debian)
# The texts that scripts/deb.sh writes.
install(DIRECTORY ${CMAKE_BINARY_DIR}/debian/ DESTINATION share COMPONENT debian OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME transfold)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The transfold authors <nobody@transfold.invalid>") # deb.sh overrides it
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler for the equations of transformer models")
set(CPACK_PACKAGE_DESCRIPTION
"transfold takes the equations of a model as its paper prints them, and its
weights, and makes a native program: no Python, no framework, no interpreter
inside. It reads Hugging Face directories and GGUF files.
.
A linker for its programs is in the package: no C++ compiler is needed.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL compiler linker debian)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${LLVM_LIBRARY_DIR})
# It has the static C library, for compile --static.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS libc6-dev)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/PackageFiles.cmake)
set(CPACK_THREADS 0)
include(CPack)
