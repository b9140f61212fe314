// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for Prometheus, in its text format.

#ifndef TRANSFOLD_RUNTIME_SERVE_METRICS_H
#define TRANSFOLD_RUNTIME_SERVE_METRICS_H

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace transfold::runtime::serve {

/// Lines of /metrics.
class MetricsText {
public:
  /// A name, what it means and its kind: counter, gauge or histogram.
  void begin(std::string_view name, std::string_view kind,
             std::string_view help);
  /// A value of the last name; `labels` such as {a="b"}, or empty.
  void add(std::string_view labels, double value, std::string_view suffix = "");
  /// Both for a name without labels.
  void one(std::string_view name, std::string_view kind, std::string_view help,
           double value);
  const std::string &text() const { return lines; }

private:
  std::string lines, name;
};

/// How many values lie below some bounds.
class Histogram {
public:
  void observe(double seconds);
  /// `labels` such as a="b", without braces.
  void write(MetricsText &text, const std::string &labels) const;

private:
  static constexpr std::array bounds = {0.001, 0.0025, 0.005, 0.01, 0.025,
                                        0.05,  0.1,    0.25,  0.5,  1.0,
                                        2.5,   5.0,    10.0,  30.0, 60.0};
  std::array<uint64_t, bounds.size() + 1> counts = {};
  double sum = 0;
};

/// Of requests, by their route. For any thread.
class RequestMetrics {
public:
  void count(const std::string &route, int status, double seconds);
  void write(MetricsText &text) const;

private:
  mutable std::mutex mutex;
  std::map<std::pair<std::string, int>, uint64_t> counts;
  std::map<std::string, Histogram> durations;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_METRICS_H
