// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether a spec claims a checkpoint: first by the syntax tree of its
// own file, which is cheap, and only then by evaluating the condition.

#include "compiler/spec/Claim.h"

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/names/Load.h"
#include "compiler/spec/syntax/Parser.h"

#include <algorithm>

using namespace transfold;
using namespace transfold::spec;

/// The `config` table that names this architecture; null if there is none.
static const Config *claimOf(const File &file,
                             const checkpoint::Checkpoint &checkpoint) {
  std::string name = checkpoint.architecture().name;
  auto found = std::ranges::find_if(file.configs, [&](const Config &config) {
    return config.container == checkpoint.container() &&
           std::ranges::count(config.architectures, name) != 0;
  });
  return found == file.configs.end() ? nullptr : &*found;
}

bool spec::claims(const std::string &specPath, const std::string &root,
                  const checkpoint::Checkpoint &checkpoint) {
  // Most specs name no architecture: they are rejected without loading
  // libraries.
  if (!claimOf(parse(Source::load(specPath)), checkpoint))
    return false;
  LoadedSpec spec = loadSpec(specPath, root);
  const Config *claim = claimOf(spec.main, checkpoint);
  if (!claim->condition)
    return true;
  Elaborator elaborator(spec, &checkpoint);
  auto holds = elaborator.condition(*claim->condition, elaborator.mainScope());
  return holds && *holds;
}
