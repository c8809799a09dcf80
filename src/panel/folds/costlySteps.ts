import type { Reading } from '../../analysis/transcriptReader.js';
import type { LooseMessage } from '../../analysis/transcriptItem.js';
import { tokensOf } from '../../analysis/tokens.js';
import { clipName, numberOr, textOr } from '../../analysis/values.js';
import type { CostlyStep, Statistics } from '../../protocol/analysis.js';
import type { AgentHues } from '../rows/agentHues.js';
import { TopSteps } from './topSteps.js';

const TOP = 20;

/** The steps that took longest, and the requests with the most tokens. */
export class CostlySteps {
  readonly #slowest = new TopSteps<CostlyStep>(TOP);
  readonly #dearest = new TopSteps<CostlyStep>(TOP);
  readonly #hues: AgentHues;

  constructor(hues: AgentHues) {
    this.#hues = hues;
  }

  add(reading: Reading): void {
    const { record, message, call } = reading;
    if (!record) return;
    const model = clipName(record.model) || 'model';
    if (message) this.#addMessage(reading, record, model);
    else if (record.type === 'request')
      this.#offerTime(reading, record, numberOr(record.durationMs), 'model', model);
    else if (record.type === 'callEnd' && call.parent)
      this.#offerTime(reading, record, numberOr(record.durationMs), 'dispatch', clipName(call.agent));
  }

  lists(): Pick<Statistics, 'slowest' | 'mostExpensive'> {
    return { slowest: this.#slowest.list(), mostExpensive: this.#dearest.list() };
  }

  #addMessage(reading: Reading, record: LooseMessage, model: string): void {
    const { result } = reading;
    if (result && result.kind !== 'orphan' && result.made?.isDispatch !== true)
      this.#offerTime(reading, record, result.tookMs, 'tool', clipName(result.tool));
    const reported = tokensOf(record.usage);
    if (!reported) return;
    const tokens = reported.input + reported.output;
    this.#dearest.offer(tokens, () => ({
      ...this.#place(reading, record),
      ...{ label: model, kind: 'model', tokens },
    }));
  }

  #offerTime(
    reading: Reading,
    record: LooseMessage,
    durationMs: number | undefined,
    kind: CostlyStep['kind'],
    label: string,
  ): void {
    if (durationMs === undefined) return;
    this.#slowest.offer(durationMs, () => ({ ...this.#place(reading, record), label, kind, durationMs }));
  }

  #place({ position }: Reading, { agent }: LooseMessage) {
    return { position, agent: clipName(agent), hue: this.#hues.of(textOr(agent)) };
  }
}
