import { NO_FILES, type FileUse, type FileUseKind } from '../../query/numbers/fileUses.js';
import type { ArgumentFacts, Facts, FactSite } from '../../query/numbers/facts.js';
import { aboutTokens } from '../../query/numbers/context/aboutTokens.js';
import { spilledTokens } from '../../query/numbers/context/contextSizes.js';
import type { CompactionSign } from '../../query/numbers/context/compaction.js';
import type { Usage } from '../../core/usage.js';
import { OTHER } from './jsonCursor.js';

/** What many records have in common besides their place. */
export interface Kind {
  readonly isRecord: boolean;
  readonly type: string;
  /** 0 where there is no message. */
  readonly role: string | null | 0;
  readonly model: string;
  readonly toolName: string;
  readonly reporter: NonNullable<Facts['reporter']> | 0;
  readonly isEstimated: boolean;
  readonly isFailure: boolean;
  readonly state: Facts['state'];
  readonly says: boolean;
  readonly hasText: boolean;
  readonly hasDuration: boolean;
  readonly hasUsage: boolean;
  readonly hasCost: boolean;
  readonly compaction: CompactionSign;
  readonly describesWindow: boolean;
  readonly isAbsorbed: boolean;
}

/** Fields that can be written again. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The numbers of a usage, in the order in which columns keep them. */
export const USED = [
  ...(['inputTokens', 'outputTokens', 'cachedInputTokens', 'cacheWriteTokens'] as const),
  ...(['cacheWrite1hTokens', 'reasoningTokens', 'cost', 'requests', 'webSearches'] as const),
] as const satisfies readonly (keyof Usage)[];

/** The largest number that a column keeps. */
const MAX_CELL = 2 ** 32 - 1;

/** Whether a column can keep a number. */
export function isCell(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_CELL;
}

/** Whether UTF-8 holds a text without a loss; nearly all ids are of ASCII, for which no pattern is needed. */
export function isWellFormed(text: string): boolean {
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) > 0x7f) return !/\p{Surrogate}/u.test(text);
  return true;
}

/** A tool call on a line. */
export class ScannedCall {
  name = '';
  /** Where its id stands, in ASCII. */
  idFrom = 0;
  idTo = 0;
  /** The names of its arguments; the first `nameCount` are its own. */
  readonly names: string[] = [];
  nameCount = 0;
  /** The files that it names; or the only one, where its path stands, in ASCII. */
  files: readonly FileUse[] = NO_FILES;
  pathFrom = 0;
  pathTo = 0;
  use: FileUseKind = 'named';
  /** See `argumentHash`. */
  hash = 0;
  /** See `callTokens`. */
  tokens = 0;

  /** Sets what its arguments tell, of which columns keep the paths only where UTF-8 can. */
  setArguments({ names, files }: ArgumentFacts, hash: number): void {
    this.hash = hash;
    this.nameCount = names.length;
    for (let at = 0; at < names.length; at++) this.names[at] = names[at] ?? '';
    for (const { path } of files) if (!isWellFormed(path)) throw OTHER;
    this.files = files;
    this.pathFrom = this.pathTo = 0;
  }
}

/** What the bytes of a line say, in fields that are written again for the next line. */
export class ScannedRecord {
  /** The bytes that the line is in. */
  bytes: Buffer = Buffer.alloc(0);
  place: FactSite = {
    run: undefined,
    call: undefined,
    parentCall: undefined,
    agent: undefined,
    depth: undefined,
  };
  time = 0;
  characters = 0;
  reasoning = 0;
  /** See `Facts`. */
  contentTokens = 0;
  /** Of `contentTokens`, those of a refusal. */
  refusedTokens = 0;
  reasoningTokens = 0;
  imageTokens = 0;
  sourceId = 0;
  durationMs = 0;
  /** See `USED`; only where its kind has a usage. */
  readonly used: number[] = USED.map(() => 0);
  /** Where the id stands that it answers, in ASCII; both 0 for none. */
  answersFrom = 0;
  answersTo = 0;
  callCount = 0;
  readonly #calls: ScannedCall[] = [];
  readonly kind: Writable<Kind> = {
    isRecord: true,
    type: '',
    role: 0,
    model: '',
    toolName: '',
    reporter: 0,
    isEstimated: false,
    isFailure: false,
    state: '',
    says: false,
    hasText: false,
    hasDuration: false,
    hasUsage: false,
    hasCost: false,
    compaction: '',
    describesWindow: false,
    isAbsorbed: false,
  };

  /** Its tool call with this number; there are `callCount`. */
  call(at: number): ScannedCall {
    return (this.#calls[at] ??= new ScannedCall());
  }

  /** Empties all fields but those that every line sets. */
  begin(bytes: Buffer): void {
    this.bytes = bytes;
    this.durationMs = this.sourceId = 0;
    this.beginMessage();
    const { kind } = this;
    kind.model = '';
    kind.state = '';
    kind.reporter = 0;
    kind.isEstimated = kind.isFailure = false;
    kind.hasDuration = kind.hasUsage = kind.hasCost = false;
  }

  /** Empties all fields of a message. */
  beginMessage(): void {
    this.characters = this.reasoning = 0;
    this.contentTokens = this.refusedTokens = this.reasoningTokens = this.imageTokens = 0;
    this.answersFrom = this.answersTo = this.callCount = 0;
    const { kind } = this;
    kind.role = 0;
    kind.toolName = '';
    kind.says = kind.hasText = false;
  }

  /**
   * Sizes texts of ASCII that are kept in files of their own, of which only the beginnings stand here, as long as they are
   * there.
   */
  sizeSpilled(spill: readonly unknown[]): void {
    const own = (tokens: number, field: string, index?: number) =>
      spilledTokens(spill, field, index, '') ?? tokens;
    const said = this.contentTokens - this.refusedTokens;
    this.contentTokens = own(said, 'content') + this.refusedTokens;
    if (this.reasoning > 0) this.reasoningTokens = own(this.reasoningTokens, 'reasoning');
    for (let at = 0; at < this.callCount; at++) {
      const call = this.call(at);
      const named = aboutTokens(call.name);
      call.tokens = named + own(call.tokens - named, 'arguments', at);
    }
  }

  /** Sets what it says of what its model used; false where a column cannot keep a number of it. */
  setUsage(usage: Usage): boolean {
    if (usage.terms) return false;
    for (let at = 0; at < USED.length; at++) {
      const value = usage[USED[at] ?? 'inputTokens'] ?? 0;
      if (!isCell(value)) return false;
      this.used[at] = value;
    }
    this.kind.hasUsage = true;
    this.kind.hasCost = usage.cost !== undefined;
    this.kind.isEstimated = usage.estimated;
    return true;
  }

  /** The same of a usage that has only these. */
  setTokens(input: number, output: number, isEstimated: boolean): boolean {
    for (let at = 2; at < USED.length; at++) this.used[at] = 0;
    this.used[0] = input;
    this.used[1] = output;
    this.kind.hasUsage = true;
    this.kind.isEstimated = isEstimated;
    return isCell(input) && isCell(output);
  }
}
