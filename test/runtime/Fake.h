// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hand-written programs have in common: one variant without requirements,
// which runs on every CPU; their entries call no kernels.

#pragma once

#include "runtime/program/Program.h"

#include <cstddef>
#include <string_view>

namespace transfold::test {

inline constexpr transfold_variant onlyVariant[] = {{"plain", "", nullptr}};

template <size_t entryCount, size_t metadataSize>
constexpr transfold_program
fakeProgram(const transfold_entry (&entries)[entryCount],
            const char (&metadata)[metadataSize],
            std::string_view tokenizer = {}) {
  transfold_program program{};
  program.abi = TRANSFOLD_ABI;
  program.entry_count = entryCount;
  program.entries = entries;
  program.variant_count = 1;
  program.variants = onlyVariant;
  program.metadata = {metadata, metadataSize - 1};
  program.tokenizer = {tokenizer.data(), tokenizer.size()};
  return program;
}

} // namespace transfold::test
