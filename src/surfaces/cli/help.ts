import { greatestOf } from '../../core/lists.js';
import type { Argument, Command, Option } from './command.js';

/** What the program is, on one line. */
export const SUMMARY =
  'Read, search and count what agents have said: transcripts of any known tool, and stores of Agent Logbook.';

/** What the exit codes mean. */
export const EXITS: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done, also where nothing was found'],
  [
    '1',
    'something that was asked for does not hold (--fail-on-match, --fail-if-none), or a part of the input could not be read',
  ],
  ['2', 'wrong use, or impossible: nothing was read or written'],
  ['130', 'interrupted'],
];

/** What the environment changes. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['NO_COLOR', 'no colours, where it is not empty'],
  ['COLUMNS', 'how wide lines for people may be'],
];

/** The help of the whole program. */
export function helpOfAll(commands: readonly Command[], columns: number): string {
  const blocks = [
    SUMMARY,
    'Usage: agent-logbook COMMAND [WORDS] [OPTIONS]',
    `Commands:\n${rows(
      commands.map(({ name, summary }) => [name, summary]),
      columns,
    )}`,
    `Examples:\n${rows(
      commands.flatMap(({ examples }) => examples.slice(0, 1).map(({ line, text }) => [line, text] as const)),
      columns,
      true,
    )}`,
    'agent-logbook COMMAND --help tells all about a command; agent-logbook completion SHELL completes words.',
    `Ends with:\n${rows(EXITS, columns)}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** The help of one command. */
export function helpOf(command: Command, columns: number): string {
  const { summary, details, args, options, examples, shapes } = command;
  const blocks = [
    `${summary}.`,
    `Usage: ${usageOf(command)}`,
    ...details.map((detail) => wrapped(detail, columns, '')),
    ...(args.length > 0
      ? [
          rows(
            args.map(({ name, text }) => [name, text]),
            columns,
          ),
        ]
      : []),
    `Options:\n${rows(
      options.map((option) => [optionWords(option), optionText(option)]),
      columns,
    )}`,
    `Examples:\n${rows(
      examples.map(({ line, text }) => [line, text]),
      columns,
      true,
    )}`,
    ...(shapes.length > 0
      ? [
          `With --json, each line is an object with v (1), kind and:\n${shapes.map((shape) => wrapped(shape, columns, '  ')).join('\n')}`,
        ]
      : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** How a command is written. */
export function usageOf({ name, args }: Command): string {
  return ['agent-logbook', name, '[OPTIONS]', ...args.map(argumentWords)].join(' ');
}

function argumentWords({ name, isOptional, isMany }: Argument): string {
  const many = isMany ? `${name}…` : name;
  return isOptional ? `[${many}]` : many;
}

/** How an option is written, such as `-n, --limit NUMBER`. */
export function optionWords({ name, short, value }: Option): string {
  const taken = value.kind === 'none' ? '' : ` ${value.name}`;
  return `${short === undefined ? '' : `-${short}, `}--${name}${taken}`;
}

/** What an option does, with the words that it may take. */
export function optionText({ text, value }: Option): string {
  return value.kind === 'choice' ? `${text} (${value.of.join(', ')})` : text;
}

/** How wide the first of two columns is at most. */
const MAX_TERM = 26;
/** How wide the second is at least; where there is less room, each text stands below its term. */
const MIN_TEXT = 24;

/** Two columns; where `isApart`, each text stands below its term. */
function rows(
  all: readonly (readonly [term: string, text: string])[],
  columns: number,
  isApart = false,
): string {
  const longest = greatestOf(
    all.map(([term]) => term.length),
    0,
  );
  const width = Math.min(MAX_TERM, longest);
  const isBelow = isApart || columns < width + 4 + MIN_TEXT;
  return all
    .map(([term, text]) => {
      if (isBelow) return `  ${term}\n${wrapped(text, columns, '      ')}`;
      const block = wrapped(text, columns, ' '.repeat(width + 4)).trimStart();
      return term.length > width
        ? `  ${term}\n${' '.repeat(width + 4)}${block}`
        : `  ${term.padEnd(width)}  ${block}`;
    })
    .join('\n');
}

/** A text broken into lines, each behind an indent. */
function wrapped(text: string, columns: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > columns) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(indent + line);
  return lines.join('\n');
}
