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

/// Keys of tasks are read also where their values would be refused.
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
  // Also files of the checkpoint may be what nothing can read.
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
  for (const auto &[name, tensor] : checkpoint.tensors())
    fit.left.tensors.push_back(name); // unless it is known better
  attempt([&] { fit.left = leftOver(checkpoint, elaborator); });
  return fit;
}
