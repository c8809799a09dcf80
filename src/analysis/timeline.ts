import { isObject, textOf } from '../core/message.js';
import { Lane, newInteraction, type DraftInteraction, type DraftTurn } from './timelineLane.js';
import { answeredIdOf, envelopeOf, idOf, messageIn, placeOf, type LooseMessage } from './transcriptItem.js';
import { timelineText } from './analysisText.js';
import { argumentsOf, callsOf, rawArgumentsOf, resultNameOf } from './toolCalls.js';
import { scopeOf } from './toolNames.js';
import { ToolPairing } from './toolPairing.js';
import { toolResultOf, type ToolResult } from './toolResult.js';

/**
 * How a call and its result relate. A call is `answered` in its turn, `unanswered`, or `answeredLater`, in a later turn.
 * A result without its call in the turn is `late`, for a call of an earlier turn, or an `orphan`, for no known call.
 * `unseen`: only the turns of the dispatched agent are known, neither call nor result.
 */
export type InteractionStatus = 'answered' | 'unanswered' | 'answeredLater' | 'late' | 'orphan' | 'unseen';

/** A tool call with its result, or a result alone. */
export interface ToolInteraction {
  readonly toolName: string;
  readonly toolCallId: string;
  /** `{}` where the model wrote no JSON object, and where there is only a result. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Exactly what the model wrote. */
  readonly rawArguments: string;
  /** '' where this interaction has none, see `status`. */
  readonly result: string;
  readonly status: InteractionStatus;
  readonly isError: boolean;
  readonly durationMs: number | null;
  /** The turns of the agent that this call dispatched. */
  readonly turns: readonly Turn[];
}

/** A prompt, its answer and the tool interactions between them. */
export interface Turn {
  /** From 0 in its list. */
  readonly index: number;
  readonly userContent: string | null;
  readonly assistantContent: string | null;
  readonly toolInteractions: readonly ToolInteraction[];
  readonly systemContext: string | null;
  readonly agent: string | null;
  /** The positions of its messages, including those of dispatched agents: from `start` up to, not including, `end`. */
  readonly range: { readonly start: number; readonly end: number };
  /** The turn as lines of text. */
  toString(): string;
}

/** How deep turns may nest; the turns of a call below that are listed at the top level. */
export const MAX_TURN_DEPTH = 64;

/** The turns of a history in order, those of dispatched agents nested in the interaction that dispatched them. */
export function timelineOf(items: Iterable<unknown>): Turn[] {
  const builder = new TimelineBuilder();
  for (const item of items) builder.add(item);
  return builder.finish();
}

/** Builds the turns of a history, item by item. */
export class TimelineBuilder {
  readonly #turns: Turn[] = [];
  readonly #lanes = new Map<string, Lane>();
  readonly #pairing = new ToolPairing<{ interaction: DraftInteraction; turn: DraftTurn }>();
  /** The interaction that dispatched each call, from dispatch and callStart records. */
  readonly #dispatchers = new Map<string, DraftInteraction>();
  #index = 0;

  /** Adds the next item: a message, or a record that tells who dispatched whom. */
  add(item: unknown): void {
    const message = messageIn(item);
    if (!message) {
      this.#link(item);
      return;
    }
    const index = this.#index++;
    const lane = this.#laneOf(item);
    switch (message.role) {
      case 'system':
      case 'developer':
        lane.addContext(textOrNull(message), index);
        break;
      case 'user':
      case 'human':
        lane.addPrompt(textOrNull(message), index, agentOf(item));
        break;
      case 'assistant':
        this.#addAnswer(lane, item, message, index);
        break;
      case 'tool':
        this.#addResult(lane, item, message, index);
        break;
      default:
        this.#addOther(lane, item, message, index);
    }
  }

