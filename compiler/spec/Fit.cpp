// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/Fit.h"

#include "compiler/spec/Finish.h"
#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/elaborate/SinkAdapters.h"

#include <algorithm>
#include <functional>

using namespace transfold;
using namespace transfold::spec;

size_t Fit::agreeing(const checkpoint::Checkpoint &checkpoint) const {
  return checkpoint.tensors().size() - left.tensors.size() - reshaped.size();
}

/// Elaborates each entry whose condition holds, each in its own `attempt`.
static void
walkEntries(const LoadedSpec &spec, Elaborator &elaborator,
            const std::function<void(std::function<void()>)> &attempt) {
  for (const Entry &entry : spec.main.entries)
    attempt([&] {
      auto isThere =
          entry.condition
              ? elaborator.condition(*entry.condition, elaborator.mainScope())
              : std::optional(true);
      if (isThere && !*isThere)
        return;
      EntryInfo info = elaborator.signature(entry);
      NullSink nobody;
      elaborator.walk(entry, info, nobody);
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
