// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the page together: tabs, marks, search, keys.
'use strict';

const ABOUT = {
  xf: 'The equations after import: one operation for each operation of the equations, for one sequence.',
  folded: 'After folding: fewer multiplications, the same function.',
  staged: 'With the caches and decode steps that were derived.',
  kernels: 'What is computed together: each launch runs a kernel.',
  host: 'With weights, memory and transfers planned.',
};

class Page {
  constructor(data) {
    this.data = data;
    this.links = [];   // of elements with data-link
    this.ready = [];   // run when everything exists
    this.pinned = null;
    this.shown = null;
    this.stepRewrites = () => {};
    this.showKernelOf = () => {};
  }

  /** Fills the document. */
  start() {
    const data = this.data, get = id => document.getElementById(id);
    get('title').textContent = data.model;
    document.title = `${data.model} · transfold report`;
    get('summary').textContent = `${data.equations.filter(equation => equation.links).length} equations, ` +
      `${data.kernels.length} kernels for ${data.target}, transfold ${data.transfold}` +
      (data.run ? `; ${data.run.entry}: ${data.run.tokens ? `${data.run.tokens} tokens in` : ''} ${data.run.milliseconds.toFixed(2)} ms ` +
        `on ${data.run.threads} threads` : '');
    showEquations(data, get('spec'));
    const tabs = data.stages.map(stage => [stage.name, () => stagePanel(this, stage, ABOUT[stage.name] ?? '')]);
    tabs.push(['machine code', () => machinePanel(this, data)], ['rewrites', () => rewritesPanel(this, data)],
      ['ledger', () => ledgerPanel(this, data)], ['caches', () => cachesPanel(this, data)],
      ['memory', () => memoryPanel(this, data)]);
    tabs.forEach(([name, fill], k) => this.addTab(name, fill, k));
    this.ready.forEach(run => run());
    this.chooseTab(0);
    this.listen();
  }

  addTab(name, fill, k) {
    const tab = make('button', {type: 'button', role: 'tab', id: `tab-${k}`, 'aria-controls': `panel-${k}`}, name);
    const panel = make('div', {role: 'tabpanel', id: `panel-${k}`, 'aria-labelledby': `tab-${k}`, tabindex: '0'}, ...fill());
    tab.addEventListener('click', () => this.chooseTab(k));
    document.getElementById('tabs').append(tab);
    document.getElementById('panels').append(panel);
  }

  chooseTab(number) {
    const tabs = [...document.querySelectorAll('[role="tab"]')], panels = [...document.querySelectorAll('[role="tabpanel"]')];
    this.tab = (number + tabs.length) % tabs.length;
    tabs.forEach((tab, k) => {
      tab.setAttribute('aria-selected', String(k === this.tab));
      tab.setAttribute('tabindex', k === this.tab ? '0' : '-1');
      panels[k].hidden = k !== this.tab;
    });
    if (this.pinned) this.reveal();
  }

  /** Marks the counterparts of a link; keeps the marks if `isPinned`. */
  select(link, isPinned = false) {
    if (isPinned) {
      this.pinned = link;
      this.showKernelOf(link ?? {});
    }
    this.shown = link;
    this.refresh();
    if (isPinned && link) {
      this.reveal();
      const texts = (link.equations ?? []).map(number => this.data.equations[number].text);
      document.getElementById('status').textContent = texts.length ? `Marked: ${texts.join(', ')}` : '';
    }
  }

  /** Sets the marks of all elements anew. */
  refresh() {
    const mark = (element, kind) => {
      element.classList.toggle('is-own', kind === 'own');
      element.classList.toggle('is-caller', kind === 'caller');
    };
    for (const element of document.querySelectorAll('[data-link]'))
      mark(element, links.markOf(this.links[element.dataset.link], this.shown));
    for (const row of document.querySelectorAll('.equation')) {
      const number = Number(row.dataset.equation);
      mark(row, links.markOfEquation(number, this.shown));
      const places = links.placesIn(number, this.data.equations[number].file, this.shown);
      for (const part of row.querySelectorAll('[data-at]'))
        part.classList.toggle('is-place', places.includes(part.getAttribute('data-at')));
    }
  }

  /** Scrolls to the first counterpart in each pane. */
  reveal() {
    const panes = {nearest: document.getElementById('spec'), center: document.querySelector('[role="tabpanel"]:not([hidden])')};
    for (const [block, pane] of Object.entries(panes)) {
      const marked = pane.querySelector('.is-own') ?? pane.querySelector('.is-caller');
      const box = marked?.getBoundingClientRect(), frame = pane.getBoundingClientRect();
      if (box && (box.top < frame.top || box.bottom > frame.bottom)) marked.scrollIntoView({block});
    }
  }