  /** Completes the turns; nothing may be added afterwards. */
  finish(): Turn[] {
    for (const lane of this.#lanes.values()) lane.finish();
    return Object.defineProperty(this.#turns, 'toString', { value: () => timelineText(this.#turns) });
  }

  #addAnswer(lane: Lane, item: unknown, message: LooseMessage, index: number): void {
    const calls = callsOf(message);
    const interactions = calls.map((call) => {
      const interaction = newInteraction('unanswered', call.name, call.id);
      interaction.arguments = argumentsOf(call.input);
      interaction.rawArguments = rawArgumentsOf(call.input);
      return interaction;
    });
    const turn = lane.addAnswer(textOrNull(message), interactions, index, agentOf(item));
    const scope = scopeOf(item);
    for (const interaction of interactions) {
      this.#pairing.open(scope, interaction.toolCallId, index, { interaction, turn });
    }
  }

  /** In a record, an unknown role is an agent speaking under its own name; in a bare message it has no known meaning. */
  #addOther(lane: Lane, item: unknown, message: LooseMessage, index: number): void {
    const agent = agentOf(item);
    if (agent === null || typeof message.role !== 'string') lane.touch(index);
    else lane.addAnswer(textOrNull(message), [], index, agent);
  }

  #addResult(lane: Lane, item: unknown, message: LooseMessage, index: number): void {
    const id = answeredIdOf(message);
    const paired = this.#pairing.answer(scopeOf(item), id);
    const answer = toolResultOf(item, message);
    const call = paired?.call.interaction;
    const isFirst = paired !== undefined && !paired.again;
    if (isFirst && lane.isLast(paired.call.turn)) {
      paired.call.interaction.status = 'answered';
      takeResult(paired.call.interaction, answer);
      lane.touch(index);
      return;
    }
    if (isFirst) paired.call.interaction.status = 'answeredLater';
    const name = resultNameOf(message, envelopeOf(item)) || (call?.toolName ?? '');
    const interaction = newInteraction(isFirst ? 'late' : 'orphan', name, id);
    takeResult(interaction, answer);
    lane.addStray(interaction, index, agentOf(item));
  }

  #link(item: unknown): void {
    const record = envelopeOf(item);
    if (!record) return;
    const isDispatch = record.type === 'dispatch';
    const child = isDispatch ? record.childCall : record.call;
    const parent = isDispatch ? record.call : record.parentCall;
    if (typeof child !== 'string' || typeof parent !== 'string' || record.toolCallId === undefined) return;
    const dispatcher = this.#pairing.latest(parent, idOf(record.toolCallId));
    if (dispatcher) this.#dispatchers.set(child, dispatcher.interaction);
  }

  #laneOf(item: unknown): Lane {
    const scope = scopeOf(item);
    const known = this.#lanes.get(scope);
    if (known) return known;
    const lane = this.#newLane(scope, placeOf(item).parentCall);
    this.#lanes.set(scope, lane);
    return lane;
  }

  #newLane(scope: string, parentCall: string | undefined): Lane {
    const parent = parentCall === undefined ? undefined : this.#lanes.get(parentCall);
    if (!parent || parent.depth >= MAX_TURN_DEPTH) return new Lane(this.#turns, 0, undefined);
    const dispatcher = this.#dispatchers.get(scope) ?? parent.waitingInteraction(this.#index - 1);
    return new Lane(dispatcher.turns, parent.depth + 1, parent);
  }
}

function takeResult(interaction: DraftInteraction, { text, isError, durationMs }: ToolResult): void {
  interaction.result = text;
  interaction.isError = isError;
  interaction.durationMs = durationMs;
}

function agentOf(item: unknown): string | null {
  return placeOf(item).agent ?? null;
}

/** The text of a message, or its refusal where it has nothing else; null where it has neither. */
function textOrNull({ content, refusal }: LooseMessage): string | null {
  if (content !== null && content !== undefined) return isObject(content) ? '' : textOf(content);
  return typeof refusal === 'string' ? refusal : null;
}
