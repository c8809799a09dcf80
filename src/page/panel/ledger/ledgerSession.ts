import { APPROVAL_PARTS, facetsOf, isChosen, type FilterParts } from '../../../query/numbers/ledger.js';
import type { Approval } from '../../../query/numbers/approvals.js';
import { clipName } from '../../../query/numbers/values.js';
import { messageOf } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import { MAX_LEDGER_ROWS } from '../../protocol/approvals.js';
import {
  ledgerRequests,
  type ChosenDecisions,
  type LedgerContract,
  type LedgerPart,
  type LedgerReading,
  type StoredLedgerPage,
  type StoredLedgerRow,
} from '../../protocol/ledgerPage.js';
import type { FromHost } from '../../protocol/protocol.js';
import { RequestHandlers, RequestServer } from '../../protocol/requestServer.js';
import type { SessionLocation } from '../../protocol/search.js';
import { AgentHues } from '../rows/agentHues.js';

/** A decision with the beginnings of its texts. */
export type ListedDecision = Approval & { readonly subject: string; readonly reason: string };

/** The decisions of one transcript. */
export interface ListedLedger {
  readonly place: SessionLocation;
  readonly title: string;
  /** The tool that it was imported from; '' for our own runs. */
  readonly source: string;
  /** What the folder of its store is called. */
  readonly folder: string;
  readonly decisions: readonly ListedDecision[];
}

/** How far everything is read, and what has come since the last time. */
export interface LedgerProgress {
  readonly looked: number;
  readonly of: number;
  readonly unread: number;
  readonly ledgers: readonly ListedLedger[];
}

/** Chosen decisions, by the positions of their records. */
export interface ChosenLedger {
  readonly place: SessionLocation;
  readonly positions: ReadonlySet<number>;
}

/** What the session of the page of all decisions needs. */
export interface LedgerSessionOptions {
  /** Reads the decisions of every transcript, as they are found; ends when the signal is aborted. */
  readonly read: (signal: AbortSignal) => AsyncIterable<LedgerProgress>;
  readonly open: (location: SessionLocation, position: number) => void;
  /** Opens decisions as a text; rejects with an error for a person. */
  readonly exportAs: (format: 'csv' | 'json', chosen: readonly ChosenLedger[]) => Promise<void>;
  readonly log: Log;
  /** Sends a message to the page; resolves when the page's side has taken it. */
  post(message: FromHost<LedgerContract>): PromiseLike<unknown>;
}

/** How many decisions are listed; what is beyond is counted. */
const MAX_DECISIONS = 200_000;
/** How often a page is told that there is more, in milliseconds. */
const TELL_MS = 250;

interface Entry {
  readonly of: ListedLedger;
  readonly decision: ListedDecision;
}

const PARTS: FilterParts<Entry, LedgerPart> = {
  decision: ({ decision }) => APPROVAL_PARTS.decision(decision),
  decidedBy: ({ decision }) => decision.decidedBy,
  tool: ({ decision }) => decision.tool,
  agent: ({ decision }) => decision.agent,
  source: ({ of }) => of.source,
  folder: ({ of }) => of.place.root,
  transcript: ({ of }) => of.place.conversation,
};

/** The host's side of the page of all decisions: reads them, and answers what is chosen of them. Knows no editor. */
export class LedgerSession {
  readonly #options: LedgerSessionOptions;
  readonly #server: RequestServer<LedgerContract>;
  readonly #hues = new AgentHues();
  #entries: Entry[] = [];
  #isSorted = true;
  #reading: LedgerReading = { looked: 0, of: 0, isDone: false, unread: 0, leftOut: 0 };
  #work: AbortController | undefined;
  #toldAt = 0;

