import { appendAll } from '../../core/lists.js';
import { joined } from '../../core/joined.js';
import { injectedOf, injectedWords, titleTextOf } from '../../core/injected.js';
import { textOf, type ChatMessage } from '../../core/message.js';
import { promptTitle } from '../../core/promptTitle.js';
import type {
  CallSite,
  CallState,
  Decider,
  PartialReason,
  ProviderIds,
  UnknownRecord,
} from '../../core/record.js';
import type { Usage } from '../../core/usage.js';
import { denialIn } from './decisions.js';
import { fields, type Fields } from '../reading/fields.js';
import { whoSpeaks, type SpeakerMarks } from './whoSpeaks.js';
import { readableMessage } from './readableMessage.js';
import { addingRests, Rests } from '../rest/addingRests.js';
import { Drafts, type Draft } from '../spool/drafts.js';
import { Numbers } from '../spool/numbers.js';
import { atOnce, type Steps } from '../reading/steps.js';
import { FACTS, IMPORTED, type ImportedConversation, type ImportedRecord } from '../reading/importResult.js';

export type { Draft } from '../spool/drafts.js';

/** What is known of a message besides the message itself. */
export interface MessageDetails {
  /** Milliseconds since 1970. */
  readonly time?: number | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly toolName?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly isError?: boolean | undefined;
  /** What became of the call that it answers, see `MessageBody`. */
  readonly state?: CallState | undefined;
  /** The ids by which the provider knows the answer. */
  readonly provider?: ProviderIds | undefined;
  /** Why the message is incomplete. */
  readonly partial?: PartialReason | undefined;
  /** Whose words it is, for role user, by the tool's own marks; see `whoSpeaks`. */
  readonly marks?: SpeakerMarks | undefined;
  /** For role user: whether the agent was given it while it worked, see `MessageBody`. */
  readonly absorbed?: boolean | undefined;
  /** The speaker, where one call has several. */
  readonly agent?: string | undefined;
  /**
   * The value of the file that the message was made of. What of it does not stand in the message becomes the record's
   * `source`. One value may give several messages: the first has the rest, the others only the values directly in it.
   */
  readonly raw?: unknown;
  /** What the other tool stores around the message, where it is no value of the file. */
  readonly source?: Fields | undefined;
}

/** What of these details stands elsewhere than in the body of its record. */
const BESIDE_BODY: ReadonlySet<string> = new Set(['time', 'agent', 'raw']);

/** The type of a draft that only keeps a place. */
const HOLE = 'hole';

/** A decision about a tool call, as another tool records it. */
export interface ImportedDecision {
  readonly toolCallId: string;
  /** What was asked about, where no call says so. */
  readonly toolName?: string;
  readonly subject?: string;
  readonly isApproved: boolean;
  readonly decidedBy: Decider;
  readonly reason?: string;
  readonly rule?: string;
  /** From the question to the decision, in milliseconds; 0 where that is unknown. */
  readonly waitedMs?: number;
}

/** The longest title, in code points. */
const TITLE_LENGTH = 80;

/** Of how many drafts `furtherInParts` makes records at once, unless more were made of one value. */
const MAX_PART = 100;

/** Collects the records of one conversation and numbers them at the end. */
export class ConversationBuilder {
  readonly id: string;
  title: string | undefined;
  /** Whether what is said from now on was said in a session that this one was forked from. */
  isInherited = false;
  /** What the header of the conversation says besides: a score, a target, a status, by what a person calls it. */
  readonly facts = new Map<string, string>();
  /** The place of the entry call, the conversation's own agent. */
  readonly entry: CallSite;
  /** The numbers of its drafts, without those that were put behind others. */
  readonly #drafts = new Numbers();
  readonly #all: Drafts;
  #calls = 1;
  #runs = 1;
  #unnamed = 0;
  /** Those of its drafts that were not given yet as `further` records, how many were looked at for that, and how many given. */
  #waiting: number[] = [];
  #lookedAt = 0;
  #seq = 0;
  /** The words of the first prompt and of the first answer among these. */
  #prompt: string | undefined;
  #answer: string | undefined;
  /** The title that was shortened last, and to what: of a conversation that goes on it is asked with each line. */
  #shortened: { readonly of: string; readonly as: string | undefined } | undefined;
  #implausible = 0;
  /** How many rings were found of what says that another of them began it. */
  rings = 0;
  /** The calls of tools that were decided on, and which of them were denied. */
  readonly #decided = new Map<string, boolean>();

