// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sinks that do not build a program: NullSink discards everything, Recorder
// records what was requested (to compare the rounds of a loop), LoopBodySink
// forwards everything except weights.

#ifndef TRANSFOLD_COMPILER_SPEC_ELABORATE_SINKADAPTERS_H
#define TRANSFOLD_COMPILER_SPEC_ELABORATE_SINKADAPTERS_H

#include "compiler/spec/values/IndexFunction.h"
#include "compiler/spec/values/Sink.h"

#include <string>
#include <vector>

namespace transfold::spec {

/// Describes each operation in a text and passes it to `note`, which makes the
/// handle.
class NotingSink : public Sink {
public:
  Handle argument(const std::string &name, const std::vector<Dim> &shape,
                  bool integer, Place at) override;
  Handle weight(const BoundWeight &weight, Place at) override;
  Handle constant(const ExactScalar &value, Place at) override;
  Handle integers(int64_t value, const std::vector<Dim> &shape,
                  Place at) override;
  Handle tabulate(const IndexFunction &function, const std::vector<Dim> &shape,
                  Place at) override;
  Handle contract(const Operand &a, const Operand &b, const Labels &out,
                  Place at) override;
  Handle binary(Binary kind, const Operand &a, const Operand &b,
                const Labels &out, Place at) override;
  Handle scale(Handle x, const ExactScalar &factor, const std::string &written,
               Place at) override;
  Handle unary(Unary kind, Handle x, Place at) override;
  Handle power(Handle x, const ExactScalar &exponent, Place at) override;
  Handle clamp(Handle x, const ExactScalar *least, const ExactScalar *most,
               Place at) override;
  Handle rowWise(RowWise kind, Handle x, const ExactScalar &epsilon,
                 Place at) override;
  Handle softmax(Handle x, const SoftmaxParts &parts, Place at) override;
  Handle reduce(Reduction kind, Handle x, unsigned axis, Place at) override;
  Handle roundTo(Handle x, const std::string &dtype, Place at) override;
  Handle gather(Handle table, Handle indices, Place at) override;
  Handle slice(Handle x, unsigned axis, int64_t offset, const Dim &size,
               Place at) override;
  Handle select(Handle x, unsigned axis, int64_t index, Place at) override;
  Handle rearrange(Handle x, const std::vector<Labels> &from,
                   const std::vector<Labels> &to,
                   const std::vector<std::pair<std::string, Dim>> &sizes,
                   Place at) override;
  Handle repeat(Handle x, unsigned axis, int64_t times, Place at) override;
  Handle append(Handle a, Handle b, unsigned axis, Place at) override;
  Handle primitive(const std::string &name, const std::vector<Handle> &operands,
                   const std::vector<ExactScalar> &statics,
                   const IndexFunction *angles, const std::vector<Dim> &shape,
                   Place at) override;
  std::vector<Handle>
  loop(const std::string &variable, int64_t count,
       const std::vector<Handle> &carried,
       const std::function<std::vector<Handle>(const std::vector<Handle> &)>
           &body,
       Place at) override;

protected:
  /// `what` contains everything that distinguishes the operation.
  virtual Handle note(const std::string &what) = 0;
};

/// Discards everything; for checks.
class NullSink final : public NotingSink {
protected:
  Handle note(const std::string &) override { return -1; }
};

/// Records one round of a loop.
class Recorder final : public NotingSink {
public:
  Handle weight(const BoundWeight &weight, Place at) override;
  bool sameAs(const Recorder &other) const { return calls == other.calls; }
  std::vector<std::string> calls;
  std::vector<BoundWeight> weights; // in the order of requests

protected:
  Handle note(const std::string &what) override;
};

/// Forwards the body of a loop that stands for several rounds; its weights are
/// those of all rounds, in the order in which each round requests them.
class LoopBodySink final : public Sink {
public:
  LoopBodySink(Sink &inner, std::vector<BoundWeight> weights)
      : inner(inner), weights(std::move(weights)) {}

