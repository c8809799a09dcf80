import { compactionOf, droppedMessages } from '../query/numbers/context/compaction.js';
import { formatDuration } from '../core/duration.js';
import { isObject, textOf } from '../core/message.js';
import { isProse, textsIn } from '../core/prose.js';
import type { CallState } from '../core/record.js';
import { outcomeOf, type Deed } from '../query/numbers/deed.js';
import { isFailed, isFailedRecord, stateIn } from '../query/numbers/failures.js';
import { envelopeOf, isAbsorbed, type UntypedMessage } from '../query/numbers/transcriptItem.js';
import type { DamagedLine } from '../core/ports/transcript.js';
import { FailureNotes, type RecordNote } from './failureNotes.js';

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const joined = (parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part): part is string => typeof part === 'string' && part !== '').join(' · ');

/** Milliseconds as people say them; '' where that is no duration. */
export function durationWords(ms: unknown): string {
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? formatDuration(ms) : '';
}

/** The tokens of a usage: `1,200 tokens in, 300 out`, without the former where the source has none; '' for none at all. */
export function usageWords(usage: unknown): string {
  if (!isObject(usage)) return '';
  const { inputTokens, outputTokens, estimated } = usage;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return '';
  if (inputTokens === 0 && outputTokens === 0) return '';
  const about = estimated === true ? '≈ ' : '';
  if (inputTokens === 0) return `${about}${outputTokens.toLocaleString('en')} tokens out`;
  return `${about}${inputTokens.toLocaleString('en')} tokens in, ${outputTokens.toLocaleString('en')} out`;
}

/** What cut a message off, by the word of its record. */
const CUT_OFF: ReadonlyMap<unknown, string> = new Map([
  ['error', 'broken off by an error'],
  ['cancelled', 'stopped before it was finished'],
  ['length', 'cut off at the limit of its length'],
]);

/** What a message says of being incomplete; '' where it is whole. */
export function partialWords(partial: unknown): string {
  return words(partial) === '' ? '' : (CUT_OFF.get(partial) ?? `incomplete: ${words(partial)}`);
}

/** What a message says of when it was said; '' where that is its place. */
export function absorbedWords(record: UntypedMessage): string {
  return isAbsorbed(record) ? 'while the agent worked' : '';
}

/** What is said of a call that did not come to its end. */
export const STATE_WORDS: Readonly<Record<CallState, string>> = {
  failed: 'failed',
  denied: 'denied',
  cancelled: 'stopped',
  timedOut: 'timed out',
  open: 'goes on',
};

/** What a result says of its call beside its text: how it ended, how much came, how long it took. */
export function resultFacts(
  { kind }: Pick<Deed, 'kind'>,
  item: unknown,
  text: string,
  durationMs: unknown,
): string[] {
  const state = stateIn(envelopeOf(item) ?? {});
  const end = state === '' ? (isFailed(item) ? 'failed' : '') : STATE_WORDS[state];
  const facts = [end, outcomeOf(kind, text, { wentWell: end === '' }), durationWords(durationMs)];
  return facts.filter((fact) => fact !== '');
}

/** What marks a record of something that cannot be read: in a journal its type, of another tool's file its kind. */
const UNREADABLE = 'unreadable';

/** How a call ended, as the panel says it. */
const ENDINGS: ReadonlyMap<unknown, string> = new Map([
  ['done', 'finished'],
  ['failed', 'failed'],
  ['cancelled', 'was stopped'],
  ['limited', 'hit a limit'],
]);

/** Who or what decided on an approval. */
const DECIDERS: ReadonlyMap<unknown, string> = new Map([
  ['user', 'by a person'],
  ['policy', 'by the settings'],
  ['remembered', 'as before'],
  ['rule', 'by a rule'],
  ['hook', 'by a hook'],
  ['cancel', 'because the run was stopped'],
]);

