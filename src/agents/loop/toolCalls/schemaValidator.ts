import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import { BoundedMap } from '../../../core/boundedMap.js';
import { messageOf, preview } from '../../../core/text.js';
import type { ArgumentValidator } from '../../../core/ports/argumentValidator.js';
import type { JsonSchema } from '../../../core/ports/model.js';
import { isObject } from '../../../core/message.js';

/** No tool needs a deeper or larger schema; both keep compiling it short. */
const MAX_DEPTH = 64;
const MAX_PARTS = 5_000;

/** Keywords whose value is one schema, a list of schemas or a boolean. */
const schemaKeywords = new Set([
  'not',
  'if',
  'then',
  'else',
  'allOf',
  'anyOf',
  'oneOf',
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'additionalProperties',
  'propertyNames',
]);

/** Keywords whose value maps names to schemas. */
const schemaMapKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** Keywords whose value is plain. What is in none of these lists says nothing about a value, or too dearly. */
const plainKeywords = new Set([
  'type',
  'enum',
  'const',
  '$ref',
  'required',
  'minProperties',
  'maxProperties',
  'nullable',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minContains',
  'maxContains',
]);

/**
 * Why a schema does not say all that it seems to say to whoever wrote it: a keyword that is not looked at, or a pattern that is
 * none of RE2; undefined where it does. Tools bring schemas that say more, and are not held to this.
 */
export function schemaProblem(schema: unknown, depth = 0): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return 'a part of it is no map';
  if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
  for (const [key, inner] of Object.entries(schema)) {
    const parts = schemaMapKeywords.has(key)
      ? Object.values(isObject(inner) ? inner : {})
      : schemaKeywords.has(key)
        ? [inner].flat()
        : undefined;
    if (!parts && !plainKeywords.has(key) && !notes.has(key)) return `${preview(key, 60)} is not looked at`;
    if (key === 'pattern' && !(typeof inner === 'string' && compilePattern(inner)))
      return `${preview(String(inner), 60)} is no pattern of RE2`;
    const unusable =
      key === 'patternProperties' && isObject(inner)
        ? Object.keys(inner).find((pattern) => !compilePattern(pattern))
        : undefined;
    if (unusable !== undefined) return `${preview(unusable, 60)} is no pattern of RE2`;
    for (const part of parts ?? []) {
      const problem = schemaProblem(part, depth + 1);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** Keywords for people. */
const notes = new Set(['title', 'description', '$comment', 'examples', 'default', '$schema', '$id']);

/** Put into every part of a copied schema, so that the work of checking can be counted. */
const COUNTED = 'counted';

/**
 * A copy of a schema from anywhere with the known keywords alone, every part of it marked for counting; or why it
 * cannot be used. References stay, ids and dialects do not: a copy stands for itself.
 */
function safeSchema(schema: JsonSchema): JsonSchema | string {
  let parts = 0;
  let problem: string | undefined;

  const copy = (value: unknown, depth: number): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => copy(item, depth + 1));
    if (!isObject(value)) return value;
    if (++parts > MAX_PARTS) problem = `it has more than ${MAX_PARTS} parts`;
    if (depth > MAX_DEPTH) problem = `it is nested deeper than ${MAX_DEPTH} levels`;
    if (problem !== undefined) return {};
    const out: Record<string, unknown> = { $comment: COUNTED };
    for (const [key, inner] of Object.entries(value)) {
      if (plainKeywords.has(key)) out[key] = inner;
      else if (schemaKeywords.has(key)) out[key] = copy(inner, depth + 1);
      else if (schemaMapKeywords.has(key)) out[key] = copyMap(inner, depth + 1);
    }
    return withTuple(out);
  };
  const copyMap = (value: unknown, depth: number): unknown => {
    if (!isObject(value)) return {};
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner, depth)]));
  };

  const whole = copy(schema, 0);
  if (problem !== undefined) return problem;
  return isObject(whole) ? whole : 'it is not an object';
}

