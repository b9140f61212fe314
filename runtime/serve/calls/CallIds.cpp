// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/calls/CallIds.h"

#include <fmt/format.h>

#include <string_view>

namespace transfold::runtime::serve {

std::string CallIds::next() {
  if (!areShort) {
    const uint64_t low = random();
    return fmt::format("call_{:016x}{:08x}", low, random() >> 32);
  }
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string id;
  while (id.size() < 9)
    id += letters[random() % letters.size()];
  return id;
}

uint64_t seedOfIds(uint64_t seed, std::span<const int32_t> prompt) {
  uint64_t hash = 0xcbf29ce484222325 ^ seed; // FNV-1a, by tokens
  for (int32_t token : prompt)
    hash = (hash ^ static_cast<uint32_t>(token)) * 0x100000001b3;
  return hash;
}

} // namespace transfold::runtime::serve
