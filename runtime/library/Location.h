// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_LIBRARY_LOCATION_H
#define TRANSFOLD_RUNTIME_LIBRARY_LOCATION_H

#include "runtime/library/Interfaces.h"

#include <string>

namespace transfold::runtime {

/// Where the weights of a model lie: in `given`, a file, or a folder with
/// NAME.weights in it; where that is null or empty, in the folder of the
/// library or executable that the model is part of. Throws Failure.
std::string weightsPath(const tfold_model &model, const char *given);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_LIBRARY_LOCATION_H
