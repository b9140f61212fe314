// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which numbers are tokens. They come from files, options, tokenizers and the
// program's own metadata, and none is used as an index before it was here.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_TOKENIDS_H
#define TRANSFOLD_RUNTIME_PROGRAM_TOKENIDS_H

#include <cstdint>
#include <span>
#include <string_view>

namespace transfold::runtime {

/// A token of a model that knows 0 to `known` - 1; 0: all that are not
/// negative. `place` says where the number comes from ("--suppress"). Throws
/// Error where it is none.
int32_t tokenOf(int64_t id, int64_t known, std::string_view place = "");
void checkTokens(std::span<const int32_t> ids, int64_t known,
                 std::string_view place = "");

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_TOKENIDS_H
