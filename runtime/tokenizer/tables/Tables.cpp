// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes bytes from the tables with a check of bounds: a damaged program is
// reported and does not read past their end.

#include "runtime/tokenizer/tables/Tables.h"

#include "base/Error.h"

namespace transfold::runtime::inline tokenizer {

void damagedTables(const char *how) {
  fail("the program's tokenizer tables {}; compile the model again", how);
}

TableReader::TableReader(std::string_view bytes) : bytes(bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % tablesAlignment != 0)
    damagedTables("do not lie at a multiple of 8");
  if (number<uint32_t>() != tablesMagic)
    damagedTables("do not begin as tables do");
  if (number<uint32_t>() != tablesVersion)
    damagedTables("are of another version");
}

const char *TableReader::take(size_t size, size_t alignment) {
  size_t begin = (at + alignment - 1) / alignment * alignment;
  if (begin > bytes.size() || size > bytes.size() - begin)
    damagedTables("end early");
  at = begin + size;
  return bytes.data() + begin;
}

size_t TableReader::count(size_t size) {
  auto elements = number<uint64_t>();
  if (elements > (bytes.size() - at) / size)
    damagedTables("end early");
  return elements;
}

} // namespace transfold::runtime::inline tokenizer
