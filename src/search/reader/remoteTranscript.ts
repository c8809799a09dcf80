import type { Note, NoteTarget } from '../../core/note.js';
import type {
  LiveTranscript,
  NamedFile,
  PanelTranscript,
  TranscriptRequest,
  TranscriptStart,
} from '../../page/panel/ports.js';
import type { Log } from '../../core/ports/log.js';
import type { Answer, Params } from '../../page/protocol/requests.js';
import type { RowField } from '../../page/protocol/row.js';
import type { TranscriptCall } from './readerCalls.js';

/** Has another thread do what a transcript is asked for; rejects with its error. */
type Ask = (call: TranscriptCall, args: readonly unknown[]) => Promise<unknown>;

/** A transcript that is open on another thread. */
export class RemoteTranscript implements PanelTranscript {
  readonly #ask: Ask;
  readonly #close: () => void;
  readonly #log: Log;

  constructor(ask: Ask, close: () => void, log: Log) {
    this.#ask = ask;
    this.#close = close;
    this.#log = log;
  }

  begin(params: Params<'ready'>, live: LiveTranscript): Promise<TranscriptStart> {
    return this.#ask('begin', [params, live]) as Promise<TranscriptStart>;
  }

  follow(live: LiveTranscript): Promise<void> {
    return this.#ask('follow', [live]) as Promise<void>;
  }

  hide(): void {
    this.#ask('hide', []).catch((error: unknown) => this.#log.debug(`A hidden panel: ${String(error)}`));
  }

  setLive(live: LiveTranscript): Promise<void> {
    return this.#ask('setLive', [live]) as Promise<void>;
  }

  ask<N extends TranscriptRequest>(name: N, params: Params<N>): Promise<Answer<N>> {
    return this.#ask('ask', [name, params]) as Promise<Answer<N>>;
  }

  copyOf(row: number, as: 'text' | 'markdown'): Promise<string> {
    return this.#ask('copyOf', [row, as]) as Promise<string>;
  }

  textOf(row: number, field: RowField, part: number | undefined): Promise<string> {
    return this.#ask('textOf', [row, field, part]) as Promise<string>;
  }

  fileOf(row: number, file: number): Promise<NamedFile> {
    return this.#ask('fileOf', [row, file]) as Promise<NamedFile>;
  }

  setNotes(notes: readonly Note[]): Promise<void> {
    return this.#ask('setNotes', [notes]) as Promise<void>;
  }

  noteTargetOf(row: number): Promise<NoteTarget> {
    return this.#ask('noteTargetOf', [row]) as Promise<NoteTarget>;
  }

  positionOfNote(note: string): Promise<number | undefined> {
    return this.#ask('positionOfNote', [note]) as Promise<number | undefined>;
  }

  foundPositions(): Promise<readonly number[]> {
    return this.#ask('foundPositions', []) as Promise<readonly number[]>;
  }

  dispose(): void {
    this.#close();
  }
}
