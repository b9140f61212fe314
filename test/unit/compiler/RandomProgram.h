// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs: residual streams before and after norms, tied tables, shared
// layers, gates, soft-caps, two entries, and constants everywhere; among them
// 0, 1 and −1, very large and very small ones, and, where scalars are allowed,
// scalars computed from the length.

#pragma once

#include <fmt/format.h>

#include <random>
#include <set>
#include <string>

namespace transfold::test {

class RandomProgram {
public:
  /// Without `wild` all norms have gains, no constant is negative and no
  /// softmax saturates: then the laws leave free exactly what is free.
  explicit RandomProgram(unsigned seed, bool wild = true)
      : random(seed), wild(wild), hasSinks(seed % 4 == 1) {}

  std::string text() {
    narrow = chance(0.3);
    preNorm = chance(0.6);
    biased = chance(0.5);
    shared = chance(0.2) && wild;
    activation = pick(
        {"relu", "gelu", "silu", "tanh_gelu", "gated", "square", "bilinear"});
    scoreConstant = chance(0.8) ? constant() : "";
    branchConstant = chance(0.5) ? constant() : "";
    capped = chance(0.3);
    masked = chance(0.3);
    queryNorm = chance(0.3);
    bool two = chance(0.3);
    std::string program = entry("first", chance(0.4));
    if (two)
      program += entry("second", false);
    return weights + program;
  }

private:
  bool chance(double p) {
    return std::uniform_real_distribution<>(0, 1)(random) < p;
  }
  std::string pick(std::vector<std::string> of) {
    return of[random() % of.size()];
  }

  std::string constant() {
    if (wild && chance(0.08))
      return "0";
    if (wild && chance(0.15))
      return pick({"1", "-1", "65536", "1/1048576", "1000003/7"});
    std::string c = wild ? pick({"12", "11/50", "17/2", "1/8", "3", "5/7"})
                         : pick({"9/8", "5/4", "4/5", "5/7"});
    if (chance(0.4))
      c = "sqrt(" + c + ")";
    return (wild && chance(0.3) ? "-" : "") + c;
  }

  std::string line(const std::string &op) {
    std::string name = fmt::format("%v{}", ++values);
    body += fmt::format("  {} = xf.{}\n", name, op);
    return name;
  }

  std::string weight(const std::string &name, const std::string &shape,
                     const std::string &layout, const char *plus = "") {
    bool layered = inLoop && !shared;
    if (declared.insert(name).second)
      weights += fmt::format(
          "xf.stored @{}{} : !xf.real{} from \"{}{}\"{}{} as <({})>\n", name,
          layered ? "[l = 2]" : "", shape, name, layered ? "{l}" : "",
          narrow && layout.find("], [") != std::string::npos ? " in bf16" : "",
          plus, layout);
    return line(
        fmt::format("weight @{}{} : {}", name, layered ? "[%l]" : "", shape));
  }

  std::string vector(const std::string &name, int size, const char *plus = "") {
    return weight(name, fmt::format("<{}>", size), fmt::format("[{}:1]", size),
                  plus);
  }
  std::string matrix(const std::string &name, int rows, int columns) {
    return weight(name, fmt::format("<{}, {}>", rows, columns),
                  fmt::format("[{}:{}], [{}:1]", rows, columns, columns));
  }

  std::string scaled(const std::string &x, const std::string &c,
                     const std::string &type) {
    if (c.empty())
      return x;
    return line(fmt::format("scale {} by <\"{}\"> \"c{}\" : {}", x, c,
                            ++constants, type));
  }
  std::string maybeScaled(const std::string &x, const std::string &type,
                          double p) {
    return chance(p) ? scaled(x, constant(), type) : x;
  }

  /// A nonzero scalar computed from the length.
  std::string number() {
    std::string n = line("length %tokens axis 0 : !xf.integer<n>");
    std::string made =
        pick({"", "%0[] - 1 / 2", "2 * %0[] + 3", "√(%0[]) / 2",
              "(%0[] + 5) mod 7 + 1", "%0[] div 3 + 1", "2 if %0[] < 3 else 5",
              "-%0[]", "1 / (%0[] * %0[])"});
    if (made.empty())
      return n;
    return line(fmt::format(
        "tabulate \"[] = {}\"({}) : (!xf.real<>) -> !xf.real<>", made, n));
  }
  std::string withNumber(const std::string &x, const std::string &labels,
                         const std::string &type, double p) {
    if (!wild || !chance(p))
      return x;
    std::string op = pick({"multiply", "divide", "add", "subtract"});
    std::string n = number();
    // Scores must be the first operand of operations between the products of an
    // attention.
    if (op != "divide" && labels == "n, c" && chance(0.3))
      return line(fmt::format("{} {}[], {}[{}] -> [{}] : <>, {}", op, n, x,
                              labels, labels, type));
    return line(fmt::format("{} {}[{}], {}[] -> [{}] : {}, <>", op, x, labels,
                            n, labels, type));
  }

  static std::string rows(int size) { return fmt::format("<n, {}>", size); }

