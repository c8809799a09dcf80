import { scanQuestionOf } from '../../test/support/scanQuestionOf.js';
import { factsOf } from '../../src/query/numbers/facts.js';
import type { ChatMessage } from '../../src/core/message.js';
import type { MessageRecord } from '../../src/core/record.js';
import { timelineView } from '../../src/page/panel/projection/timelineView.js';
import { TranscriptProjection } from '../../src/page/panel/projection/transcriptProjection.js';
import type { FilterCriteria } from '../../src/query/filterCriteria.js';
import { TranscriptIndex } from '../../src/search/stored/indexed/transcriptIndex.js';

/** How many records are folded at once, as the panel does. */
const RECORDS_PER_TURN = 100;
/** As wide as the timeline is on a screen. */
const PIXELS = 1_200;

/** A transcript as the filtering thread and the panel know it when it is open: read once, then asked again and again. */
export class IndexedTranscript {
  readonly #index = new TranscriptIndex();
  readonly #projection = new TranscriptProjection();

  constructor(messages: readonly ChatMessage[]) {
    messages.forEach((message, at) => {
      this.#index.addFacts(factsOf(recordOf(message, at)));
      this.#index.addText(message);
    });
    for (let at = 0; at < messages.length; at += RECORDS_PER_TURN) {
      this.#projection.add(
        messages
          .slice(at, at + RECORDS_PER_TURN)
          .map((message, offset) => factsOf(recordOf(message, at + offset))),
      );
    }
  }

  /** The positions at which criteria hold. */
  filter(criteria: FilterCriteria): Uint32Array {
    const parts: Uint32Array[] = [];
    let found = 0;
    for (const { positions } of this.#index.find(scanQuestionOf(criteria))) {
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
    return this.#projection.tools.summary();
  }

  async timeline(): Promise<object> {
    const { index, timeline, hues } = this.#projection;
    return await timelineView(index.calls.all, timeline.moments, hues, { pixels: PIXELS }, false);
  }

  statistics(): object {
    return this.#projection.usage.statistics(this.#projection.index.calls.all);
  }
}

/** Who says a message: every third another agent than the one that is asked, and every 97th tool result tells of a failure. */
export function recordOf(message: ChatMessage, at: number): MessageRecord {
  const agent = at % 3 === 2 ? 'Taster' : 'Pickle';
  const place = { conversation: 'c', run: 'r', call: 'k', agent, depth: 0 };
  const record = {
    seq: at + 1,
    id: `m${at}`,
    time: 1_000 * (at + 1),
    ...place,
    type: 'message',
    message,
  } as const;
  return message.role === 'tool' && at % 97 === 0 ? { ...record, isError: true } : record;
}
