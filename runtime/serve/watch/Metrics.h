// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics in the text format of Prometheus.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace transfold::runtime::serve {

/// Builds the lines of /metrics.
class MetricsText {
public:
  /// Begins a metric: its name, its kind (counter, gauge or histogram) and its
  /// help text.
  void begin(std::string_view name, std::string_view kind,
             std::string_view help);
  /// Adds a value of the last metric; `labels` such as {a="b"}, or empty.
  void add(std::string_view labels, double value, std::string_view suffix = "");
  /// A metric with a single value and no labels.
  void one(std::string_view name, std::string_view kind, std::string_view help,
           double value);
  const std::string &text() const { return lines; }

private:
  std::string lines, name;
};

/// A histogram with fixed bounds, in seconds.
class Histogram {
public:
  /// Counts a duration.
  void observe(double seconds);
  /// Appends the histogram; `labels` such as a="b", without braces.
  void write(MetricsText &text, const std::string &labels) const;

private:
  static constexpr std::array bounds = {0.001, 0.0025, 0.005, 0.01, 0.025,
                                        0.05,  0.1,    0.25,  0.5,  1.0,
                                        2.5,   5.0,    10.0,  30.0, 60.0};
  std::array<uint64_t, bounds.size() + 1> counts = {};
  double sum = 0;
};

/// Counters and durations of requests, by route. May be used by any thread.
class RequestMetrics {
public:
  /// Counts an answered request; `seconds` is its duration.
  void count(const std::string &route, int status, double seconds);
  void write(MetricsText &text) const;

private:
  mutable std::mutex mutex;
  std::map<std::pair<std::string, int>, uint64_t> counts;
  std::map<std::string, Histogram> durations;
};

} // namespace transfold::runtime::serve
