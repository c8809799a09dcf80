import { UserError } from '../../app/userError.js';
import { withoutHalfAtEnd } from '../../core/halves.js';
import { isObject } from '../../core/message.js';
import { nearest } from '../../core/nearest.js';
import { ToolArguments, type ArgumentSchema } from './readTool.js';

/** What a tool declares of its arguments. */
interface Declared {
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
}

/** So many things that are wrong are told at once. */
const MAX_TOLD = 5;
/** How much of a wrong value is repeated, in UTF-16 code units. */
const MAX_SHOWN = 60;

/**
 * The arguments of a call. Throws a UserError by which a model can mend its call: it says of each argument that is wrong
 * which it is, what is wrong with it and what may be written instead.
 */
export function checkArguments({ properties, required }: Declared, given: unknown): ToolArguments {
  if (!isObject(given))
    throw new UserError(
      `The arguments must be an object, not ${shownValue(given)}. Write ${exampleOf(properties, required)}`,
    );
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const told = schema
      ? whatIsWrong({ name, schema, isRequired: required.includes(name) }, value)
      : noSuchArgument(name, Object.keys(properties));
    return told === undefined ? [] : [told];
  });
  const missing = required.filter((name) => !Object.hasOwn(given, name));
  for (const name of missing)
    wrong.push(
      `The argument ${name} is missing. Write ${exampleOf(properties, [name])} ${properties[name]?.description ?? ''}`,
    );
  if (wrong.length === 0) return new ToolArguments(given);
  const more = wrong.length - MAX_TOLD;
  if (more > 0) wrong.splice(MAX_TOLD, more, `${more} more arguments are wrong.`);
  throw new UserError(wrong.join(' '));
}

function noSuchArgument(name: string, known: readonly string[]): string {
  const [meant] = nearest(name, known);
  const hint = meant === undefined ? `these are known: ${known.join(', ')}` : `use ${meant}`;
  return `There is no argument ${shownValue(name)}; ${hint}.`;
}

function whatIsWrong(
  {
    name,
    schema,
    isRequired,
  }: { readonly name: string; readonly schema: ArgumentSchema; readonly isRequired: boolean },
  value: unknown,
): string | undefined {
  const must = whatItMust(schema, value);
  if (must === undefined) return undefined;
  const instead = insteadOf(schema, value);
  const write = instead === undefined ? '' : ` Write ${JSON.stringify({ [name]: instead })}`;
  const leave = isRequired ? '' : write === '' ? ' Leave it out.' : ' or leave it out';
  return `${name} must be ${must}, not ${shownValue(value)}.${write}${leave}${write === '' ? '' : '.'}`;
}

/** What an argument must be; undefined for a value that is right. */
function whatItMust(schema: ArgumentSchema, value: unknown): string | undefined {
  const { type, minimum = -Infinity, maximum = Infinity, maxLength = Infinity } = schema;
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'integer': {
      const isWithin = Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
      return isWithin ? undefined : `a whole number from ${minimum} to ${maximum}`;
    }
    case 'string':
      if (schema.enum && !schema.enum.some((word) => word === value))
        return `one of ${schema.enum.join(', ')}`;
      if (typeof value !== 'string') return 'a text';
      return value.length > maxLength ? `a text of at most ${maxLength} characters` : undefined;
  }
}

/** What was probably meant by a value that is wrong; undefined where nothing tells. */
function insteadOf({ type, enum: words, minimum = 0, maximum = 0 }: ArgumentSchema, value: unknown): unknown {
  if (type === 'integer') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || Number.isNaN(number)) return minimum;
    return Math.min(maximum, Math.max(minimum, Math.round(number)));
  }
  if (type === 'boolean') return !['no', 'false', '0', '', null].includes(value as string | null);
  if (words) return nearest(String(value), words)[0] ?? words[0];
  if (Array.isArray(value) && value.length === 1 && typeof value[0] === 'string')
    return value[0].slice(0, MAX_SHOWN);
  return typeof value === 'number' ? String(value) : undefined;
}

/** The arguments that a call cannot do without, as they are written. */
function exampleOf(properties: Declared['properties'], names: readonly string[]): string {
  const some = names.map((name) => [name, exampleValue(properties[name])]);
  return `${JSON.stringify(Object.fromEntries(some))}.`;
}

function exampleValue(schema: ArgumentSchema | undefined): unknown {
  if (schema?.type === 'integer') return schema.minimum ?? 0;
  if (schema?.type === 'boolean') return true;
  return schema?.enum?.[0] ?? '…';
}

function shownValue(value: unknown): string {
  // What came over the wire is JSON; what did not may be nothing.
  const text = (JSON.stringify(value) as string | undefined) ?? 'nothing';
  return text.length <= MAX_SHOWN ? text : `${withoutHalfAtEnd(text.slice(0, MAX_SHOWN))}…`;
}
