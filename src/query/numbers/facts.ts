import { textOf } from '../../core/message.js';
import { argumentHash, textHash } from './argumentHash.js';
import { compactionSign, sourceIdOf, type CompactionSign } from './context/compaction.js';
import { callTokens, contextSizesOf, NO_SIZES, type ContextSizes } from './context/contextSizes.js';
import { describesWindow } from './context/toolSchemas.js';
import { fileUsesOf, type FileUse } from './fileUses.js';
import { failureWords, isFailedRecord, stateIn } from './failures.js';
import { charactersOf } from './messageSize.js';
import { reporterOf, tokensOf, usageOf, type ReportedBy, type TokenCount } from './tokens.js';
import type { Usage } from '../../core/usage.js';
import { argumentsOf, callsOf, MAX_READ_ARGUMENTS, resultNameOf, type LooseCall } from './toolCalls.js';
import {
  answeredIdOf,
  envelopeOf,
  idOf,
  isAbsorbed,
  messageIn,
  speakerIn,
  type UntypedMessage,
} from './transcriptItem.js';
import { isInventedTitle, type CallState, type UnknownRecord } from '../../core/record.js';
import { isObject } from '../../core/message.js';
import { knownTime, numberOr, textOr } from './values.js';

/** Whose an item is; each undefined where its record does not say it, all for a bare message. */
export interface FactSite {
  readonly run: string | undefined;
  readonly call: string | undefined;
  readonly parentCall: string | undefined;
  readonly agent: string | undefined;
  readonly depth: number | undefined;
}

/** A tool call that a message makes. */
export interface FactCall {
  /** '' where it has none. */
  readonly id: string;
  readonly name: string;
  /** The names of its arguments; none where they are no JSON object, or too long to be read. */
  readonly names: readonly string[];
  /** The files that its arguments name, see `fileUsesOf`. */
  readonly files: readonly FileUse[];
  /** See `argumentHash`. */
  readonly hash: number;
  /** About how many tokens it is in a window, see `callTokens`. */
  readonly tokens: number;
}

/** What a record says that is no message: of a call, a dispatch, an approval, an error or a title. */
export interface EventFacts {
  /** The call that a dispatch starts. */
  readonly childCall: string | undefined;
  /** For how long a person was waited for, in milliseconds. */
  readonly waitedMs: number;
  /** How a call ended; '' where that is not said. */
  readonly outcome: string;
  readonly isApproved: boolean;
  /** Who decided on an approval; '' where that is not said. */
  readonly decidedBy: string;
  /** The policy or rule that decided on it; '' where none is named. */
  readonly rule: string;
  /** Why it failed, whole; '' for what did not. */
  readonly words: string;
  /** See `isInventedTitle`. */
  readonly isInvented: boolean;
}

/**
 * What an item of a transcript says besides its texts: all that any number of any view is made of. `factsOf` defines each;
 * whoever takes them from elsewhere (the bytes of a line, columns) gives the same.
 */
export interface Facts {
  /** Whether it is a record; a bare message is none. */
  readonly isRecord: boolean;
  /** The type of the record; '' where it has none. */
  readonly type: string;
  readonly place: FactSite;
  /** In milliseconds since 1970; 0 where it is unknown. */
  readonly time: number;
  /** Who speaks, see `speakerIn`; null for a message without a role, undefined for an item without a message. */
  readonly role: string | null | undefined;
  /** See `isAbsorbed`. */
  readonly isAbsorbed: boolean;
  /** The model that it names, and the tool that a result or an approval does; '' for none. */
  readonly model: string;
  readonly toolName: string;
  /** The id of the tool call that it answers, or that a dispatch, an approval or the start of a call is of; '' for none. */
  readonly answers: string;
  /** The tokens of its usage, which count for its call, and the kind of record that reports them; undefined for none. */
  readonly reporter: keyof ReportedBy<unknown> | undefined;
  readonly tokens: TokenCount | undefined;
  /** What it says of what its model used, with caches and what that cost, see `usageOf`. */
  readonly usage: Usage | undefined;
  /** How long it took, in milliseconds; undefined where that is unknown. */
  readonly durationMs: number | undefined;
  /** See `isFailedRecord`. */
  readonly isFailure: boolean;
  /** Of a tool's result, what became of its call, see `stateIn`; '' for one that came to its end, and for anything else. */
  readonly state: CallState | '';
  /** Whether a message has something to show besides its tool calls, and whether its content has a word. */
  readonly says: boolean;
  readonly hasText: boolean;
  /** See `charactersOf`; and those of its reasoning. In UTF-16 code units. */
  readonly characters: number;
  readonly reasoning: number;
  /** Whether it tells of a compaction, see `compactionSign`. */
  readonly compaction: CompactionSign;
  /** About how many tokens a message is in a window, see `ContextSizes`. */
  readonly contentTokens: number;
  readonly reasoningTokens: number;
  readonly imageTokens: number;
  /** A number made of the id that its source has for a message, see `sourceIdOf`; 0 for none. */
  readonly sourceId: number;
  /** See `describesWindow`. */
  readonly describesWindow: boolean;
  /** The tool calls that the message makes. */
  readonly calls: readonly FactCall[];
  /** For a record without a message, of a type that has any of it. */
  readonly event: EventFacts | undefined;
}

