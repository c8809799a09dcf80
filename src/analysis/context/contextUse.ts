import { isObject } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import { isOutput } from '../messageSize.js';
import { readUsage } from '../tokens.js';
import { answeredIdOf, envelopeOf, messageIn, roleOf, type UntypedMessage } from '../transcriptItem.js';
import { clipName, knownTime, numberOr, textOr } from '../values.js';
import { aboutTokens } from './aboutTokens.js';
import { compactionMessage, compactionOf, sourceIdOf, type Compaction } from './compaction.js';
import { piece, piecesOf, toolPiece, type CalledTool, type Piece } from './contextPieces.js';
import { ContextWindow } from './contextWindow.js';
import { toolSchemasIn } from './toolSchemas.js';

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
  /** How much waited in its window to be sent with it. */
  readonly pending: number;
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
  readonly called: Map<string, CalledTool>;
}

const NO_ITEM: UntypedMessage = Object.freeze({});
const COMPACTED: Compaction = {
  ...{ trigger: undefined, dropped: { what: 'all' }, replacedBy: [], before: undefined, after: undefined },
};

/**
 * What filled the windows of a transcript's requests, see `ContextWindow`. Every record must be given, in order; bare
 * messages are those of one call. A request is what an agent says between what it is told: several messages in a row are
 * one, unless each reports its tokens. The numbers of a request that its source tells after the answer count for that.
 */
