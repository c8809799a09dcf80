import { callsOf } from '../../../query/numbers/toolCalls.js';
import { messageIn } from '../../../query/numbers/transcriptItem.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { isOfArguments, SeenArguments } from '../../../query/language/seenArguments.js';
import type { TranscriptProjection } from '../projection/transcriptProjection.js';
import { recordsAt } from '../recordReader.js';
import { ROW } from '../rows/rowIndex.js';

/** How many values of a field are told. */
const MAX_VALUES = 200;
/** Of how many tool calls, the last ones, the arguments are looked at; reading all of a large transcript takes seconds. */
const MAX_CALLS = 1_000;
/** Longer values are of no use in a list, in UTF-16 code units. */
const MAX_LENGTH = 300;

/** What a question may ask fields of a transcript for: the values that occur in it. */
export class OccurringValues {
  readonly #projection: TranscriptProjection;
  readonly #transcript: Pick<Transcript, 'read' | 'readAt'>;
  #arguments: { readonly records: number; readonly seen: SeenArguments } | undefined;

  constructor(projection: TranscriptProjection, transcript: Pick<Transcript, 'read' | 'readAt'>) {
    this.#projection = projection;
    this.#transcript = transcript;
  }

  /** The values of a field, the most frequent first as far as that is known; none where nobody knows them. */
  async of(field: string): Promise<readonly string[]> {
    return (await this.#all(field))
      .filter((value) => value !== '' && value.length <= MAX_LENGTH)
      .slice(0, MAX_VALUES);
  }

  async #all(field: string): Promise<readonly string[]> {
    const { hues, tools } = this.#projection;
    switch (field) {
      case 'agent':
        return hues.list().map(({ name }) => name);
      case 'tool':
        return [...tools.names];
      case 'model':
        return this.#projection.statistics().byModel.map(({ name }) => name);
      default:
        return isOfArguments(field) ? (await this.#seenArguments()).of(field) : [];
    }
  }

  async #seenArguments(): Promise<SeenArguments> {
    const { index } = this.#projection;
    const { records } = index;
    if (this.#arguments?.records === records) return this.#arguments.seen;
    const positions = new Set<number>();
    for (let row = index.length - 1; row >= 0 && positions.size < MAX_CALLS; row--)
      if (index.kind(row) === ROW.tool) positions.add(index.position(row));
    const seen = new SeenArguments();
    for (const record of (await recordsAt(this.#transcript, positions)).values()) {
      const message = messageIn(record);
      for (const { input } of message ? callsOf(message) : []) seen.add(input);
    }
    this.#arguments = { records, seen };
    return seen;
  }
}
