// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/ReportData.h"

#include "compiler/spec/syntax/Ast.h"

using namespace transfold;
using namespace transfold::report;
using nlohmann::ordered_json;

ordered_json report::filesOf(const SpecEquations &equations) {
  ordered_json all = ordered_json::array();
  for (const auto &[name, file] : equations.files())
    all.push_back({{"name", name}, {"text", file->source->text}});
  return all;
}

/// Adds the links of all stages to `counts`, by equation.
static void countLinks(const ordered_json &data,
                       std::vector<unsigned> &counts) {
  for (const ordered_json &stage : data.at("stages"))
    for (const ordered_json &link : stage.at("links"))
      for (const char *kind : {"equations", "callers"})
        if (auto numbers = link.find(kind); numbers != link.end())
          for (const ordered_json &number : *numbers)
            ++counts[number.get<unsigned>()];
}

ordered_json report::equationsOf(const SpecEquations &equations,
                                 const ordered_json &data) {
  std::vector<unsigned> links(equations.all().size(), 0);
  countLinks(data, links);
  ordered_json all = ordered_json::array();
  for (const SpecEquation &equation : equations.all()) {
    ordered_json added = {{"file", equation.file},
                          {"line", equation.range.begin.line},
                          {"column", equation.range.begin.column},
                          {"end_line", equation.range.end.line},
                          {"end_column", equation.range.end.column},
                          {"kind", nameOf(equation.kind).str()},
                          {"parent", nullptr},
                          {"text", equation.text},
                          {"links", links[all.size()]}};
    if (equation.parent)
      added["parent"] = *equation.parent;
    if (!equation.mathml.empty())
      added["mathml"] = equation.mathml;
    all.push_back(std::move(added));
  }
  return all;
}