/** A tuple of the newer dialect as the older one says it. */
function withTuple(schema: Record<string, unknown>): Record<string, unknown> {
  const { prefixItems, items, ...rest } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  return { ...rest, items: prefixItems, ...(items !== undefined && { additionalItems: items }) };
}

/** How many parts of a schema one check may look at; arguments that need more are refused. */
const MAX_WORK = 200_000;

/** How many allowed values are listed for the model. */
const MAX_LISTED_VALUES = 50;

/** So many different schemas stay compiled, the one that was not met for longest goes first; a team has some dozens of tools. */
const MAX_CHECKS = 256;

type Check = (args: unknown) => readonly string[];

/**
 * Checks arguments against schemas, each compiled once, also where every call brings its tools, and so its schemas,
 * anew. A schema may come from anywhere: patterns run in linear time, the work of a check is bounded, and what cannot
 * be compiled is a sentence, not an exception.
 */
export class SchemaValidator implements ArgumentValidator {
  readonly #checks = new WeakMap<JsonSchema, Check>();
  /** By the text of a schema's safe copy. */
  readonly #byText = new BoundedMap<string, Check>(MAX_CHECKS);

  check(schema: JsonSchema, args: unknown): readonly string[] {
    let check = this.#checks.get(schema);
    if (!check) {
      check = this.#checkOf(schema);
      this.#checks.set(schema, check);
    }
    return check(args);
  }

  #checkOf(schema: JsonSchema): Check {
    try {
      const copy = safeSchema(schema);
      if (typeof copy === 'string') return unusable(copy);
      const text = JSON.stringify(copy);
      return this.#byText.use(text, () => compile(copy));
    } catch (error) {
      return unusable(messageOf(error));
    }
  }
}

/** A pattern's instructions times a text's length: about 0.1 s of work. */
const MAX_PATTERN_WORK = 5_000_000;

class TooMuchWork extends Error {}

function unusable(why: string): Check {
  const sentence = `The tool's own schema cannot be used: ${why}.`;
  return () => [sentence];
}

/** Throws where the schema cannot be compiled. */
function compile(schema: JsonSchema): Check {
  let work = 0;
  const count = (): void => {
    if (++work > MAX_WORK) throw new TooMuchWork();
  };
  const validate = engine(count).compile(schema);
  return (args) => {
    work = 0;
    return problemsOf(validate, args);
  };
}

/** One compiler for one schema, so that schemas share no ids and are let go of one by one. */
function engine(count: () => void): Ajv {
  return new Ajv({
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    inlineRefs: false,
    ownProperties: true,
    $comment: count,
    code: { regExp: linearRegExp },
  });
}

const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern);
    if (!compiled) return { test: () => true };
    const longest = MAX_PATTERN_WORK / Math.max(1, compiled.programSize());
    return {
      test(text: string): boolean {
        if (text.length > longest) throw new TooMuchWork();
        return compiled.matcher(text).find();
      },
    };
  },
  { code: 'linearRegExp' },
);

/** Undefined where the pattern needs what linear time cannot do: it then allows everything, and the tool decides. */
function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    // Look-around and back-references, or no pattern at all: not a reason to forbid the tool.
    return undefined;
  }
}

function problemsOf(validate: ValidateFunction, args: unknown): readonly string[] {
  try {
    return validate(args) ? [] : (validate.errors ?? []).map(sentenceOf);
  } catch (error) {
    const why = error instanceof TooMuchWork ? 'checking them takes too long' : messageOf(error);
    return [`The arguments cannot be checked against the tool's schema: ${why}.`];
  }
}

function sentenceOf({ instancePath, message = 'is not allowed', params }: ErrorObject): string {
  const about = params as Readonly<Record<string, unknown>>;
  const values = about.allowedValues;
  const extra =
    typeof about.additionalProperty === 'string' ? `: '${preview(about.additionalProperty)}'` : '';
  const listed = Array.isArray(values)
    ? `: ${preview(JSON.stringify(values.slice(0, MAX_LISTED_VALUES)), 2_000)}`
    : '';
  return `${preview(instancePath) || 'The object'} ${message}${extra}${listed}`;
}
