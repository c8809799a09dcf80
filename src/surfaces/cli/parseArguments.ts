import { parseArgs } from 'node:util';
import { errorCode } from '../../core/errorCode.js';
import { nearest } from '../../core/nearest.js';
import { messageOf } from '../../core/text.js';
import type { Command, Option } from './command.js';
import { WrongUse } from './terminal.js';

/** The words of a command, sorted by what they mean. */
export interface Arguments {
  readonly words: readonly string[];
  /** The values of options by their names; true for an option without one. */
  readonly values: ReadonlyMap<string, string | number | true>;
}

/** Sorts the words behind a subcommand. Throws `WrongUse` with what to write instead. */
export function parseArguments(command: Command, words: readonly string[]): Arguments {
  const { values, positionals } = parsed(command, words);
  const given = Object.entries(values).map(([name, value]) => {
    const option = command.options.find((each) => each.name === name);
    return [name, option ? checked(option, value) : true] as const;
  });
  checkTogether(command, values);
  checkWords(command, positionals, 'help' in values);
  return { words: positionals, values: new Map(given) };
}

function parsed(command: Command, words: readonly string[]) {
  const options = Object.fromEntries(
    command.options.map(({ name, short, value }) => [
      name,
      { type: value.kind === 'none' ? 'boolean' : 'string', ...(short !== undefined && { short }) } as const,
    ]),
  );
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new WrongUse(whatIsWrong(command, error, words));
  }
}

function whatIsWrong(command: Command, error: unknown, words: readonly string[]): string {
  const told = messageOf(error);
  const [named = ''] = /--[\w-]+/.exec(told) ?? /(?<=')-[^' ,]*/.exec(told) ?? [];
  switch (errorCode(error)) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
      const known = command.options.map(({ name }) => `--${name}`);
      const [meant] = nearest(named, known);
      const isQuestion = command.args.some(({ name }) => name === 'QUESTION') && !named.startsWith('--');
      if (command.args.some(({ name }) => name === 'COMMAND'))
        return `${named} is no option of ${command.name}; write -- before the command.`;
      if (isQuestion)
        return `${named} is no option of ${command.name}; write -- before a question that begins with a dash.`;
      return meant === undefined
        ? `${named} is no option of ${command.name}; agent-logbook ${command.name} --help lists them.`
        : `${named} is no option of ${command.name}; did you mean ${meant}?`;
    }
    case 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE': {
      const option = command.options.find(
        ({ name, short }) => named === `--${name}` || named === `-${short ?? ''}`,
      );
      if (option?.value.kind === 'none') return `--${option.name} takes no value.`;
      const what = option && 'name' in option.value ? option.value.name : 'value';
      return `${named} needs a ${what} behind it.`;
    }
    default:
      return `These words were not understood: ${words.join(' ')}`;
  }
}

function checked({ name, value }: Option, given: unknown): string | number | true {
  if (typeof given !== 'string') return true;
  if (value.kind === 'choice' && !value.of.includes(given)) {
    const [meant] = nearest(given, value.of);
    const hint = meant === undefined ? `it may be ${value.of.join(', ')}` : `did you mean ${meant}?`;
    throw new WrongUse(`--${name} cannot be ${JSON.stringify(given)}: ${hint}`);
  }
  if (value.kind !== 'number') return given;
  const number = /^\d{1,15}$/.test(given) ? Number(given) : NaN;
  if (!(number >= value.least))
    throw new WrongUse(
      `--${name} must be a whole number of at least ${value.least}, not ${JSON.stringify(given)}.`,
    );
  return number;
}

function checkTogether({ options }: Command, given: object): void {
  for (const { name, insteadOf } of options)
    if (insteadOf !== undefined && name in given && insteadOf in given)
      throw new WrongUse(`--${name} stands instead of --${insteadOf}; write one of them.`);
}

function checkWords({ name, args }: Command, words: readonly string[], asksForHelp: boolean): void {
  if (asksForHelp) return;
  const missing = args[words.length];
  if (missing && !missing.isOptional)
    throw new WrongUse(
      `${name} needs ${article(missing.name)} ${missing.name}; agent-logbook ${name} --help has examples.`,
    );
  const last = args.at(-1);
  const extra = words[args.length];
  if (extra !== undefined && !last?.isMany)
    throw new WrongUse(`${name} does not know what to do with ${JSON.stringify(extra)}.`);
}

function article(word: string): string {
  return /^[AEIOU]/.test(word) ? 'an' : 'a';
}
