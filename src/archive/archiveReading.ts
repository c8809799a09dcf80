import { t } from '../core/l10n.js';
import type { Log } from '../core/ports/log.js';
import type { ReadRecord } from '../core/ports/transcript.js';
import type { CatalogRow } from '../store/catalog/catalogCache.js';
import { pathsOf } from '../store/files/storePaths.js';
import { restoredRecords } from '../store/read/restoredRecords.js';
import type { ReadTarget } from '../store/transcriptStore.js';
import { appendTo } from '../store/write/appendTo.js';
import { RecordsHere, type WriteOptions } from '../store/write/importSession.js';
import { ArchiveError } from './archiveError.js';
import type { ArchiveReader } from './archiveReader.js';
import type { OpenedConversation } from './archiveReadingCalls.js';

/** How many records are written at once. */
const PAGE = 500;

/** A conversation of an archive that is read page by page into a store that is there only while somebody looks at it. */
export class ArchiveReading {
  readonly about: OpenedConversation;
  readonly #pages: AsyncGenerator<readonly ReadRecord[], void, undefined>;
  readonly #first: RecordsHere;
  readonly #stop: AbortController;
  readonly #log: Log;

  private constructor(
    about: Omit<OpenedConversation, 'begins' | 'first'>,
    first: readonly ReadRecord[],
    rest: Pick<ArchiveReadingOptions, 'pages' | 'stop' | 'log'>,
  ) {
    this.#first = new RecordsHere(first, rest.log);
    this.#pages = rest.pages;
    this.#stop = rest.stop;
    this.#log = rest.log;
    this.about = { ...about, first: first.length, begins: this.#first.begins };
  }

  /** Opens a conversation and reads its first page. Rejects with an ArchiveError. */
  static async open(reader: ArchiveReader, id: string, log: Log): Promise<ArchiveReading> {
    const conversation = await reader.find(id);
    const { records: length, source, project, entry } = conversation;
    const stop = new AbortController();
    const pages = pagesOf(restoredRecords(reader.transcript(conversation), undefined, stop.signal));
    const first = (await pages.next()).value ?? [];
    if (first.length === 0)
      throw new ArchiveError(t`Nothing that was said in it has come into the archive yet.`, 'refused');
    return new ArchiveReading({ length, source, project, title: entry.title }, first, { pages, stop, log });
  }

  /** Writes the first page as a new conversation; gives and rejects as `importConversation`. */
  write(
    { root, id, name }: ReadTarget,
    options: Omit<WriteOptions, 'signal'>,
  ): Promise<CatalogRow | undefined> {
    return this.#first.write(pathsOf(root, id, name), { ...options, signal: this.#stop.signal });
  }

  /** Adds the rest to that conversation; tells how many records are there. Rejects with an ArchiveError, and where it is closed. */
  async fill({ root, id, name }: ReadTarget, onFilled: (records: number) => void): Promise<void> {
    const end = await appendTo(pathsOf(root, id, name), this.#log);
    try {
      for await (const page of this.#pages) {
        this.#stop.signal.throwIfAborted();
        await end.append(page);
        onFilled(this.#first.length + end.records);
      }
      this.#stop.signal.throwIfAborted();
    } finally {
      await end.close();
    }
  }

  /** Nothing more is read. */
  close(): void {
    this.#stop.abort(new Error('It was closed.'));
  }
}

interface ArchiveReadingOptions {
  readonly pages: AsyncGenerator<readonly ReadRecord[], void, undefined>;
  readonly stop: AbortController;
  readonly log: Log;
}

async function* pagesOf(
  records: AsyncIterable<ReadRecord>,
): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  let page: ReadRecord[] = [];
  for await (const record of records) {
    if (page.push(record) < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
