// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/TensorNames.h"

std::string transfold::xf::memberName(llvm::StringRef pattern,
                                      llvm::ArrayRef<llvm::StringRef> indices,
                                      llvm::ArrayRef<int64_t> extents,
                                      int64_t member) {
  std::string name = pattern.str();
  for (size_t k = indices.size(); k-- > 0;) {
    std::string from = "{" + indices[k].str() + "}";
    std::string number = std::to_string(member % extents[k]);
    member /= extents[k];
    for (size_t at; (at = name.find(from)) != std::string::npos;)
      name.replace(at, from.size(), number);
  }
  return name;
}
