// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right side: texts of stages, kernels, caches.
'use strict';

/** An attribute that finds the link of an element again. */
function linked(page, link) {
  page.links.push(link);
  return String(page.links.length - 1);
}

/** The text of a stage, a row for each line. */
function stagePanel(page, stage, about) {
  const lines = make('div', {class: 'lines'});
  for (const {text, link} of links.linesOf(stage))
    lines.append(make('div', {class: 'line', 'data-link': link ? linked(page, link) : null}, text || ' '));
  return [make('p', {class: 'about'}, about), lines];
}

/** The chosen kernel: its schedule, loops and assembly. */
function kernelParts(kernel) {
  const parts = [];
  const schedule = Object.entries(kernel.schedule);
  if (schedule.length) {
    const table = make('table', {}, make('caption', {class: 'unseen'}, 'Schedule'));
    for (const [name, value] of schedule)
      table.append(make('tr', {}, make('th', {scope: 'row'}, name), make('td', {}, String(value))));
    parts.push(make('h3', {}, 'Schedule'), table);
  }
  for (const [title, text] of [['Loops', kernel.loops], ['Assembly', kernel.assembly]])
    if (text) parts.push(make('h3', {}, title), make('pre', {tabindex: '0', role: 'region', 'aria-label': `${title} of ${kernel.name}`}, text));
  return parts;
}

/** What was measured of a kernel. */
function timeOf(kernel) {
  const measured = kernel.measured;
  if (!measured) return '';
  const limit = measured.limit ? `, ${(100 * measured.of_limit).toFixed(0)} % of ${measured.limit}` : '';
  return `, ${measured.milliseconds.toFixed(3)} ms (${(100 * measured.share).toFixed(1)} %)${limit}`;
}

/** All kernels, of which one is shown. */
function machinePanel(page, data) {
  const shown = make('div');
  const list = make('select', {'aria-label': 'Kernels', size: Math.min(24, Math.max(2, data.kernels.length))});
  const show = number => {
    const kernel = data.kernels[number];
    list.selectedIndex = number;
    shown.replaceChildren(make('p', {class: 'item', 'data-link': linked(page, kernel)},
      `@${kernel.name}  ${kernel.anchor}, ${kernel.launches} launches, ${kernel.target}${timeOf(kernel)}`), ...kernelParts(kernel));
  };
  data.kernels.forEach(kernel => list.append(make('option', {}, kernel.name)));
  list.addEventListener('change', () => {
    show(list.selectedIndex);
    page.select(data.kernels[list.selectedIndex], true);
  });
  if (data.kernels.length) show(0);
  page.showKernelOf = selected => {
    const number = data.kernels.findIndex(kernel => links.markOf(kernel, selected) === 'own');
    if (number >= 0 && number !== list.selectedIndex) show(number);
  };
  return [make('p', {class: 'about'}, 'What each kernel became: the schedule, the loops that Halide makes of it, and ' +
    'the machine code. Every line of a kernel belongs to all of its equations.'),
  make('div', {class: 'machine'}, list, shown)];
}

/** The caches and states that were derived. */
function cachesPanel(page, data) {
  if (!data.caches.length)
    return [make('p', {class: 'about'}, 'This model has no caches: no entry generates tokens.')];
  const table = make('table', {}, make('tr', {}, ...['Cache', 'Type', 'Kind', 'Bytes', 'Window']
    .map(title => make('th', {scope: 'col'}, title))));
  for (const cache of data.caches)
    table.append(make('tr', {class: 'item', 'data-link': linked(page, cache)}, make('td', {}, make('code', {}, `@${cache.name}`)),
      make('td', {}, make('code', {}, cache.type)),
      make('td', {}, cache.state ? 'state' : cache.for_each_position ? 'row for each token' : 'once for a request'),
      make('td', {class: 'count'}, `${bytesText(cache.bytes)}${cache.for_each_position ? ' a token' : ''}`),
      make('td', {}, cache.window === null ? 'all positions' : `last ${cache.window}`)));
  return [make('p', {class: 'about'}, 'What a sequence keeps from step to step, derived from the equations. Bytes are of ' +
    'all layers.'), table];
}
