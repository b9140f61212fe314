// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser of a file's header.

#include "compiler/checkpoint/gguf/GgufFile.h"

#include "compiler/checkpoint/FileReader.h"
#include "compiler/checkpoint/JsonFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace transfold::checkpoint {

namespace {

/// The types of ggml's tensors: number, name, and the format, if a program can
/// have it.
struct TensorType {
  uint32_t number;
  std::string_view name;
  std::optional<DType> dtype = {};
};
constexpr TensorType tensorTypes[] = {
    {0, "F32", DType::F32},          {1, "F16", DType::F16},
    {2, "Q4_0", DType::Q4_0},        {3, "Q4_1", DType::Q4_1},
    {6, "Q5_0", DType::Q5_0},        {7, "Q5_1", DType::Q5_1},
    {8, "Q8_0", DType::Q8_0},        {9, "Q8_1"},
    {10, "Q2_K", DType::Q2_K},       {11, "Q3_K", DType::Q3_K},
    {12, "Q4_K", DType::Q4_K},       {13, "Q5_K", DType::Q5_K},
    {14, "Q6_K", DType::Q6_K},       {15, "Q8_K"},
    {16, "IQ2_XXS", DType::IQ2_XXS}, {17, "IQ2_XS", DType::IQ2_XS},
    {18, "IQ3_XXS", DType::IQ3_XXS}, {19, "IQ1_S", DType::IQ1_S},
    {20, "IQ4_NL", DType::IQ4_NL},   {21, "IQ3_S", DType::IQ3_S},
    {22, "IQ2_S", DType::IQ2_S},     {23, "IQ4_XS", DType::IQ4_XS},
    {24, "I8", DType::I8},           {25, "I16", DType::I16},
    {26, "I32", DType::I32},         {27, "I64", DType::I64},
    {28, "F64", DType::F64},         {29, "IQ1_M", DType::IQ1_M},
    {30, "BF16", DType::BF16},       {34, "TQ1_0", DType::TQ1_0},
    {35, "TQ2_0", DType::TQ2_0},     {39, "MXFP4", DType::MXFP4},
    {40, "NVFP4", DType::NVFP4}};

constexpr uint64_t maximumGgufRank = 4; // ggml's own limit
constexpr uint64_t maximumName = 255;   // bytes; ggml's is 63

/// Reads the header of one file; every message states file and position.
class GgufReader : FileReader {
public:
  explicit GgufReader(GgufFile &into) : FileReader(*into.file), into(into) {}

  void read() {
    readStart();
    for (uint64_t i = 0; i < pairs; ++i)
      readPair();
    chooseAlignment();
    std::vector<Claim> claims;
    for (uint64_t i = 0; i < tensors; ++i)
      claims.push_back(readClaim());
    place(claims);
  }

private:
  /// The header's entry for a tensor; its bytes begin at `offset` of the data.
  struct Claim {
    std::string name;
    StoredTensor tensor;
    uint64_t offset, size;
  };

  GgufFile &into;
  uint64_t tensors = 0, pairs = 0, alignment = 32;

  std::string_view text(std::string_view what) {
    auto length = number<uint64_t>(what);
    auto own = take(length, what);
    return {reinterpret_cast<const char *>(own.data()), own.size()};
  }

  /// Reads magic, version and counts.
  void readStart() {
    if (bytes.size() < 4 || std::memcmp(bytes.data(), "GGUF", 4) != 0)
      fail("does not begin with GGUF, and is not a GGUF file");
    at = 4;
    auto version = number<uint32_t>("the version");
    if (version == __builtin_bswap32(2) || version == __builtin_bswap32(3))
      fail("is a GGUF file for big-endian machines; convert it with "
           "gguf-convert-endian, of Python's package gguf");
    if (version != 2 && version != 3)
      fail("has version {} of GGUF; versions 2 and 3 are supported: convert "
           "the model again with a current converter",
           version);
    tensors = number<uint64_t>("the number of tensors");
    pairs = number<uint64_t>("the number of keys");
    // Each takes at least so many bytes; no memory is allocated before this
    // holds.
    if (tensors > bytes.size() / 24 || pairs > bytes.size() / 13)
      fail("claims {} tensors and {} keys, more than fit into its {} bytes",
           tensors, pairs, bytes.size());
  }

  /// Reads a key and its value.
  void readPair() {
    std::string key(text("a key"));
    if (!isUtf8(key))
      fail("byte {}: a key is not UTF-8", at);
    GgufType type{number<uint32_t>("the type of a value")};
    GgufValue value = type == GgufType::Array
                          ? GgufValue(readArray(key))
                          : GgufValue(readScalar(type, key));
    if (!into.metadata.emplace(key, value).second)
      fail("the key '{}' occurs twice", key);
  }

  /// Numbers are skipped at once; of texts, each length is checked.
  GgufArray readArray(const std::string &key) {
    GgufType type{number<uint32_t>("the type of an array")};
    auto count = number<uint64_t>("the length of an array");
    if (type == GgufType::Array)
      fail("the key '{}' has lists of lists, which are not supported", key);
    const size_t each = sizeOf(type, key).value_or(sizeof(uint64_t));
    if (count > (bytes.size() - at) / each)
      fail("the key '{}' claims {} values; the file has {} more bytes", key,
           count, bytes.size() - at);
    const size_t begin = at;
    if (type != GgufType::String)
      take(count * each, key);
    else
      for (uint64_t i = 0; i < count; ++i)
        text(key);
    return {type, count, bytes.subspan(begin, at - begin)};
  }

