// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the operands of a thread's sums, and derives those of the instruction
// by substituting loop variables and the number of the thread.

#include "compiler/kernels/build/tiles/FragmentCalls.h"

#include "compiler/kernels/algorithm/product/PairDotMark.h"
#include "compiler/kernels/build/loads/Statements.h"
#include "compiler/kernels/schedule/gpu/FragmentLoops.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

namespace {
using Lets = std::vector<std::pair<std::string, Expr>>;
using Values = std::map<std::string, Expr>;

/// The words of an instruction, and their numbers of a thread.
constexpr int wordsOfInstruction = 8, wordsOfThread = 2;
/// Fragments of a panel, rows or columns of a thread.
constexpr int lanes = 4, halves = 2;

/// The loops over the sums of a thread, by the last part of their names, and
/// the statements in them.
struct Nest {
  struct Loop {
    std::string name;
    Expr min;
    int extent;
  };
  std::map<std::string, Loop> loops;
  Lets lets;
  std::vector<Stmt> stores;

  int extentOf(const std::string &loop) const {
    auto found = loops.find(loop);
    return found == loops.end() ? 1 : found->second.extent;
  }
  /// Sets the variable of a loop to its iteration `number`.
  void set(Values &values, const std::string &loop, const Expr &number) const {
    if (auto found = loops.find(loop); found != loops.end())
      values[found->second.name] = found->second.min + number;
  }
};

/// A product of words in a statement.
struct Operands : IRVisitor {
  Expr row, column;

  using IRVisitor::visit;
  void visit(const Call *call) override {
    if (call->name == dotOfFragmentsName) {
      row = call->args[0];
      column = call->args[1];
    }
    IRVisitor::visit(call);
  }
};
} // namespace

/// "word" of "sum.s1.word$x".
static std::string lastPartOf(const std::string &name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last.substr(0, last.find('$'));
}

static bool isOfFragments(const std::string &loop) {
  using namespace fragmentLoops;
  const std::string last = lastPartOf(loop);
  for (const char *own : {word, lane, half, panel, side, fragment})
    if (last == own)
      return true;
  return false;
}

template <typename Node> static bool hasProduct(const Node &node) {
  Operands operands;
  node.accept(&operands);
  return operands.row.defined();
}

/// An expression without the names that are bound, the innermost last.
static Expr withoutLets(const Expr &value, const Lets &lets) {
  Expr result = substitute_in_all_lets(value);
  for (size_t k = lets.size(); k-- > 0;)
    if (expr_uses_var(result, lets[k].first))
      result = substitute(lets[k].first, lets[k].second, result);
  return result;
}

/// Collects the stores of the sums in `body`, with the values that are bound
/// around them; returns false if there is anything else.
static bool collectStores(const Stmt &body, Nest &nest) {
  for (const Stmt &each : statementsOf(body)) {
    if (const auto *let = each.as<LetStmt>()) {
      nest.lets.emplace_back(let->name, let->value);
      if (!collectStores(let->body, nest))
        return false;
      continue;
    }
    const auto *store = each.as<Store>();
    if (!store || !hasProduct(withoutLets(store->value, nest.lets)))
      return false;
    nest.stores.push_back(each);
  }
  return true;
}

/// The loops from `statement` inwards; nullopt if these are not loops over the
/// sums of a thread.
static std::optional<Nest> nestOf(Stmt statement) {
  Nest nest;
  while (const auto *loop = statement.as<For>()) {
    auto extent = as_const_int(loop->extent);
    if (loop->for_type != ForType::Serial || !extent ||
        !isOfFragments(loop->name))
      return std::nullopt;
    nest.loops[lastPartOf(loop->name)] = {loop->name, loop->min,
                                          static_cast<int>(*extent)};
    statement = loop->body;
    while (const auto *let = statement.as<LetStmt>()) {
      nest.lets.emplace_back(let->name, let->value);
      statement = let->body;
    }
  }
  return collectStores(statement, nest) ? std::optional(nest) : std::nullopt;
}

