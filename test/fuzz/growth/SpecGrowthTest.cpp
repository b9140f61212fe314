// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same for specs and chat templates.

#include "compiler/chat/CompileTemplate.h"
#include "compiler/spec/Model.h"
#include "compiler/spec/syntax/Parser.h"
#include "test/fuzz/growth/Growth.h"

using namespace transfold;
using namespace transfold::fuzz;

namespace {

TEST(SpecGrowth, Parsed) {
  const Read read = [](const std::string &text) {
    (void)spec::parse(spec::Source::fromText("x.xf", text));
  };
  auto define = [](int i) { return numbered("f{}(x) = 2 * x + 1\n", i); };
  auto weight = [](int i) { return numbered("w{}[d]", i); };
  expectLinearText("definitions", 500, repeated("model m\n\n", define, "", ""),
                   read);
  expectLinearText("weights", 1000,
                   repeated("model m\nweights ", weight, "\n", ", "), read);
  expectLinearText("comments", 2000,
                   repeated("model m\n", always("// x\n"), "", ""), read);
  expectLinearText(
      "values in a text", 1000,
      repeated("model m\nconfig hf { a = \"", always("{b}"), "\" }\n", ""),
      read);
}

TEST(SpecGrowth, Checked) {
  const std::string begin = "model m\nlengths n\n",
                    entry = "entry run(x[n, d]) -> y[n, d] {\n  z = x\n",
                    end = "  return z\n}\nconfig hf { d = .d }\nnames hf { ";
  const Read read = [](const std::string &path) {
    spec::check(path, TRANSFOLD_SPECS, nullptr);
  };
  expectLinearFile(
      "statements", 250,
      repeated(begin + entry, always("  z = z + 1\n"), end + "}\n", ""), read);
  auto weight = [](int i) { return numbered("w{}[d]", i); };
  auto use = [](int i) { return numbered("  z = z + w{}\n", i); };
  auto name = [](int i) { return numbered(R"(w{} = "w")", i); };
  expectLinearFile(
      "weights", 100,
      [&](int parts) {
        return repeated(begin + "weights ", weight, "\n" + entry)(parts) +
               repeated("", use, end, "")(parts) +
               repeated("", name, " }\n")(parts);
      },
      read);
}

TEST(SpecGrowth, Templates) {
  const Read read = [](const std::string &text) {
    (void)chat::compileTemplate(text, "t");
  };
  auto output = [](int i) { return fmt::format("{{{{ a{} }}}}x{}", i, i); };
  expectLinearText("outputs", 1000, repeated("", output, "", ""), read);
  expectLinearText("a sum", 500, repeated("{{ ", always("a"), " }}", " + "),
                   read);
  expectLinearText("a list", 1000, repeated("{{ [", always("1"), "] }}"), read);
  expectLinearText("conditions", 500,
                   repeated("", always("{% if a %}x{% endif %}"), "", ""),
                   read);
}

} // namespace
