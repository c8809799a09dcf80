import { textOf } from '../core/message.js';
import type { UnknownRecord } from '../core/record.js';
import type { CostlyStep, Share, Statistics } from '../protocol/analysis.js';
import { messageIn, roleOf } from '../query/queryItem.js';
import type { CallNode } from './callTree.js';
import { numberOr, textOr } from './messageParts.js';
import type { Step } from './rowIndex.js';
import { clipName, tokensOf } from './rowPlace.js';
import { TopSteps } from './topSteps.js';

const TOP = 20;
/** The most lines and points of the context chart that are sent. */
const GROWTH_LINES = 24;
const GROWTH_POINTS = 200;
/** About how many characters of text a token stands for, where nobody has counted. */
const CHARACTERS_PER_TOKEN = 4;

interface Tally {
  messages: number;
  characters: number;
  input: number;
  output: number;
  estimated: boolean;
  other: number;
  failures: number;
}

interface Growth {
  readonly call: CallNode;
  readonly points: { position: number; time: number; tokens: number }[];
}

/** Adds up what a transcript cost, record by record. */
export class UsageFold {
  readonly #roles = new Map<string, Tally>();
  readonly #agents = new Map<string, Tally & { hue: number }>();
  readonly #models = new Map<string, Tally>();
  readonly #growth = new Map<CallNode, Growth>();
  readonly #slowest = new TopSteps<CostlyStep>(TOP);
  readonly #dearest = new TopSteps<CostlyStep>(TOP);
  readonly #total = newTally();
  #errors = 0;
  #durationMs = 0;
  #estimated = false;