namespace {
/// Generates the instructions of a nest.
class Instructions {
public:
  Instructions(const Nest &nest, const std::vector<std::string> &threads,
               Lets outer)
      : nest(nest), lets(std::move(outer)) {
    lets.insert(lets.end(), nest.lets.begin(), nest.lets.end());
    if (threads.size() < 2)
      throw std::runtime_error("sums of fragments are not those of a warp");
    quad = threads.back();
    eighth = threads[threads.size() - 2];
    if (nest.extentOf(fragmentLoops::word) % wordsOfInstruction ||
        nest.extentOf(fragmentLoops::lane) != lanes ||
        nest.extentOf(fragmentLoops::half) != halves)
      throw std::runtime_error("sums of fragments have an unknown form");
  }

  Stmt make() {
    const int times = nest.extentOf(fragmentLoops::word) / wordsOfInstruction;
    std::vector<Stmt> all;
    for (int time = 0; time < times; ++time)
      for (const Stmt &store : nest.stores)
        all.push_back(ofStore(store.as<Store>(), time));
    return Block::make(all);
  }

private:
  static Expr at(const Expr &value, const Values &values) {
    return simplify(substitute(values, value));
  }

  Expr quadOfThread() const { return Variable::make(Int(32), quad); }
  Expr eighthOfThread() const { return Variable::make(Int(32), eighth); }

  /// The first of a thread's adjacent words for instruction `time`.
  Expr firstWord(int time) const {
    return time * wordsOfInstruction + wordsOfThread * quadOfThread();
  }

  /// `count` values of an operand, which differ in loop `along`: a vector if
  /// they are loaded from adjacent places.
  std::vector<Expr> adjacent(const Expr &operand, Values values,
                             const std::string &along, const Expr &first,
                             int count) {
    std::vector<Expr> each;
    for (int k = 0; k < count; ++k) {
      nest.set(values, along, first + k);
      each.push_back(at(operand, values));
    }
    const auto *load = each[0].as<Load>();
    const auto *next = each[1].as<Load>();
    if (!load || !next || !is_const_one(simplify(next->index - load->index))) {
      for (Expr &one : each)
        one = bind(one);
      return each;
    }
    const Expr all = bind(
        Load::make(load->type.with_lanes(count), load->name,
                   Ramp::make(load->index, 1, count), load->image, load->param,
                   const_true(count), modulus_remainder(load->index)));
    for (int k = 0; k < count; ++k)
      each[k] = Shuffle::make_extract_element(all, k);
    return each;
  }

  /// The name of a value that is computed before all instructions.
  Expr bind(const Expr &value) {
    for (const auto &[name, bound] : loaded)
      if (equal(bound, value))
        return Variable::make(value.type(), name);
    loaded.emplace_back(unique_name("fragment"), value);
    return Variable::make(value.type(), loaded.back().first);
  }

  /// x at both sides: words h = 0 and 1 of side 0, then those of side 1; zeros
  /// for a side without rows.
  std::vector<Expr> wordsOfRows(const Expr &row, int fragment, int time) {
    using namespace fragmentLoops;
    std::vector<Expr> all;
    for (int own = 0; own < halves; ++own) {
      if (own >= nest.extentOf(side)) {
        all.insert(all.end(), wordsOfThread, make_zero(UInt(32)));
        continue;
      }
      Values values;
      nest.set(values, fragmentLoops::fragment, fragment);
      nest.set(values, side, own);
      for (const char *column : {panel, half, lane})
        nest.set(values, column, 0);
      const auto words =
          adjacent(row, values, word, firstWord(time), wordsOfThread);
      all.insert(all.end(), words.begin(), words.end());
    }
    return all;
  }

  /// W at the columns 4 eighth + lane: for word h, the four lanes.
  std::vector<std::vector<Expr>> wordsOfColumns(const Expr &column, int number,
                                                int time) {
    using namespace fragmentLoops;
    std::vector<std::vector<Expr>> all;
    for (int own = 0; own < wordsOfThread; ++own) {
      Values values;
      nest.set(values, panel, number);
      for (const char *row : {fragment, side})
        nest.set(values, row, 0);
      nest.set(values, half, eighthOfThread() % halves);
      nest.set(values, word, firstWord(time) + own);
      // All of these are substituted at once, so that the word is the one of
      // this thread, and only the column that of another.
      values[quad] = eighthOfThread() / halves;
      all.push_back(adjacent(column, values, lane, 0, lanes));
    }
    return all;
  }

