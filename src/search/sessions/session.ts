import type { SessionLocation } from '../../page/protocol/search.js';
import type { LocatedNote } from '../../core/note.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import type { SessionIdentities } from '../../query/numbers/ownership.js';
import type { SessionFacts, SessionInfo } from '../../query/language/sessionFacts.js';
import type { ColumnFacts } from '../columns/columnFacts.js';
import type { MarkedPrices } from '../columns/readSession.js';
import type { GramBlock } from '../stored/columns/gramFilter.js';
import type { LineRun } from '../../store/read/readSpans.js';
import type { RawText } from '../bytes/rawText.js';

/** A session that may be asked: where it is, and what is known of it. */
export interface Session {
  readonly place: SessionLocation;
  /** A text that sorts sessions by when they began, as far as that is known without reading them. */
  readonly order: string;
  /** The formats of which it may be, where that is known without reading it, so that no other need be read for what asks for one. */
  readonly sources?: readonly string[] | undefined;
  /** A further session in the same place, which is known once this one was read; undefined where there is none. */
  readonly next?: Session | undefined;
  /**
   * What is known of it now, without reading its journal; undefined where that must be read. `needsCosts`: whether its
   * costs must be of these prices. At once where that is possible, because most sessions are only asked this. Throws, or
   * rejects with, an error for a person where the session cannot be read.
   */
  known(
    prices: MarkedPrices,
    needsCosts: boolean,
  ): OpenSession | undefined | Promise<OpenSession | undefined>;
  /**
   * What is kept of its texts, without anything else that is known of it: of most sessions a rare text needs no more.
   * Undefined where there is more to be told of it than what is found. Never rejects.
   */
  knownTexts?(): Promise<readonly GramBlock[] | undefined>;
  /** Whether one of some texts may stand in it, by the bytes of its journal, which is faster than reading it. */
  mayHave(texts: readonly RawText[]): Promise<boolean>;
  /** Whether there may be notes about it, without reading them. */
  hasNotes(): Promise<boolean>;
  /** What people have noted about its messages and tool calls; rejects like `known`. */
  notes(transcript: Transcript): Promise<readonly LocatedNote[]>;
  /**
   * By what its records are known again where other files or sessions tell them too; undefined where nobody else tells of it.
   * Reads it where that is not known yet. Rejects like `read`.
   */
  identities?(prices: MarkedPrices, signal: AbortSignal): Promise<SessionIdentities | undefined>;
  /** The same without reading it; undefined, too, where it would have to be read. */
  knownIdentities?(): Promise<SessionIdentities | undefined>;
  /** Keeps what `knownIdentities` gives, where anything is kept. */
  keepIdentities?(identities: SessionIdentities): Promise<void>;
  /** Reads its journal. Rejects like `known`, and where the signal is aborted. */
  read(prices: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession>;
}

/** Names the lines of a run that have to be parsed; `at` gives the position of the record on each. */
export type WantedLines = (run: LineRun, at: readonly number[]) => readonly number[];

/** Which lines of a session have to be parsed for a question, and what their bytes prove. */
export interface LineQuery {
  readonly wanted: WantedLines;
  /** Where `wanted` has met a record whose content has the only text that is asked for, so that it need not be parsed. */
  readonly proved: Set<number>;
}

/** A transcript whose lines may be looked through before they are parsed. */
export interface SearchedTranscript extends Transcript {
  /**
   * The records at ascending positions, those on lines that are wanted, or all; absent where that is no faster than `read`.
   * Throws an error for a person where they cannot be read.
   */
  recordsAt?(positions: readonly number[], wanted?: WantedLines): ReadonlyMap<number, ReadRecord>;
}

/** A session that is open. */
export interface OpenSession {
  readonly facts: SessionFacts;
  /** The same facts, of a session of which something else is known besides. */
  about(info: Partial<SessionInfo>): SessionFacts;
  /** Whether the costs among its facts are of other prices than those that were asked for. */
  readonly hasOtherPrices?: boolean;
  /** The positions of the records on lines whose bytes do not tell their texts, see `SessionHead.odd`; absent where that is not known. */
  readonly oddLines?: ReadonlySet<number> | undefined;
  /** How many places of it are damaged. */
  readonly damaged: number;
  /** Its records; closing it is up to nobody. */
  transcript(): SearchedTranscript;
}

/** Where sessions come from: a store, or files of other tools. */
export interface SessionSource {
  /** All sessions, or at least those at some places, in any order. Rejects with an error for a person. */
  sessions(only?: readonly SessionLocation[]): Promise<readonly Session[]>;
  /** The records of one of them. Rejects with an error for a person where it is not there or cannot be read. */
  transcript(location: SessionLocation): Promise<Transcript>;
}

/** What tells sessions apart, whatever source they are of. */
export function keyOf({ kind, root, conversation }: SessionLocation): string {
  return JSON.stringify([kind, root, conversation]);
}

/** By what the records of a session are known again, as its columns have told it last: kept where these are not. */
export class ToldIdentities {
  #head: object | undefined;
  #told: SessionIdentities | undefined;

  /** What was told last. */
  get last(): SessionIdentities | undefined {
    return this.#told;
  }

  /** What the columns of the session at a location tell; worked out once for the same ones. */
  of(facts: ColumnFacts, location: SessionLocation): SessionIdentities | undefined {
    if (this.#head === facts.head) return this.#told;
    this.#head = facts.head;
    this.#told = facts.identities(ownerName(location));
    return this.#told;
  }

  forget(): void {
    this.#head = undefined;
    this.#told = undefined;
  }
}

/** What decides who owns a row of which nothing else does: of a file and its copy in a store that copy, which stays and has notes. */
export function ownerName(location: SessionLocation): string {
  return `${location.kind === 'stored' ? 0 : 1} ${keyOf(location)}`;
}