  Handle weight(const BoundWeight &, Place at) override {
    return inner.weight(weights.at(next++), at);
  }
  Handle argument(const std::string &name, const std::vector<Dim> &shape,
                  bool integer, Place at) override {
    return inner.argument(name, shape, integer, at);
  }
  Handle constant(const ExactScalar &value, Place at) override {
    return inner.constant(value, at);
  }
  Handle integers(int64_t value, const std::vector<Dim> &shape,
                  Place at) override {
    return inner.integers(value, shape, at);
  }
  Handle tabulate(const IndexFunction &function, const std::vector<Dim> &shape,
                  Place at) override {
    return inner.tabulate(function, shape, at);
  }
  Handle contract(const Operand &a, const Operand &b, const Labels &out,
                  Place at) override {
    return inner.contract(a, b, out, at);
  }
  Handle binary(Binary kind, const Operand &a, const Operand &b,
                const Labels &out, Place at) override {
    return inner.binary(kind, a, b, out, at);
  }
  Handle scale(Handle x, const ExactScalar &factor, const std::string &written,
               Place at) override {
    return inner.scale(x, factor, written, at);
  }
  Handle unary(Unary kind, Handle x, Place at) override {
    return inner.unary(kind, x, at);
  }
  Handle power(Handle x, const ExactScalar &exponent, Place at) override {
    return inner.power(x, exponent, at);
  }
  Handle clamp(Handle x, const ExactScalar *least, const ExactScalar *most,
               Place at) override {
    return inner.clamp(x, least, most, at);
  }
  Handle rowWise(RowWise kind, Handle x, const ExactScalar &epsilon,
                 Place at) override {
    return inner.rowWise(kind, x, epsilon, at);
  }
  Handle softmax(Handle x, const SoftmaxParts &parts, Place at) override {
    return inner.softmax(x, parts, at);
  }
  Handle reduce(Reduction kind, Handle x, unsigned axis, Place at) override {
    return inner.reduce(kind, x, axis, at);
  }
  Handle roundTo(Handle x, const std::string &dtype, Place at) override {
    return inner.roundTo(x, dtype, at);
  }
  Handle gather(Handle table, Handle indices, Place at) override {
    return inner.gather(table, indices, at);
  }
  Handle slice(Handle x, unsigned axis, int64_t offset, const Dim &size,
               Place at) override {
    return inner.slice(x, axis, offset, size, at);
  }
  Handle select(Handle x, unsigned axis, int64_t index, Place at) override {
    return inner.select(x, axis, index, at);
  }
  Handle rearrange(Handle x, const std::vector<Labels> &from,
                   const std::vector<Labels> &to,
                   const std::vector<std::pair<std::string, Dim>> &sizes,
                   Place at) override {
    return inner.rearrange(x, from, to, sizes, at);
  }
  Handle repeat(Handle x, unsigned axis, int64_t times, Place at) override {
    return inner.repeat(x, axis, times, at);
  }
  Handle append(Handle a, Handle b, unsigned axis, Place at) override {
    return inner.append(a, b, axis, at);
  }
  Handle primitive(const std::string &name, const std::vector<Handle> &operands,
                   const std::vector<ExactScalar> &statics,
                   const IndexFunction *angles, const std::vector<Dim> &shape,
                   Place at) override {
    return inner.primitive(name, operands, statics, angles, shape, at);
  }
  std::vector<Handle>
  loop(const std::string &variable, int64_t count,
       const std::vector<Handle> &carried,
       const std::function<std::vector<Handle>(const std::vector<Handle> &)>
           &body,
       Place at) override {
    return inner.loop(variable, count, carried, body, at);
  }

private:
  Sink &inner;
  std::vector<BoundWeight> weights;
  size_t next = 0;
};

/// Merges the weights of all rounds; `rounds[r]` are those of round r. A weight
/// with the same storage in every round stays unchanged.
std::vector<BoundWeight>
mergedOverRounds(const std::vector<std::vector<BoundWeight>> &rounds,
                 const std::string &variable, bool areAll);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_ELABORATE_SINKADAPTERS_H
