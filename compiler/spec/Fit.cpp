// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a spec with a checkpoint of another model. The elaborator runs as
// usual; mismatches are recorded in the Fit, and each entry is elaborated even
// if an earlier one failed.

#include "compiler/spec/Fit.h"

#include "compiler/spec/Finish.h"
#include "compiler/spec/PresentEntry.h"
#include "compiler/spec/elaborate/Elaborator.h"

#include <algorithm>
#include <functional>
#include <set>

using namespace transfold;
using namespace transfold::spec;

/// A tensor may be both unused and reshaped: if the tables cannot be evaluated,
/// all tensors count as unused.
size_t Fit::agreeing(const checkpoint::Checkpoint &checkpoint) const {
  std::set<std::string> others(left.tensors.begin(), left.tensors.end());
  for (const auto &[name, shape] : reshaped)
    others.insert(name);
  return checkpoint.tensors().size() - others.size();
}

/// Elaborates each entry whose condition holds, each in its own `attempt`.
static void
walkEntries(const LoadedSpec &spec, Elaborator &elaborator,
            const std::function<void(std::function<void()>)> &attempt) {
  for (const Entry &entry : spec.main.entries)
    attempt([&] {
      if (auto info = signatureIfPresent(elaborator, entry))
        elaborator.walk(entry, *info);
    });
}

/// Marks the keys of all task options as read, also those of values that
/// checkTaskOption would reject.
static void mentionTasks(const LoadedSpec &spec, Elaborator &elaborator) {
  for (const Task &task : spec.main.tasks) {
    if (TaskInfo{task.kind, task.entries, {}}.makesTokens())
      elaborator.container().wantGeneration();
    for (const Definition &option : task.options)
      elaborator.container().mentionAll(option);
  }
}

Fit spec::fitOf(const std::string &specPath, const std::string &root,
                const checkpoint::Checkpoint &checkpoint) {
  LoadedSpec spec = loadSpec(specPath, root);
  Elaborator elaborator(spec, &checkpoint);
  Fit fit;
  elaborator.tolerate(fit);
  // The checkpoint's files may be malformed, too: any exception is noted.
  auto attempt = [&](const std::function<void()> &step) {
    try {
      step();
    } catch (const std::exception &error) {
      std::string message = error.what();
      if (std::ranges::count(fit.failures, message) == 0)
        fit.failures.push_back(std::move(message));
    }
  };
  attempt([&] { elaborator.checkConfiguration(); });
  walkEntries(spec, elaborator, attempt);
  attempt([&] { mentionTasks(spec, elaborator); });
  // Replaced below if the tables can be evaluated.
  for (const auto &[name, tensor] : checkpoint.tensors())
    fit.left.tensors.push_back(name);
  attempt([&] { fit.left = leftOver(checkpoint, elaborator); });
  return fit;
}
