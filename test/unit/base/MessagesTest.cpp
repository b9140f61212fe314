// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/text/Messages.h"

#include <gtest/gtest.h>

using transfold::printable;

// Names of tensors and texts of configurations come from files, and may contain
// control characters.
TEST(Messages, DoNotSteerTheTerminal) {
  EXPECT_EQ(printable("tensor 'a\x1b[2J\r\x7f': b"),
            "tensor 'a\\x1b[2J\\x0d\\x7f': b");
  EXPECT_EQ(printable("two\n   lines,\t\u03b8"), "two\n   lines,\t\u03b8");
}

TEST(Messages, AreNoLongerThanAPage) {
  EXPECT_EQ(printable(std::string(4000, 'a')), std::string(4000, 'a'));
  EXPECT_EQ(printable(std::string(4001, 'a')),
            std::string(4000, 'a') + "\u2026");
  // Truncation does not split a character.
  EXPECT_EQ(printable(std::string(3999, 'a') + "\u03b8\u03b8"),
            std::string(3999, 'a') + "\u2026");
}
