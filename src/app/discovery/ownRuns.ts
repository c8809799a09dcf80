import { basename, dirname } from 'node:path';
import { stateOf, type SessionState } from '../../capture/discovery/sessionState.js';
import type { Disposable } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import type { Prices } from '../../core/ports/prices.js';
import type { CatalogEntry, ConversationState, ReadRecord, Transcript } from '../../core/ports/transcript.js';
import type { LogRecord } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import { text } from '../../import/tools/hint.js';
import {
  LifeReader,
  type ContextFill,
  type Life,
  type LifeCall,
  type LifeSign,
} from '../../import/tools/life.js';
import { argumentsOf } from '../../query/numbers/toolCalls.js';
import type { Settings } from '../ports/settings.js';
import { OWN, type Watched } from './watch.js';

/** What runs in this window and in others of its stores. */
export interface OwnRuns {
  /** Those of the stores that are open. */
  entries(): readonly CatalogEntry[];
  /**
   * Reads what runs in this window, and calls `look`, again and again while anything does, and some time after, until what is
   * given is disposed.
   */
  follow(look: () => void): Disposable;
  /** A conversation with what it does, as it is said of the sessions of tools. */
  session(entry: CatalogEntry): Watched;
  /** Holds what runs, in a conversation or in all, before its next step: a person is asked, with these words, whether it goes on. */
  hold(conversation: string | undefined, why: string): void;
  /** The folder of its store. */
  rootOf(conversation: string): Promise<string>;
}

/** What of the application tells what runs. */
export interface RunsAtHand {
  readonly stores: {
    readonly knownEntries: readonly CatalogEntry[];
    find(conversation: string): Promise<{
      readonly root: string;
      readonly store: { openTranscript(conversation: string): Promise<ReadOn> };
    }>;
  };
  readonly runs: { readonly running: readonly string[]; readonly held: Map<string, string> };
  readonly approvals: {
    pending(
      conversation: string,
    ): readonly { readonly id: string; readonly request: { readonly title: string } }[];
  };
  readonly settings: Pick<Settings, 'get'>;
  readonly log: Log;
  /** What knows how much models have room for; loaded when the first one has answered. */
  readonly pricing: () => Promise<{ loadUsablePrices(ownFile: string): Promise<Prices> }>;
}

/** How many tokens a model had room for at a time; undefined where nobody knows. */
type WindowOf = (model: string, time: number) => Promise<number | undefined>;

/** What is read on of a conversation. */
type ReadOn = Pick<Transcript, 'length' | 'read' | 'close'>;

/** The same, with the project that it is of. */
interface Opened {
  readonly project: string | undefined;
  readonly transcript: ReadOn;
}

const STATES: Readonly<Record<ConversationState, SessionState['state']>> = {
  running: 'working',
  waiting: 'waiting',
  done: 'finished',
  failed: 'broken',
  interrupted: 'broken',
  limited: 'limited',
  cancelled: 'idle',
};

/** How often what runs is looked at, in milliseconds. */
const LOOK_MS = 1_000;
/** How long after the last run what ran is looked at, in milliseconds. */
const AFTER_MS = 30_000;

/** How many records of a conversation are read at once, and of those from before it was looked at. */
const AT_ONCE = 500;
/** How many calls that have ended are kept of agents that have. */
const MAX_LATELY = 20;

/** What runs in this window, and in others of its stores. */
export function ownRuns(parts: RunsAtHand, now: () => number = Date.now): OwnRuns {
  const { stores, runs } = parts;
  const lives = new RunLives(parts);
  const states = new RunStates(parts, now);
  return {
    entries: () => stores.knownEntries,
    follow: (look) => {
      let busyAt = Number.NEGATIVE_INFINITY;
      let isReading = false;
      let isDisposed = false;
      const lookNow = async () => {
        if (runs.running.length > 0) busyAt = now();
        const isOver = now() - busyAt >= AFTER_MS;
        if (isReading || (isOver && lives.isEmpty)) return;
        isReading = true;
        await lives.readOn().finally(() => (isReading = false));
        if (isDisposed) return;
        look();
        if (isOver) lives.forget();
      };
      const ticking = setInterval(() => void lookNow(), LOOK_MS).unref();
      return {
        dispose: () => {
          isDisposed = true;
          clearInterval(ticking);
          lives.forget();
        },
      };
    },
    session: (entry) => {
      const { conversation, title, agents, messages, endedAt } = entry;
      const run = lives.of(conversation);
      return {
        tool: OWN,
        path: conversation,
        id: conversation,
        about: {
          title,
          workspace: entry.project ?? run?.project,
          agent: agents[0],
          model: undefined,
          messages,
          isEstimated: false,
          end: undefined,
          life: run?.life,
          context: run?.context,
        },
        changed: endedAt,
        ...(run && { models: run.models }),
        state: states.of(entry, run),
      };
    },
    hold: (conversation, why) => {
      for (const each of runs.running)
        if (each === (conversation ?? each) && !runs.held.has(each)) runs.held.set(each, why);
    },
    rootOf: async (conversation) => (await stores.find(conversation)).root,
  };
}

