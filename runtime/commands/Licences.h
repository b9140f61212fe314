// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts that go with copies of what others wrote.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_LICENCES_H
#define TRANSFOLD_RUNTIME_COMMANDS_LICENCES_H

#include <string>
#include <vector>

namespace transfold::runtime {

/// Something of others that is inside a program.
struct IncludedPart {
  std::string name, version, licence; // an expression of SPDX
  std::string place;                  // an address
  std::string holders;                // of the copyright, with years
};

/// Who wrote the parts, then each licence once, then the model's, where it is
/// known.
std::string licenceTexts(const std::vector<IncludedPart> &parts,
                         const std::string &version,
                         const std::string &modelLicence);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_LICENCES_H
