import { RE2JS } from 're2js';
import { messageOf } from '../../core/text.js';

/** What is searched for in the lines of files. */
export interface LineQuestion {
  readonly pattern: string;
  /** True: a regular expression in RE2's syntax, which takes linear time; false: exactly this text. */
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

/** Gives the first match in a line, as an offset in UTF-16 code units; negative where there is none. */
export type FindInLine = (line: string) => number;

/** A prepared search, or why the question is invalid, for the model. */
export type CompiledQuestion =
  { readonly ok: true; readonly find: FindInLine } | { readonly ok: false; readonly problem: string };

/** Of a longer line, in UTF-16 code units, only the beginning is searched, so that no line holds up the process. */
const MAX_LINE_LENGTH = 20_000;

/** Prepares a search for many lines. */
export function compileQuestion({ pattern, regex, ignoreCase }: LineQuestion): CompiledQuestion {
  if (!regex && !ignoreCase) return { ok: true, find: (line) => line.indexOf(pattern) };
  try {
    const source = regex ? pattern : RE2JS.quote(pattern);
    const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return { ok: true, find: (line) => findIn(compiled, line) };
  } catch (error) {
    const hint = 'Look-around and back-references are not possible';
    return { ok: false, problem: `The pattern cannot be used: ${messageOf(error)}. ${hint}.` };
  }
}

function findIn(compiled: RE2JS, line: string): number {
  const matcher = compiled.matcher(line.slice(0, MAX_LINE_LENGTH));
  return matcher.find() ? matcher.start() : -1;
}
