import { Ajv } from 'ajv';
import { expect, test, vi } from 'vitest';
import type { JsonSchema } from '../../../../src/core/ports/model.js';
import { SchemaValidator } from '../../../../src/agents/loop/toolCalls/schemaValidator.js';

const validator = new SchemaValidator();
const check = (schema: JsonSchema, args: unknown) => validator.check(schema, args);

/** A value so many objects deep, each under `key`. */
function nested(depth: number, key = 'a'): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = { [key]: value };
  return value;
}

test.each<[string, JsonSchema, unknown, string[]]>([
  ['what fits', { type: 'object', properties: { a: { type: 'string' } } }, { a: 'x' }, []],
  ['what is missing', { required: ['a'] }, {}, ["The object must have required property 'a'"]],
  ['a wrong type', { properties: { a: { type: 'number' } } }, { a: '1' }, ['/a must be number']],
  [
    'an argument too many',
    { additionalProperties: false },
    { b: 1 },
    ["The object must NOT have additional properties: 'b'"],
  ],
  [
    'a value that is not listed',
    { properties: { a: { enum: ['x', 'y'] } } },
    { a: 'z' },
    ['/a must be equal to one of the allowed values: ["x","y"]'],
  ],
  [
    'a tuple of the newer dialect',
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { a: { prefixItems: [{ type: 'string' }] } },
    },
    { a: [1] },
    ['/a/0 must be string'],
  ],
  [
    'a recursive schema',
    {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      $ref: '#/$defs/node',
    },
    { next: { next: 1 } },
    ['/next/next must be object'],
  ],
  ['two schemas of one id, the first', { $id: 'x', type: 'object' }, {}, []],
  ['two schemas of one id, the second', { $id: 'x', required: ['q'] }, { q: 1 }, []],
])('%s', (_, schema, args, problems) => {
  expect(check(schema, args)).toEqual(problems);
});

test.each<[string, JsonSchema, unknown]>([
  ['a type that does not exist', { type: 'nonsense' }, {}],
  ['a reference to nowhere', { $ref: '#/$defs/none' }, {}],
  ['a reference to another house', { $ref: 'http://example.com/schema' }, {}],
  ['a reference to itself', { properties: { a: { $ref: '#/properties/a' } } }, { a: 1 }],
  ['deep nesting', { properties: nested(200, 'not'), not: nested(200, 'not') }, {}],
  ['endless parts', { anyOf: Array.from({ length: 10_000 }, () => ({})) }, {}],
  [
    'doubling with every level of the arguments',
    { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } },
    nested(60),
  ],
])('a schema with %s is a sentence, and soon', (_, schema, args) => {
  expect(check(schema, args)).toEqual([expect.stringMatching(/cannot be (used|checked)/)]);
});

test('doubling definitions cost neither compiling nor checking', () => {
  const $defs: Record<string, JsonSchema> = { d40: { required: ['x'] } };
  for (let level = 0; level < 40; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { anyOf: [next, next] };
  }
  expect(check({ $defs, $ref: '#/$defs/d0' }, {})).toHaveLength(1);
});

test('a pattern that kills a backtracking engine runs in linear time', () => {
  const schema = { properties: { a: { pattern: '^(a+)+$' } } };
  expect(check(schema, { a: `${'a'.repeat(50_000)}!` })).toEqual(['/a must match pattern "^(a+)+$"']);
  expect(check(schema, { a: 'aaa' })).toEqual([]);
});

test('a pattern beyond linear time, or none at all, forbids nothing', () => {
  expect(check({ properties: { a: { pattern: '(?=x)y' } } }, { a: 'q' })).toEqual([]);
  expect(check({ properties: { a: { pattern: '(' } } }, { a: 'q' })).toEqual([]);
});

test('an asynchronous schema is checked like any other', () => {
  expect(check({ $async: true, required: ['a'] }, {})).toHaveLength(1);
});

test('names that every object has are ordinary names', () => {
  const schema = { properties: { constructor: { type: 'string' } }, required: ['toString'] };
  expect(check(schema, { constructor: 'x' })).toEqual(["The object must have required property 'toString'"]);
  expect(check({ type: 'object' }, JSON.parse('{"__proto__": {"a": 1}}'))).toEqual([]);
});

test('a schema is compiled once', () => {
  let reads = 0;
  const schema = new Proxy(
    { type: 'object' },
    {
      ownKeys: (target) => (reads++, Reflect.ownKeys(target)),
    },
  );
  for (let time = 0; time < 5; time++) check(schema, {});
  expect(reads).toBe(1);
});

test('a schema that comes again as another object is not compiled again, and others do not take its place', () => {
  const compile = vi.spyOn(Ajv.prototype, 'compile');
  const validator = new SchemaValidator();
  const schema = (type: string): JsonSchema => ({ properties: { a: { type } } });
  for (let time = 0; time < 5; time++) {
    expect(validator.check(schema('string'), { a: 1 })).toEqual(['/a must be string']);
    expect(validator.check(schema('integer'), { a: 1 })).toEqual([]);
  }
  expect(compile).toHaveBeenCalledTimes(2);
  compile.mockRestore();
});

test('a schema that comes again and again stays compiled, however many come once', () => {
  const compile = vi.spyOn(Ajv.prototype, 'compile');
  const validator = new SchemaValidator();
  for (let time = 0; time < 3; time++) {
    expect(validator.check({ required: ['constant'] }, {})).toHaveLength(1);
    for (let once = 0; once < 200; once++) validator.check({ required: [`a${time}_${once}`] }, {});
  }
  expect(compile).toHaveBeenCalledTimes(1 + 3 * 200);
  compile.mockRestore();
});

test('a pattern is not run on a text that would take it too long', () => {
  const schema = { properties: { a: { type: 'string', pattern: '[a-z]{1000}[0-9]' } } };
  expect(check(schema, { a: 'x'.repeat(1_000) })).toEqual(['/a must match pattern "[a-z]{1000}[0-9]"']);
  expect(check(schema, { a: 'x'.repeat(200_000) })).toEqual([
    "The arguments cannot be checked against the tool's schema: checking them takes too long.",
  ]);
});
