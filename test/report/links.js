// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// links.js PAGE REPORT: runs the page's linking functions on a report.
'use strict';

const assert = require('assert');
const fs = require('fs');
const vm = require('vm');

const [, , page, file] = process.argv;
const report = JSON.parse(fs.readFileSync(file, 'utf8'));
const scope = vm.createContext({});
vm.runInContext(fs.readFileSync(`${page}/links.js`, 'utf8') + '\nthis.links = links;', scope);
const {links} = scope;
// Objects of the other context have other prototypes.
const plain = value => JSON.parse(JSON.stringify(value));

// A block contains its statements, and a definition its `where`.
const flat = [null, null, null, null].map(parent => ({parent}));
const nested = [null, 0, 1, null].map(parent => ({parent}));
assert.deepEqual(plain(links.ofEquation(nested, 0)), {equations: [0, 1, 2]});
assert.deepEqual(plain(links.ofEquation(nested, 3)), {equations: [3]});

// An operation that calls inlined: its own equation, and the callers.
const line = {equations: [3], callers: [1, 0], at: [[0, 7, 12]]};
assert.equal(links.markOf(line, links.ofEquation(flat, 3)), 'own');
assert.equal(links.markOf(line, links.ofEquation(flat, 1)), 'caller');
assert.equal(links.markOf(line, links.ofEquation(flat, 2)), '');
assert.equal(links.markOf(line, null), '');
assert.equal(links.markOfEquation(3, line), 'own');
assert.equal(links.markOfEquation(0, line), 'caller');
assert.equal(links.markOfEquation(2, line), '');
assert.deepEqual(plain(links.placesIn(3, 0, line)), ['7:12']);
assert.deepEqual(plain(links.placesIn(3, 1, line)), []);
assert.deepEqual(plain(links.placesIn(1, 0, line)), []);
assert.equal(links.bytesAt({1: 64, n: 8, 'n*m': 2}, {n: 10, m: 3}), 64 + 80 + 60);

// In the report: the attention has an own line in each stage, and each of them leads back to it.
const attention = report.equations.findIndex(equation => equation.text.startsWith('head[i] = softmax'));
assert(attention >= 0);
for (const stage of report.stages) {
  const own = links.linesOf(stage).filter(({link}) => link && links.markOf(link, links.ofEquation(report.equations, attention)) === 'own');
  assert(own.some(({text}) => text.includes('xf.softmax') || text.includes('xf.launch')), stage.name);
  for (const {link} of own) assert.equal(links.markOfEquation(attention, link), 'own');
}
const kernel = report.kernels.find(each => each.anchor === 'attention');
assert.equal(links.markOf(kernel, links.ofEquation(report.equations, attention)), 'own');
console.log('links: as expected');
