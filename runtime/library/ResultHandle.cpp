// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives callers views of arrays and of the text: pointers into this object,
// which are valid until it is freed.

#include "runtime/library/ResultHandle.h"

namespace transfold::runtime::inline library {

bool ResultHandle::array(size_t index, tfold_array *array) const {
  if (index >= arrays.size())
    return false;
  const Array &found = arrays[index];
  *array = {
      found.name.c_str(), static_cast<tfold_type>(found.numbers.index()),
      static_cast<int32_t>(found.shape.size()), found.shape.data(),
      std::visit([](const auto &all) -> const void * { return all.data(); },
                 found.numbers)};
  return true;
}

bool ResultHandle::find(const char *name, tfold_array *array) const {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].name == name)
      return this->array(i, array);
  return false;
}

const char *ResultHandle::text(size_t *size) const {
  if (!said)
    return nullptr;
  if (size)
    *size = said->size();
  return said->c_str();
}

} // namespace transfold::runtime::inline library