  constructor(options: LedgerSessionOptions) {
    this.#options = options;
    const handlers = new RequestHandlers<LedgerContract>(ledgerRequests);
    this.#server = new RequestServer({
      handlers,
      post: (message) => this.#post(message),
      onProblem: (why, error) => options.log.warn(why, error),
    });
    handlers.add('page', ({ start, count, ...chosen }) => {
      if (!this.#work) this.#begin();
      return this.#page(chosen, start, count);
    });
    handlers.add('reload', () => {
      this.#begin();
      return {};
    });
    handlers.add('open', ({ place, position }) => {
      options.open(place, position);
      return {};
    });
    handlers.add('export', async ({ format, ...chosen }) => {
      await options.exportAs(format, chosenLedgers(this.#matching(chosen)));
      return {};
    });
    if (handlers.missing.length > 0) throw new Error(`Nobody answers ${handlers.missing.join(', ')}.`);
  }

  /** Takes a message from the page. */
  async receive(message: unknown): Promise<void> {
    await this.#server.receive(message);
  }

  /** Ends the reading. */
  dispose(): void {
    this.#work?.abort();
  }

  #begin(): void {
    this.#work?.abort();
    this.#work = new AbortController();
    this.#entries = [];
    this.#reading = { looked: 0, of: 0, isDone: false, unread: 0, leftOut: 0 };
    void this.#read(this.#work.signal);
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      for await (const progress of this.#options.read(signal)) {
        if (signal.aborted) return;
        this.#take(progress);
        if (Date.now() - this.#toldAt < TELL_MS) continue;
        this.#toldAt = Date.now();
        await this.#server.notify('changed', {});
      }
      if (signal.aborted) return;
      this.#reading = { ...this.#reading, isDone: true };
      await this.#server.notify('changed', {});
    } catch (error) {
      if (signal.aborted) return;
      this.#options.log.error('The approvals cannot be read.', error);
      this.#reading = { ...this.#reading, isDone: true };
      await this.#server.notify('failed', { message: messageOf(error) });
    }
  }

  #take({ looked, of, unread, ledgers }: LedgerProgress): void {
    let { leftOut } = this.#reading;
    for (const ledger of ledgers)
      for (const decision of ledger.decisions) {
        if (this.#entries.length < MAX_DECISIONS) this.#entries.push({ of: ledger, decision });
        else leftOut++;
      }
    if (ledgers.length > 0) this.#isSorted = false;
    this.#reading = { ...this.#reading, looked, of, unread, leftOut };
  }

  /** All entries that were read, the newest first; those without a time last. */
  #all(): readonly Entry[] {
    if (!this.#isSorted) this.#entries.sort((a, b) => b.decision.time - a.decision.time);
    this.#isSorted = true;
    return this.#entries;
  }

  #matching({ filter, text }: ChosenDecisions): readonly Entry[] {
    return this.#saying(text).filter((entry) => isChosen(PARTS, filter, entry));
  }

  #saying(text: string): readonly Entry[] {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return this.#all();
    return this.#all().filter(({ of, decision: { subject, reason, tool, rule } }) =>
      [subject, reason, tool, rule, of.title].some((each) => each.toLowerCase().includes(wanted)),
    );
  }

  #page(chosen: ChosenDecisions, start: number, count: number): StoredLedgerPage {
    const said = this.#saying(chosen.text);
    const matching = said.filter((entry) => isChosen(PARTS, chosen.filter, entry));
    const facets = facetsOf(PARTS, said, chosen.filter);
    const all = this.#all();
    const approved = all.filter(({ decision }) => decision.isApproved).length;
    return {
      approved,
      denied: all.length - approved,
      matching: matching.length,
      facets,
      waitedMs: all.reduce((sum, { decision }) => sum + decision.waitedMs, 0),
      names: namesOf(all),
      rows: matching.slice(start, start + Math.min(count, MAX_LEDGER_ROWS)).map((entry) => this.#row(entry)),
      reading: this.#reading,
    };
  }

  #row({ of: { place: location, title }, decision }: Entry): StoredLedgerRow {
    const { agent, tool, decidedBy, rule } = decision;
    const names = { agent: clipName(agent), tool: clipName(tool) };
    const why = { decidedBy: clipName(decidedBy), rule: clipName(rule) };
    return { ...decision, ...names, ...why, hue: this.#hues.of(agent), place: location, title };
  }

  async #post(message: FromHost<LedgerContract>): Promise<void> {
    try {
      await this.#options.post(message);
    } catch (error) {
      this.#options.log.warn('A message to the page of all approvals was lost.', error);
    }
  }
}

function namesOf(entries: readonly Entry[]): Record<string, string> {
  const names = new Map<string, string>();
  for (const { of } of entries) {
    names.set(of.place.conversation, of.title);
    names.set(of.place.root, of.folder);
  }
  return Object.fromEntries(names);
}

function chosenLedgers(entries: readonly Entry[]): ChosenLedger[] {
  const chosen = new Map<ListedLedger, Set<number>>();
  for (const { of, decision } of entries) {
    const positions = chosen.get(of) ?? new Set<number>();
    chosen.set(of, positions.add(decision.position));
  }
  return [...chosen].map(([{ place: location }, positions]) => ({ place: location, positions }));
}
