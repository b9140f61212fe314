// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Montgomery's arithmetic modulo safe primes, and powers with rational
// exponents.

#include "compiler/reference/field/PrimeField.h"

#include <cstdlib>

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
    0x10893799ce78a25f, 0x1e4e02dc074d3fa7, 0x13b93bb68a82f33f,
    0x1d27d68e15807ed7, 0x17da0635a1a55337, 0x143783a4d9cb4e1f,
    0x19cc6fa8c1cad94f, 0x1da1b3f30d59d3c7, 0x1dc9b1a05c507dd7,
    0x10f47a3d546a605f, 0x1d3622355d1ef8df, 0x1daf877942477cdf,
    0x1884bea4d3ea9037, 0x182e1c1ef50c4cb7, 0x18cc547eaf58c9cf,
    0x1b5e30b7caf5ef47, 0x193faf4e667935cf, 0x13a58e391ee3e8cf,
    0x1098a09d99e5458f, 0x1a73aff27f788f47, 0x1d75174d7767d8d7,
    0x1203e4480f47831f, 0x1171c01eb8046e27, 0x17105abb942eab8f,
    0x1df1873463630667, 0x139f504d1949a4a7, 0x1077610fed434fef,
    0x1eb2af84eafd8117, 0x1cda4f3dcbba757f, 0x1d84ef51d476a7bf,
    0x1ee533465f60e86f, 0x1f358460776d65b7, 0x156608eedb4e8f87,
    0x12f8373bb1da3457, 0x1e70e932b6c6b35f, 0x157d0039ea19692f,
    0x14230cd290029eb7, 0x1738deb482b0b5e7, 0x1582b80ef9906907,
    0x14701e1649b0c40f, 0x1cf97aef9ebbee8f, 0x1b3a447adc7bf74f,
    0x135278376ded070f, 0x1a4ad2d83666fcaf, 0x1020926ccc788a87,
    0x182d690b2e57f47f, 0x195a345f608b95df, 0x1b4108965359183f,
    0x1932bb39ba6ba25f, 0x1115bda5b8279857, 0x1f61ea7dfd37518f,
    0x1f02aeaf0d6482c7, 0x1b52464957c4d2c7, 0x18db6963240416ff,
    0x1282253c0c81a26f, 0x1907fb6018c4bc7f, 0x16a506357d0821f7,
    0x169b1671252ac637, 0x197e3e74637011cf, 0x1800b925e88bb3df,
    0x14cb7336df78e4bf, 0x1fa3afe17e30119f, 0x1cc05b1060b2346f,
    0x10c5e3dc2ec2824f, 0x1cb3658c7bf05adf, 0x12f158235cf01fc7,
    0x15773cc28a0e161f, 0x11d0320b3b283f97, 0x1383bba629eeea3f,
    0x15f1040772706cf7, 0x1b6204dde01f153f, 0x1a72060a7075b35f,
    0x16d4cf5fd8d1049f, 0x19b2291eaa39aab7, 0x12895ae57139e4cf,
    0x12fecc89c7f9d23f, 0x1b50771bc3519ea7, 0x1091721ad55a1117,
    0x145084f50e183a47, 0x1bfb27be295085b7, 0x1b170cf2cb2fa9bf,
    0x14573c2ebe5f722f, 0x149553dd4221f237, 0x1852fa82b970c77f,
    0x1de1a8c4f2d86c0f, 0x12761285e742e10f, 0x13fce5476318235f,
    0x16165087b642a8ef, 0x170cb70ce95ea4df, 0x19c20659230ff037,
    0x1bfa3fde4f59a27f, 0x1d7ac30646f3ad1f, 0x1dec8051655ccaff,
    0x13509515b352432f, 0x123367c196e2323f, 0x1bbf44ca22299237,
    0x1426b320a18fa817, 0x1a2ebf92c2a93b17, 0x11e3f10a28fcbfbf,
    0x11e34d606b2392ef, 0x197a77a681faad5f, 0x18bea481c7e008e7,
    0x17b76aac52aef987, 0x1ebe25df794f450f, 0x1b8b9f87fcd2f16f,
    0x17c9e6ccaf844677, 0x1d3345e7d7d62a3f, 0x1af39618daf77f77,
    0x14de8e3e23ad36bf, 0x1e5536ebe8b29097, 0x19375a58e019fe3f,
    0x19859b5cfafd3477, 0x1909a072e7d98d2f, 0x19eeebf96a9d540f,
    0x114df5ba68c3d287, 0x1dae582a1412f6cf, 0x13ef254cc47e443f,
    0x12d11b032aa4bdf7, 0x1fb4c20454318757, 0x129082ec6175daef,
    0x1eaf86ea2144276f, 0x1b59df337959ef0f, 0x1d34a9455ecf6297,
    0x17de19405054bda7, 0x193418923c4bf787, 0x1774439a3c7251ef,
    0x1e5f920f7758385f, 0x13a43579e532bb1f, 0x1c843cfe56e6b2e7,
    0x1d84bb830cc65e47, 0x1fc2b9fb741dd857, 0x1afb2f484528cd9f,
    0x1d36a100843ee1bf, 0x1ce7ebc4a4a9e417, 0x12f1d55b8ee58287,
    0x1758bd6bf75fdbe7, 0x1fe4acc85ca867af, 0x1dbe73b237b38f37,
    0x1e723c772755a61f, 0x146d2ba893c71b6f, 0x1f6737c90cc5da7f,
    0x1365494724210137, 0x157fc00027b87ca7, 0x19f23b05b15b4317,
    0x19e38ece8384d71f, 0x132c0197c5074a97, 0x1c3c91d423371ec7,
    0x104303bd17d5da5f, 0x139e1b63d90edd9f, 0x193d78eb0dc528df,
    0x13f61dcbab50dec7, 0x1458b1f1d7f9185f, 0x1b36d9310d53d1f7,
    0x141c1636f16759cf, 0x1218c9a577c36a47, 0x14cceac0a4b5a077,
    0x1e48b403349db6df, 0x1afa7e4e603f4637, 0x18b0456ae8809a37,
    0x1742078cc7949d9f, 0x12644f12de4f11e7, 0x14fc52f49fe187f7,
    0x168eb47ad53d94bf, 0x1de10814d19cf7d7, 0x11a7401f30ddcd47,
    0x19c20bcf400547f7, 0x188cb2f7bafb008f, 0x16fa27a1ec558cbf,
    0x13379b8bce3a9387, 0x1b4d6839db267a0f, 0x1d700aa25f2d2dbf,
    0x13d56de335df280f, 0x16e89de15c2875ef, 0x1d34df206c85a8c7,
    0x1c9492d4b2a16d7f, 0x18f7cc2d7c79f3bf, 0x12bd90a985fc51b7,
    0x1a13c9c44cd1c217, 0x18dece2e08b20fd7, 0x1b9aa98613123c3f,
    0x1afa70edf3a67adf, 0x18e97946d22cefb7, 0x1d71300a75793f8f,
    0x1c543b4604714c87, 0x1df1b4de218acf77, 0x15930059abc8f817,
    0x135826b5f2e6335f, 0x1876575b77e57a4f, 0x1807512f211b3be7,
    0x1e1bd8b6a0f043f7, 0x1b97c92c13cc7d8f, 0x13dd2ca3738feda7,
    0x1527aee9541ac37f, 0x1e18dffce6ae26b7, 0x188400a4389f964f,
    0x13c5775e1e42c4df, 0x17724e618207a947, 0x17586107e7f03087,
    0x11d9cb8f8c053c27, 0x125da6950203ecf7, 0x1ae19f404c90a627,
    0x150cfd6ee25a313f, 0x165b86f1d3e890c7, 0x10c75f0b88e8834f,
    0x1ddc6ca2ad1a5047, 0x1be2a41d203f6caf, 0x12a4c043e512fdb7,
    0x180df3d005d05a3f, 0x1bee46722992bb1f, 0x1b3f886634b78e77,
    0x1d84ab41921f997f, 0x18c80279ccea3baf, 0x11887dfd582c2e37,
    0x1f022bd726dece07, 0x112ee7bd4449b90f, 0x13238c2be138777f,
    0x171fabc1b410438f, 0x142ca2df65574837, 0x147da021017589e7,
    0x1800ef37b8133717, 0x1a0d81d96529b5bf, 0x1577bb8624f54387,
    0x1b78aba5cd36b29f, 0x1c087a988da04eff, 0x15c02fecd15092df,
    0x19596014be9dcb77,
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

uint64_t PrimeField::power(uint64_t a, int64_t exponent) const {
  uint64_t result = unit;
  for (int64_t rest = std::abs(exponent); rest; rest >>= 1) {
    if (rest & 1)
      result = multiply(result, a);
    a = multiply(a, a);
  }
  return exponent < 0 ? inverse(result) : result;
}

bool PrimeField::isPositive(uint64_t a) const {
  // Euler's criterion: a^r is 1 for squares, and -1 for other numbers.
  return power(a, static_cast<int64_t>((p - 1) / 2)) == unit;
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
  return power(a, static_cast<int64_t>(exponent));
}
