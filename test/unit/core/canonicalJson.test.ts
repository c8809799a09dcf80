import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../../src/core/canonicalJson.js';

test('the order of keys does not count, at any depth; the order of a list does', () => {
  expect(canonicalJson({ b: 1, a: { d: [2, 1], c: null } })).toBe('{"a":{"c":null,"d":[2,1]},"b":1}');
});

test('a key that every object has is a key like others', () => {
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
});

test('it says the same as JSON, in another order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('keys that look like numbers come in the order of their characters, as RFC 8785 has it', () => {
  const value = { 9: 1, 10: 2, '\u{1f952}': 3, '\ufb33': 4, '': 5, a: { 2: 0, 10: 0 } };
  expect(canonicalJson(value)).toBe('{"":5,"10":2,"9":1,"a":{"10":0,"2":0},"\u{1f952}":3,"\ufb33":4}');
  expect(canonicalJson([-0, 1e21, 0.1, 'a\u0000"\\\ud800'])).toBe('[0,1e+21,0.1,"a\\u0000\\"\\\\\\ud800"]');
});
