import type { Timers } from '../../src/core/timers.js';
import { delay } from '../../src/core/timers.js';
import type { Model, ModelEvent, ModelRequest } from '../../src/core/ports/model.js';
import { statusFailure } from '../../src/agents/models/modelFailure.js';
import { WireReader } from '../../src/agents/models/wireReader.js';
import { bodyOf } from '../../src/agents/models/wireRequest.js';
import { violationOf } from './wireRules.js';

/** What a strict model answers: chunks as they come over the wire, and how it ends. */
export interface ChunkAnswer {
  readonly chunks?: readonly Readonly<Record<string, unknown>>[];
  /** `cut` breaks off, `hang` falls silent until a time limit; else the answer ends. */
  readonly then?: 'cut' | 'hang';
  /** Refuses with this status instead. */
  readonly status?: number;
}

/**
 * The strict server without a network, for thousands of runs: it sees exactly the body that would be sent, refuses
 * every breach of the protocol with 400, and its chunks are read as those of a server.
 */
export class StrictModel implements Model {
  readonly id = 'strict/test';
  readonly label = 'strict';
  readonly kind = 'http';
  readonly endpoint = 'strict';
  readonly violations: string[] = [];
  requests = 0;
  readonly #answer: (request: ModelRequest) => ChunkAnswer;
  readonly #timers: Timers;

  constructor(answer: (request: ModelRequest) => ChunkAnswer, timers: Timers) {
    this.#answer = answer;
    this.#timers = timers;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    this.requests++;
    const violation = violationOf(JSON.parse(bodyOf(request, { model: 'm', without: new Set() }).toString()));
    if (violation !== undefined) this.violations.push(violation);
    const {
      status,
      chunks = [],
      then,
    }: ChunkAnswer = violation === undefined ? this.#answer(request) : { status: 400 };
    if (status !== undefined) {
      yield { type: 'error', error: statusFailure(status, 'refused', undefined, 0) };
      return;
    }
    const reader = new WireReader();
    for (const chunk of chunks) {
      await Promise.resolve();
      if (request.signal.aborted) break;
      yield* reader.read({ data: JSON.stringify(chunk) });
    }
    if (then === 'hang') await delay(this.#timers, 2_000, request.signal);
    if (then !== undefined || request.signal.aborted || !reader.finish) {
      yield { type: 'error', error: { code: 'cutStream', message: 'It broke off.', retryable: true } };
      return;
    }
    yield { type: 'end', finishReason: reader.finish };
  }
}
