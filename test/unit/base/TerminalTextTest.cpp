// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How texts from files and models are shown on a terminal.

#include "base/text/TerminalText.h"

#include <gtest/gtest.h>

using transfold::shownOnTerminal;
using transfold::TerminalText;

TEST(TerminalText, ControlsAreEscapes) {
  EXPECT_EQ(shownOnTerminal("a\x1b]0;title\x07\x1b[2J"),
            "a\\x1b]0;title\\x07\\x1b[2J");
  EXPECT_EQ(shownOnTerminal("line\n\ttab \r\b\x7f"),
            "line\n\ttab \\x0d\\x08\\x7f");
  EXPECT_EQ(shownOnTerminal(std::string_view("\0", 1)), "\\x00");
  // C1 control characters, which some terminals take for ESC [.
  EXPECT_EQ(shownOnTerminal("\u009b31m \u0085"), "\\x9b31m \\x85");
  EXPECT_EQ(shownOnTerminal("\x9b"), "\\x9b");
  // Characters that make text look different from its contents.
  EXPECT_EQ(shownOnTerminal("\u202etxt\u202c \u2066x\u2069 \u200f\u061c\u2028"),
            "\\u202etxt\\u202c \\u2066x\\u2069 \\u200f\\u061c\\u2028");
}

TEST(TerminalText, TextIsAsItIs) {
  const char *text =
      "\u00e9 \u05d0\u05d1 \u4e2d \U0001f468\u200d\U0001f469 \u00a0\u00ad\n";
  EXPECT_EQ(shownOnTerminal(text), text);
  EXPECT_EQ(shownOnTerminal(""), "");
}

TEST(TerminalText, BytesThatAreNoCharacterAreEscapes) {
  EXPECT_EQ(shownOnTerminal("a\xff\xc3("), "a\\xff\\xc3(");
  EXPECT_EQ(shownOnTerminal("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80"),
            "\\xc0\\xaf \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
  EXPECT_EQ(shownOnTerminal("\xe4\xb8"), "\\xe4\\xb8");
}

TEST(TerminalText, CharactersMayComeInPieces) {
  // Byte by byte, as from tokens of bytes.
  std::string_view text = "\u00e9\u4e2d\U0001f600\u202e!";
  TerminalText terminal;
  std::string shown;
  for (char byte : text)
    shown += terminal.shown({&byte, 1});
  EXPECT_EQ(shown + terminal.rest(), "\u00e9\u4e2d\U0001f600\\u202e!");
  // A character that is never completed, and one that another character ends.
  EXPECT_EQ(terminal.shown("\xe4"), "");
  EXPECT_EQ(terminal.shown("a\xe4\xb8"), "\\xe4a");
  EXPECT_EQ(terminal.rest(), "\\xe4\\xb8");
}
