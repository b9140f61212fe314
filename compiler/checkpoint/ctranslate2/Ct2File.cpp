// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser of model.bin.

#include "compiler/checkpoint/ctranslate2/Ct2File.h"

#include "compiler/checkpoint/FileReader.h"
#include "compiler/checkpoint/JsonFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace transfold::checkpoint {

namespace {

/// In the order of CTranslate2's DataType.
constexpr DType types[] = {DType::F32, DType::I8,  DType::I16,
                           DType::I32, DType::F16, DType::BF16};

/// The versions of the format that are read.
constexpr uint32_t oldest = 2, newest = 6;
/// Features that exist from these versions on.
constexpr uint32_t withAliases = 3, withTypes = 4;
constexpr uint8_t maximumCt2Rank = 8; // a convolution has 3
/// Other files begin with a number that is hardly ever as small.
constexpr uint32_t likelyVersions = 100;

/// The scale of int16 in files that have no scales yet.
constexpr float formerScale = 1000;

constexpr int64_t blockNumbers = 64; // of int8_row

/// Reads a file from its beginning; every message states file and position.
class Ct2Reader : FileReader {
public:
  explicit Ct2Reader(Ct2File &into) : FileReader(*into.file), into(into) {}

  void read() {
    readStart();
    auto count = number<uint32_t>("the number of variables");
    // Each variable takes at least 10 bytes.
    if (count > (bytes.size() - at) / 10)
      fail("claims {} variables, more than fit into its {} bytes", count,
           bytes.size());
    for (uint32_t i = 0; i < count; ++i)
      readVariable();
    std::map<std::string, std::string> aliases;
    if (into.version >= withAliases)
      aliases = readAliases();
    attachScales();
    for (const auto &[alias, name] : aliases)
      resolve(alias, aliases);
  }

private:
  Ct2File &into;

  /// A TEXT, without its final zero.
  std::string text(std::string_view what) {
    const size_t place = at;
    auto length = number<uint16_t>(what);
    auto own = take(length, what);
    std::string text(reinterpret_cast<const char *>(own.data()), own.size());
    if (text.empty() || text.find('\0') != text.size() - 1)
      fail("byte {}: {} does not end with a zero, and there alone; the file is "
           "damaged, fetch it again",
           place, what);
    text.pop_back();
    if (!isUtf8(text))
      fail("byte {}: {} is not UTF-8; the file is damaged, fetch it again",
           place, what);
    return text;
  }

  /// A TEXT that must not be empty.
  std::string name(std::string_view what) {
    const size_t place = at;
    std::string name = text(what);
    if (name.empty())
      fail("byte {}: {} is empty; the file is damaged, fetch it again", place,
           what);
    return name;
  }

  /// Reads the version and the name of the specification.
  void readStart() {
    into.version = number<uint32_t>("the version");
    if (into.version > likelyVersions)
      fail("does not begin with a version of CTranslate2's format, and is not "
           "a model of CTranslate2; give the directory of one, or of Hugging "
           "Face with model.safetensors");
    if (into.version < oldest || into.version > newest)
      fail("has version {} of CTranslate2's format; versions {} to {} are "
           "supported: convert the model again with CTranslate2 4",
           into.version, oldest, newest);
    into.spec = text("the name of the specification");
    (void)number<uint32_t>("the revision of the specification");
  }

  /// Reads a variable, whose bytes stay in the mapping.
  void readVariable() {
    std::string own = name("the name of a variable");
    StoredTensor tensor{DType::F32, {}, {}};
    auto rank = number<uint8_t>(own);
    if (rank > maximumCt2Rank)
      fail("the variable '{}' claims {} axes; at most {} are read", own, rank,
           maximumCt2Rank);
    uint64_t numbers = 1;
    for (uint8_t axis = 0; axis < rank; ++axis) {
      auto extent = number<uint32_t>(own);
      if (extent == 0)
        fail("the variable '{}' has an axis of length 0; convert the model "
             "again",
             own);
      tensor.shape.push_back(extent);
      if (__builtin_mul_overflow(numbers, uint64_t{extent}, &numbers))
        fail("the variable '{}' of [{}] has more elements than 64 bits can "
             "count",
             own, fmt::join(tensor.shape, ", "));
    }
    uint64_t size = readType(own, tensor.dtype);
    const auto each = static_cast<uint64_t>(tensor.format().blockBytes);
    if (size % each || size / each != numbers)
      fail("the variable '{}' of [{}] in {} has {} bytes, which do not match; "
           "the file is damaged, fetch it again",
           own, fmt::join(tensor.shape, ", "), tensor.format().name, size);
    tensor.bytes = take(size, fmt::format("'{}'", own));
    if (!into.tensors.emplace(own, tensor).second)
      fail("the variable '{}' occurs twice; convert the model again", own);
  }

