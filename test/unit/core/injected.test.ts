import { expect, test } from 'vitest';
import { injectedOf, inParts, ownTextOf } from '../../../src/core/injected.js';

const reminder = (from: number, to: number) => ({ from, to, kind: 'reminder' });

test('spans of a record are read in order, and what is none is left out', () => {
  const record = {
    injected: [
      null,
      { from: 0, to: 4, kind: 'dance' },
      reminder(0, 4),
      reminder(3, 9),
      reminder(-1, 2),
      reminder(6, 6),
      { ...reminder(6, 8), kind: 'agent', by: 'tester', more: 1 },
      { ...reminder(9, 1.5), by: '' },
    ],
  };
  expect(injectedOf(record)).toEqual([reminder(0, 4), { ...reminder(6, 8), kind: 'agent', by: 'tester' }]);
  expect(injectedOf({ injected: 'no list' })).toEqual([]);
  expect(injectedOf(undefined)).toEqual([]);
});

test('own words are what no tool put there, with their breaks', () => {
  const content = [
    { type: 'text', text: '<a>x</a>\n' },
    { type: 'text', text: 'Bake\n\nthis <b/> now' },
  ];
  const message = { role: 'user', content };
  expect(ownTextOf({ type: 'message', message, injected: [reminder(0, 9), reminder(20, 24)] })).toBe(
    'Bake\n\nthis\n\nnow',
  );
  expect(ownTextOf({ type: 'message', message })).toBe('<a>x</a>\nBake\n\nthis <b/> now');
  expect(ownTextOf(message)).toBe('<a>x</a>\nBake\n\nthis <b/> now');
  expect(ownTextOf({ message: { content: 'abc' }, injected: [reminder(0, 99)] })).toBe('');
});

test('any number of parts is put together, and what a tool put into them stays that', () => {
  const content = Array.from({ length: 200_000 }, (_, at) => ({
    type: 'text',
    text: at % 3 === 2 ? 'own ' : '<b/>',
  }));
  const sent = content.map(({ text }) => text).join('');
  const spans = Array.from(sent.matchAll(/(?:<b\/>)+/g), (match) => ({
    from: match.index,
    to: match.index + match[0].length,
    kind: 'reminder' as const,
  }));
  const whole = inParts(content, spans);
  expect(whole.text.slice(0, 23)).toBe('<b/>\n<b/>\nown <b/>\n<b/>');
  expect(
    whole.spans.map(({ from, to }) => whole.text.slice(from, to)).every((text) => text === '<b/>\n<b/>'),
  ).toBe(true);
  expect(whole.spans.length).toBe(66_667);
});
