import { t } from '../../../core/l10n.js';
import { clipName } from '../../../query/numbers/values.js';
import { MESSAGE_CHARACTERS } from '../../protocol/protocol.js';
import type { Row } from '../../protocol/row.js';
import type { RecordReader } from '../recordReader.js';
import { buildRow } from './rowBuilder.js';
import { readSources, type RowSources } from './rowSources.js';
import type { RowContext } from './stepRow.js';
import type { TranscriptProjection } from '../projection/transcriptProjection.js';

/** Builds rows by their numbers, as many as fit into one message. */
export class RowPages {
  readonly #projection: TranscriptProjection;
  readonly #reader: RecordReader;

  constructor(projection: TranscriptProjection, reader: RecordReader) {
    this.#projection = projection;
    this.#reader = reader;
  }

  /** The records of a row. Throws an error for a person where there is no such row. */
  async sources(row: number): Promise<RowSources> {
    const [sources] = await readSources([row], this.#projection.index, this.#reader, (agent) =>
      this.#projection.hues.of(agent),
    );
    if (!sources) throw new Error(t`This row is not there any more.`);
    return sources;
  }

  /** The first rows, as many as fit into one message but at least one. */
  async rows(numbers: readonly number[], context: RowContext): Promise<Row[]> {
    const rows: Row[] = [];
    let characters = 0;
    const found = await readSources(numbers, this.#projection.index, this.#reader, (agent) =>
      this.#projection.hues.of(agent),
    );
    const byRow = new Map(found.map((sources) => [sources.row, sources]));
    for (const number of numbers) {
      const sources = byRow.get(number);
      const notes = (sources && context.notesOf?.(sources)) ?? [];
      const built = sources ? buildRow(sources, context) : this.#unreadable(number);
      const row = notes.length > 0 ? { ...built, notes } : built;
      characters += JSON.stringify(row).length;
      if (characters > MESSAGE_CHARACTERS && rows.length > 0) break;
      rows.push(row);
    }
    return rows;
  }

  /** A placeholder for a row whose record can no longer be read. */
  #unreadable(row: number): Row {
    const { index } = this.#projection;
    const call = index.callOf(row);
    return {
      kind: 'note',
      id: row,
      position: index.position(row),
      time: call?.start ?? 0,
      agent: clipName(call?.agent),
      hue: call ? this.#projection.hues.of(call.agent) : 0,
      depth: call?.depth ?? 0,
      note: 'unknown',
      level: 'error',
      text: t`This record cannot be read any more.`,
    };
  }
}