  GgufScalar readScalar(GgufType type, const std::string &key) {
    if (auto size = sizeOf(type, key))
      return ggufScalar(type, take(*size, key));
    return text(key);
  }

  /// The bytes of a value; nullopt for texts.
  std::optional<size_t> sizeOf(GgufType type, const std::string &key) const {
    auto size = sizeOfGgufNumber(type);
    if (!size && type != GgufType::String)
      fail("the key '{}' has a value of the unknown type {}", key,
           static_cast<uint32_t>(type));
    return size;
  }

  /// The alignment of the data is 32 bytes unless a key states another one.
  void chooseAlignment() {
    auto given = into.count("general.alignment");
    if (!given && !into.metadata.contains("general.alignment"))
      return;
    if (!given || !std::has_single_bit(*given) || *given > 1 << 20)
      fail("general.alignment is not a power of two of at most 1048576");
    alignment = *given;
  }

  /// Reads the entry of a tensor; whether its bytes exist is checked later,
  /// when the begin of the data is known.
  Claim readClaim() {
    std::string name(text("the name of a tensor"));
    if (!isUtf8(name) || name.empty() || name.size() > maximumName)
      fail("byte {}: the name of a tensor is not 1 to {} bytes of UTF-8", at,
           maximumName);
    auto rank = number<uint32_t>("the rank of a tensor");
    if (rank > maximumGgufRank)
      fail("tensor '{}' has {} axes; GGUF has at most {}", name, rank,
           maximumGgufRank);
    Claim claim{name, {}, 0, 0};
    for (uint32_t axis = 0; axis < rank; ++axis) {
      auto extent = number<uint64_t>("an extent");
      if (extent == 0 || extent > uint64_t{INT64_MAX})
        fail("tensor '{}' has an axis of {}", name, extent);
      // GGUF lists the fastest axis first.
      claim.tensor.shape.insert(claim.tensor.shape.begin(),
                                static_cast<int64_t>(extent));
    }
    claim.tensor.dtype = dtypeOf(number<uint32_t>("a type"), name);
    claim.size = bytesOf(claim);
    claim.offset = number<uint64_t>("the place of a tensor");
    return claim;
  }

  /// The format of a number of ggml's. Throws CheckpointError for types of
  /// which programs have no readers.
  DType dtypeOf(uint32_t type, const std::string &name) const {
    const auto *known =
        std::ranges::find(tensorTypes, type, &TensorType::number);
    if (known == std::end(tensorTypes))
      fail("tensor '{}' has the unknown type {}", name, type);
    if (known->dtype)
      return *known->dtype;
    std::vector<std::string_view> read;
    for (const TensorType &each : tensorTypes)
      if (each.dtype)
        read.push_back(each.name);
    fail("tensor '{}' is in {}, which transfold does not read; take the "
         "model's file in another type, Q4_K_M for example (read are {})",
         name, known->name, fmt::join(read, ", "));
  }

  /// The size of a tensor. Blocks lie along the fastest axis, each within one
  /// row.
  uint64_t bytesOf(const Claim &claim) const {
    const Format &format = claim.tensor.format();
    const std::vector<int64_t> &shape = claim.tensor.shape;
    int64_t columns = shape.empty() ? 1 : shape.back();
    if (columns % format.blockNumbers)
      fail("tensor '{}' has rows of {} elements; {} has blocks of {}",
           claim.name, columns, format.name, format.blockNumbers);
    auto size = static_cast<uint64_t>(format.blockBytes);
    auto blocks = static_cast<uint64_t>(columns / format.blockNumbers);
    bool overflow = __builtin_mul_overflow(size, blocks, &size);
    for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
      overflow |= __builtin_mul_overflow(
          size, static_cast<uint64_t>(shape[axis]), &size);
    if (overflow)
      fail("tensor '{}' of [{}] has more bytes than 64 bits can count",
           claim.name, fmt::join(shape, ", "));
    return size;
  }

  /// Assigns the bytes of the data to tensors; each belongs to at most one.
  void place(std::vector<Claim> &claims) {
    uint64_t begin = (at + alignment - 1) / alignment * alignment;
    uint64_t length = begin < bytes.size() ? bytes.size() - begin : 0;
    std::ranges::sort(claims, {}, &Claim::offset);
    const Claim *before = nullptr;
    for (Claim &claim : claims) {
      if (claim.offset % alignment)
        fail("tensor '{}' lies at byte {} of the data, which is not a multiple "
             "of {}",
             claim.name, claim.offset, alignment);
      if (claim.offset > length || claim.size > length - claim.offset)
        fail("tensor '{}' has {} bytes from byte {} of the data, which has {}; "
             "the file is cut short, fetch it again",
             claim.name, claim.size, claim.offset, length);
      if (before && before->offset + before->size > claim.offset)
        fail("tensors '{}' and '{}' overlap at byte {} of the data",
             before->name, claim.name, claim.offset);
      claim.tensor.bytes = bytes.subspan(begin + claim.offset, claim.size);
      if (!into.tensors.emplace(claim.name, claim.tensor).second)
        fail("the tensor '{}' occurs twice", claim.name);
      before = &claim;
    }
  }
};

} // namespace

GgufFile GgufFile::open(const std::string &path) {
  GgufFile file;
  file.file = MappedFile::open(path);
  GgufReader(file).read();
  return file;
}

std::optional<uint64_t> GgufFile::count(std::string_view key) const {
  if (const auto *value = scalar<uint64_t>(key))
    return *value;
  const auto *value = scalar<int64_t>(key);
  return value && *value >= 0 ? std::optional<uint64_t>(*value) : std::nullopt;
}

} // namespace transfold::checkpoint
