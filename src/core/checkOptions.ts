import { codedError } from './errorCode.js';
import { isObject } from './message.js';
import { nearest } from './nearest.js';

const kinds = {
  names: {
    wanted: 'a string or a list of strings',
    fits: (value: unknown) =>
      typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  },
  text: { wanted: 'a string', fits: (value: unknown) => typeof value === 'string' },
  pattern: {
    wanted: 'a string or a RegExp',
    fits: (value: unknown) => typeof value === 'string' || value instanceof RegExp,
  },
  flag: { wanted: 'true or false', fits: (value: unknown) => typeof value === 'boolean' },
  count: {
    wanted: 'a number',
    fits: (value: unknown) => typeof value === 'number' && !Number.isNaN(value),
  },
  list: { wanted: 'a list', fits: (value: unknown) => Array.isArray(value) },
  object: { wanted: 'an object', fits: isObject },
  function: { wanted: 'a function', fits: (value: unknown) => typeof value === 'function' },
  any: { wanted: 'anything', fits: () => true },
} as const;

/** What the value of an option must be: of a kind, or one of these words. */
type OptionKind = keyof typeof kinds | readonly string[];

/** Every option that an object may hold, with what its value must be. */
export type KnownOptions<Options> = { readonly [Name in keyof Options]-?: OptionKind };

/**
 * Throws a TypeError with a code for what a program hands over as options where that is no object, or holds an option that
 * is not known or a value that does not fit; it names the option, and the known one that was probably meant. `undefined` is
 * no value. `door` is what the options are handed to; criteria are called so, wherever they are handed to.
 */
export function checkOptions<Options>(
  given: unknown,
  known: KnownOptions<Options>,
  door: string | { readonly each: string; readonly all: string },
): void {
  const { each, all, of } = typeof door === 'string' ? optionsOf(door) : { ...door, of: '' };
  if (!isObject(given))
    throw codedError(TypeError, `The ${all}${of} must be an object, not ${kindOf(given)}.`, 'WRONG_TYPE');
  const byName: Readonly<Record<string, OptionKind>> = known;
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(byName, name) ? byName[name] : undefined;
    if (kind === undefined) {
      const instead = hintOf(name, Object.keys(known));
      throw codedError(TypeError, `There is no ${each} '${name}'${of}. ${instead}`, 'UNKNOWN_OPTION');
    }
    if (value === undefined) continue;
    if (typeof kind !== 'string') checkValue(value, kind, `The ${each} '${name}'${of}`);
    else if (!kinds[kind].fits(value)) {
      const message = `The ${each} '${name}'${of} must be ${kinds[kind].wanted}, not ${kindOf(value)}.`;
      throw codedError(TypeError, message, 'WRONG_TYPE');
    }
  }
}

/** Throws a TypeError with a code for a value that is none of some words; `what` it is of begins the sentence. */
export function checkValue(value: unknown, words: readonly string[], what: string): void {
  if (words.includes(value as string)) return;
  const shown = typeof value === 'string' ? `'${value}'` : kindOf(value);
  const instead = hintOf(String(value), words);
  throw codedError(TypeError, `${what} cannot be ${shown}. ${instead}`, 'UNKNOWN_VALUE');
}

function optionsOf(door: string) {
  return { each: 'option', all: 'options', of: ` of ${door}` };
}

function hintOf(name: string, known: readonly string[]): string {
  const [meant] = nearest(name, known);
  return meant === undefined ? `These are known: ${known.join(', ')}.` : `Did you mean '${meant}'?`;
}

/** What a value is, with its article. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    const wrong = value.findIndex((one) => typeof one !== 'string');
    return wrong < 0 ? 'a list' : `a list with ${kindOf(value[wrong])} at index ${wrong}`;
  }
  if (Number.isNaN(value)) return 'NaN';
  return typeof value === 'object'
    ? 'an object'
    : typeof value === 'undefined'
      ? 'undefined'
      : `a ${typeof value}`;
}

/** A name in snake_case: `tool_name` of `toolName`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** Options whose names may also be written in snake_case, as in Python. */
export type InEitherCase<Options> = Options & {
  readonly [Name in keyof Options & string as SnakeCase<Name> extends Name ? never : SnakeCase<Name>]?:
    | Options[Name]
    | undefined;
};

/** Options with every known name as we write it; throws a TypeError with a code for one that is given in both spellings. */
export function inCamelCase<Options extends object>(
  given: InEitherCase<Options>,
  known: KnownOptions<Options>,
): Options {
  if (!isObject(given)) return given;
  const names = Object.keys(given);
  if (!names.some((name) => name.includes('_'))) return given;
  const named: Record<string, unknown> = {};
  for (const name of names) {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const meant = Object.hasOwn(known, camel) ? camel : name;
    if (Object.hasOwn(named, meant))
      throw codedError(TypeError, `'${name}' and '${meant}' are the same: give one of them.`, 'GIVEN_TWICE');
    named[meant] = given[name as keyof typeof given];
  }
  return named as Options;
}
