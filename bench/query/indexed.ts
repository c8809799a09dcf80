import { factsOf } from '../../src/analysis/facts.js';
import type { ChatMessage } from '../../src/core/message.js';
import type { MessageRecord } from '../../src/core/record.js';
import { timelineView } from '../../src/panel/folds/timelineView.js';
import { TranscriptFolds } from '../../src/panel/folds/transcriptFolds.js';
import type { FilterCriteria } from '../../src/query/filterCriteria.js';
import { TranscriptIndex } from '../../src/store/search/indexed/transcriptIndex.js';

/** How many records are folded at once, as the panel does. */
const BITE = 100;
/** As wide as the timeline is on a screen. */
const PIXELS = 1_200;

/** A transcript as the filtering thread and the panel know it when it is open: read once, then asked again and again. */
export class IndexedTranscript {
  readonly #index = new TranscriptIndex();
  readonly #folds = new TranscriptFolds();

  constructor(messages: readonly ChatMessage[]) {
    for (const message of messages) this.#index.add(message);
    for (let at = 0; at < messages.length; at += BITE) {
      this.#folds.add(
        messages.slice(at, at + BITE).map((message, offset) => factsOf(recordOf(message, at + offset))),
      );
    }
  }

  /** The positions at which criteria hold. */
  filter(criteria: FilterCriteria): Uint32Array {
    const parts: Uint32Array[] = [];
    let found = 0;
    for (const { positions } of this.#index.find(criteria)) {
      parts.push(positions.slice());
      found += positions.length;
    }
    const [first] = parts;
    if (first && parts.length === 1) return first;
    const all = new Uint32Array(found);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  toolSummary(): readonly object[] {
    return this.#folds.tools.summary();
  }

  async timeline(): Promise<object> {
    const { index, timeline, hues } = this.#folds;
    return await timelineView(index.calls.all, timeline.moments, hues, { pixels: PIXELS }, false);
  }

  statistics(): object {
    return this.#folds.usage.statistics(this.#folds.index.calls.all);
  }
}

function recordOf(message: ChatMessage, at: number): MessageRecord {
  const place = { conversation: 'c', run: 'r', call: 'k', agent: 'Pickle', depth: 0 };
  return { seq: at + 1, id: `m${at}`, time: 1_000 * (at + 1), ...place, type: 'message', message };
}
