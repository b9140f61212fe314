// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rewrites in their order: each pass with its law, the ledger lines that it
// wrote, and each equation before and after it.
'use strict';

/** A line of the ledger in words. */
function ledgerEvent(page, event) {
  const number = event.value ? ` = ${event.value}` : '';
  const item = make('li', {class: 'item', 'data-link': linked(page, event)}, make('code', {}, `${event.written}${number}`));
  if (event.kept) item.append(' stays: ', make('span', {class: 'kept'}, event.kept));
  else if (!event.places.length) item.append(' is eliminated');
  else item.append(' → ', event.places.map(place =>
    `${place.place}${place.exponent === '1' ? '' : `^(${place.exponent})`}${place.layers ? `, layer ${place.layers}` : ''}` +
    `${place.factor ? ` × ${place.factor}` : ''} (${place.rounding})`).join('; '));
  return item;
}

/** One equation before and after a pass. */
function changeCard(page, data, change) {
  const card = make('div', {class: 'change'}, equationRow(data, change.equation));
  for (const line of change.before) card.append(make('div', {class: 'before'}, line));
  for (const line of change.after) card.append(make('div', {class: 'after'}, line));
  return card;
}

/** What a pass did. */
function rewriteParts(page, data, rewrite) {
  const parts = [make('h3', {}, rewrite.rule), make('p', {}, rewrite.summary)];
  if (rewrite.law)
    parts.push(make('p', {class: 'law'}, `${rewrite.law.identity} `, make('code', {}, rewrite.law.name)));
  if (rewrite.ledger.length) parts.push(make('ul', {}, ...rewrite.ledger.map(event => ledgerEvent(page, event))));
  const shown = rewrite.changes.slice(0, 40);
  parts.push(...shown.map(change => changeCard(page, data, change)));
  if (shown.length < rewrite.changes.length)
    parts.push(make('p', {class: 'about'}, `and ${rewrite.changes.length - shown.length} more equations`));
  return parts;
}

/** The list with steps back and forth. */
function rewritesPanel(page, data) {
  if (!data.rewrites.length) return [make('p', {class: 'about'}, 'No pass changed anything.')];
  const shown = make('div', {'aria-live': 'polite'}), list = make('ol');
  const position = make('span');
  let current = 0;
  const go = number => {
    current = Math.max(0, Math.min(data.rewrites.length - 1, number));
    [...list.children].forEach((item, k) =>
      item.firstChild.setAttribute('aria-current', String(k === current)));
    position.textContent = `${current + 1} of ${data.rewrites.length}`;
    shown.replaceChildren(...rewriteParts(page, data, data.rewrites[current]));
    page.refresh();
  };
  data.rewrites.forEach((rewrite, k) => {
    const button = make('button', {type: 'button'}, `${rewrite.rule}`,
      make('span', {class: 'unseen'}, ` of ${rewrite.stage}`));
    button.addEventListener('click', () => go(k));
    list.append(make('li', {class: 'item'}, button));
  });
  const back = make('button', {type: 'button', 'aria-label': 'Rewrite before'}, '‹');
  const on = make('button', {type: 'button', 'aria-label': 'Next rewrite'}, '›');
  back.addEventListener('click', () => go(current - 1));
  on.addEventListener('click', () => go(current + 1));
  page.stepRewrites = by => go(current + by);
  page.ready.push(() => go(0));
  return [make('p', {class: 'about'}, 'Each pass that changed something, the law that makes it exact, and every equation ' +
    'before and after. What stays says who objects.'),
  make('div', {class: 'rewrites'}, list, make('div', {}, make('div', {class: 'steps'}, back, on, position), shown))];
}
