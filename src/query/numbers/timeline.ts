import type { Turn } from './answers.js';
import { injectedOf, ownTextOf } from '../../core/injected.js';
import { isObject, textOf } from '../../core/message.js';
import { timelineText } from './analysisText.js';
import type { CallNode } from './callTree.js';
import { Lane, newInteraction, type DraftInteraction, type DraftTurn } from './timelineLane.js';
import { factsOf, type ItemFacts } from './facts.js';
import { argumentsOf, rawArgumentsOf } from './toolCalls.js';
import { toolResultOf, type ToolResult } from './toolSummary.js';
import {
  INJECTED_ROLE,
  isPromptRole,
  speakerIn,
  type UntypedMessage,
  UNKNOWN_ROLE,
} from './transcriptItem.js';
import { TranscriptReader, type Reading } from './transcriptReader.js';
import { clipName } from './values.js';
import { isOutput } from './messageSize.js';
import { Moments, type MomentKind } from './moments.js';

/** A message, the item that it is or is in, and how that reads. */
interface ReadMessage {
  readonly item: unknown;
  readonly message: UntypedMessage;
  readonly facts: ItemFacts;
  /** The agent that it is of; null where that is not said. */
  readonly agent: string | null;
  readonly reading: Reading;
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
  readonly #reader = new TranscriptReader();
  /** For each call of an agent that says something, by its index: its turns. */
  readonly #lanes: (Lane | undefined)[] = [];
  /** For each tool call, by its number: where it stands. */
  readonly #made: { readonly interaction: DraftInteraction; readonly turn: DraftTurn }[] = [];

  /** Adds the next item: a message, or a record that tells who dispatched whom. */
  add(item: unknown): void {
    const facts = factsOf(item);
    const reading = this.#reader.next(facts);
    const { message } = facts;
    if (!message) return;
    const { index } = reading;
    const agent = facts.place.agent ?? null;
    const read = { item, message, facts, agent, reading };
    const lane = this.#laneOf(reading);
    const role = speakerIn(item);
    if (facts.isAbsorbed && isPromptRole(role)) lane.addAbsorbed(promptOrNull(item, message), index, agent);
    else if (isPromptRole(role)) lane.addPrompt(promptOrNull(item, message), index, agent);
    // What a tool put there is neither a prompt nor an answer; it stands among the messages of its turn.
    else if (role === INJECTED_ROLE) lane.touch(index);
    else if (role === 'system' || role === 'developer') lane.addContext(textOrNull(message), index);
    else if (role === 'assistant') this.#addAnswer(lane, read);
    else if (role === 'tool') this.#addResult(lane, read);
    else this.#addOther(lane, read);
  }

  /** Completes the turns; nothing may be added afterwards. */
  finish(): Turn[] {
    for (const lane of this.#lanes) lane?.finish();
    return Object.defineProperty(this.#turns, 'toString', { value: () => timelineText(this.#turns) });
  }

  #addAnswer(lane: Lane, { message, facts, agent, reading: { index, made } }: ReadMessage): void {
    const interactions = facts.calls.map(({ name, id, input }) => {
      const interaction = newInteraction('unanswered', name, id);
      interaction.arguments = argumentsOf(input);
      interaction.rawArguments = rawArgumentsOf(input);
      return interaction;
    });
    const turn = lane.addAnswer(textOrNull(message), interactions, index, agent);
    interactions.forEach((interaction, at) => {
      const number = made[at]?.number;
      if (number !== undefined) this.#made[number] = { interaction, turn };
    });
  }

  /** In a record, an unknown role is an agent speaking under its own name; in a bare message it has no known meaning. */
  #addOther(lane: Lane, { message, agent, reading: { index } }: ReadMessage): void {
    if (agent === null || typeof message.role !== 'string') lane.touch(index);
    else lane.addAnswer(textOrNull(message), [], index, agent);
  }

  #addResult(lane: Lane, { item, message, facts, agent, reading: { index, result } }: ReadMessage): void {
    const call = result?.made && this.#made[result.made.number];
    const answer = toolResultOf(item, message);
    if (call && lane.isLast(call.turn)) {
      call.interaction.status = 'answered';
      takeResult(call.interaction, answer);
      lane.touch(index);
      return;
    }
    if (call) call.interaction.status = 'answeredLater';
    const name = facts.toolName || (result?.tool ?? '');
    const interaction = newInteraction(call ? 'late' : 'orphan', name, result?.id ?? '');
    takeResult(interaction, answer);
    lane.addStray(interaction, index, agent);
  }

  #laneOf({ call, index }: Reading): Lane {
    return (this.#lanes[call.index] ??= this.#newLane(call, index));
  }

  #newLane({ parent, dispatcher }: CallNode, index: number): Lane {
    const above = parent && this.#lanes[parent.index];
    if (!above || above.depth >= MAX_TURN_DEPTH) return new Lane(this.#turns, 0, undefined);
    const known = dispatcher && this.#made[dispatcher.number]?.interaction;
    const interaction = known ?? above.waitingInteraction(index);
    return new Lane(interaction.turns, above.depth + 1, above);
  }
}

function takeResult(interaction: DraftInteraction, { text, isError, durationMs }: ToolResult): void {
  interaction.result = text;
  interaction.isError = isError;
  interaction.durationMs = durationMs;
}

/** What a person says in a message, without what a tool put into it. */
function promptOrNull(item: unknown, message: UntypedMessage): string | null {
  return injectedOf(item).length > 0 ? ownTextOf(item) : textOrNull(message);
}

/** The text of a message, or its refusal where it has nothing else; null where it has neither. */
function textOrNull({ content, refusal }: UntypedMessage): string | null {
  if (content !== null && content !== undefined) return isObject(content) ? '' : textOf(content);
  return typeof refusal === 'string' ? refusal : null;
}

/** Collects what a timeline shows within calls, record by record, in the order of the ends. */
export class TimelineMoments {
  readonly moments = new Moments();

  add(reading: Reading): void {
    const { facts, result, countedAt } = reading;
    if (!facts.isRecord) return;
    const { role, place, isFailure, durationMs, event } = facts;
    if (role !== undefined) {
      if (isOutput(role ?? UNKNOWN_ROLE)) this.#add(reading, 'answer', 0, false, place.agent ?? '');
      if (!result || result.kind === 'orphan') return;
      const kind = result.made?.isDispatch ? 'dispatch' : 'tool';
      this.#add(reading, kind, result.tookMs, isFailure, result.tool);
      return;
    }
    switch (facts.type) {
      case 'request':
        this.#add(reading, 'model', durationMs, isFailure, facts.model);
        break;
      case 'approval':
        if (event && event.waitedMs > 0)
          this.#add(reading, 'approval', event.waitedMs, isFailure, facts.toolName);
        break;
      case 'error':
        // Where the request that failed stands there already, its error is no second one.
        if (countedAt === undefined) this.#add(reading, 'error', 0, isFailure, 'error');
        break;
      default:
    }
  }

  #add(
    { facts: { time: end, place }, position, call }: Reading,
    kind: MomentKind,
    took: number | undefined,
    failed: boolean,
    label: string,
  ): void {
    this.moments.add({
      kind,
      call,
      position,
      end,
      agent: place.agent ?? '',
      start: Math.min(end, Math.max(end - (took ?? 0), call.start)),
      state: failed ? 'failed' : 'done',
      label: clipName(label),
    });
  }
}
