// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Residues modulo a safe prime p = 2r + 1 of 61 bits, where r is prime, too.
// Of the numbers from 1 to p - 1, half are squares. They are called positive
// here, because they behave as the positive real numbers do:
//
//   * products and quotients of positive numbers are positive, and of x and -x
//     exactly one is positive, since p mod 4 is 3;
//   * a positive number has exactly one positive root of each order that r does
//     not divide, since there are r positive numbers and r is prime. So every
//     power with a rational exponent exists, and the laws of powers hold.
//
// What has no counterpart is the order: sums of positive numbers may be
// negative.
//
// Residues are in Montgomery form (Montgomery 1985): x is stored as x · 2^64
// mod p, so that a product takes three multiplications and no division.

#pragma once

#include <cstdint>
#include <span>

namespace transfold::reference {

/// The arithmetic of the residues modulo one prime.
class PrimeField {
public:
  /// `prime` must be one of safePrimes().
  explicit PrimeField(uint64_t prime);

  uint64_t prime() const { return p; }
  uint64_t one() const { return unit; }
  uint64_t of(int64_t value) const;
  /// The number from 0 to p - 1 that a residue is.
  uint64_t valueOf(uint64_t a) const { return reduce(a); }
  /// A residue from 64 random bits; each is as likely as any other, up to 8 in
  /// 2^64.
  uint64_t ofBits(uint64_t bits) const;

  uint64_t add(uint64_t a, uint64_t b) const {
    const uint64_t sum = a + b; // below 2^62
    return sum >= p ? sum - p : sum;
  }
  uint64_t subtract(uint64_t a, uint64_t b) const {
    return a >= b ? a - b : a + p - b;
  }
  uint64_t multiply(uint64_t a, uint64_t b) const {
    return reduce(static_cast<unsigned __int128>(a) * b);
  }
  /// x / 2^64 mod p, for x below 2^64 p.
  uint64_t reduce(unsigned __int128 x) const {
    const uint64_t factor = static_cast<uint64_t>(x) * negatedInverse;
    const uint64_t high = static_cast<uint64_t>(
        (x + static_cast<unsigned __int128>(factor) * p) >> 64);
    return high >= p ? high - p : high;
  }
  /// a^exponent; a^0 is 1, and a negative power of 0 is 0.
  uint64_t power(uint64_t a, int64_t exponent) const;
  /// The inverse; 0 for 0.
  uint64_t inverse(uint64_t a) const {
    return power(a, static_cast<int64_t>(p - 2)); // Fermat
  }

  /// Whether `a` is a square other than 0.
  bool isPositive(uint64_t a) const;
  /// A positive number to the power numerator / denominator. The denominator
  /// must not be a multiple of r, which has 60 bits.
  uint64_t rationalPower(uint64_t a, int64_t numerator,
                         int64_t denominator) const;

private:
  uint64_t p;
  uint64_t negatedInverse; // -1 / p mod 2^64
  uint64_t unit;           // 2^64 mod p: 1 in Montgomery form
  uint64_t square;         // 2^128 mod p
};

/// Safe primes of 61 bits modulo which all primes below 100 are positive.
std::span<const uint64_t> safePrimes();

} // namespace transfold::reference
