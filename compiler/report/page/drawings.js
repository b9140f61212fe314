// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drawings: where constants went, and memory over time.
'use strict';

/** Shortened to `most` characters. */
function short(text, most) {
  const letters = [...text];
  return letters.length > most ? letters.slice(0, most - 1).join('') + '…' : text;
}

/** Constants on the left, the places that absorbed them on the right. */
function ledgerPanel(page, data) {
  if (!data.ledger.length) return [make('p', {class: 'about'}, 'The equations have no constants, biases or gains to move.')];
  const places = [...new Set(data.ledger.flatMap(line => line.kept ? ['stays'] : line.places.length
    ? line.places.map(place => place.place) : ['eliminated']))];
  const step = 30, rows = Math.max(data.ledger.length, places.length), width = 880, height = rows * step + 20;
  const left = k => 20 + (k + .5) * (rows * step / data.ledger.length), right = k => 20 + (k + .5) * (rows * step / places.length);
  const picture = draw('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
    'aria-label': 'Where each constant, bias and gain went; the table below has the same content'});
  const node = (x, y, text, link, wide) => {
    const box = draw('rect', {class: 'node', x, y: y - 11, width: wide, height: 22, rx: 5});
    if (link !== null) box.setAttribute('data-link', link);
    const label = draw('text', {x: x + 9, y: y + 4}, short(text, Math.floor(wide / 7.2)));
    label.append(draw('title', {}, text));
    picture.append(box, label);
  };
  const edge = (from, to, text, stays) => {
    const a = left(from), b = right(to);
    picture.append(draw('path', {class: stays ? 'edge stays' : 'edge', d: `M 320 ${a} C 430 ${a}, 450 ${b}, 560 ${b}`}));
    if (text) picture.append(draw('text', {class: 'quiet', x: 326, y: a - 3}, text));
  };
  data.ledger.forEach((line, k) => {
    if (line.kept) edge(k, places.indexOf('stays'), '', true);
    else if (!line.places.length) edge(k, places.indexOf('eliminated'), '', false);
    for (const place of line.kept ? [] : line.places)
      edge(k, places.indexOf(place.place), place.exponent === '1' ? '' : `^(${place.exponent})`, false);
  });
  data.ledger.forEach((line, k) => node(20, left(k), line.value && line.value !== line.written
    ? `${line.written} = ${line.value}` : line.written, linked(page, line), 300));
  places.forEach((place, k) => node(560, right(k), place, null, 300));
  const table = make('table', {}, make('tr', {}, ...['Constant', 'Where it went'].map(title => make('th', {scope: 'col'}, title))));
  for (const line of data.ledger)
    table.append(make('tr', {class: 'item', 'data-link': linked(page, line)},
      make('td', {}, `${line.kind} ${line.written}${line.value ? ` = ${line.value}` : ''}`),
      make('td', {}, line.kept ? `stays: ${line.kept}` : line.places.map(place => `${place.place} ^${place.exponent}` +
        `${place.layers ? `, layer ${place.layers}` : ''}, ${place.rounding}`).join('; ') || 'eliminated')));
  return [make('p', {class: 'about'}, 'Every constant, bias and gain of the equations, and the weights or numbers that ' +
    'absorbed it. Dashed lines lead to what stays.'), picture, table];
}

/** A color for an equation, the same everywhere. */
function colorOf(link) {
  const number = link.equations?.[0] ?? 0;
  return `hsl(${number * 47 % 360} 45% ${50 + number % 3 * 8}%)`;
}

/** The arena of one entry: time from left to right, slots above each other, each as high as its bytes. */
function arena(page, data, entry, lengths) {
  const width = 880, sizes = entry.slots.map(slot => links.bytesAt(slot.bytes, lengths));
  const total = sizes.reduce((sum, size) => sum + size, 0) || 1, height = 360;
  const steps = Math.max(1, ...entry.values.map(value => value.to + 1), entry.steps.length);
  const picture = draw('svg', {viewBox: `0 0 ${width} ${height + 24}`, width, height: height + 24, role: 'img',
    'aria-label': `Memory of entry ${entry.entry}: ${bytesText(total)} in ${sizes.length} slots`});
  const tops = [];
  sizes.reduce((top, size, k) => (tops[k] = top) + Math.max(3, size / total * height), 0);
  for (const value of entry.values) {
    const size = links.bytesAt(value.bytes, lengths);
    const box = draw('rect', {class: 'value', 'data-link': linked(page, value), x: value.from / steps * width, y: tops[value.slot],
      width: (value.to - value.from + 1) / steps * width, height: Math.max(3, size / total * height), fill: colorOf(value)});
    const text = data.equations[value.equations?.[0]]?.text ?? '';
    box.append(draw('title', {}, `${bytesText(size)}: ${text}`));
    picture.append(box);
  }
  picture.append(draw('text', {class: 'quiet', x: 0, y: height + 18}, `time: ${entry.steps.length} launches and loops →`));
  return [make('h3', {}, `${entry.entry}: ${bytesText(total)}`), picture];
}

/** Memory over time, for lengths that can be changed. */
function memoryPanel(page, data) {
  const shown = make('div');
  const length = make('input', {type: 'number', value: '128', min: '1', max: '1000000', 'aria-label': 'Length of sequences'});
  const show = () => {
    const lengths = {'': Math.max(1, Number(length.value) || 1)};
    shown.replaceChildren(...data.memory.flatMap(entry => arena(page, data, entry, lengths)));
    page.refresh();
  };
  length.addEventListener('input', show);
  page.ready.push(show);
  return [make('p', {class: 'about'}, 'The scratch memory of each entry for one sequence. A rectangle is a value, from the ' +
    'operation that writes it to the last one that reads it, in the color of its equation.'),
  make('label', {class: 'controls'}, 'Length of the sequence', length), shown];
}