  std::string add(const std::string &x, const std::string &y,
                  const std::string &type) {
    return line(fmt::format("add {}[n, c], {}[n, c] -> [n, c] : {}, {}", x, y,
                            type, type));
  }

  std::string linear(const std::string &x, const std::string &name, int from,
                     int to, bool bias) {
    std::string y =
        line(fmt::format("contract {}[n, k], {}[k, c] -> [n, c] : {}, <{}, {}>",
                         x, matrix(name, from, to), rows(from), from, to));
    if (!bias)
      return y;
    return line(fmt::format("add {}[n, c], {}[c] -> [n, c] : {}, <{}>", y,
                            vector(name + "b", to), rows(to), to));
  }

  std::string norm(const std::string &x, const std::string &name,
                   const std::string &type, int size) {
    bool centred = chance(0.5);
    std::string y = line(fmt::format("{} {} epsilon <\"{}\"> : {}",
                                     centred ? "standardize" : "unit_rms", x,
                                     pick({"3/10", "1/20", "1"}), type));
    std::string labels = type == rows(size) ? "n, c" : "i, n, c";
    if (!wild || chance(0.8))
      y = line(fmt::format("multiply {}[{}], {}[c] -> [{}] : {}, <{}>", y,
                           labels, vector(name + "g", size, " plus <\"1\">"),
                           labels, type, size));
    if (centred)
      y = line(fmt::format("add {}[{}], {}[c] -> [{}] : {}, <{}>", y, labels,
                           vector(name + "o", size), labels, type, size));
    return y;
  }

  std::string heads(const std::string &x, const std::string &name) {
    std::string W = weight(name, "<2, 6, 3>", "[2:18], [6:1], [3:6]");
    std::string y = line(fmt::format(
        "contract {}[n, k], {}[i, k, c] -> [i, n, c] : <n, 6>, <2, 6, 3>", x,
        W));
    if (!biased)
      return y;
    std::string b = weight(name + "b", "<2, 3>", "[2:3], [3:1]");
    return line(fmt::format(
        "add {}[i, n, c], {}[i, c] -> [i, n, c] : <2, n, 3>, <2, 3>", y, b));
  }

  std::string attention(const std::string &x, const std::string &name) {
    std::string q = heads(x, name + "q"), k = heads(x, name + "k"),
                v = heads(x, name + "v");
    if (queryNorm) {
      q = norm(q, name + "qn", "<2, n, 3>", 3);
      k = norm(k, name + "kn", "<2, n, 3>", 3);
    }
    std::string s = line(fmt::format("contract {}[i, n, c], {}[i, m, c] -> [i, "
                                     "n, m] : <2, n, 3>, <2, n, 3>",
                                     q, k));
    s = scaled(s, scoreConstant, "<2, n, n>");
    s = withNumber(s, "i, n, m", "<2, n, n>", 0.15);
    if (capped)
      s = scaled(line(fmt::format("tanh {} : <2, n, n>",
                                  scaled(s, "1/5", "<2, n, n>"))),
                 "5", "<2, n, n>");
    std::string sink;
    if (hasSinks)
      sink = fmt::format(" sink {} : <2>", vector(name + "s", 2));
    std::string p = line(fmt::format("softmax {}{}{} : <2, n, n>", s,
                                     masked ? " where [j <= i]" : "", sink));
    std::string h = line(fmt::format("contract {}[i, n, m], {}[i, m, c] -> [i, "
                                     "n, c] : <2, n, n>, <2, n, 3>",
                                     p, v));
    h = line(fmt::format(
        "rearrange {}[i, n, c] -> [n, (i c)] : <2, n, 3> -> <n, 6>", h));
    return linear(h, name + "w", 6, 6, biased);
  }

  std::string silu(const std::string &x, const std::string &type) {
    std::string s = line(fmt::format("sigmoid {} : {}", x, type));
    return line(fmt::format("multiply {}[n, c], {}[n, c] -> [n, c] : {}, {}", x,
                            s, type, type));
  }

  /// x (1 + tanh(0.8 (x + 0.0447 x³))) / 2
  std::string tanhGelu(const std::string &x, const std::string &type) {
    std::string cube = line(fmt::format("power {} to <\"3\"> : {}", x, type));
    std::string sum = add(x, scaled(cube, "447/10000", type), type);
    std::string t =
        line(fmt::format("tanh {} : {}", scaled(sum, "4/5", type), type));
    std::string one = line("constant <\"1\"> : <>");
    std::string u = line(
        fmt::format("add {}[n, c], {}[] -> [n, c] : {}, <>", t, one, type));
    std::string half = scaled(x, "1/2", type);
    return line(fmt::format("multiply {}[n, c], {}[n, c] -> [n, c] : {}, {}",
                            half, u, type, type));
  }