  /// The places of the four sums of a thread: of its sides and halves.
  std::vector<Expr> placesOf(const Expr &index, int ofPanel, int ofLane,
                             int ofFragment) const {
    using namespace fragmentLoops;
    std::vector<Expr> places;
    for (int ofSide = 0; ofSide < nest.extentOf(side); ++ofSide)
      for (int ofHalf = 0; ofHalf < halves; ++ofHalf) {
        Values values;
        nest.set(values, word, 0);
        nest.set(values, panel, ofPanel);
        nest.set(values, lane, ofLane);
        nest.set(values, half, ofHalf);
        nest.set(values, side, ofSide);
        nest.set(values, fragment, ofFragment);
        places.push_back(at(index, values));
      }
    return places;
  }

  /// One instruction: four calls, whose results are stored.
  static void addInstruction(const Store *store,
                             const std::vector<Expr> &places,
                             const std::vector<Expr> &operands,
                             std::vector<Stmt> &all) {
    std::vector<Expr> arguments;
    for (size_t k = 0; k < size_t{halves} * halves; ++k)
      arguments.push_back(k < places.size()
                              ? Load::make(Float(32), store->name, places[k],
                                           Buffer<>(), Parameter(),
                                           const_true(), ModulusRemainder())
                              : make_zero(Float(32)));
    arguments.insert(arguments.end(), operands.begin(), operands.end());
    for (size_t k = 0; k < places.size(); ++k)
      all.push_back(Store::make(
          store->name,
          k == 0 ? Call::make(Float(32), multiplyFragmentsName, arguments,
                              Call::Extern)
                 : Call::make(Float(32), nextOfFragmentsName,
                              {static_cast<int>(k)}, Call::Extern),
          places[k], Parameter(), const_true(), ModulusRemainder()));
  }

  Stmt ofStore(const Store *store, int time) {
    using namespace fragmentLoops;
    loaded.clear();
    Operands operands;
    withoutLets(store->value, lets).accept(&operands);
    const Expr index = withoutLets(store->index, lets);
    std::vector<Stmt> all;
    for (int ofFragment = 0; ofFragment < nest.extentOf(fragment);
         ++ofFragment) {
      const auto a = wordsOfRows(operands.row, ofFragment, time);
      for (int ofPanel = 0; ofPanel < nest.extentOf(panel); ++ofPanel) {
        const auto b = wordsOfColumns(operands.column, ofPanel, time);
        for (int ofLane = 0; ofLane < lanes; ++ofLane)
          addInstruction(store, placesOf(index, ofPanel, ofLane, ofFragment),
                         {a[0], a[2], a[1], a[3], b[0][ofLane], b[1][ofLane]},
                         all);
      }
    }
    Stmt result = Block::make(all);
    for (size_t k = loaded.size(); k-- > 0;)
      result = LetStmt::make(loaded[k].first, loaded[k].second, result);
    return result;
  }

  const Nest &nest;
  Lets lets;
  std::string quad, eighth;
  /// Values that are computed before the instructions, by name.
  std::vector<std::pair<std::string, Expr>> loaded;
};
} // namespace

Stmt FragmentCalls::visit(const For *loop) {
  if (loop->for_type == ForType::GPUBlock) {
    // Values of the host are parameters of the device's code.
    Lets ofHost = std::exchange(lets, {});
    Stmt result = IRMutator::visit(loop);
    lets = std::move(ofHost);
    return result;
  }
  if (loop->for_type == ForType::GPUThread) {
    threads.push_back(loop->name);
    Stmt result = IRMutator::visit(loop);
    threads.pop_back();
    return result;
  }
  if (!threads.empty() && hasProduct(*loop))
    if (auto nest = nestOf(loop))
      return Instructions(*nest, threads, lets).make();
  return IRMutator::visit(loop);
}

} // namespace transfold::kernels
