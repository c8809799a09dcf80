import type { Usage } from '../../../core/usage.js';
import { factsOf, type Facts, type FactSite } from '../facts.js';
import { isOutput } from '../messageSize.js';
import { envelopeOf, type UntypedMessage } from '../transcriptItem.js';
import { knownTime } from '../values.js';
import { aboutTokens } from './aboutTokens.js';
import { compactionOf, type Compaction } from './compaction.js';
import { NOBODY } from './contextKinds.js';
import { CalledTools, eachPiece } from './contextPieces.js';
import { ContextWindow } from './contextWindow.js';
import { toolSchemasIn, givenTools, recordedInstructions } from './toolSchemas.js';

/** The window of one agent's call; that of the entry agent goes on through all runs of a conversation. */
export interface CallWindow {
  /** The id of the call, of an entry agent the first one. */
  readonly call: string;
  readonly agent: string;
  readonly depth: number;
  readonly window: ContextWindow;
}

/** A request that was answered; its source may yet tell its tokens. */
interface OpenRequest {
  readonly position: number;
  readonly model: string;
  readonly time: number;
  readonly sentAt: number;
  usage: Usage | undefined;
  /** How many pieces its window had when it was sent. */
  readonly added: number;
}

interface WindowState extends CallWindow {
  open: OpenRequest | undefined;
  /** What a request reported whose answer has not been read yet. */
  ahead: Usage | undefined;
  /** Whether the last message came out of the model: a further one belongs to the same answer. */
  isAnswering: boolean;
  /** Whether a compaction was told of and no message has been read since. */
  isCompacted: boolean;
  /** Whether its last request was shown before its source told its tokens. */
  isSettled: boolean;
  /** Whether it is one of our own runs, which replace their instructions. */
  isOwn: boolean;
  /** When the last record was made, in milliseconds since 1970; 0 where that is unknown. */
  lastTime: number;
  readonly called: CalledTools;
}

const NO_ITEM: UntypedMessage = Object.freeze({});
const COMPACTED: Compaction = {
  trigger: undefined,
  dropped: { what: 'all' },
  replacedBy: [],
  before: undefined,
  after: undefined,
};

/**
 * What filled the windows of a transcript's requests, see `ContextWindow`. Every record must be given, in order; bare
 * messages are those of one call. A request is what an agent says between what it is told: several messages in a row are
 * one, unless each reports its tokens. The numbers of a request that its source tells after the answer count for that.
 */
export class ContextUse {
  readonly #windows = new Map<string, WindowState>();
  readonly #all: WindowState[] = [];
  #last: { readonly call: string; readonly state: WindowState } | undefined;
  /** The window that the entry agent of our own runs goes on with. */
  #entry: WindowState | undefined;
  #position = 0;

  /** How many records were added. */
  get records(): number {
    return this.#position;
  }

  /**
   * The windows in which something was asked, in the order in which they begin. `isWhole`: whether all was added that there
   * is, so that the last requests are known as well as they ever will be.
   */
  windows(isWhole = true): readonly CallWindow[] {
    if (isWhole) for (const state of this.#all) this.#settle(state);
    return this.#all.filter(({ window }) => window.sent.length > 0 || window.compactions.length > 0);
  }

  /** Adds the next record or message. */
  add(item: unknown): void {
    this.addFacts(factsOf(item), () => item);
  }

  /** Adds the next record by its facts; `record` gives itself, and is asked where it `describesWindow` only. */
  addFacts(facts: Facts, record: () => unknown): void {
    const position = this.#position++;
    const state = this.#stateOf(facts.place, facts.type);
    if (facts.role !== undefined) this.#addMessage(state, facts, position);
    else {
      if (facts.type === 'callStart') state.isOwn = true;
      if (facts.type === 'request') this.#report(state, facts);
      if (facts.describesWindow) this.#addEvent(state, envelopeOf(record()) ?? NO_ITEM, position);
    }
    if (facts.time > 0) state.lastTime = facts.time;
  }

  #stateOf(place: FactSite, type: string): WindowState {
    const { call = '', depth, parentCall } = place;
    // Records of one call follow each other.
    if (this.#last?.call === call && type !== 'callStart') return this.#last.state;
    const isEntry = depth === 0 && parentCall === undefined;
    const before = isEntry && type === 'callStart' ? this.#entry : undefined;
    const known = this.#windows.get(call);
    const state = known ?? before ?? newState(call, place);
    if (!known) {
      if (!before) this.#all.push(state);
      if (isEntry) this.#entry = state;
      this.#windows.set(call, state);
    }
    this.#last = { call, state };
    return state;
  }

  #addMessage(state: WindowState, facts: Facts, position: number): void {
    const { role, compaction, sourceId } = facts;
    const isAnswer = isOutput(role ?? '');
    if (isAnswer) this.#answer(state, facts, position);
    else state.isAnswering = false;
    const stands = compaction !== '';
    if (stands && !(compaction === 'summary' && state.isCompacted)) {
      this.#compact(state, COMPACTED, position, facts.time);
    }
    state.isCompacted = false;
    const { window } = state;
    const isSystem = !stands && (role === 'system' || role === 'developer');
    if (isSystem && state === this.#entry && window.sent.length > 0 && state.isOwn) {
      this.#close(state);
      const { contentTokens: estimate } = facts;
      window.replace('system', [{ of: NOBODY, estimate }], position);
      return;
    }
    eachPiece(facts, position, state.called, stands, (kind, estimate, of) => {
      window.add(kind, estimate, of, position);
    });
    if (sourceId !== 0) window.name(position, sourceId);
  }