export class ContextUse {
  readonly #windows = new Map<string, WindowState>();
  readonly #all: WindowState[] = [];
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
    return this.#all.filter(({ window }) => window.requests.length > 0 || window.compactions.length > 0);
  }

  /** Adds the next record or message. */
  add(item: unknown): void {
    const position = this.#position++;
    const record = envelopeOf(item) ?? NO_ITEM;
    const message = messageIn(item);
    const state = this.#stateOf(record);
    if (message) this.#addMessage(state, item, record, message, position);
    else this.#addEvent(state, record, position);
    state.lastTime = knownTime(record.time) ?? state.lastTime;
  }

  #stateOf(record: UntypedMessage): WindowState {
    const call = textOr(record.call);
    const known = this.#windows.get(call);
    if (known) return known;
    const isEntry = numberOr(record.depth) === 0 && record.parentCall === undefined;
    const before = isEntry && record.type === 'callStart' ? this.#entry : undefined;
    const state = before ?? newState(call, record);
    if (!before) this.#all.push(state);
    if (isEntry) this.#entry = state;
    this.#windows.set(call, state);
    return state;
  }

  #addMessage(
    state: WindowState,
    item: unknown,
    record: UntypedMessage,
    message: UntypedMessage,
    position: number,
  ): void {
    const stands = compactionMessage(record);
    const isAnswer = isOutput(roleOf(message));
    if (isAnswer) this.#answer(state, record, position);
    else state.isAnswering = false;
    const pieces = piecesOf(item, message, state.called);
    if (stands !== undefined && !(stands === 'summary' && state.isCompacted)) {
      this.#compact(state, COMPACTED, position, record);
    }
    state.isCompacted = false;
    const isSystem = pieces[0]?.kind === 'system' && stands === undefined;
    if (isSystem && state === this.#entry && state.window.requests.length > 0 && state.isOwn) {
      this.#close(state);
      state.window.replace('system', pieces, position);
      return;
    }
    state.window.add(stands === undefined ? pieces : pieces.map(asSummary), position);
    // Only sources that name what they drop.
    if (!isObject(record.source)) return;
    const answered = roleOf(message) === 'tool' ? answeredIdOf(message) : '';
    state.window.name(position, sourceIdOf(record), answered);
  }

  #addEvent(state: WindowState, record: UntypedMessage, position: number): void {
    switch (record.type) {
      case 'request':
        this.#report(state, record);
        return;
      case 'callStart':
        state.isOwn = true;
        this.#begin(state, record, position);
        return;
      case 'error':
      case 'imported': {
        const compaction = compactionOf(record);
        if (compaction) {
          this.#compact(state, compaction, position, record);
          state.isCompacted = true;
        } else if (record.type === 'imported') this.#recorded(state, record, position);
        return;
      }
      default:
    }
  }

  /** What the source tells of a request apart from its answer. */
  #report(state: WindowState, record: UntypedMessage): void {
    const usage = readUsage(record.usage);
    // The sum of several requests says nothing of any of them.
    if (!usage || usage.requests !== undefined) return;
    // Our own runs record a request before its answer.
    if (state.open && !state.open.usage && !state.isOwn) state.open.usage = usage;
    else if (!state.isSettled) state.ahead = usage;
  }

  /** An agent begins: the tools that it is given, where their sizes are recorded. */
  #begin(state: WindowState, { tools, toolTokens }: UntypedMessage, position: number): void {
    if (!Array.isArray(tools) || !Array.isArray(toolTokens)) return;
    this.#close(state);
    const pieces = (tools as unknown[]).map((tool, at) =>
      toolPiece('tools', { tool: clipName(tool), path: '' }, numberOr((toolTokens as unknown[])[at]) ?? 0),
    );
    state.window.replace('tools', pieces, position);
  }

  /** Instructions and schemas of tools, where a source records them beside the messages. */
  #recorded(state: WindowState, { kind, value }: UntypedMessage, position: number): void {
    const tools = toolSchemasIn(value);
    const instructions = kind === 'session_meta' ? instructionsIn(value) : 0;
    if (!tools && instructions === 0) return;
    this.#close(state);
    if (tools) state.window.replace('tools', tools, position);
    if (instructions > 0) state.window.replace('system', [piece('system', instructions)], position);
  }

  #answer(state: WindowState, record: UntypedMessage, position: number): void {
    const usage = readUsage(record.usage);
    const { open } = state;
    const isMore = state.isAnswering && open && !(open.usage && usage);
    if (isMore) {
      open.usage ??= usage;
      return;
    }
    this.#close(state);
    state.open = {
      position,
      model: clipName(record.model),
      time: knownTime(record.time) ?? 0,
      sentAt: state.lastTime,
      usage: usage ?? state.ahead,
      pending: state.window.pending,
    };
    state.ahead = undefined;
    state.isAnswering = true;
    state.isSettled = false;
  }

  #compact(state: WindowState, compaction: Compaction, position: number, record: UntypedMessage): void {
    this.#close(state);
    state.window.compact(compaction, position, knownTime(record.time) ?? 0);
    const pieces = compaction.replacedBy.map(({ role, text }) => piece(REPLACING[role], aboutTokens(text)));
    if (pieces.length > 0) state.window.add(pieces, position);
    state.isAnswering = false;
  }

  /** Adds the request that is open to its window. */
  #close(state: WindowState): void {
    const { open } = state;
    if (!open) return;
    state.open = undefined;
    state.window.request(open, open.usage, open.pending);
  }

  /** Whoever looks now sees the last request too; what its source tells of it later comes too late. */
  #settle(state: WindowState): void {
    if (!state.open) return;
    state.isSettled = !state.open.usage;
    this.#close(state);
  }
}

const REPLACING = { summary: 'summary', user: 'prompts', assistant: 'answers' } as const;

function newState(call: string, record: UntypedMessage): WindowState {
  return {
    ...{ call, agent: textOr(record.agent), depth: numberOr(record.depth) ?? 0, window: new ContextWindow() },
    ...{
      open: undefined,
      ahead: undefined,
      isAnswering: false,
      isCompacted: false,
      isOwn: false,
      isSettled: false,
    },
    ...{ lastTime: 0, called: new Map<string, CalledTool>() },
  };
}

function asSummary(each: Piece): Piece {
  return each.kind === 'images' ? each : { ...each, kind: 'summary' };
}

/** About how many tokens of instructions the header of a session of Codex records. */
function instructionsIn(value: unknown): number {
  const payload = isObject(value) && isObject(value.payload) ? value.payload : undefined;
  const base = payload?.base_instructions ?? payload?.instructions;
  const text = isObject(base) ? base.text : base;
  return typeof text === 'string' ? aboutTokens(text) : 0;
}
