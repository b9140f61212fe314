// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares all specs with a checkpoint; each comparison is a full elaboration.

#include "compiler/draft/Nearest.h"

#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>

#include <filesystem>
#include <tuple>

using namespace transfold;
using namespace transfold::draft;

/// The share of tensors that spec and checkpoint have in common, among all of
/// either.
static double overlap(const Candidate &candidate) {
  size_t all = candidate.tensors + candidate.fit.missing.size();
  return all ? static_cast<double>(candidate.agreeing) /
                   static_cast<double>(all)
             : 0;
}

bool Candidate::isStart() const {
  return fit.failures.empty() && overlap(*this) >= 0.9;
}

std::string Candidate::share() const {
  return fmt::format("{} of {} tensors", agreeing, tensors);
}

/// Throws SpecError for an invalid spec.
Candidate draft::candidate(const std::string &model, const std::string &path,
                           const std::string &root,
                           const checkpoint::Checkpoint &checkpoint) {
  Candidate result{model, path, spec::fitOf(path, root, checkpoint)};
  result.agreeing = result.fit.agreeing(checkpoint);
  result.tensors = checkpoint.tensors().size();
  return result;
}

/// Smaller is better. Of specs whose tables fit equally well, the one that
/// leaves fewer keys unread covers more of the model; then names decide, then
/// the smaller file.
static auto rank(const Candidate &candidate, const std::string &type) {
  const spec::Fit &fit = candidate.fit;
  std::error_code error;
  return std::tuple(
      -overlap(candidate), fit.failures.size(),
      fit.unfulfilled.size() + fit.left.keys.size(), candidate.model != type,
      std::filesystem::file_size(candidate.path, error), candidate.model);
}

std::optional<Candidate>
draft::nearest(const SpecFiles &specs, const std::string &root,
               const checkpoint::Checkpoint &checkpoint) {
  std::string type = checkpoint.architecture().name;
  std::optional<Candidate> best;
  for (const auto &[model, path] : specs)
    try {
      Candidate next = candidate(model, path, root, checkpoint);
      if (next.agreeing && (!best || rank(next, type) < rank(*best, type)))
        best = std::move(next);
    } catch (const spec::SpecError &) {
      // A file that is not a valid spec is skipped.
    }
  return best;
}
