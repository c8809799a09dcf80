import type { UnknownRecord } from '../../core/record.js';
import type { ToolSummary } from '../../protocol/analysis.js';
import { messageIn } from '../../analysis/transcriptItem.js';
import { argumentsOf, callsOf } from '../../analysis/toolCalls.js';
import { READ_LIMIT } from '../rows/argumentSummary.js';
import type { Step } from './step.js';
import { Durations } from './durations.js';
import { clipName } from '../rows/rowPlace.js';

/** The most tools, argument names and agents distinguished; a hostile transcript may contain any number. */
const MOST_TOOLS = 1_000;
const MOST_NAMES = 100;
const SENT_NAMES = 12;

interface Tally {
  calls: number;
  answers: number;
  failures: number;
  /** How long people were waited for, in milliseconds. */
  waitedMs: number;
  firstFailure?: number;
  readonly durations: Durations;
  readonly names: Map<string, number>;
  readonly agents: Set<string>;
}

/** Summarizes the use of each tool, record by record. */
export class ToolFold {
  readonly #tools = new Map<string, Tally>();

  /** The names of all tools that were called, in the order of their first calls. */
  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  add({ record: read, position, answered, tookMs, failedTool }: Step): void {
    const record = read as UnknownRecord;
    if (failedTool !== undefined) {
      const tally = this.#tallyOf(failedTool);
      tally.failures++;
      tally.firstFailure ??= position;
    }
    if (record.type !== 'message') return;
    for (const { name, input } of callsOf(messageIn(record) ?? {})) {
      const tally = this.#tallyOf(name);
      tally.calls++;
      if (tally.agents.size < MOST_NAMES) tally.agents.add(clipName(record.agent));
      countNames(tally.names, input);
    }
    if (!answered) return;
    const tally = this.#tallyOf(answered.tool);
    tally.answers++;
    tally.waitedMs += answered.waitedMs ?? 0;
    if (tookMs !== undefined) tally.durations.add(tookMs);
  }

  summary(): ToolSummary[] {
    return [...this.#tools].map(([tool, tally]) => {
      const { durations } = tally;
      return {
        tool,
        calls: tally.calls,
        failures: tally.failures,
        unanswered: tally.calls - tally.answers,
        waitedMs: tally.waitedMs,
        ...(durations.count > 0 && {
          p50: durations.percentile(0.5),
          p95: durations.percentile(0.95),
          total: durations.total,
        }),
        arguments: [...tally.names]
          .sort(([, a], [, b]) => b - a)
          .slice(0, SENT_NAMES)
          .map(([name, calls]) => ({ name, calls })),
        agents: [...tally.agents],
        ...(tally.firstFailure !== undefined && { firstFailure: tally.firstFailure }),
      };
    });
  }

  #tallyOf(tool: string): Tally {
    const name =
      this.#tools.size < MOST_TOOLS || this.#tools.has(clipName(tool)) ? clipName(tool) : 'other tools';
    let tally = this.#tools.get(name);
    if (!tally) {
      tally = {
        calls: 0,
        answers: 0,
        failures: 0,
        waitedMs: 0,
        durations: new Durations(),
        names: new Map(),
        agents: new Set(),
      };
      this.#tools.set(name, tally);
    }
    return tally;
  }
}

function countNames(names: Map<string, number>, input: unknown): void {
  if (typeof input === 'string' && input.length > READ_LIMIT) return;
  for (const key of Object.keys(argumentsOf(input))) {
    const name = clipName(key);
    if (names.size < MOST_NAMES || names.has(name)) names.set(name, (names.get(name) ?? 0) + 1);
  }
}
