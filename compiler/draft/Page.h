// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of the writers of drafts: a text of lines, and lines that all drafts
// have in common.

#pragma once

#include "compiler/draft/Reading.h"

#include <fmt/format.h>

namespace transfold::draft {

/// The text of a draft, or of a part of it.
class Page {
protected:
  /// `reading` must outlive this.
  explicit Page(const Reading &reading) : read(reading) {}

  /// Appends a line.
  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts &&...parts) {
    body += fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }

  /// Writes the beginning of a draft.
  void title(const std::string &name) {
    line("// Drafted from the names, shapes and keys of a checkpoint. A line "
         "that ends in `// ?` is a guess:");
    line("// compare it with the model's paper, correct it, and remove the "
         "mark.");
    line("model {}", name);
  }

  /// A tensor of a module in the part `prefix`: "q.weight".
  static std::string nameIn(const std::string &prefix, const Module &module,
                            const std::string &tensor) {
    std::string path = module.path.substr(prefix.size());
    return path.empty() ? tensor : path + "." + tensor;
  }

  /// Writes a constant with its key if there is one and, for a size that the
  /// tensors determine as well (`found`), if they agree.
  void constant(const std::string &name, int64_t found,
                const std::string &otherwise) {
    if (read.sizes.has(name) && (!found || read.sizes.number(name) == found))
      line("  {} = {}", name, read.sizes.key(name));
    else
      line("  {} = {}   // ?", name, otherwise);
  }

  /// Writes the ε of norms, whose key depends on their kind.
  void epsilon() {
    line("  ε = {}", read.sizes.has("rms") ? read.sizes.key("rms")
                     : read.sizes.has("ε") ? read.sizes.key("ε")
                                           : "0.00001   // ?");
  }

  /// Imports the rotation, if the model has one.
  void rotaryLibrary() {
    if (read.hasRotary)
      line("use {} from \"std/rope.xf\"",
           read.isPartial ? "partial_rope" : "rope");
  }

  const Reading &read;
  std::string body;
};

} // namespace transfold::draft