function approvalNote(record: UntypedMessage): RecordNote {
  return {
    line: joined([
      `${words(record.toolName) || 'The call'} was ${words(record.decision)} ${DECIDERS.get(record.decidedBy) ?? `(${words(record.decidedBy)})`}`,
      words(record.rule),
      words(record.reason),
      record.waitedMs !== 0 && durationWords(record.waitedMs) && `waited ${durationWords(record.waitedMs)}`,
    ]),
    text: words(record.subject),
    label: 'What was asked',
    isError: isFailedRecord(record),
  };
}

/** A task that no message of its call has said yet. */
interface BufferedTask {
  readonly text: string;
  /** The agent that was asked. */
  readonly agent: string;
  /** The call that dispatched it. */
  readonly by: unknown;
}

/** How many tasks are waited for; those of calls that never speak are told when there are more. */
const MAX_HELD = 1_000;

/**
 * The notes of an export, in which a task is said once: the first message of a call says it, and only where that is
 * missing a note does.
 */
export class RecordNotes {
  readonly #held = new Map<unknown, BufferedTask>();
  readonly #failures = new FailureNotes();

  /**
   * What is to be written of a record without a message, in order; undefined where it says nothing that the messages do not
   * say, such as a request that went well.
   */
  of(record: UntypedMessage): readonly RecordNote[] | undefined {
    const failure = this.#failures.of(record);
    if (failure) return failure;
    const told = this.#of(record);
    return told && [...this.#failures.before(record), ...told];
  }

  #of(record: UntypedMessage): readonly RecordNote[] | undefined {
    const told = noteOf(record, this.#failures);
    if (!told) return undefined;
    if (record.type === 'dispatch' && typeof record.childCall === 'string') {
      const overdue = this.#hold(record.childCall, {
        text: words(record.task),
        agent: words(record.target),
        by: record.call,
      });
      return [...overdue, { line: told.line, isError: told.isError }];
    }
    if (record.type !== 'callStart') return [told];
    // A dispatch has just said that it begins, and each of its messages says the model.
    if (this.#held.has(record.call)) return [];
    const overdue = this.#hold(record.call, {
      text: words(record.task),
      agent: words(record.agent),
      by: undefined,
    });
    return [...overdue, { line: told.line, isError: false }];
  }

  /** The failures and tasks that a message, of the record `envelope`, makes it necessary to tell before it. */
  before(envelope: UntypedMessage | undefined, message: UntypedMessage): readonly RecordNote[] {
    return [...this.#failures.before(envelope), ...this.#tasksBefore(envelope, message)];
  }

  #tasksBefore(
    envelope: UntypedMessage | undefined,
    { role, content }: UntypedMessage,
  ): readonly RecordNote[] {
    if (this.#held.size === 0 || role === 'system' || role === 'developer') return [];
    const call = envelope?.call;
    const own = this.#held.get(call);
    this.#held.delete(call);
    const isSaid = own !== undefined && role === 'user' && textOf(content).includes(own.text.trim());
    // What its dispatcher says after it is not for the call to say any more.
    const late = [...this.#held].filter(([, { by }]) => by === call && by !== undefined);
    for (const [child] of late) this.#held.delete(child);
    return [...(own && !isSaid ? [own] : []), ...late.map(([, task]) => task)].flatMap(taskNote);
  }

  /** The failures and tasks that nothing has said. */
  rest(): readonly RecordNote[] {
    return [...this.#failures.rest(), ...this.#tasks()];
  }

  #tasks(): readonly RecordNote[] {
    const left = [...this.#held.values()].flatMap(taskNote);
    this.#held.clear();
    return left;
  }

  #hold(call: unknown, task: BufferedTask): readonly RecordNote[] {
    const overdue = this.#held.size >= MAX_HELD ? this.#tasks() : [];
    this.#held.set(call, task);
    return overdue;
  }
}

/** Something wrong in a journal as a record that carries no message, for what tells of records. */
export function damageRecord(line: DamagedLine): UntypedMessage {
  return { type: UNREADABLE, ...line };
}

/** What is told in the place of something that cannot be read; undefined for every other record. */
export function damageNote(record: UntypedMessage): RecordNote | undefined {
  if (record.type === UNREADABLE) return { line: damageWords(record), isError: true };
  if (record.type !== 'imported' || record.kind !== UNREADABLE) return undefined;
  return { line: 'A line cannot be read', text: words(record.value), label: 'The line', isError: true };
}

/** Where something is wrong, and what, as far as the record of it tells. */
function damageWords({ file, line, offset, why }: UntypedMessage): string {
  const at = typeof line === 'number' ? `line ${line}` : typeof offset === 'number' ? `byte ${offset}` : '';
  return joined(['Damaged', joinedPlace(words(file), at), words(why)]);
}

const joinedPlace = (file: string, at: string): string => [file, at].filter((part) => part !== '').join(', ');

function taskNote({ text, agent }: BufferedTask): RecordNote[] {
  if (text.trim() === '') return [];
  return [{ line: `What ${agent || 'an agent'} was asked`, text, label: 'Task', isError: false }];
}

/** The note of a record that tells of no failing model; undefined where it says nothing that the messages do not say. */
function noteOf(record: UntypedMessage, failures: FailureNotes): RecordNote | undefined {
  const agent = words(record.agent) || 'An agent';
  switch (record.type) {
    case 'callStart':
      return {
        line: joined([`${agent} begins`, words(record.model), record.scripted === true && 'scripted']),
        text: words(record.task),
        label: 'Task',
        isError: false,
      };
    case 'callEnd': {
      const why = failures.endingOf(record);
      return {
        line: joined([
          `${agent} ${ENDINGS.get(record.outcome) ?? 'ended'}${why && `: ${why}`}`,
          durationWords(record.durationMs),
          usageWords(record.totalUsage),
        ]),
        isError: isFailedRecord(record),
      };
    }
    case 'dispatch':
      return {
        line: joined([
          `${agent} asks ${words(record.target)}`,
          words(record.refused) && `refused: ${words(record.refused)}`,
        ]),
        text: words(record.task),
        label: 'Task',
        isError: words(record.refused) !== '',
      };
    case 'approval':
      return approvalNote(record);
    case 'title':
      return { line: `Renamed to ${words(record.title)}`, isError: false };
    default:
      return compactionNote(record) ?? damageNote(record) ?? toldNote(record);
  }
}

/** What somebody wrote outside of messages, see `ConversationBuilder#tell`. */
function toldNote({ type, kind, value, shown }: UntypedMessage): RecordNote | undefined {
  if (type !== 'imported' || shown !== true) return undefined;
  const texts = textsIn(value).filter(isProse);
  if (texts.length === 0) return undefined;
  return { line: words(kind), text: texts.join('\n'), label: 'Text', isError: false };
}

/** That what was said before is no longer sent, and what stands for it. */
function compactionNote(record: UntypedMessage): RecordNote | undefined {
  const told = compactionOf(record);
  if (!told) return undefined;
  const { before, after, replacedBy } = told;
  const count = (value: number | undefined) => value?.toLocaleString('en') ?? '?';
  const tokens =
    before === undefined && after === undefined ? '' : `${count(before)} → ${count(after)} tokens`;
  const messages = droppedMessages(told);
  const dropped = messages === undefined ? '' : `${count(messages)} messages no longer sent`;
  const facts = [tokens, dropped].filter((fact) => fact !== '').join(', ');
  const summary = replacedBy.filter(({ role }) => role === 'summary').map(({ text }) => text);
  return {
    line: facts === '' ? 'compacted' : `compacted: ${facts}`,
    ...(summary.length > 0 && { text: summary.join('\n\n'), label: 'Summary' }),
    isError: false,
  };
}