const NO_PLACE: FactSite = {
  run: undefined,
  call: undefined,
  parentCall: undefined,
  agent: undefined,
  depth: undefined,
};

/** No tool calls. */
export const NO_FACT_CALLS: readonly FactCall[] = [];

const NO_RECORD: UntypedMessage = Object.freeze({});

/** The facts of an item: a record, or a bare message. */
export function factsOf(item: unknown): ItemFacts {
  return new ItemFacts(item);
}

/** What no question asks of every item is worked out when it is asked for. */
export class ItemFacts implements Facts {
  /** The message that it is or carries; undefined for a record of another type. */
  readonly message: UntypedMessage | undefined;
  readonly isRecord: boolean;
  readonly type: string;
  readonly place: FactSite;
  readonly time: number;
  readonly role: string | null | undefined;
  readonly toolName: string;
  readonly answers: string;
  readonly durationMs: number | undefined;
  readonly isFailure: boolean;
  readonly state: CallState | '';
  readonly calls: readonly ItemCall[];
  readonly event: EventFacts | undefined;
  readonly #record: UntypedMessage;
  #sizes: ContextSizes | undefined;

  constructor(item: unknown) {
    const own = envelopeOf(item);
    const message = messageIn(item);
    const record = own ?? NO_RECORD;
    this.#record = record;
    this.message = message;
    this.isRecord = own !== undefined;
    this.type = textOr(record.type);
    this.place = own ? factSiteIn(own) : NO_PLACE;
    this.time = knownTime(record.time) ?? 0;
    this.role = speakerIn(item);
    this.toolName = message ? resultNameOf(message, own) : textOr(record.toolName);
    this.answers = message ? answeredIdOf(message) : idOf(record.toolCallId);
    this.durationMs = numberOr(record.durationMs);
    this.isFailure = own !== undefined && isFailedRecord(own);
    this.state = own && this.role === 'tool' ? stateIn(own) : '';
    this.calls = message ? itemCallsOf(callsOf(message), record.spill) : NO_ITEM_CALLS;
    this.event = own && !message ? eventOf(own) : undefined;
  }

