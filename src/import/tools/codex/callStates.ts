import { endOfCode, worst, type CallEnd } from '../../messages/callEnd.js';
import type { Draft } from '../../building/conversationBuilder.js';
import { denialIn } from '../../building/decisions.js';
import { asText, fields, number, parsed, text, type Fields } from '../../reading/fields.js';

/** What Codex writes above what a command has printed. Only there is an exit code meant: a program may print anything. */
const HEAD =
  /^(?:(?:Chunk ID|Wall time|Original token count|Total output lines|Exit code|Process|Command|Script)\b[^\n]*(?:\n|$))+/;
const EXIT = /(?:^Exit code:|\bexited with (?:exit )?code)\s*(-?\d+)/im;
const RUNNING = /^Process running with session ID (\S+)/m;
const TIMED_OUT = /^(?:execution error: )?(?:error: )?command timed out after \d+ milliseconds/i;
const CANCELLED = /^aborted by user\b/;
const DENIED = /^[^\n]{0,400}\brejected: (?:policy forbids|blocked by policy)\b/;
const FAILED = /^(?:execution error: |failed to parse function arguments)/;

/** What the result of a call says of its end, in the spellings of all versions of Codex; undefined where it says nothing. */
export function endInOutput(output: unknown): CallEnd | undefined {
  const told = typeof output === 'string' && /^\s*\{/.test(output) ? parsed(output) : output;
  const about = fields(told);
  const code = number(fields(about.metadata).exit_code);
  const isStructured = code !== undefined || typeof about.success === 'boolean';
  const words =
    typeof output === 'string' && !isStructured ? output : asText(about.output ?? about.content ?? '');
  const said = endInWords(words);
  if (said !== undefined && said !== 'done' && said !== 'failed') return said;
  return endOfCode(code) ?? (about.success === false ? 'failed' : said);
}

function endInWords(words: string): CallEnd | undefined {
  if (TIMED_OUT.test(words)) return 'timedOut';
  if (CANCELLED.test(words)) return 'cancelled';
  if (DENIED.test(words) || denialIn(words)) return 'denied';
  if (FAILED.test(words)) return 'failed';
  const head = HEAD.exec(words)?.[0] ?? '';
  if (RUNNING.test(head)) return 'open';
  const code = EXIT.exec(head)?.[1];
  return endOfCode(code === undefined ? undefined : Number(code));
}

/** What an item of a thread, or the event that ends a call, says of its end; undefined where it says nothing. */
export function endInItem(item: Fields): CallEnd | undefined {
  const status = asText(item.status).toLowerCase();
  if (status === 'declined') return 'denied';
  if (/^in_?progress$/.test(status)) return 'open';
  const code = number(item.exit_code) ?? number(item.exitCode);
  if (item.timed_out === true || item.timedOut === true) return 'timedOut';
  if (code !== undefined && code !== 0) return 'failed';
  const isFailed = status === 'failed' || item.success === false || fields(item.result).Err !== undefined;
  if (isFailed) return 'failed';
  return code === 0 || status === 'completed' || item.success === true ? 'done' : undefined;
}

/** Puts together what a rollout says of the end of its calls: with the result, with an event before it or after it. */
export class CallStates {
  readonly #results = new Map<string, Draft>();
  readonly #told = new Map<string, CallEnd>();
  /** Results that only say that a process runs, by the process. */
  readonly #running = new Map<string, Draft>();

  /** Adds a result; `draft` is its message. */
  answered(item: Fields, draft: Draft): void {
    const id = asText(item.call_id);
    const words = asText(item.output);
    const process = RUNNING.exec(HEAD.exec(words)?.[0] ?? '')?.[1];
    const end = endInOutput(item.output);
    this.#results.set(id, draft);
    setEnd(draft, worst(this.#told.get(id), end));
    if (process !== undefined) this.#running.set(process, draft);
  }

  /** Adds the arguments of a call that waits for a process, whose result tells how that ended. */
  waits(process: unknown, item: Fields): void {
    const begun = this.#running.get(asText(process));
    if (!begun || endInOutput(item.output) === 'open') return;
    this.#running.delete(asText(process));
    setEnd(begun, 'done');
  }

  /** Adds what an event or an item of the thread tells. */
  ended(id: string | undefined, end: CallEnd | undefined): void {
    if (id === undefined || end === undefined) return;
    const known = worst(this.#told.get(id), end);
    if (known !== undefined) this.#told.set(id, known);
    const draft = this.#results.get(id);
    if (draft) setEnd(draft, worst(known, text(draft.body.state) as CallEnd | undefined));
  }
}

function setEnd(draft: Draft, end: CallEnd | undefined): void {
  const { body } = draft;
  if (end === undefined || body.type !== 'message') return;
  if (end === 'done') delete body.state;
  else body.state = end;
  if (end === 'failed' || end === 'timedOut') body.isError = true;
  else if (end === 'denied' || end === 'cancelled') delete body.isError;
}
