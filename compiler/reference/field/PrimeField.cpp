// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Montgomery's arithmetic modulo safe primes, and powers with rational
// exponents.

#include "compiler/reference/field/PrimeField.h"

using namespace transfold::reference;

using Wide = unsigned __int128;

namespace {
/// Found at random. A prime q below 100 is a square modulo p (quadratic
/// reciprocity), and so is each product of such primes.
constexpr uint64_t primes[] = {
    0x14e83cd73fcf95df, 0x1a1e4fffce280adf, 0x1ac00c997b75e5a7,
    0x1706e333d38d48b7, 0x1bd459ba740a94e7, 0x185c7fda819cc24f,
    0x1f703916a5c7d177, 0x109dc2a1e45668df, 0x1aeef30233d1055f,
    0x137ff0dd299e300f, 0x11a369fb3d261e9f, 0x19415797a4b04dc7,
    0x1911c15cebf0967f, 0x12183dc71688e7df, 0x1928c2ca99c1c947,
    0x10078a5a9d7c796f, 0x168e9383a664dd0f, 0x13f44a857fcb117f,
    0x1141c82617ccf61f, 0x1f625be0b81b685f, 0x117aa1222977ef1f,
    0x11185b114c3fcd97, 0x1cb396ff1d50e59f, 0x1bbf2a5bc88dc9e7,
    0x1241a5503f18aeaf, 0x12996239d183698f, 0x1e29ce9c8b02d93f,
    0x1843381700e65077, 0x163983d88a37b9d7, 0x1f3338b50fb1e4af,
    0x10893799ce78a25f, 0x1e4e02dc074d3fa7,
};
} // namespace

std::span<const uint64_t> transfold::reference::safePrimes() { return primes; }

PrimeField::PrimeField(uint64_t prime) : p(prime) {
  // Newton's iteration doubles the number of correct bits of 1 / p mod 2^64,
  // of which an odd number itself has 3.
  uint64_t inverse = p;
  for (int bits = 3; bits < 64; bits *= 2)
    inverse *= 2 - p * inverse;
  negatedInverse = -inverse;
  unit = static_cast<uint64_t>((Wide{1} << 64) % p);
  square = static_cast<uint64_t>(Wide{unit} * unit % p);
}

uint64_t PrimeField::of(int64_t value) const {
  const auto magnitude =
      value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const uint64_t residue = multiply(magnitude % p, square);
  return value < 0 ? subtract(0, residue) : residue;
}

uint64_t PrimeField::ofBits(uint64_t bits) const {
  return static_cast<uint64_t>(Wide{bits} * p >> 64);
}

uint64_t PrimeField::power(uint64_t a, uint64_t exponent) const {
  uint64_t result = unit;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = multiply(result, a);
    a = multiply(a, a);
  }
  return result;
}

bool PrimeField::isPositive(uint64_t a) const {
  // Euler's criterion: a^r is 1 for squares, and -1 for other numbers.
  return power(a, (p - 1) / 2) == unit;
}

uint64_t PrimeField::rationalPower(uint64_t a, int64_t numerator,
                                   int64_t denominator) const {
  // Positive numbers are a group of r elements: exponents count modulo r, where
  // the denominator has an inverse (Fermat: d^(r - 2)).
  const uint64_t r = (p - 1) / 2;
  auto moduloR = [&](int64_t x) {
    const int64_t rest = x % static_cast<int64_t>(r);
    return static_cast<uint64_t>(rest < 0 ? rest + static_cast<int64_t>(r)
                                          : rest);
  };
  uint64_t exponent = moduloR(numerator), base = moduloR(denominator);
  for (uint64_t rest = r - 2; rest; rest >>= 1) {
    if (rest & 1)
      exponent = static_cast<uint64_t>(Wide{exponent} * base % r);
    base = static_cast<uint64_t>(Wide{base} * base % r);
  }
  return power(a, exponent);
}
