// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/cli/TokenText.h"

#include <gtest/gtest.h>

using namespace transfold::runtime;

namespace {

TEST(TokenTextTest, PlacesCountCodePoints) {
  TextPieces pieces("a\u00e9\U0001f600b");
  EXPECT_EQ(pieces.at({0, 1, 3}), "\u00e9\U0001f600");
  EXPECT_EQ(pieces.at({0, 3, 4}), "b");
  EXPECT_EQ(pieces.at({0, 2, 2}), "");
  EXPECT_EQ(placeOf({0, 1, 3}), "1:3");
}

TEST(TokenTextTest, WhatIsBehindTheTextIsEmpty) {
  TextPieces pieces("ab");
  EXPECT_EQ(pieces.at({0, 1, 9}), "b");
  EXPECT_EQ(pieces.at({0, 7, 9}), "");
}

TEST(TokenTextTest, ControlCharactersStayInTheirLine) {
  EXPECT_EQ(inOneLine("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
  EXPECT_EQ(inOneLine("\u00e9 \u2581x"), "\u00e9 \u2581x");
}

} // namespace
