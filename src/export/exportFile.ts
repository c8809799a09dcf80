import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import type { ExportFormat, ExportOptions, ExportReport } from './exportFormat.js';
import { exportChunks } from './exportMessages.js';

/** How far an export is. */
export interface ExportProgress {
  /** Items read, records without a message included. */
  readonly items: number;
  /** Bytes written, or being written. */
  readonly bytes: number;
}

export interface ExportFileOptions extends ExportOptions {
  /** Ends the export: nothing is left of it, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a file that is there already is replaced; without it the promise rejects with the code EEXIST. */
  readonly overwrite?: boolean | undefined;
  /** Told after each chunk. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/**
 * Exports to a file with bounded memory, however many messages there are. All or nothing: the file is written beside
 * its place and moved there when it is complete; what was there before stays until then.
 */
export async function exportToFile(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  format: ExportFormat,
  path: string,
  options: ExportFileOptions = {},
): Promise<ExportReport & { readonly bytes: number }> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    const report = await writePart(items, format, part, options);
    await (options.overwrite === true ? rename(part, path) : link(part, path));
    return report;
  } finally {
    await rm(part, { force: true });
  }
}

/** Writes a file that is not there yet, all of each chunk however little a write takes; it is closed when this ends, because Windows moves no open file. */
async function writePart(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  format: ExportFormat,
  path: string,
  options: ExportFileOptions,
): Promise<ExportReport & { bytes: number }> {
  const file = await open(path, 'wx');
  try {
    return await write(items, format, file, options);
  } finally {
    await file.close();
  }
}

async function write(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  format: ExportFormat,
  file: FileHandle,
  { signal, onProgress, ...options }: ExportFileOptions,
): Promise<ExportReport & { bytes: number }> {
  let report: ExportReport = { messages: 0, redacted: 0 };
  let read = 0;
  let bytes = 0;
  async function* counted(): AsyncGenerator {
    for await (const item of items) {
      read++;
      yield item;
    }
  }
  const onReport = (made: ExportReport) => {
    report = made;
    options.onReport?.(made);
  };
  // A chunk is written while the next one is made. Closing the file waits for what is still being written.
  let writing = Promise.resolve();
  for await (const chunk of exportChunks(counted(), format, { ...options, onReport })) {
    signal?.throwIfAborted();
    await writing;
    const encoded = Buffer.from(chunk);
    writing = file.writeFile(encoded);
    writing.catch(() => undefined);
    bytes += encoded.length;
    onProgress?.({ items: read, bytes });
  }
  signal?.throwIfAborted();
  await writing;
  await file.sync();
  return { ...report, bytes };
}