  std::string feedForward(const std::string &x, const std::string &name) {
    std::string type = rows(8), u = linear(x, name + "u", 6, 8, biased);
    auto product = [&](const std::string &a, const std::string &b) {
      return line(fmt::format("multiply {}[n, c], {}[n, c] -> [n, c] : {}, {}",
                              a, b, type, type));
    };
    if (activation == "relu" || activation == "gelu")
      u = line(fmt::format("{} {} : {}", activation, u, type));
    else if (activation == "silu")
      u = silu(u, type);
    else if (activation == "tanh_gelu")
      u = tanhGelu(u, type);
    else if (activation == "gated")
      u = product(silu(u, type), linear(x, name + "v", 6, 8, biased));
    else if (activation == "square")
      u = line(fmt::format("power {} to <\"2\"> : {}",
                           line(fmt::format("relu {} : {}", u, type)), type));
    else
      u = product(line(fmt::format("tanh {} : {}", u, type)),
                  linear(x, name + "v", 6, 8, biased));
    return linear(u, name + "d", 8, 6, biased);
  }

  std::string layer(std::string x) {
    for (bool isAttention : {true, false}) {
      std::string name = isAttention ? "a" : "f";
      std::string y = preNorm ? norm(x, name + "n", rows(6), 6) : x;
      y = isAttention ? attention(y, name) : feedForward(y, name);
      y = maybeScaled(scaled(y, branchConstant, rows(6)), rows(6), 0.1);
      y = withNumber(y, "n, c", rows(6), 0.15);
      x = add(x, y, rows(6));
      if (!preNorm)
        x = norm(x, name + "n", rows(6), 6);
    }
    return x;
  }

  std::string entry(const std::string &name, bool hidden) {
    body.clear();
    std::string E = matrix("E", 7, 6);
    std::string x = line(fmt::format("gather {}[%tokens] : <7, 6>, <n>", E));
    x = maybeScaled(x, rows(6), 0.8);
    if (chance(0.5)) {
      std::string P = matrix("P", 9, 6);
      x = add(x,
              line(fmt::format("slice {} axis 0 from 1 : <9, 6> -> <n, 6>", P)),
              rows(6));
    }
    if (chance(0.3))
      x = add(x,
              line("tabulate \"[t, c] = sin(t + c)\"() : () -> "
                   "!xf.real<n, 6>"),
              rows(6));
    if (wild && chance(0.3)) {
      // Reads by index, forwards and backwards, and by remainders.
      std::string n = line("length %tokens axis 0 : !xf.integer<n>");
      std::string table = pick(
          {"%1[(t + 5) mod 7, c]", "%1[clamp(%0[] - 1 - t, 0, 6), c] / %0[]",
           "(t * c) div 3 + (1 if t == %0[] - 1 else 0)",
           "%1[(t * %0[]) mod 7, (c + t) mod 6] if t < %0[] div 2 else -1"});
      x = add(
          x,
          line(fmt::format("tabulate \"[t, c] = {}\"({}, {}) : (!xf.real<>, "
                           "!xf.real<7, 6>) -> !xf.real<n, 6>",
                           table, n, E)),
          rows(6));
    }
    x = withNumber(x, "n, c", rows(6), 0.2);
    if (chance(0.3)) {
      std::string cosines = line("tabulate \"[t, c] = cos(t * c)\"() : () -> "
                                 "!xf.real<n, 3>"),
                  sines = line("tabulate \"[t, c] = sin(t * c)\"() : () -> "
                               "!xf.real<n, 3>");
      x = line(fmt::format("rotate {} by {}, {} : <n, 6>, <n, 3>", x, cosines,
                           sines));
    }
    std::string before = std::move(body);
    body.clear();
    inLoop = true;
    std::string next = layer("%x");
    inLoop = false;
    std::string loop = std::move(body);
    body.clear();
    std::string after = fmt::format("%y{}", ++values);
    body = before + fmt::format("  {} = xf.layers %l < 2 (%x = {}) : "
                                "!xf.real<n, 6> {{\n{}    xf.yield {} : "
                                "!xf.real<n, 6>\n  }}\n",
                                after, x, loop, next);
    x = after;
    if (preNorm)
      x = norm(x, "final", rows(6), 6);
    std::string y = maybeScaled(x, rows(6), 0.3);
    bool tied = chance(0.5);
    y = line(
        fmt::format("contract {}[n, k], {}[c, k] -> [n, c] : <n, 6>, <7, 6>", y,
                    matrix(tied ? "E" : "U", 7, 6)));
    y = maybeScaled(y, rows(7), 0.5);
    y = withNumber(y, "n, c", rows(7), 0.15);
    if (chance(0.3))
      y = maybeScaled(line(fmt::format("tanh {} : {}",
                                       maybeScaled(y, rows(7), 0.7), rows(7))),
                      rows(7), 0.7);
    std::string results = "!xf.real<n, 7>", values = y;
    if (hidden) {
      results += ", !xf.real<n, 6>";
      values += ", " + x;
    }
    return fmt::format("xf.entry @{}(%tokens: !xf.integer<n>) -> ({}) {{\n{}  "
                       "xf.return {} : {}\n}}\n",
                       name, results, body, values, results);
  }

  std::mt19937 random;
  bool wild, hasSinks;
  bool narrow = false, preNorm = false, biased = false, shared = false,
       capped = false, masked = false, queryNorm = false, inLoop = false;
  std::string activation, scoreConstant, branchConstant;
  std::set<std::string> declared;
  std::string weights, body;
  int values = 0, constants = 0;
};

} // namespace transfold::test