  get model(): string {
    return textOr(this.#record.model);
  }

  get usage(): Usage | undefined {
    return this.isRecord ? usageOf(this.#record) : undefined;
  }

  get tokens(): TokenCount | undefined {
    return tokensOf(this.usage);
  }

  get reporter(): keyof ReportedBy<unknown> | undefined {
    return this.tokens && reporterOf(this.#record);
  }

  get says(): boolean {
    return this.message !== undefined && (hasShown(this.message) || this.reasoning > 0 || this.hasText);
  }

  get hasText(): boolean {
    return textOf(this.message?.content).trim() !== '';
  }

  get characters(): number {
    return this.message ? charactersOf(this.message) : 0;
  }

  get reasoning(): number {
    return textOr(this.message?.reasoning_content).length;
  }

  get compaction(): CompactionSign {
    return this.isRecord ? compactionSign(this.#record, this.message !== undefined) : '';
  }

  get #sized(): ContextSizes {
    const { message } = this;
    return (this.#sizes ??= message ? contextSizesOf(message, this.#record.spill) : NO_SIZES);
  }

  get contentTokens(): number {
    return this.#sized.content;
  }

  get reasoningTokens(): number {
    return this.#sized.reasoning;
  }

  get imageTokens(): number {
    return this.#sized.images;
  }

  get sourceId(): number {
    const id = this.message ? sourceIdOf(this.#record) : '';
    return id === '' ? 0 : textHash(id);
  }

  get isAbsorbed(): boolean {
    return isAbsorbed(this.#record);
  }

  get describesWindow(): boolean {
    return this.isRecord && !this.message && describesWindow(this.#record);
  }
}

/** The same facts as plain values, to be kept without the item that they are of. */
export function plainFacts(facts: Facts): Facts {
  const { isRecord, type, place, time, role, model, toolName, answers, reporter, tokens, usage } = facts;
  const { durationMs, isFailure, state, says, hasText, characters, reasoning, compaction, event } = facts;
  const { contentTokens, reasoningTokens, imageTokens, sourceId, describesWindow: describes } = facts;
  const { isAbsorbed: absorbed } = facts;
  const calls = facts.calls.map(({ id, name, names, files, hash, tokens: size }) => ({
    id,
    name,
    names,
    files,
    hash,
    tokens: size,
  }));
  return {
    isRecord,
    type,
    place,
    time,
    role,
    model,
    toolName,
    answers,
    reporter,
    tokens,
    usage,
    durationMs,
    isFailure,
    state,
    says,
    hasText,
    characters,
    reasoning,
    compaction,
    calls,
    event,
    contentTokens,
    reasoningTokens,
    imageTokens,
    sourceId,
    describesWindow: describes,
    isAbsorbed: absorbed,
  };
}

/** The latest place: records of one call follow each other, and need but one. */
let latest: FactSite = NO_PLACE;

function factSiteIn(record: UntypedMessage): FactSite {
  const run = text(record.run);
  const call = text(record.call);
  const parentCall = text(record.parentCall);
  const agent = text(record.agent);
  const depth = typeof record.depth === 'number' ? record.depth : undefined;
  const isLatest =
    latest.call === call &&
    latest.run === run &&
    latest.agent === agent &&
    latest.parentCall === parentCall &&
    latest.depth === depth;
  if (!isLatest) latest = { run, call, parentCall, agent, depth };
  return latest;
}

function hasShown({ content, refusal }: UntypedMessage): boolean {
  return (Array.isArray(content) && content.length > 0) || textOr(refusal) !== '';
}

const NO_ITEM_CALLS: readonly ItemCall[] = [];

function itemCallsOf(calls: readonly LooseCall[], spill: unknown): readonly ItemCall[] {
  return calls.length === 0 ? NO_ITEM_CALLS : calls.map((call, at) => new ItemCall(call, spill, at));
}

/** What the arguments of a call tell. */
export type ArgumentFacts = Pick<FactCall, 'names' | 'files'>;

/** A call whose arguments are parsed when they are asked for, which many questions never do, and but once. */
export class ItemCall implements FactCall {
  readonly id: string;
  readonly name: string;
  /** The arguments: their JSON, or the value itself. */
  readonly input: unknown;
  readonly #spill: unknown;
  readonly #at: number;
  #read: ArgumentFacts | undefined;

  /** `spill`: which texts its record keeps in files of their own; `at`: its number in the message. */
  constructor({ id, name, input }: LooseCall, spill: unknown, at: number) {
    this.id = id;
    this.name = name;
    this.input = input;
    this.#spill = spill;
    this.#at = at;
  }

  get names(): readonly string[] {
    return (this.#read ??= argumentFacts(this.name, this.input)).names;
  }

  get files(): readonly FileUse[] {
    return (this.#read ??= argumentFacts(this.name, this.input)).files;
  }

  get hash(): number {
    return argumentHash(this.input);
  }

  get tokens(): number {
    return callTokens(this, this.#spill, this.#at);
  }
}

/** What the arguments of a call of a tool tell. */
export function argumentFacts(tool: string, input: unknown): ArgumentFacts {
  const args = argumentsOf(input);
  const isLong = typeof input === 'string' && input.length > MAX_READ_ARGUMENTS;
  return { names: isLong ? [] : Object.keys(args), files: fileUsesOf(tool, input, args) };
}

const EVENTS: ReadonlySet<unknown> = new Set([
  'callStart',
  'callEnd',
  'dispatch',
  'approval',
  'error',
  'title',
]);

function eventOf(record: UntypedMessage): EventFacts | undefined {
  if (!EVENTS.has(record.type)) return undefined;
  return {
    childCall: text(record.childCall),
    waitedMs: numberOr(record.waitedMs) ?? 0,
    outcome: textOr(record.outcome),
    isApproved: record.decision === 'approved',
    decidedBy: textOr(record.decidedBy),
    rule: textOr(record.rule),
    words: wordsOf(record),
    isInvented: typeof record.id === 'string' && isInventedTitle(record as UnknownRecord),
  };
}

/** An error says its message alone: what else it has is no reason. */
function wordsOf(record: UntypedMessage): string {
  if (record.type === 'error') return isObject(record.error) ? textOr(record.error.message) : '';
  return isFailedRecord(record) || record.decision === 'denied' ? failureWords(record) : '';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
