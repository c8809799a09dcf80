import { APPROVAL_PARTS, facetsOf, isChosen, type FilterParts } from '../../../query/numbers/approvalLog.js';
import type { Approval } from '../../../query/numbers/approvals.js';
import { clipName } from '../../../query/numbers/values.js';
import { messageOf } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import { MAX_APPROVAL_LOG_ROWS } from '../../protocol/approvals.js';
import {
  approvalLogRequests,
  type ChosenDecisions,
  type ApprovalLogContract,
  type ApprovalLogPart,
  type ApprovalLogReading,
  type StoredApprovalLogPage,
  type StoredApprovalLogRow,
} from '../../protocol/approvalLogPage.js';
import type { FromHost } from '../../protocol/protocol.js';
import { RequestHandlers, RequestServer } from '../../protocol/requestServer.js';
import type { SessionLocation } from '../../protocol/search.js';
import { AgentHues } from '../rows/agentHues.js';

/** A decision with the beginnings of its texts. */
export type ListedDecision = Approval & { readonly subject: string; readonly reason: string };

/** The decisions of one transcript. */
export interface ListedApprovalLog {
  readonly place: SessionLocation;
  readonly title: string;
  /** The tool that it was imported from; '' for our own runs. */
  readonly source: string;
  /** What the folder of its store is called. */
  readonly folder: string;
  readonly decisions: readonly ListedDecision[];
}

/** How far everything is read, and what has come since the last time. */
export interface ApprovalLogProgress {
  readonly looked: number;
  readonly of: number;
  readonly unread: number;
  readonly approvalLogs: readonly ListedApprovalLog[];
}

/** Chosen decisions, by the positions of their records. */
export interface ChosenApprovalLog {
  readonly place: SessionLocation;
  readonly positions: ReadonlySet<number>;
}

/** What the session of the page of all decisions needs. */
export interface ApprovalLogSessionOptions {
  /** Reads the decisions of every transcript, as they are found; ends when the signal is aborted. */
  readonly read: (signal: AbortSignal) => AsyncIterable<ApprovalLogProgress>;
  readonly open: (location: SessionLocation, position: number) => void;
  /** Opens decisions as a text; rejects with an error for a person. */
  readonly exportAs: (format: 'csv' | 'json', chosen: readonly ChosenApprovalLog[]) => Promise<void>;
  readonly log: Log;
  /** Sends a message to the page; resolves when the page's side has taken it. */
  post(message: FromHost<ApprovalLogContract>): PromiseLike<unknown>;
}

/** How many decisions are listed; what is beyond is counted. */
const MAX_DECISIONS = 200_000;
/** How often a page is told that there is more, in milliseconds. */
const TELL_MS = 250;

interface Entry {
  readonly of: ListedApprovalLog;
  readonly decision: ListedDecision;
}

const PARTS: FilterParts<Entry, ApprovalLogPart> = {
  decision: ({ decision }) => APPROVAL_PARTS.decision(decision),
  decidedBy: ({ decision }) => decision.decidedBy,
  tool: ({ decision }) => decision.tool,
  agent: ({ decision }) => decision.agent,
  source: ({ of }) => of.source,
  folder: ({ of }) => of.place.root,
  transcript: ({ of }) => of.place.conversation,
};

/** The host's side of the page of all decisions: reads them, and answers what is chosen of them. Knows no editor. */
export class ApprovalLogSession {
  readonly #options: ApprovalLogSessionOptions;
  readonly #server: RequestServer<ApprovalLogContract>;
  readonly #hues = new AgentHues();
  #entries: Entry[] = [];
  #isSorted = true;
  #reading: ApprovalLogReading = { looked: 0, of: 0, isDone: false, unread: 0, leftOut: 0 };
  #work: AbortController | undefined;
  #toldAt = 0;

  constructor(options: ApprovalLogSessionOptions) {
    this.#options = options;
    const handlers = new RequestHandlers<ApprovalLogContract>(approvalLogRequests);
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
      await options.exportAs(format, chosenApprovalLogs(this.#matching(chosen)));
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

  #take({ looked, of, unread, approvalLogs }: ApprovalLogProgress): void {
    let { leftOut } = this.#reading;
    for (const approvalLog of approvalLogs)
      for (const decision of approvalLog.decisions) {
        if (this.#entries.length < MAX_DECISIONS) this.#entries.push({ of: approvalLog, decision });
        else leftOut++;
      }
    if (approvalLogs.length > 0) this.#isSorted = false;
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

  #page(chosen: ChosenDecisions, start: number, count: number): StoredApprovalLogPage {
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
      rows: matching
        .slice(start, start + Math.min(count, MAX_APPROVAL_LOG_ROWS))
        .map((entry) => this.#row(entry)),
      reading: this.#reading,
    };
  }

  #row({ of: { place: location, title }, decision }: Entry): StoredApprovalLogRow {
    const { agent, tool, decidedBy, rule } = decision;
    const names = { agent: clipName(agent), tool: clipName(tool) };
    const why = { decidedBy: clipName(decidedBy), rule: clipName(rule) };
    return { ...decision, ...names, ...why, hue: this.#hues.of(agent), place: location, title };
  }

  async #post(message: FromHost<ApprovalLogContract>): Promise<void> {
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

function chosenApprovalLogs(entries: readonly Entry[]): ChosenApprovalLog[] {
  const chosen = new Map<ListedApprovalLog, Set<number>>();
  for (const { of, decision } of entries) {
    const positions = chosen.get(of) ?? new Set<number>();
    chosen.set(of, positions.add(decision.position));
  }
  return [...chosen].map(([{ place: location }, positions]) => ({ place: location, positions }));
}
