// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors in chat templates, and the places that they name.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace transfold::chat {

/// A place in a template. Lines and columns count from 1, columns in
/// characters.
struct Place {
  uint32_t line = 1, column = 1;
};

/// An error in a template, with the remedy: one message that begins with its
/// place, "DIR/chat_template.jinja:3:14: …".
class TemplateError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace transfold::chat
