// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is marked when something is pointed at. Nothing here needs a document.
//
// A link says which equations a thing comes from: `equations`, where it is
// written, `callers`, whose calls inlined these, and `at`, the places of its
// operators. A line of a stage, a kernel, a cache and a value in memory are
// links; an equation is the link to itself.
'use strict';

const links = {
  /** The link of an equation to itself, and to those that it contains: a block, a loop, a `where`. */
  ofEquation(equations, number) {
    const inside = [number];
    for (let k = number + 1; k < equations.length; ++k)
      if (inside.includes(equations[k].parent)) inside.push(k);
    return {equations: inside};
  },

  /** How a thing is marked when `selected` is: 'own', 'caller' or ''. */
  markOf(link, selected) {
    const own = link.equations ?? [], callers = link.callers ?? [];
    const chosen = selected?.equations ?? [];
    if (chosen.some(number => own.includes(number))) return 'own';
    if (chosen.some(number => callers.includes(number))) return 'caller';
    return '';
  },

  /** How an equation is marked: those that called it are marked, too. */
  markOfEquation(number, selected) {
    if (selected?.equations?.includes(number)) return 'own';
    return selected?.callers?.includes(number) ? 'caller' : '';
  },

  /** The places to mark in an equation, as "LINE:COLUMN". */
  placesIn(number, file, selected) {
    if (!selected?.equations?.includes(number)) return [];
    return (selected.at ?? []).filter(place => place[0] === file).map(place => `${place[1]}:${place[2]}`);
  },

  /** The lines of a stage by number, with the links of those that have one. */
  linesOf(stage) {
    const found = new Map();
    for (const link of stage.links)
      if (!found.has(link.line)) found.set(link.line, link);
    return stage.text.replace(/\n+$/, '').split('\n').map((text, k) => ({text, link: found.get(k + 1) ?? null}));
  },

  /** Bytes at these lengths: {"1": 64, "n": 1536, "n*m": 4} at {n: 128, m: 10}. */
  bytesAt(bytes, lengths) {
    let total = 0;
    for (const [product, count] of Object.entries(bytes))
      total += product.split('*').reduce((size, name) => size * (name === '1' ? 1 : lengths[name] ?? lengths[''] ?? 1), count);
    return total;
  },
};
