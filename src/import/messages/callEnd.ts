import type { CallState } from '../../core/record.js';
import { asText, fields, number, type Fields } from '../reading/fields.js';

/** What became of a call: how it ended, or that it did not yet. */
export type CallEnd = CallState | 'done';

/** From what says most of a call to what says least: each is told beside those behind it. */
const ORDER: readonly (CallEnd | undefined)[] = ['denied', 'cancelled', 'timedOut', 'failed', 'done', 'open'];

/** The words that tools have for the end of a call, in their fields for its status, state or error. */
const WORDS: readonly (readonly [CallEnd, RegExp])[] = [
  ['failed', /^(?:error(?:ed)?|fail(?:ed|ure)|output-error|incomplete)$/i],
  ['denied', /^(?:declined|denied|rejected(?:-by-user)?|refused|output-denied|permission[_-]denied)$/i],
  ['cancelled', /^(?:cancell?ed|abort(?:ed)?|interrupted|killed)$/i],
  ['timedOut', /^timed?[-_ ]?out$/i],
  [
    'open',
    /^(?:pending|running|in[-_ ]?progress|queued|waiting|validating|scheduled|awaiting_approval|executing|generat(?:ing|ed)|calling|loading|blocked-on-user|input-(?:available|streaming)|approval-requested)$/i,
  ],
  ['done', /^(?:success(?:ful)?|succeeded|completed?|done|ok|finished|output-available)$/i],
];

/** How a result begins that stands for a call that did not come to its end, by Claude Code, Cline, OpenCode and Pi. */
const HEADS: readonly (readonly [CallEnd, RegExp])[] = [
  ['failed', /^<tool_use_error>/],
  ['failed', /^Exit code (?!0\b)-?\d+(?:\n|$)/],
  ['failed', /^The tool execution failed with the following error/],
  ['cancelled', /^\[Request interrupted by user/],
  ['cancelled', /^\[TASK RESUMPTION\]/],
  ['cancelled', /^Tool execution aborted\.?$/],
  ['timedOut', /^Command timed out after \d/],
];

/** The end that a word of a tool says; undefined for a word that says none. */
export function endOfWord(word: unknown): CallEnd | undefined {
  return typeof word === 'string' ? WORDS.find(([, form]) => form.test(word))?.[0] : undefined;
}

/** The end that an exit code tells; undefined for no code. */
export function endOfCode(code: unknown): CallEnd | undefined {
  const known = number(code);
  return known === undefined ? undefined : known === 0 ? 'done' : 'failed';
}

/** The end that the beginning of a result tells; undefined where it is a result like any other. */
export function endOfHead(words: unknown): CallEnd | undefined {
  return typeof words === 'string' ? HEADS.find(([, form]) => form.test(words))?.[0] : undefined;
}

/** What an object around a result says of the end of its call, never what was printed. */
export function endIn(about: Fields): CallEnd | undefined {
  const { error } = about;
  const isTold = [about.is_error, about.isError, about.failed, error].includes(true);
  const isSaid = (typeof error === 'object' && error !== null) || (typeof error === 'string' && error !== '');
  const code = [about.exit_code, about.exitCode, about.return_code].find(
    (each) => number(each) !== undefined,
  );
  return worst(
    isTold || isSaid || about.success === false ? 'failed' : undefined,
    endOfWord(about.status ?? about.state),
    endOfCode(code),
    endOfWord(fields(error).code) === 'failed' ? undefined : endOfWord(fields(error).code),
    about.interrupted === true ? 'cancelled' : undefined,
    about.timed_out === true || about.timedOut === true || number(about.timedOutAfterMs) !== undefined
      ? 'timedOut'
      : undefined,
  );
}

/** Of several that tell of one call, what says more than that it came to its end. */
export function worst(...ends: readonly (CallEnd | undefined)[]): CallEnd | undefined {
  return worstOf(ends);
}

/** The same of a list. */
export function worstOf(ends: readonly (CallEnd | undefined)[]): CallEnd | undefined {
  return ORDER.find((each) => each !== undefined && ends.includes(each));
}

/**
 * What the record of a result says of the end of its call, by all that tells of it. That it failed is told by `isError` alone,
 * which stays where a tool also says that it was denied or stopped.
 */
export function ended(...ends: readonly (CallEnd | undefined)[]): EndWords {
  return endedBy(ends);
}

/** See `ended`. */
interface EndWords {
  readonly isError?: true;
  readonly state?: CallState;
}

/** The same of a list. */
export function endedBy(ends: readonly (CallEnd | undefined)[]): EndWords {
  const end = worstOf(ends);
  if (end === undefined || end === 'done') return {};
  if (end === 'failed') return { isError: true };
  return end === 'timedOut' || ends.includes('failed') ? { isError: true, state: end } : { state: end };
}

/** The text of a result, for its beginning. */
export function wordsOfResult(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? asText(fields(content[0]).text) : '';
}
