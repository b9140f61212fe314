// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts beside a library. They name no folder but their own, so that all of
// them can be moved together.

#include "compiler/link/Library.h"

#include <fmt/format.h>

using namespace transfold;

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

/// What an archive of C++ needs where a C compiler links it.
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

std::string transfold::link::cmakeConfigOf(const LibraryName &name) {
  std::string more =
      name.isShared
          ? fmt::format("IMPORTED_SONAME {}\n", name.file())
          : "INTERFACE_LINK_LIBRARIES \"stdc++;m;dl;Threads::Threads\"\n";
  return fmt::format(
      "# find_package({0}) gives the target {0}::{0}.\n"
      "{1}"
      "if(NOT TARGET {0}::{0})\n"
      "  add_library({0}::{0} {2} IMPORTED)\n"
      "  set_target_properties({0}::{0} PROPERTIES\n"
      "    IMPORTED_LOCATION ${{CMAKE_CURRENT_LIST_DIR}}/{3}\n"
      "    {4}"
      "    INTERFACE_INCLUDE_DIRECTORIES ${{CMAKE_CURRENT_LIST_DIR}})\n"
      "endif()\n",
      name.name,
      name.isShared ? ""
                    : "include(CMakeFindDependencyMacro)\n"
                      "find_dependency(Threads)\n",
      name.isShared ? "SHARED" : "STATIC", name.file(), more);
}