  /** `all` are the drafts of the whole import, of which these are a part. */
  constructor(id: string, agent: string, all = new Drafts()) {
    this.id = id;
    this.#all = all;
    this.entry = { run: 'r1', call: 'k1', agent, depth: 0 };
  }

  /** The drafts from a position on, without those that were put behind others. */
  since(position: number): Draft[] {
    const count = Math.max(0, this.#drafts.length - position);
    return Array.from({ length: count }, (_, at) => this.#all.at(this.#drafts.at(position + at)));
  }

  /** How many of its records tell usage that cannot be true. */
  get implausible(): number {
    return this.#implausible;
  }

  /** The number of drafts so far, without those that were put behind others. */
  get length(): number {
    return this.#drafts.length;
  }

  message(callSite: CallSite, message: object, details: MessageDetails = {}): Draft {
    const { time, agent, raw } = details;
    const speaker = agent === undefined ? callSite : { ...callSite, agent };
    const readable = this.#readableMessage(message);
    const denial = this.#addDenial(speaker, readable, details);
    const body: Record<string, unknown> = { type: 'message', message: readable };
    if (this.isInherited) body.inherited = true;
    for (const [key, value] of Object.entries(details))
      if (value !== undefined && !BESIDE_BODY.has(key)) body[key] = value;
    if (denial) body.state = 'denied';
    const draft = this.#add(speaker, time, body);
    // What a message says in a shape that is not read back stays with the record.
    const made = raw ?? (readable === message ? undefined : message);
    if (made !== undefined) draft.raws.push(made);
    return draft;
  }

  /** Keeps something that is not a message as an `imported` record; `kind` is the other tool's name for it. */
  keep(callSite: CallSite, kind: string, value: unknown, time?: number): Draft {
    return this.#add(callSite, time, { type: IMPORTED, kind, value });
  }

  /** Keeps what somebody wrote outside of messages: its words are shown where it stands. */
  tell(callSite: CallSite, kind: string, value: unknown, time?: number): Draft {
    return this.#add(callSite, time, { type: IMPORTED, kind, value, shown: true });
  }

  /**
   * Keeps what of a value does not stand in messages that were made of it, as an `imported` record; none where nothing is
   * left.
   */
  keepRest(
    callSite: CallSite,
    kind: string,
    raw: unknown,
    about: { readonly time?: number | undefined; readonly beside: readonly Draft[] },
  ): Draft {
    const draft = this.keep(callSite, kind, undefined, about.time);
    draft.raws.push(raw);
    appendAll(draft.beside, about.beside);
    return draft;
  }

  /** Keeps a place for drafts that come later, see `moveBehind`; it becomes no record itself. */
  hole(): Draft {
    return this.#add(this.entry, undefined, { type: HOLE });
  }

  /** Makes a draft one that only keeps its place, because others say better what it says. */
  drop(draft: Draft): void {
    draft.body = { type: HOLE };
  }

  /** Adds a record of any other type; `body` is all of it but its header. */
  add(callSite: CallSite, body: Record<string, unknown> & { readonly type: string }, time?: number): Draft {
    if (body.type === 'approval')
      this.#decided.set(`${callSite.call} ${String(body.toolCallId)}`, body.decision === 'denied');
    return this.#add(callSite, time, body);
  }

  /** Before a result that stands in place of one because the call was denied: that decision, once. Gives whether it is such. */
  #addDenial(callSite: CallSite, message: unknown, { time, state, isError }: MessageDetails): boolean {
    const { role, content, tool_call_id: id } = message as Partial<Record<string, unknown>>;
    if (role !== 'tool' || typeof id !== 'string') return false;
    const told = typeof content === 'string' ? denialIn(content) : undefined;
    const denial = told ?? (state === 'denied' ? ({ decidedBy: 'user', reason: '' } as const) : undefined);
    if (!denial)
      return isError === true && state === undefined && this.#decided.get(`${callSite.call} ${id}`) === true;
    if (!this.isDecided(callSite, id))
      this.decide(callSite, { ...denial, toolCallId: id, isApproved: false }, time);
    return true;
  }

  /** Whether a decision about a tool call is recorded. */
  isDecided({ call }: CallSite, toolCallId: string): boolean {
    return this.#decided.has(`${call} ${toolCallId}`);
  }

  /** Adds a decision about a tool call, as far as the source tells it; what was asked stands in the call. */
  decide(callSite: CallSite, decision: ImportedDecision, time?: number): void {
    const { toolCallId, isApproved, decidedBy, reason = '', rule = '', waitedMs = 0 } = decision;
    const { toolName = '', subject = '' } = decision;
    const about = { toolName, toolCallId, subject, decision: isApproved ? 'approved' : 'denied' };
    const why = { ...(rule !== '' && { rule }), ...(reason !== '' && { reason }) };
    this.add(callSite, { type: 'approval', ...about, decidedBy, ...why, waitedMs }, time);
  }

  /** Starts a further run, as a person does who asks again; gives the place of its entry call. */
  run(agent: string): CallSite {
    return { run: `r${++this.#runs}`, call: `k${++this.#calls}`, agent, depth: 0 };
  }

  /** Adds a `request` record for a usage that belongs to no message. */
  request(callSite: CallSite, usage: Usage, model: string | undefined, time?: number): Draft {
    const known = { model: model ?? '', endpoint: '', attempt: 1, durationMs: 0 };
    return this.#add(callSite, time, { type: 'request', ...known, usage });
  }

  /** Adds a call that `parent` dispatched, by the tool call with this id if it is known, directly after `behind`. */
  dispatch(
    parent: CallSite,
    agent: string,
    about: {
      task?: string | undefined;
      toolCallId?: string | undefined;
      behind?: Draft | undefined;
      time?: number | undefined;
    },
  ): CallSite {
    const child = {
      run: parent.run,
      call: `k${++this.#calls}`,
      parentCall: parent.call,
      agent,
      depth: parent.depth + 1,
    };
    const { task = '', toolCallId = '', behind, time } = about;
    const body = { type: 'dispatch', target: agent, task, toolCallId, childCall: child.call };
    this.#add(parent, time, body, behind);
    return child;
  }

  /** Moves all drafts from position `from` on directly after another draft. */
  moveBehind(behind: Draft, from: number): void {
    for (const draft of this.#drafts.cutFrom(from)) this.#all.putBehind(behind, draft);
  }

  /** See `finishing`, at once. */
  finish(): ImportedConversation {
    return atOnce(this.finishing());
  }

  /** The conversation; to be called once, because the drafts are given up meanwhile: both at once would be too much. */
  *finishing(): Steps<ImportedConversation> {
    const records: ImportedRecord[] = [];
    const inOrder: Draft[] = [];
    for (const draft of this.#inOrder()) {
      inOrder.push(draft);
      yield;
    }
    for (const draft of yield* addingRests(inOrder)) {
      records.push(this.#record(draft, records.length + 1));
      this.#all.giveUp(draft.index);
      yield;
    }
    const title =
      shortTitle(this.title) ?? firstOf(records, promptIn) ?? firstOf(records, answerIn) ?? this.id;
    return { id: this.id, title, records, ...this.#factsIn() };
  }

  /** The same, but its records are given one by one, for whoever keeps them; with the number of the draft of each. */
  *finishInto(
    keep: (record: ImportedRecord, draft: number) => void,
  ): Steps<Omit<ImportedConversation, 'records'>> {
    let seq = 0;
    let prompt: string | undefined;
    let answer: string | undefined;
    const rests = new Rests({
      madeOf: (raw) => this.#all.madeOf(raw),
      isFirst: (raw) => this.#all.raws.isFirst(raw),
    });
    for (const draft of this.#inOrder()) {
      if (!rests.addTo(draft)) continue;
      const record = this.#record(draft, ++seq);
      prompt ??= promptIn(record);
      answer ??= answerIn(record);
      keep(record, draft.index);
      yield;
    }
    return { id: this.id, title: shortTitle(this.title) ?? prompt ?? answer ?? this.id, ...this.#factsIn() };
  }

  /** The drafts that `further` has not given yet, with those behind them. */
  *waitingInOrder(): Generator<Draft> {
    for (const { index } of this.waiting) yield* this.#all.withThoseBehind(index);
  }

  /** The same without those behind them. */
  get waiting(): readonly Draft[] {
    for (; this.#lookedAt < this.#drafts.length; this.#lookedAt++)
      this.#waiting.push(this.#drafts.at(this.#lookedAt));
    return this.#waiting.map((index) => this.#all.at(index));
  }

  /**
   * The records of what was drafted and not given yet, for a conversation that goes on, but for those drafts that are to wait:
   * what the others are made of must not change any more.
   */
  further(isWaiting: (draft: Draft) => boolean): ImportedRecord[] {
    return [...this.furtherInParts(isWaiting)].flat();
  }

  /** The same in parts, between which what is held of the drafts may wait on the disk. */
  *furtherInParts(isWaiting: (draft: Draft) => boolean): Generator<ImportedRecord[]> {
    const part: Draft[] = [];
    const raws = new Set<unknown>();
    for (const draft of this.#further(isWaiting)) {
      // Of a value that several were made of, the first has what the others do not say.
      if (part.length >= MAX_PART && !draft.raws.some((raw) => raws.has(raw))) {
        yield this.#recordsOf(part.splice(0));
        raws.clear();
        this.#all.settle(0);
      }
      part.push(draft);
      for (const raw of draft.raws) raws.add(raw);
    }
    yield this.#recordsOf(part);
  }

  *#further(isWaiting: (draft: Draft) => boolean): Generator<Draft> {
    if (this.#seq === 0) yield* this.#factsDraft();
    const given: number[] = [];
    const left: number[] = [];
    for (const draft of this.waiting) (isWaiting(draft) ? left : given).push(draft.index);
    this.#waiting = left;
    for (const first of given)
      for (const draft of this.#all.withThoseBehind(first))
        if (draft.body.type !== HOLE) yield this.#readable(draft);
  }

  #recordsOf(drafts: readonly Draft[]): ImportedRecord[] {
    return atOnce(addingRests(drafts)).map((draft) => {
      const record = this.#record(draft, ++this.#seq);
      this.#prompt ??= promptIn(record);
      this.#answer ??= answerIn(record);
      return record;
    });
  }

  /** What it is called by what `further` has given. */
  get titleSoFar(): string {
    const of = this.title ?? '';
    if (this.#shortened?.of !== of) this.#shortened = { of, as: shortTitle(of) };
    return this.#shortened.as ?? this.#prompt ?? this.#answer ?? this.id;
  }

  /** Numbers a record that was made elsewhere as the next of the `further` ones. */
  numbered(record: ImportedRecord): ImportedRecord {
    const seq = ++this.#seq;
    return Object.freeze({ ...record, seq, id: `m${seq}` });
  }

  #factsIn(): { readonly facts?: Readonly<Record<string, string>> } {
    return this.facts.size > 0 ? { facts: Object.fromEntries(this.facts) } : {};
  }

  /** The drafts in their final order, after what the header says. */
  *#inOrder(): Generator<Draft> {
    yield* this.#factsDraft();
    for (const draft of this.#all.inOrder(this.#drafts))
      if (draft.body.type !== HOLE) yield this.#readable(draft);
  }

  *#factsDraft(): Generator<Draft> {
    const { facts } = this.#factsIn();
    if (facts) yield this.#all.make(this.entry, undefined, { type: IMPORTED, kind: FACTS, value: facts });
  }

  /** A draft whose message is read back from the store, whatever was changed in it since it was made. */
  #readable(draft: Draft): Draft {
    const { body } = draft;
    if (body.type !== 'message') return draft;
    const message = this.#readableMessage(body.message);
    if (message !== body.message)
      draft.body = { ...body, message, ...(draft.raws.length === 0 && { source: body.message }) };
    return draft;
  }

  #readableMessage(message: unknown): unknown {
    return readableMessage(message, () => `unnamed-${++this.#unnamed}`);
  }

  #add(callSite: CallSite, time: number | undefined, body: Record<string, unknown>, behind?: Draft): Draft {
    const draft = this.#all.make(callSite, time, body);
    if (behind) this.#all.putBehind(behind, draft.index);
    else this.#drafts.push(draft.index);
    return draft;
  }

  /** What tells no time has time 0, which every view takes for unknown; that of its neighbour would be invented. */
  #record({ place: callSite, body, time = 0 }: Draft, seq: number): ImportedRecord {
    if ((body.usage as Usage | undefined)?.terms?.includes('implausible')) this.#implausible++;
    const header = { seq, id: `m${seq}`, time, conversation: this.id };
    return Object.freeze(joined(header, callSite, withSpeakers(body))) as unknown as UnknownRecord;
  }
}

/** A body with what a tool put into its message, in place of the tool's marks. */
function withSpeakers(body: Record<string, unknown>): Record<string, unknown> {
  if (body.type !== 'message' || fields(body.message).role !== 'user') return body;
  const { marks, ...own } = body;
  if (own.injected !== undefined) return body;
  const injected = whoSpeaks(body.message, marks as SpeakerMarks | undefined);
  if (injected.length > 0) return { ...own, injected };
  return marks === undefined ? body : own;
}

/** The prompt that a person wrote in a record, in whatever shape its content has. */
const promptIn = (record: ImportedRecord) => wordsOf(record, 'user');

/** The words of an answer, which say more than an id where nobody wrote a prompt. */
const answerIn = (record: ImportedRecord) => wordsOf(record, 'assistant');

function wordsOf(record: ImportedRecord, speaker: string): string | undefined {
  const { type, message } = record as UnknownRecord;
  const { role } = (message ?? {}) as Partial<ChatMessage>;
  if (type !== 'message' || role !== speaker) return undefined;
  // What another agent asks is what a session is about in which no person speaks.
  return shortTitle(titleTextOf(record) || taskIn(record));
}

/** What another agent asks in a record; '' where none does. */
function taskIn(record: ImportedRecord): string {
  const { message } = record as UnknownRecord;
  const words = injectedWords(textOf(fields(message).content), injectedOf(record));
  return words.find(({ kind }) => kind === 'agent')?.text ?? '';
}

function firstOf<From, To>(list: readonly From[], find: (item: From) => To | undefined): To | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shortTitle(text: string | undefined): string | undefined {
  return promptTitle(text ?? '', TITLE_LENGTH);
}

/** How many rings there are among ids of which each names its parent; what names itself is none. */
export function ringsIn(parents: ReadonlyMap<string, string>): number {
  const walkOf = new Map<string, string>();
  let rings = 0;
  for (const begin of parents.keys()) {
    let at: string | undefined = begin;
    for (; at !== undefined && !walkOf.has(at); at = parents.get(at)) walkOf.set(at, begin);
    if (at !== undefined && walkOf.get(at) === begin && parents.get(at) !== at) rings++;
  }
  return rings;
}
