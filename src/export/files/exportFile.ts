import { randomUUID } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { FILE_FORMATS, type FileFormat } from '../../core/ports/exportFormats.js';
import { checkFormat, exportOptionKinds, type ExportOptions, type ExportReport } from '../exportFormat.js';
import { fileChunks } from './fileChunks.js';

/** The progress of an export. */
export interface ExportProgress {
  /** The number of items read, including records without a message. */
  readonly items: number;
  /** The number of bytes written or being written. */
  readonly bytes: number;
}

/** How to export to a file. */
export interface ExportFileOptions extends ExportOptions {
  /** Cancels the export: nothing is left of it, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether to replace an existing file; otherwise the promise rejects with the code EEXIST. */
  readonly overwrite?: boolean | undefined;
  /** Called after each chunk. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

const fileOptionKinds: KnownOptions<ExportFileOptions> = {
  ...exportOptionKinds,
  signal: 'object',
  overwrite: 'flag',
  onProgress: 'function',
};

/**
 * Exports to a file with bounded memory, however many messages there are. Atomic: the file is written next to `path`
 * and moved there when it is complete; a previous file stays until then. The file's
 * name may be as long as the system allows.
 */
export async function exportToFile(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  format: FileFormat,
  path: string,
  options: ExportFileOptions = {},
): Promise<ExportReport & { readonly bytes: number }> {
  checkOptions(options, fileOptionKinds, 'exportToFile');
  checkFormat(format, FILE_FORMATS);
  const { overwrite = false, ...rest } = options;
  const part = join(dirname(path), `.export-${randomUUID()}.part`);
  try {
    const report = await writePart(items, format, part, rest);
    // Taking the name first needs no hard link, which not every file system has.
    if (!overwrite) await (await open(path, 'wx')).close();
    await rename(part, path);
    return report;
  } finally {
    await rm(part, { force: true });
  }
}

/** Writes a new file. It is closed when this settles, because Windows does not move open files. */
async function writePart(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  format: FileFormat,
  path: string,
  options: Omit<ExportFileOptions, 'overwrite'>,
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
  format: FileFormat,
  file: FileHandle,
  { signal, onProgress, ...options }: Omit<ExportFileOptions, 'overwrite'>,
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
  // A chunk is written while the next one is made. Should that fail, closing the file still waits for the write.
  let writing = Promise.resolve();
  for await (const chunk of fileChunks(counted(), format, { ...options, onReport })) {
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