  /// Reads the type of the elements; returns their size in bytes.
  uint64_t readType(const std::string &own, DType &dtype) {
    auto type = number<uint8_t>(own);
    uint64_t size = number<uint32_t>(own);
    if (into.version >= withTypes) {
      if (type >= std::size(types))
        fail("the variable '{}' has elements of the unknown type {}; convert "
             "the model again with CTranslate2 4",
             own, type);
      dtype = types[type];
      return size;
    }
    for (DType known : {DType::F32, DType::I16, DType::I8})
      if (formatOf(known).blockBytes == type) {
        dtype = known;
        return size * type;
      }
    fail("the variable '{}' has elements of {} bytes; 1, 2 and 4 are supported",
         own, type);
  }

  /// Reads the table of aliases; what they refer to is looked up later, since
  /// an alias may refer to another one.
  std::map<std::string, std::string> readAliases() {
    auto count = number<uint32_t>("the number of aliases");
    if (count > (bytes.size() - at) / 8)
      fail("claims {} aliases, more than fit into the {} bytes that are left",
           count, bytes.size() - at);
    std::map<std::string, std::string> aliases;
    for (uint32_t i = 0; i < count; ++i) {
      std::string alias = name("an alias");
      std::string meant = name("what an alias stands for");
      if (into.tensors.contains(alias) || aliases.contains(alias))
        fail("the name '{}' occurs twice; convert the model again", alias);
      aliases.emplace(std::move(alias), std::move(meant));
    }
    return aliases;
  }

  /// Adds tensors for an alias and for the names on the path to its variable.
  /// Names that are tensors already are not followed again, so that all aliases
  /// together take linear time.
  void resolve(const std::string &alias,
               const std::map<std::string, std::string> &aliases) {
    std::vector<const std::string *> way;
    const std::string *name = &alias;
    auto found = into.tensors.find(*name);
    while (found == into.tensors.end()) {
      auto next = aliases.find(*name);
      if (next == aliases.end())
        fail("the alias '{}' leads to '{}', which is not a variable of the "
             "file; convert the model again",
             alias, *name);
      if (way.size() == aliases.size())
        fail("the alias '{}' leads back to itself; convert the model again",
             alias);
      way.push_back(name);
      name = &next->second;
      found = into.tensors.find(*name);
    }
    for (const std::string *each : way)
      into.tensors.emplace(*each, found->second);
  }

  //===--------------------------------------------------------------------===//
  // Scales
  //===--------------------------------------------------------------------===//

  /// Moves the variables NAME_scale into the tensors NAME. Weights of int16
  /// without one have a fixed scale.
  void attachScales() {
    std::vector<std::string> attached;
    for (auto &[own, tensor] : into.tensors) {
      const bool isInteger =
          tensor.dtype == DType::I8 || tensor.dtype == DType::I16;
      if (!isInteger || tensor.shape.empty())
        continue;
      auto scale = into.tensors.find(own + "_scale");
      if (scale != into.tensors.end()) {
        attach(own, tensor, scale->second);
        attached.push_back(scale->first);
      } else if (tensor.dtype == DType::I16 && own.ends_with("weight")) {
        tensor.dtype = DType::Int16_Scaled;
        tensor.scales = std::as_bytes(std::span(&formerScale, 1));
        tensor.sharing = tensor.count();
      }
    }
    for (const std::string &scale : attached)
      into.tensors.erase(scale);
  }

  /// Checks a variable NAME_scale, and makes it the scales of `tensor`.
  void attach(const std::string &own, StoredTensor &tensor,
              const StoredTensor &scale) {
    const int64_t scales = scale.count();
    if (scale.dtype != DType::F32 ||
        (scales != 1 && scales != tensor.shape.front()))
      fail("'{}_scale' is [{}] in {}; expected one float32 for each of the {} "
           "rows of '{}', or one for all: convert the model again",
           own, fmt::join(scale.shape, ", "), scale.format().name,
           tensor.shape.front(), own);
    tensor.sharing = tensor.count() / scales;
    tensor.scales = scale.bytes;
    tensor.dtype = tensor.dtype == DType::I16      ? DType::Int16_Scaled
                   : tensor.sharing % blockNumbers ? DType::Int8_Scaled
                                                   : DType::Int8_Row;
    for (int64_t k = 0; k < scales; ++k)
      // An infinite scale, for a row of zeros, gives zeros.
      if (!std::isfinite(1 / tensor.scaleOf(k * tensor.sharing)))
        fail("scale {} of '{}_scale' is zero or NaN; the file is damaged: "
             "fetch it or convert the model again",
             k, own);
  }
};

} // namespace

Ct2File Ct2File::open(const std::string &path) {
  Ct2File file;
  file.file = MappedFile::open(path);
  Ct2Reader(file).read();
  return file;
}

} // namespace transfold::checkpoint
