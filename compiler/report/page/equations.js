// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The left side: the equations of the spec, then those of its libraries.
'use strict';

/** How many equations contain this one. */
function depthOf(data, number) {
  let depth = 0;
  for (let parent = data.equations[number].parent; parent !== null; parent = data.equations[parent].parent) ++depth;
  return depth;
}

/** Measurements of an equation, if the report has some. */
function notesOf(equation) {
  const notes = make('span', {class: 'notes'});
  const measured = equation.measured;
  if (!measured) return notes;
  if (measured.milliseconds !== undefined) {
    const heat = make('span', {class: 'heat'});
    heat.style.setProperty('--share', `${(100 * measured.share).toFixed(1)}%`);
    notes.append(`${measured.milliseconds.toFixed(3)} ms  ${(100 * measured.share).toFixed(1)} %`, heat);
  }
  if (measured.error !== undefined)
    notes.append(make('span', {}, `  error ${measured.error.toExponential(1)}`));
  return notes;
}

/** Whether an operation comes from an equation, or from its block: sizes such as d_k belong to what is computed. */
function isUsed(data, number) {
  for (let k = number; k !== null; k = data.equations[k].parent)
    if (data.usedBlocks.has(k)) return true;
  return data.equations[number].links > 0;
}

/** The blocks in which something is used. */
function usedBlocks(data) {
  const used = new Set();
  data.equations.forEach(equation => {
    for (let k = equation.links ? equation.parent : null; k !== null; k = data.equations[k].parent) used.add(k);
  });
  return used;
}

/** One equation as a row that can be pointed at. */
function equationRow(data, number) {
  const equation = data.equations[number];
  return make('div', {
    class: isUsed(data, number) ? 'equation' : 'equation unused', role: 'button', tabindex: '-1',
    'data-equation': number, 'data-kind': equation.kind, 'data-depth': Math.min(depthOf(data, number), 2),
    'aria-label': `${data.files[equation.file].name} line ${equation.line}: ${equation.text}`,
  }, make('span', {class: 'number', 'aria-hidden': 'true'}, String(equation.line)), formula(equation), notesOf(equation));
}

/** Fills the left side. */
function showEquations(data, into) {
  data.usedBlocks = usedBlocks(data);
  data.files.forEach((file, k) => {
    const own = data.equations.map((equation, number) => number).filter(number => data.equations[number].file === k);
    if (!own.length) return;
    const isShown = own.some(number => isUsed(data, number));
    into.append(make('h2', {class: isShown ? null : 'unused-file'}, file.name));
    for (const number of own) into.append(equationRow(data, number));
  });
  into.querySelector('.equation:not(.unused)')?.setAttribute('tabindex', '0');
}
