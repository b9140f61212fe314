// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces Greek letters by their names. Checkpoints have "norm.beta" where a
// spec has norm.β; other non-ASCII letters are kept.

#include "base/exact/AsciiName.h"

#include <map>

std::string transfold::asciiName(const std::string &name) {
  static const std::map<std::string, std::string> letters = {
      {"α", "alpha"}, {"β", "beta"},   {"γ", "gamma"},  {"δ", "delta"},
      {"ε", "eps"},   {"ζ", "zeta"},   {"η", "eta"},    {"θ", "theta"},
      {"ι", "iota"},  {"κ", "kappa"},  {"λ", "lambda"}, {"μ", "mu"},
      {"ν", "nu"},    {"ξ", "xi"},     {"π", "pi"},     {"ρ", "rho"},
      {"σ", "sigma"}, {"τ", "tau"},    {"φ", "phi"},    {"χ", "chi"},
      {"ψ", "psi"},   {"ω", "omega"},  {"Γ", "Gamma"},  {"Δ", "Delta"},
      {"Θ", "Theta"}, {"Λ", "Lambda"}, {"Σ", "Sigma"},  {"Φ", "Phi"},
      {"Ψ", "Psi"},   {"Ω", "Omega"}};
  std::string result;
  for (size_t k = 0; k < name.size();) {
    size_t length = 1;
    // The continuation bytes of a UTF-8 sequence are 10xxxxxx.
    while (k + length < name.size() &&
           (static_cast<unsigned char>(name[k + length]) & 0xC0) == 0x80)
      ++length;
    std::string letter = name.substr(k, length);
    auto known = letters.find(letter);
    result += known == letters.end() ? letter : known->second;
    k += length;
  }
  return result;
}
