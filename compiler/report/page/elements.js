// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes elements. Texts of the report are from files of strangers: they become
// text nodes and attributes, never HTML.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
// Elements of MathML that the compiler writes.
const MATH = new Set(['math', 'mrow', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'msub', 'msup', 'mfrac', 'msqrt', 'munder',
  'mtable', 'mtr', 'mtd']);

/** An element with attributes, and with children that are elements or texts. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...children.filter(child => child !== null));
  return element;
}

/** The same for drawings. */
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A formula; its text if it is not what the compiler writes. */
function formula(equation) {
  if (!equation.mathml) return make('code', {}, equation.text);
  const parsed = new DOMParser().parseFromString(equation.mathml, 'application/xml').documentElement;
  const all = [parsed, ...parsed.querySelectorAll('*')];
  if (!all.every(element => MATH.has(element.localName))) return make('code', {}, equation.text);
  const math = document.importNode(parsed, true);
  math.setAttribute('aria-label', equation.text);
  return math;
}

/** 1536 as "1.5 KiB". */
function bytesText(bytes) {
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (bytes < 1024 || unit === 'GiB') return `${bytes < 10 ? +bytes.toFixed(1) : Math.round(bytes)} ${unit}`;
    bytes /= 1024;
  }
}
