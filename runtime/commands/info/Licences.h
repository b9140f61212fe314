// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The license texts that accompany copies of third-party software.

#pragma once

#include <string>
#include <vector>

namespace transfold::runtime::inline commands {

/// A third-party component of a program.
struct IncludedPart {
  std::string name, version, licence; // an expression of SPDX
  std::string place;                  // its web address
  std::string holders;                // copyright holders, with years
};

/// The authors of the parts, then each license once, then the model's license
/// if it is known.
std::string licenceTexts(const std::vector<IncludedPart> &parts,
                         const std::string &version,
                         const std::string &modelLicence);

} // namespace transfold::runtime::inline commands
