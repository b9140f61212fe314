// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files next to a library. They refer only to their own folder, so that all
// of them can be moved together.

#include "compiler/link/Library.h"

#include <fmt/format.h>

using namespace transfold;

/// The text is C, which C++ can include as well.
std::string transfold::link::headerOf(const LibraryName &name,
                                      const std::string &model) {
  return fmt::format(
      "/* {0}, compiled by transfold: for tfold_open of transfold.h. */\n"
      "#ifndef TFOLD_MODEL_{1}_H\n"
      "#define TFOLD_MODEL_{1}_H\n"
      "\n"
      "#include \"transfold.h\"\n"
      "\n"
      "#ifdef __cplusplus\n"
      "extern \"C\" {{\n"
      "#endif\n"
      "\n"
      "TFOLD_API const tfold_model *{1}_model(void);\n"
      "\n"
      "#ifdef __cplusplus\n"
      "}}\n"
      "#endif\n"
      "\n"
      "#endif\n",
      model, name.symbol);
}

/// The libraries that a C compiler needs to link an archive of C++.
static constexpr const char *needsOfArchive = "-lstdc++ -lm -ldl -pthread";

std::string transfold::link::pkgConfigOf(const LibraryName &name,
                                         const std::string &model,
                                         const std::string &version) {
  return fmt::format(
      "Name: {0}\n"
      "Description: {1}, compiled by transfold\n"
      "Version: {2}\n"
      "Cflags: -I${{pcfiledir}}\n"
      "Libs: -L${{pcfiledir}} {3}\n",
      name.name, model, version,
      name.isShared ? "-l" + name.name
                    : fmt::format("-l:{} {}", name.file(), needsOfArchive));
}

/// One text for a shared library and an archive, so that it does not matter
/// which of the two was written last: it checks at configure time which exist.
std::string transfold::link::cmakeConfigOf(const LibraryName &name) {
  return fmt::format(
      "# find_package({0}) gives the targets {0}::shared and {0}::static, as\n"
      "# far as the libraries lie here, and {0}::{0}: the first of them.\n"
      "if(NOT TARGET {0}::shared AND\n"
      "   EXISTS ${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.so)\n"
      "  add_library({0}::shared SHARED IMPORTED)\n"
      "  set_target_properties({0}::shared PROPERTIES\n"
      "    IMPORTED_LOCATION ${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.so\n"
      "    IMPORTED_SONAME lib{0}.so\n"
      "    INTERFACE_INCLUDE_DIRECTORIES ${{CMAKE_CURRENT_LIST_DIR}})\n"
      "endif()\n"
      "if(NOT TARGET {0}::static AND\n"
      "   EXISTS ${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.a)\n"
      "  include(CMakeFindDependencyMacro)\n"
      "  find_dependency(Threads)\n"
      "  add_library({0}::static STATIC IMPORTED)\n"
      "  set_target_properties({0}::static PROPERTIES\n"
      "    IMPORTED_LOCATION ${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.a\n"
      "    INTERFACE_LINK_LIBRARIES \"stdc++;m;dl;Threads::Threads\"\n"
      "    INTERFACE_INCLUDE_DIRECTORIES ${{CMAKE_CURRENT_LIST_DIR}})\n"
      "endif()\n"
      "if(NOT TARGET {0}::{0})\n"
      "  add_library({0}::{0} INTERFACE IMPORTED)\n"
      "  if(TARGET {0}::shared)\n"
      "    set_target_properties({0}::{0} PROPERTIES\n"
      "      INTERFACE_LINK_LIBRARIES {0}::shared)\n"
      "  else()\n"
      "    set_target_properties({0}::{0} PROPERTIES\n"
      "      INTERFACE_LINK_LIBRARIES {0}::static)\n"
      "  endif()\n"
      "endif()\n",
      name.name);
}
