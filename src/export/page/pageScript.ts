/**
 * What makes an exported page handy, as JavaScript for a browser: a bar with search, agents, folding and lanes. It stands in the head of the
 * page, whose policy allows nothing but this text, by its hash. Everything that was said is in the page without
 * it; it adds controls, hides and shows. It reads the page's own elements only, makes nothing of texts but text, and asks
 * nothing of any network.
 *
 * Up to `MAX_LANES_ITEMS` items stand in lanes, each in a row of its own, so that later is always lower.
 */
export const PAGE_SCRIPT = `'use strict';
document.addEventListener('DOMContentLoaded', () => {
  const MAX_LANES_ITEMS = 5000;
  const MAX_MARKED = 300;
  const main = document.querySelector('main');
  if (!main) return;
  const items = [...main.children].filter((item) => item instanceof HTMLElement);
  if (items.length === 0) return;

  /** @type {Map<HTMLElement, string>} The agent of each item; a note of no agent belongs to what stands before it. */
  const agentOf = new Map();
  /** @type {Map<string, { hue: number, messages: number }>} */
  const agents = new Map();
  let last = '';
  for (const item of items) {
    last = item.dataset.agent ?? last;
    agentOf.set(item, last);
    const agent = agents.get(last) ?? { hue: agents.size % 8, messages: 0 };
    if (item.localName === 'article') agent.messages++;
    agents.set(last, agent);
    item.classList.add('hue' + agent.hue);
  }
  /** @param {string} name */
  const nameOf = (name) => name || 'No agent';
  /** @param {number} count @param {string} one @param {string} [many] */
  const counted = (count, one, many = one + 's') => count.toLocaleString('en') + ' ' + (count === 1 ? one : many);

  /**
   * @template {keyof HTMLElementTagNameMap} Tag
   * @param {Tag} tag @param {string} [text] @param {string} [className]
   * @returns {HTMLElementTagNameMap[Tag]}
   */
  const make = (tag, text = '', className = '') => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  /** @param {string} text @param {() => void} onClick @param {string} [title] */
  const button = (text, onClick, title = '') => {
    const element = make('button', text);
    element.type = 'button';
    if (title) element.title = title;
    element.addEventListener('click', onClick);
    return element;
  };
  /** @param {string} text @param {(isOn: boolean) => void} onChange @param {boolean} [isOn] */
  const toggle = (text, onChange, isOn = false) => {
    const element = button(text, () => {
      const next = element.getAttribute('aria-pressed') !== 'true';
      element.setAttribute('aria-pressed', String(next));
      onChange(next);
    });
    element.setAttribute('aria-pressed', String(isOn));
    return element;
  };

  // What is shown.
  /** @type {Set<string>} */
  const hidden = new Set();
  const nothing = make('p', 'Everything is hidden. ', 'nothing');
  nothing.append(button('Show all', () => showAll()));
  nothing.hidden = true;
  const talk = toggle('Conversation only', (isOn) => {
    document.body.classList.toggle('talk', isOn);
    show();
  });
  talk.title = 'Only what people and agents said, without tools and instructions';
  /** @type {Map<string, HTMLButtonElement>} */
  const chips = new Map();
  for (const [name, { hue, messages }] of agents) {
    const chip = toggle(
      nameOf(name),
      (isOn) => {
        if (isOn) hidden.delete(name);
        else hidden.add(name);
        show();
      },
      true,
    );
    chip.classList.add('chip', 'hue' + hue);
    chip.title = counted(messages, 'message');
    chips.set(name, chip);
  }
  for (const item of items) {
    const says = [...item.children].some((part) => part.matches('img') || part.matches('.text, p') && part.textContent !== '');
    item.classList.toggle('mute', item.localName === 'article' && !says);
  }
  const showAll = () => {
    hidden.clear();
    for (const chip of chips.values()) chip.setAttribute('aria-pressed', 'true');
    if (document.body.classList.contains('talk')) talk.click();
    show();
  };
  /** @param {HTMLElement} item */
  const isSaid = (item) => item.matches('.user:not(.mute), .assistant:not(.mute), .other:not(.mute), .own');
  /** @param {HTMLElement} item */
  const isShown = (item) => !item.hidden && (!document.body.classList.contains('talk') || isSaid(item));
  const show = () => {
    for (const item of items) item.hidden = hidden.has(agentOf.get(item) ?? '');
    nothing.hidden = items.some(isShown);
    look();
  };

  // Lanes.
  /** @type {HTMLElement[]} */
  let heads = [];
  const lanes = toggle('Lanes', (isOn) => {
    document.body.classList.toggle('lanes', isOn);
    for (const head of heads) head.remove();
    heads = [];
    if (isOn) layOut();
    for (const more of document.querySelectorAll('button.more')) more.remove();
    for (const item of items) item.classList.remove('whole');
    if (isOn) addMore();
    stop()?.scrollIntoView({ block: 'center' });
  });
  lanes.title = 'A column for each agent; later is lower';
  if (items.length > MAX_LANES_ITEMS) {
    lanes.disabled = true;
    lanes.title = 'Lanes can show up to ' + counted(MAX_LANES_ITEMS, 'message') + '.';
  }
  const layOut = () => {
    const columns = new Map([...agents.keys()].map((name, at) => [name, at + 1]));
    main.style.setProperty('--lanes', String(columns.size));
    for (const [at, item] of items.entries())
      item.style.gridArea = at + 2 + ' / ' + (columns.get(agentOf.get(item) ?? '') ?? 1);
    heads = [...agents].map(([name, { hue }], at) => {
      const head = make('h2', nameOf(name), 'lane hue' + hue);
      head.style.gridArea = '1 / ' + (at + 1);
      return head;
    });
    main.prepend(...heads);
  };
  const addMore = () => {
    const long = items.filter((item) => item.scrollHeight > item.clientHeight + 4);
    for (const item of long) {
      const more = button('More', () => {
        const isWhole = item.classList.toggle('whole');
        more.textContent = isWhole ? 'Less' : 'More';
        more.setAttribute('aria-expanded', String(isWhole));
      });
      more.className = 'more';
      more.setAttribute('aria-expanded', 'false');
      item.append(more);
    }
  };

  // Folding.
  const foldable = [...main.querySelectorAll('details')];
  /** @param {boolean} isOpen */
  const fold = (isOpen) => {
    for (const each of foldable) each.open = isOpen;
  };
  /** @type {HTMLDetailsElement[]} */
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = foldable.filter((each) => !each.open);
    fold(true);
  });
  addEventListener('afterprint', () => {
    for (const each of closed) each.open = false;
  });

  // Search.
  const input = make('input');
  input.type = 'search';
  input.placeholder = 'Search';
  input.setAttribute('aria-label', 'Search in this page');
  input.setAttribute('aria-keyshortcuts', '/');
  input.spellcheck = false;
  const count = make('output');
  const before = button('↑', () => step(-1), 'Previous (Shift+Enter)');
  const after = button('↓', () => step(1), 'Next (Enter)');
  before.setAttribute('aria-label', 'Previous match');
  after.setAttribute('aria-label', 'Next match');
  /** @type {HTMLElement[]} */
  let found = [];
  let at = -1;
  const stop = () => found[at];
  /** @param {string} text */
  const patternOf = (text) => new RegExp(text.replace(/[\\\\^$.*+?()[\\]{}|]/g, '\\\\$&'), 'giu');
  /** @param {HTMLElement} item @param {RegExp} pattern */
  const rangesIn = (item, pattern) => {
    const ranges = [];
    const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const match of (node.nodeValue ?? '').matchAll(pattern)) {
        const range = new Range();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        ranges.push(range);
      }
    }
    return ranges;
  };
  const mark = () => {
    if (typeof Highlight !== 'function') return;
    CSS.highlights.clear();
    const text = input.value.trim();
    if (text === '') return;
    const pattern = patternOf(text);
    const all = new Highlight();
    for (const item of found.slice(0, MAX_MARKED)) for (const range of rangesIn(item, pattern)) all.add(range);
    CSS.highlights.set('found', all);
    const current = stop();
    if (current) CSS.highlights.set('current', new Highlight(...rangesIn(current, pattern).slice(0, MAX_MARKED)));
  };
  const tell = () => {
    const isAsked = input.value.trim() !== '';
    count.textContent = !isAsked ? '' : found.length === 0 ? 'No match' : at < 0 ? counted(found.length, 'message') : at + 1 + ' of ' + found.length.toLocaleString('en');
    before.disabled = after.disabled = found.length === 0;
  };
  const look = () => {
    const text = input.value.trim();
    const current = stop();
    const pattern = patternOf(text);
    found = text === '' ? [] : items.filter((item) => isShown(item) && (item.textContent ?? '').search(pattern) >= 0);
    at = current ? found.indexOf(current) : -1;
    mark();
    tell();
  };
  /** @param {number} by */
  const step = (by) => {
    if (found.length === 0) return;
    at = at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length;
    const item = stop();
    if (!item) return;
    const pattern = patternOf(input.value.trim());
    for (const each of item.querySelectorAll('details')) if ((each.textContent ?? '').search(pattern) >= 0) each.open = true;
    item.classList.add('whole');
    const first = rangesIn(item, pattern)[0]?.startContainer.parentElement;
    (first ?? item).scrollIntoView({ block: 'center' });
    mark();
    tell();
  };
  let waiting = 0;
  input.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      at = -1;
      look();
    }, 120);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    clearTimeout(waiting);
    look();
    step(event.shiftKey ? -1 : 1);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === input) return;
    event.preventDefault();
    input.select();
    input.focus();
  });

  // Links to a message.
  const arrive = () => {
    const target = document.getElementById(location.hash.slice(1));
    const item = /** @type {HTMLElement | null} */ (target?.closest('article') ?? null);
    if (!target || !item || !agentOf.has(item)) return;
    if (!isShown(item)) showAll();
    for (const each of item.querySelectorAll('details')) each.open = true;
    item.classList.add('whole');
    target.scrollIntoView({ block: 'start' });
  };
  addEventListener('hashchange', arrive);

  // At a glance.
  const failed = /** @type {HTMLElement[]} */ ([...main.querySelectorAll('details.error, aside.failed')]);
  const glance = make('p', '', 'glance');
  const messages = main.querySelectorAll('[id^=m]').length;
  const calls = main.querySelectorAll('details.call').length;
  glance.textContent = [
    counted(messages, 'message'),
    ...(agents.size > 1 ? [counted(agents.size, 'agent')] : []),
    ...(calls > 0 ? [counted(calls, 'tool call')] : []),
  ].join(' · ');
  let next = 0;
  if (failed.length > 0) {
    glance.append(
      ' · ',
      button('Next failure ↓', () => {
        const one = failed[next++ % failed.length];
        if (!one) return;
        const item = /** @type {HTMLElement | null} */ (one.closest('article, aside'));
        if (item && !isShown(item)) showAll();
        if (one instanceof HTMLDetailsElement) one.open = true;
        item?.classList.add('whole');
        one.scrollIntoView({ block: 'center' });
      }),
    );
  }
  const bar = make('nav');
  bar.setAttribute('aria-label', 'Reading');
  const search = make('span', '', 'group');
  search.setAttribute('role', 'search');
  search.append(input, before, after, count);
  count.setAttribute('role', 'status');
  const reading = make('span', '', 'group');
  reading.append(talk, ...(agents.size > 1 ? [lanes] : []));
  const folding = make('span', '', 'group');
  if (foldable.length > 0) folding.append(button('Unfold all', () => fold(true)), button('Fold all', () => fold(false)));
  folding.append(button('Print', () => print()));
  bar.append(search, reading, folding);
  if (agents.size > 1) {
    const people = make('span', '', 'group agents');
    people.setAttribute('role', 'group');
    people.setAttribute('aria-label', 'Agents that are shown');
    people.append(...chips.values());
    bar.append(people);
  }
  main.previousElementSibling?.append(glance);
  main.before(bar, nothing);
  tell();
  arrive();
});
`;