  add(step: Step): void {
    const record = step.record as UnknownRecord;
    if (record.type === 'message') this.#addMessage(step, record);
    if (record.type === 'request') this.#addRequest(step, record);
    if (record.type === 'error') this.#errors++;
    if (record.type === 'callStart') tallyOf(this.#agents, step.call.agent, newAgent(step.call)).other++;
    if (record.type === 'callEnd') this.#addEnd(step, record);
  }

  statistics(calls: readonly CallNode[]): Statistics {
    return {
      messages: this.#total.messages,
      runs: calls.reduce((most, call) => Math.max(most, call.run), 0),
      calls: calls.length,
      toolCalls: calls.reduce((sum, call) => sum + call.toolCalls, 0),
      errors: this.#errors,
      tokens: tokens(this.#total),
      durationMs: this.#durationMs,
      byRole: [...this.#roles].map(([name, tally]) => shareOfRole(name, tally)),
      byAgent: [...this.#agents].map(([name, tally]) => ({
        ...shareOf(name, tally),
        hue: tally.hue,
        ownCalls: tally.other,
      })),
      byModel: [...this.#models].map(([name, tally]) => ({
        ...shareOf(name, tally),
        requests: tally.other,
        failures: tally.failures,
      })),
      contextGrowth: this.#growthLines(),
      contextEstimated: this.#estimated,
      slowest: this.#slowest.list(),
      mostExpensive: this.#dearest.list(),
    };
  }

  #addMessage({ call, position, answered }: Step, record: UnknownRecord): void {
    const message = messageIn(record) ?? {};
    const role = roleOf(message);
    const characters = textOf(message.content).length;
    const usage = tokensOf(record.usage);
    const tallies = [
      this.#total,
      tallyOf(this.#roles, role, newTally()),
      tallyOf(this.#agents, call.agent, newAgent(call)),
    ];
    if (role === 'assistant')
      tallies.push(tallyOf(this.#models, clipName(record.model) || 'unknown', newTally()));
    for (const tally of tallies) {
      tally.messages++;
      tally.characters += characters;
      tally.input += usage?.input ?? 0;
      tally.output += usage?.output ?? 0;
      tally.estimated ||= usage?.estimated === true;
    }
    if (record.isError === true) this.#errors++;
    if (answered && !answered.isDispatch)
      this.#addToolTime(call, position, answered.tool, record, answered.calledAt);
    if (!usage) return;
    this.#addGrowth(call, position, record.time, usage.input, usage.estimated);
    const label = clipName(record.model) || 'model';
    this.#dearest.offer(usage.input + usage.output, () => ({
      ...place(call, position),
      label,
      kind: 'model',
      tokens: usage.input + usage.output,
    }));
  }

  #addToolTime(
    call: CallNode,
    position: number,
    tool: string,
    record: UnknownRecord,
    calledAt: number,
  ): void {
    const durationMs = numberOr(record.durationMs) ?? numberOr(record.time - calledAt);
    if (durationMs === undefined) return;
    const step = () => ({
      ...place(call, position),
      label: clipName(tool),
      kind: 'tool' as const,
      durationMs,
    });
    this.#slowest.offer(durationMs, step);
  }

  #addRequest({ call, position }: Step, record: UnknownRecord): void {
    const tally = tallyOf(this.#models, clipName(record.model) || 'unknown', newTally());
    tally.other++;
    if (record.error) {
      tally.failures++;
      this.#errors++;
    }
    const durationMs = numberOr(record.durationMs);
    if (durationMs === undefined) return;
    const label = clipName(record.model) || 'model';
    this.#slowest.offer(durationMs, () => ({ ...place(call, position), label, kind: 'model', durationMs }));
  }

  #addEnd({ call, position }: Step, record: UnknownRecord): void {
    const durationMs = numberOr(record.durationMs);
    if (durationMs === undefined) return;
    if (call.owner === undefined) this.#durationMs += durationMs;
    else {
      const label = textOr(call.agent);
      this.#slowest.offer(durationMs, () => ({
        ...place(call, position),
        label,
        kind: 'dispatch',
        durationMs,
      }));
    }
  }

  #addGrowth(call: CallNode, position: number, time: number, input: number, estimated: boolean): void {
    const line = this.#growth.get(call) ?? { call, points: [] };
    this.#growth.set(call, line);
    line.points.push({ position, time, tokens: input });
    this.#estimated ||= estimated;
  }

  /** The calls whose context grew most, each thinned to what a chart can show. */
  #growthLines(): Statistics['contextGrowth'] {
    const largest = [...this.#growth.values()]
      .filter(({ points }) => points.length > 1)
      .sort((a, b) => (b.points.at(-1)?.tokens ?? 0) - (a.points.at(-1)?.tokens ?? 0))
      .slice(0, GROWTH_LINES);
    return largest.map(({ call, points }) => {
      const step = Math.max(1, Math.ceil(points.length / GROWTH_POINTS));
      const kept = points.filter((_, at) => at % step === 0 || at === points.length - 1);
      return { agent: call.agent, hue: call.hue, depth: call.depth, points: kept };
    });
  }
}

function place(call: CallNode, position: number) {
  return { position, agent: clipName(call.agent), hue: call.hue };
}

function newTally(): Tally {
  return { messages: 0, characters: 0, input: 0, output: 0, estimated: false, other: 0, failures: 0 };
}

function newAgent(call: CallNode): Tally & { hue: number } {
  return { ...newTally(), hue: call.hue };
}

function tallyOf<T extends Tally>(tallies: Map<string, T>, name: string, fresh: T): T {
  const known = tallies.get(name);
  if (!known) tallies.set(name, fresh);
  return known ?? fresh;
}

function tokens({ input, output, estimated }: Tally) {
  return { input, output, estimated };
}

function shareOf(name: string, tally: Tally): Share {
  return {
    name: clipName(name),
    messages: tally.messages,
    characters: tally.characters,
    tokens: tokens(tally),
  };
}

/** What roles other than assistant say is not told by anybody; it is estimated from its length. */
function shareOfRole(name: string, tally: Tally): Share {
  const share = shareOf(name, tally);
  if (tally.output > 0) return { ...share, tokens: { ...share.tokens, input: 0 } };
  const input = Math.ceil(tally.characters / CHARACTERS_PER_TOKEN);
  return { ...share, tokens: { input, output: 0, estimated: true } };
}