/** In which state conversations are, and since when. */
class RunStates {
  readonly #approvals: RunsAtHand['approvals'];
  readonly #now: () => number;
  /** Since when each does what it does: other agents of it record meanwhile. */
  readonly #began = new Map<string, { readonly what: string; readonly at: number }>();

  constructor({ approvals }: Pick<RunsAtHand, 'approvals'>, now: () => number) {
    this.#approvals = approvals;
    this.#now = now;
  }

  of({ conversation, state, endedAt }: CatalogEntry, run: RunLife | undefined): SessionState {
    const [asked] = this.#approvals.pending(conversation);
    const name = asked === undefined ? STATES[state] : 'waiting';
    const isLive = name === 'waiting' || name === 'working';
    if (!isLive) this.#began.delete(conversation);
    const { life, context } = run ?? {};
    const seen = isLive && life ? stateOf({ changed: endedAt, life, context }, this.#now()) : undefined;
    // Its last request failed, and is made again.
    const retries = name === 'working' && seen?.reason === 'retrying';
    return {
      state: retries ? 'limited' : name,
      ...(name === 'waiting' && { reason: 'approval' }),
      ...(retries && { reason: 'retrying' }),
      since: isLive ? this.#since(conversation, `${name} ${asked?.id ?? ''}`, endedAt) : endedAt,
      source: 'record',
      ...(asked && { words: asked.request.title }),
      ...(seen?.tool !== undefined && { tool: seen.tool }),
      ...(seen?.command !== undefined && { command: seen.command }),
      // A model that thinks for long writes nothing here, either.
      marks: seen?.marks.filter(({ source }) => source !== 'silence') ?? [],
      isLive,
      isChild: false,
    };
  }

  #since(conversation: string, what: string, at: number): number {
    const known = this.#began.get(conversation);
    if (known?.what === what) return known.at;
    this.#began.set(conversation, { what, at });
    return at;
  }
}

/** The conversations that run here, each read on. */
class RunLives {
  readonly #parts: RunsAtHand;
  readonly #heard = new Map<string, RunLife>();