  /** The link of the element that an event is about. */
  linkAt(target) {
    const element = target.closest?.('[data-link], .equation');
    if (!element) return null;
    return element.classList.contains('equation') ? links.ofEquation(this.data.equations, Number(element.dataset.equation))
      : this.links[element.dataset.link];
  }

  listen() {
    const main = document.querySelector('main');
    main.addEventListener('mouseover', event => {
      const link = this.linkAt(event.target) ?? this.pinned;
      if (link !== this.shown) this.select(link);
    });
    main.addEventListener('mouseleave', () => this.select(this.pinned));
    main.addEventListener('focusin', event => {
      const link = this.linkAt(event.target);
      if (link) this.select(link);
    });
    main.addEventListener('click', event => {
      const link = this.linkAt(event.target);
      if (link) this.select(link, true);
    });
    document.addEventListener('keydown', event => this.onKey(event));
    document.getElementById('search').addEventListener('input', event => this.search(event.target.value));
    document.getElementById('search-form').addEventListener('submit', event => {
      event.preventDefault();
      this.showFound(1);
    });
    document.getElementById('all-equations').addEventListener('change', event =>
      document.body.classList.toggle('all', event.target.checked));
    document.getElementById('theme').addEventListener('click', () => {
      const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark';
      document.documentElement.dataset.theme = isDark ? 'light' : 'dark';
    });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const search = document.getElementById('search');
    if (event.key === 'Escape') {
      search.value = '';
      this.search('');
      search.blur();
      this.select(null, true);
      return;
    }
    if (['INPUT', 'SELECT'].includes(event.target.tagName)) return;
    // Elsewhere, arrow keys scroll.
    const isTab = event.target.getAttribute?.('role') === 'tab';
    const isFree = isTab || event.target === document.body || event.target.closest?.('#spec');
    if (event.key.startsWith('Arrow') && !isFree) return;
    const actions = {
      '/': () => search.focus(), '[': () => this.stepRewrites(-1), ']': () => this.stepRewrites(1),
      ArrowRight: () => this.moveTab(1, isTab), ArrowLeft: () => this.moveTab(-1, isTab),
      ArrowDown: () => this.moveEquation(1), ArrowUp: () => this.moveEquation(-1),
    };
    const isEquation = event.target.classList?.contains('equation');
    if (isEquation && (event.key === 'Enter' || event.key === ' ')) this.select(this.linkAt(event.target), true);
    else if (actions[event.key]) actions[event.key]();
    else return;
    event.preventDefault();
  }

  moveTab(by, withFocus) {
    this.chooseTab(this.tab + by);
    if (withFocus) document.getElementById(`tab-${this.tab}`).focus();
  }

  moveEquation(by) {
    const rows = [...document.querySelectorAll('#spec .equation')].filter(row => row.offsetParent !== null);
    const at = rows.findIndex(row => row === document.activeElement);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    rows.forEach(row => row.setAttribute('tabindex', row === next ? '0' : '-1'));
    next?.focus();
    if (next) this.select(this.linkAt(next), true);
  }

  /** Marks what contains the text. */
  search(text) {
    const wanted = text.trim().toLowerCase();
    this.found = [];
    for (const element of document.querySelectorAll('#spec .equation, .line, .item')) {
      const own = element.classList.contains('equation') ? this.data.equations[element.dataset.equation].text
        : element.textContent;
      const isFound = wanted !== '' && own.toLowerCase().includes(wanted);
      element.classList.toggle('is-found', isFound);
      element.classList.remove('is-current');
      if (isFound) this.found.push(element);
    }
    this.at = -1;
    document.getElementById('found').textContent = wanted === '' ? '' : `${this.found.length} found`;
  }

  /** Goes to the next place that was found, also in another tab. */
  showFound(by) {
    if (!this.found?.length) return;
    this.found[this.at]?.classList.remove('is-current');
    this.at = (this.at + by + this.found.length) % this.found.length;
    const element = this.found[this.at], panel = element.closest('[role="tabpanel"]');
    if (panel) this.chooseTab(Number(panel.id.slice('panel-'.length)));
    if (element.classList.contains('unused')) document.body.classList.add('all');
    element.classList.add('is-current');
    element.scrollIntoView({block: 'center'});
    document.getElementById('found').textContent = `${this.at + 1} of ${this.found.length}`;
  }
}

if (typeof document !== 'undefined')
  new Page(JSON.parse(document.getElementById('data').textContent)).start();
