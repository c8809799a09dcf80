import type { UnknownRecord } from '../../core/record.js';
import type { CostlyStep, Statistics } from '../../protocol/analysis.js';
import { numberOr } from '../../analysis/values.js';
import type { Step } from './step.js';
import { tokensOf } from '../../analysis/tokens.js';
import { clipName } from '../rows/rowPlace.js';
import { TopSteps } from './topSteps.js';

const TOP = 20;

/** The steps that took longest, and the requests with the most tokens. */
export class CostlySteps {
  readonly #slowest = new TopSteps<CostlyStep>(TOP);
  readonly #dearest = new TopSteps<CostlyStep>(TOP);

  add(step: Step): void {
    const record = step.record as UnknownRecord;
    const model = clipName(record.model) || 'model';
    switch (record.type) {
      case 'request':
        this.#offerTime(step, numberOr(record.durationMs), 'model', model);
        break;
      case 'callEnd':
        if (step.call.owner !== undefined) {
          this.#offerTime(step, numberOr(record.durationMs), 'dispatch', clipName(step.call.agent));
        }
        break;
      case 'message':
        this.#addMessage(step, record, model);
        break;
      default:
    }
  }

  lists(): Pick<Statistics, 'slowest' | 'mostExpensive'> {
    return { slowest: this.#slowest.list(), mostExpensive: this.#dearest.list() };
  }

  #addMessage(step: Step, record: UnknownRecord, model: string): void {
    const { answered } = step;
    if (answered && !answered.isDispatch) {
      this.#offerTime(step, step.tookMs, 'tool', clipName(answered.tool));
    }
    const told = tokensOf(record.usage);
    if (!told) return;
    const tokens = told.input + told.output;
    this.#dearest.offer(tokens, () => ({ ...place(step), label: model, kind: 'model', tokens }));
  }

  #offerTime(step: Step, durationMs: number | undefined, kind: CostlyStep['kind'], label: string): void {
    if (durationMs === undefined) return;
    this.#slowest.offer(durationMs, () => ({ ...place(step), label, kind, durationMs }));
  }
}

function place({ record, hue, position }: Step) {
  return { position, agent: clipName(record.agent), hue };
}