  constructor(parts: RunsAtHand) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#heard.size === 0;
  }

  of(conversation: string): RunLife | undefined {
    return this.#heard.get(conversation);
  }

  async readOn(): Promise<void> {
    const { runs, log } = this.#parts;
    for (const conversation of runs.running)
      if (!this.#heard.has(conversation))
        this.#heard.set(
          conversation,
          new RunLife(
            () => this.#open(conversation),
            (model, time) => this.#windowOf(model, time),
          ),
        );
    for (const [conversation, life] of this.#heard)
      await life.readOn().catch((error: unknown) => {
        // It is not recorded yet, or was deleted.
        log.debug(`What runs in ${conversation} cannot be read: ${messageOf(error)}`);
      });
  }

  forget(): void {
    for (const life of this.#heard.values()) life.close();
    this.#heard.clear();
  }

  async #open(conversation: string): Promise<Opened> {
    const { root, store } = await this.#parts.stores.find(conversation);
    return { project: projectOfStore(root), transcript: await store.openTranscript(conversation) };
  }

  async #windowOf(model: string, time: number): Promise<number | undefined> {
    const { pricing, settings, log } = this.#parts;
    try {
      const prices = await (await pricing()).loadUsablePrices(settings.get('prices.file'));
      return prices.windowOf?.(model, time);
    } catch (error) {
      // What else is told of the run does not wait for that.
      log.debug(`How much ${model} has room for cannot be told: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** What the agents of a conversation do, read on from its record by the same reader as the files of tools. */
class RunLife {
  /** The models that its agents have asked. */
  readonly models = new Set<string>();
  readonly #open: () => Promise<Opened>;
  readonly #windowOf: WindowOf;
  /** By call, in the order in which they began: the one that was called last is the last. */
  readonly #calls = new Map<string, { readonly life: LifeReader; context?: ContextFill }>();
  /** The last calls of those that have ended. */
  readonly #lately: LifeCall[] = [];
  #opened: Opened | undefined;
  #read: number | undefined;
  #isClosed = false;

  constructor(open: () => Promise<Opened>, windowOf: WindowOf) {
    this.#open = open;
    this.#windowOf = windowOf;
  }

  get project(): string | undefined {
    return this.#opened?.project;
  }

  /** Undefined where nothing was said. */
  get life(): Life | undefined {
    const all = [...this.#calls.values()].flatMap(({ life }) => life.life ?? []);
    const last = all.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)).at(-1);
    const lately = [...this.#lately, ...all.flatMap((each) => each.lately)];
    if (!last) return lately.length === 0 ? undefined : { ...ENDED, lately };
    const loop = all.find((each) => each.loop !== undefined)?.loop;
    // That of the one that the person has asked.
    const turn = all[0]?.turn;
    return {
      ...last,
      ...(turn !== undefined && { turn }),
      calls: all.flatMap(({ calls }) => calls),
      lately,
      ...(loop !== undefined && { loop }),
    };
  }

  /** That of the agent whose context is fullest. */
  get context(): ContextFill | undefined {
    const all = [...this.#calls.values()].flatMap(({ context }) => context ?? []);
    return all.toSorted((a, b) => shareOf(a) - shareOf(b) || a.used - b.used).at(-1);
  }

  async readOn(): Promise<void> {
    const { transcript } = (this.#opened ??= await this.#open());
    if (this.#isClosed) {
      this.close();
      return;
    }
    let from = (this.#read ??= Math.max(0, transcript.length - AT_ONCE));
    while (from < transcript.length) {
      const records = await transcript.read(from, from + AT_ONCE);
      if (records.length === 0) return;
      for (const record of records) {
        // Moved on before it is taken: what fails is not taken again.
        this.#read = ++from;
        await this.#take(record);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    void this.#opened?.transcript.close();
  }

  async #take(read: ReadRecord): Promise<void> {
    const { call, type, depth, time } = read;
    // Of a run before this one nothing goes on.
    if (type === 'callStart' && depth === 0) {
      this.#calls.clear();
      this.#lately.length = 0;
    }
    const known = this.#calls.get(call) ?? { life: new LifeReader() };
    this.#calls.set(call, known);
    const record = read as LogRecord;
    for (const sign of signsOf(record)) known.life.take({ at: time, ...sign });
    if (record.type === 'message' && record.usage) {
      const { usage, model = '' } = record;
      const { inputTokens, outputTokens } = usage;
      this.models.add(model);
      const window = await this.#windowOf(model, time);
      known.context = { used: inputTokens + outputTokens, ...(window !== undefined && { window }) };
    }
    if (type !== 'callEnd') return;
    this.#calls.delete(call);
    for (const each of known.life.life?.lately ?? []) this.#lately.push(each);
    this.#lately.splice(0, this.#lately.length - MAX_LATELY);
  }
}

/** What is left of those that have ended. */
const ENDED: Life = { phase: 'finished', attempts: 0, asks: [], calls: [], lately: [] };

/** The name of the project in whose folder a store lies; undefined for one that has a place of its own. */
export function projectOfStore(root: string): string | undefined {
  return basename(root) === '.agent-logbook' ? basename(dirname(root)) : undefined;
}

function shareOf({ used, window }: ContextFill): number {
  return window === undefined ? 0 : used / window;
}

/** What a record says of what its agent does. */
function signsOf(record: LogRecord): readonly LifeSign[] {
  switch (record.type) {
    case 'callStart':
      return [{ kind: 'turn' }];
    case 'callEnd':
      return [{ kind: 'finish' }];
    case 'request':
      return [record.error ? { kind: 'retry', attempt: record.attempt } : { kind: 'step' }];
    case 'message': {
      const { message } = record;
      if (message.role === 'tool') return [{ kind: 'result', id: message.tool_call_id ?? '' }];
      if (message.role !== 'assistant') return [];
      const calls = message.tool_calls ?? [];
      if (calls.length === 0) return [{ kind: 'said' }];
      return calls.map(({ id, function: { name: tool, arguments: whole } }): LifeSign => {
        const { command, path } = argumentsOf(whole);
        return { kind: 'call', id, tool, text: text(command) ?? text(path) ?? whole, whole };
      });
    }
    default:
      return [];
  }
}