  /** Adds what a record without a message tells of a window. */
  #addEvent(state: WindowState, record: UntypedMessage, position: number): void {
    const compaction = compactionOf(record);
    if (compaction) {
      this.#compact(state, compaction, position, knownTime(record.time) ?? 0);
      state.isCompacted = true;
      return;
    }
    const tools = record.type === 'callStart' ? givenTools(record) : toolSchemasIn(record.value);
    const instructions = recordedInstructions(record);
    this.#close(state);
    if (tools) state.window.replace('tools', tools, position);
    if (instructions > 0) state.window.replace('system', [{ of: NOBODY, estimate: instructions }], position);
  }

  /** What the source tells of a request apart from its answer. */
  #report(state: WindowState, facts: Facts): void {
    // One that was refused used nothing.
    const usage = facts.tokens && facts.usage;
    // The sum of several requests says nothing of any of them.
    if (!usage || usage.requests !== undefined) return;
    // Our own runs record a request before its answer.
    if (state.open && !state.open.usage && !state.isOwn) state.open.usage = usage;
    else if (!state.isSettled) state.ahead = usage;
  }

  #answer(state: WindowState, facts: Facts, position: number): void {
    const { usage } = facts;
    const { open } = state;
    const isMore = state.isAnswering && open && !(open.usage && usage);
    if (isMore) {
      open.usage ??= usage;
      return;
    }
    this.#close(state);
    state.open = {
      position,
      model: facts.model,
      time: facts.time,
      sentAt: state.lastTime,
      usage: usage ?? state.ahead,
      added: state.window.added,
    };
    state.ahead = undefined;
    state.isAnswering = true;
    state.isSettled = false;
  }

  #compact(state: WindowState, compaction: Compaction, position: number, time: number): void {
    this.#close(state);
    const { window, called } = state;
    window.compact(compaction, position, time, (id) => called.resultAt(id));
    for (const { role, text } of compaction.replacedBy)
      window.add(REPLACING[role], aboutTokens(text), NOBODY, position);
    state.isAnswering = false;
  }

  /** Adds the request that is open to its window. */
  #close(state: WindowState): void {
    const { open } = state;
    if (!open) return;
    state.open = undefined;
    state.window.request(open, open.usage, open.added);
  }

  /** Whoever looks now sees the last request too; what its source tells of it later comes too late. */
  #settle(state: WindowState): void {
    if (!state.open) return;
    state.isSettled = !state.open.usage;
    this.#close(state);
  }
}

const REPLACING = { summary: 'summary', user: 'prompts', assistant: 'answers' } as const;

function newState(call: string, { agent = '', depth = 0 }: FactSite): WindowState {
  return {
    call,
    agent,
    depth,
    window: new ContextWindow(),

    open: undefined,
    ahead: undefined,
    isAnswering: false,
    isCompacted: false,
    isOwn: false,
    isSettled: false,
    lastTime: 0,
    called: new CalledTools(),
  };
}
