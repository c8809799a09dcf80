import { isObject } from '../core/message.js';
import { deedOf, restOfArguments, type Deed, type DeedKind, type PlanEntry } from '../query/numbers/deed.js';
import { jsonText } from '../query/numbers/jsonText.js';
import { diffOfLines, linesOfBoth } from '../query/numbers/lineDiff.js';
import { argumentsOf } from '../query/numbers/toolCalls.js';
import { readableArguments } from './markdownText.js';

/** A piece of what a call was given, as a reader of an export sees it; `language` is that of a fence in Markdown. */
export interface DeedPiece {
  readonly language: 'sh' | 'diff' | 'json' | 'text';
  /** What it is about: a file. */
  readonly of?: string;
  readonly text: string;
}

/** What a call does, and all that it was given: what a deed tells is not said again as arguments. */
export function deedPieces(
  tool: string,
  input: unknown,
): { readonly deed: Deed; readonly pieces: readonly DeedPiece[] } {
  const deed = deedOf(tool, input);
  const { kind, script, edits = [] } = deed;
  const args = argumentsOf(input);
  const { [deed.told[0] ?? '']: list, ...others } = kind === 'other' ? args : restOfArguments(deed, input);
  const tasks = tasksOf(deed, list);
  const isListed = tasks !== undefined || list === undefined;
  const rest = isListed ? others : { ...others, [deed.told[0] ?? '']: list };
  const told: DeedPiece[] = [
    ...(script === undefined ? [] : [{ language: 'sh' as const, text: script }]),
    ...edits.map(({ path, before, after }) => ({
      language: 'diff' as const,
      of: path,
      text: diffOf(before, after),
    })),
    ...(deed.plan ? [{ language: 'text' as const, text: tasks ?? deed.plan.map(taskLine).join('\n') }] : []),
  ];
  if (Object.keys(args).length > 0) return { deed, pieces: [...told, ...restPiece(kind, rest)] };
  const given = readableArguments(input);
  const isSaid = told.length > 0 || given === '' || given === '{}';
  return { deed, pieces: isSaid ? told : [{ language: 'json', text: given }] };
}

/** What a deed does not tell: a line for each argument, and JSON of what is no text, number or truth value. */
function restPiece(kind: DeedKind, rest: Readonly<Record<string, unknown>>): readonly DeedPiece[] {
  const entries = Object.entries(rest);
  if (entries.length === 0) return [];
  if (kind === 'other' || !entries.every(([name, value]) => isPlain(name) && isPlain(value)))
    return [{ language: 'json', text: jsonText(rest, 2) }];
  // Lines of a value stand further in, so that none of them passes for another argument.
  const lines = entries.map(([name, value]) => {
    const text = String(value);
    return text.includes('\n') ? `${name}:\n${text.replace(/^(?=.)/gm, '  ')}` : `${name}: ${text}`;
  });
  return [{ language: 'text', text: lines.join('\n') }];
}

/** Whether a value can stand in a text as it is. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string'
    ? !/[^\P{Cc}\n\t]/u.test(value)
    : value === null || ['number', 'boolean'].includes(typeof value);
}

/** A list of tasks with all that it says of each; undefined where that is more than fits into a line. */
function tasksOf({ plan }: Deed, list: unknown): string | undefined {
  if (!plan || !Array.isArray(list) || list.length !== plan.length) return undefined;
  const lines = plan.map((task, at) => {
    const entry: unknown = list[at];
    if (!isObject(entry)) return undefined;
    const fields = Object.entries(entry).filter(([name]) => name !== 'status');
    const said = fields.find(([, value]) => value === task.text);
    const more = fields.filter((field) => field !== said);
    if (!said || !more.every(([name, value]) => isPlain(name) && isPlain(value))) return undefined;
    const words = more.map(([name, value]) => `${name}: ${String(value)}`).join(', ');
    return words === '' ? taskLine(task) : `${taskLine(task)} (${words})`;
  });
  return lines.every((line) => line !== undefined && !line.includes('\n')) ? lines.join('\n') : undefined;
}

const taskLine = ({ text, state }: PlanEntry): string => `[${MARKS[state]}] ${text}`;

const MARKS = { done: 'x', doing: '~', open: ' ' } as const;
const SIGNS = { removed: '-', added: '+', same: ' ' } as const;
/** Longer texts are not compared, in UTF-16 code units: one stands behind the other. */
const MAX_COMPARED = 400_000;

/** All lines of both texts, with the sign of each. */
function diffOf(from: string, to: string): string {
  const [before, after] = linesOfBoth(from, to);
  if (from.length + to.length > MAX_COMPARED)
    return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)].join('\n');
  return diffOfLines(before, after, Number.POSITIVE_INFINITY)
    .map((line) =>
      line.kind === 'skipped' ? '' : SIGNS[line.kind] + line.parts.map(({ text }) => text).join(''),
    )
    .join('\n');
}
