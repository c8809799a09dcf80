import { isObject } from '../../../core/message.js';
import type { JsonSchema } from '../../../core/ports/model.js';

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

/** Put into every part of a copied schema, so that the work of checking can be counted. */
export const COUNTED = 'counted';

/**
 * A copy of a schema from anywhere with the known keywords alone, every part of it marked for counting; or why it
 * cannot be used. References stay, ids and dialects do not: a copy stands for itself.
 */
export function safeSchema(schema: JsonSchema): JsonSchema | string {
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
