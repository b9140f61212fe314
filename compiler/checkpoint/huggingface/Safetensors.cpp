// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser of safetensors files.

#include "compiler/checkpoint/huggingface/Safetensors.h"

#include "compiler/checkpoint/JsonFile.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::checkpoint {

namespace {

using nlohmann::json;

/// The format's own limit.
constexpr uint64_t maximumHeaderBytes = 100'000'000;
/// Tensors of models have fewer axes; a longer list indicates a broken file.
constexpr size_t maximumTensorRank = 16;

/// The spellings of types in headers.
constexpr std::pair<std::string_view, DType> dtypes[] = {
    {"F64", DType::F64},   {"F32", DType::F32}, {"F16", DType::F16},
    {"BF16", DType::BF16}, {"I64", DType::I64}, {"I32", DType::I32},
    {"I16", DType::I16},   {"I8", DType::I8},   {"U8", DType::U8},
    {"BOOL", DType::Bool}};

/// Reads the header of one file; every message names file and tensor.
class SafetensorsReader {
public:
  explicit SafetensorsReader(const MappedFile &file) : file(file) {}

  std::map<std::string, StoredTensor> read() {
    json header = readHeader();
    std::map<std::string, StoredTensor> tensors;
    for (const auto &[name, value] : header.items()) {
      if (name == "__metadata__")
        continue; // free text of the program that saved the file
      tensor = name;
      tensors.emplace(name, readTensor(value));
    }
    checkTiling();
    return tensors;
  }

private:
  /// The bytes of a tensor, counted from the end of the header.
  struct Range {
    uint64_t begin, end;
    std::string name;
  };

  const MappedFile &file;
  /// The bytes after the header.
  std::span<const std::byte> payload;
  std::vector<Range> ranges;
  /// The tensor being read, for messages.
  std::string tensor;

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args &&...args) {
    throw CheckpointError(
        file.path() + ": " +
        fmt::vformat(fmt::string_view(format), fmt::make_format_args(args...)));
  }

  template <typename... Args>
  [[noreturn]] void failTensor(fmt::format_string<Args...> format,
                               Args &&...args) {
    fail(
        "tensor '{}': {}", tensor,
        fmt::vformat(fmt::string_view(format), fmt::make_format_args(args...)));
  }

  /// Reads the JSON header, and sets `payload`.
  json readHeader() {
    std::span<const std::byte> bytes = file.bytes();
    if (bytes.size() < 8)
      fail("has {} bytes, too few for a safetensors file; fetch it again",
           bytes.size());
    uint64_t length = 0;
    for (unsigned i = 0; i < 8; ++i)
      length |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
    if (length > maximumHeaderBytes)
      fail("the header claims {} bytes, more than the {} that safetensors "
           "allows; is this a safetensors file?",
           length, maximumHeaderBytes);
    if (length > bytes.size() - 8)
      fail("the header claims {} bytes but the file has only {} after its "
           "length; the file is cut short, fetch it again",
           length, bytes.size() - 8);
    payload = bytes.subspan(8 + length);
    json header =
        parseJson({reinterpret_cast<const char *>(bytes.data() + 8), length},
                  file.path(), 8);
    if (!header.is_object())
      fail("the header is not a JSON object");
    return header;
  }

  /// Checks the entry of a tensor: type, shape and range must agree.
  StoredTensor readTensor(const json &value) {
    if (!value.is_object())
      failTensor("is not described by a JSON object");
    for (const char *key : {"dtype", "shape", "data_offsets"})
      if (!value.contains(key))
        failTensor("has no '{}'", key);

    StoredTensor result;
    result.dtype = readDType(value["dtype"]);
    uint64_t needed = readShape(value["shape"], result);
    auto [begin, end] = readOffsets(value["data_offsets"]);
    if (end - begin != needed)
      failTensor("shape [{}] of {} needs {} bytes but its range has {}",
                 fmt::join(result.shape, ", "), result.format().name, needed,
                 end - begin);
    result.bytes = payload.subspan(begin, end - begin);
    ranges.push_back({begin, end, tensor});
    return result;
  }

  DType readDType(const json &value) {
    if (!value.is_string())
      failTensor("dtype is not a string");
    const std::string &text = value.get_ref<const std::string &>();
    for (const auto &[spelling, dtype] : dtypes)
      if (spelling == text)
        return dtype;
    failTensor("dtype '{}' is not supported", text);
  }

  /// Fills in the shape; returns the number of bytes that it needs.
  uint64_t readShape(const json &value, StoredTensor &result) {
    if (!value.is_array() || value.size() > maximumTensorRank)
      failTensor("shape is not a list of at most {} sizes", maximumTensorRank);
    auto bytes = static_cast<uint64_t>(result.format().blockBytes);
    bool overflow = false;
    for (const json &extent : value) {
      if (!extent.is_number_unsigned() ||
          extent.get<uint64_t>() > uint64_t(INT64_MAX))
        failTensor("shape {} holds something that is not a size", value.dump());
      result.shape.push_back(extent.get<int64_t>());
      overflow |= __builtin_mul_overflow(bytes, extent.get<uint64_t>(), &bytes);
    }
    if (overflow)
      failTensor("shape {} has more elements than 64 bits can count",
                 value.dump());
    return bytes;
  }

  /// The range of a tensor, which lies within the payload.
  std::pair<uint64_t, uint64_t> readOffsets(const json &value) {
    if (!value.is_array() || value.size() != 2 ||
        !value[0].is_number_unsigned() || !value[1].is_number_unsigned())
      failTensor("data_offsets is not a pair of byte positions");
    auto begin = value[0].get<uint64_t>(), end = value[1].get<uint64_t>();
    if (begin > end)
      failTensor("data_offsets [{}, {}] end before they begin", begin, end);
    if (end > payload.size())
      failTensor("data_offsets [{}, {}] reach beyond the {} bytes of data; "
                 "the file is cut short, fetch it again",
                 begin, end, payload.size());
    return {begin, end};
  }

  /// Checks that each byte belongs to exactly one tensor: unused bytes could
  /// hide another file, and indicate that the header does not belong to this
  /// file.
  void checkTiling() {
    std::sort(ranges.begin(), ranges.end(),
              [](const Range &left, const Range &right) {
                return std::tie(left.begin, left.end, left.name) <
                       std::tie(right.begin, right.end, right.name);
              });
    uint64_t reached = 0;
    const Range *previous = nullptr;
    for (const Range &range : ranges) {
      if (range.begin < reached)
        fail("tensors '{}' and '{}' overlap at byte {} of the data",
             previous->name, range.name, range.begin);
      if (range.begin > reached)
        fail("bytes {} to {} of the data belong to no tensor", reached,
             range.begin);
      reached = range.end;
      previous = &range;
    }
    if (reached != payload.size())
      fail("bytes {} to {} of the data belong to no tensor", reached,
           payload.size());
  }
};

} // namespace

std::map<std::string, StoredTensor> readSafetensors(const MappedFile &file) {
  return SafetensorsReader(file).read();
}

} // namespace transfold::checkpoint
