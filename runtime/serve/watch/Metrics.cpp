// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prometheus' text format 0.0.4. The buckets of a histogram are cumulative
// there, and separate here.

#include "runtime/serve/watch/Metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::runtime::serve {

void MetricsText::begin(std::string_view name, std::string_view kind,
                        std::string_view help) {
  this->name = name;
  lines += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, kind, help);
}

void MetricsText::add(std::string_view labels, double value,
                      std::string_view suffix) {
  lines += fmt::format("{}{}{} {}\n", name, suffix, labels, value);
}

void MetricsText::one(std::string_view name, std::string_view kind,
                      std::string_view help, double value) {
  begin(name, kind, help);
  add("", value);
}

void Histogram::observe(double seconds) {
  auto place = std::ranges::lower_bound(bounds, seconds) - bounds.begin();
  ++counts[static_cast<size_t>(place)];
  sum += seconds;
}

void Histogram::write(MetricsText &text, const std::string &labels) const {
  uint64_t below = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    below += counts[i];
    std::string bound =
        i < bounds.size() ? fmt::format("{}", bounds[i]) : "+Inf";
    text.add(fmt::format("{{{},le=\"{}\"}}", labels, bound),
             static_cast<double>(below), "_bucket");
  }
  text.add("{" + labels + "}", sum, "_sum");
  text.add("{" + labels + "}", static_cast<double>(below), "_count");
}

void RequestMetrics::count(const std::string &route, int status,
                           double seconds) {
  std::lock_guard lock(mutex);
  ++counts[{route, status}];
  durations[route].observe(seconds);
}

void RequestMetrics::write(MetricsText &text) const {
  std::lock_guard lock(mutex);
  text.begin("transfold_requests_total", "counter",
             "Requests that were answered");
  for (const auto &[key, count] : counts)
    text.add(
        fmt::format("{{route=\"{}\",status=\"{}\"}}", key.first, key.second),
        static_cast<double>(count));
  text.begin("transfold_request_seconds", "histogram",
             "From a request's body to the end of its answer");
  for (const auto &[route, histogram] : durations)
    histogram.write(text, fmt::format("route=\"{}\"", route));
}

} // namespace transfold::runtime::serve
