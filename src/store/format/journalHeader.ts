import { isObject } from '../../core/message.js';
import { checkLine, encodeLine, parseLine, withoutMark, withoutReturn } from './lineFormat.js';

/** The format that this version writes. A file with a larger number must not be written by this version. */
export const FORMAT = 1;

/** The content of a journal file's first line. */
export interface JournalHeader {
  readonly format: number;
  readonly conversation: string | undefined;
  /** Milliseconds since 1970; undefined where it is missing. */
  readonly created: number | undefined;
  /** Whether every line carries a checksum, so that one without is damaged. */
  readonly checked: boolean;
}

/** A journal file's first line, including its newline. */
export function encodeHeader(conversation: string, created: number, segment: number): Buffer {
  const more = segment > 0 && { segment };
  const line = encodeLine({ logbook: FORMAT, conversation, created, check: 'crc32', ...more });
  return Buffer.concat([line, Buffer.from('\n')]);
}

/**
 * The header on a file's first line; undefined where the line is not a header, or is damaged: then the file is read
 * without one.
 */
export function readHeader(bytes: Buffer): JournalHeader | undefined {
  const line = withoutReturn(withoutMark(bytes));
  // Records do not start like this, so a record on the first line costs no parsing.
  if (
    !line.toString('latin1', 0, 16).replaceAll(' ', '').startsWith('{"logbook":') ||
    checkLine(line) === 'wrong'
  )
    return undefined;
  const parsed = parseLine(line);
  if ('why' in parsed || !isObject(parsed.value)) return undefined;
  const { logbook, conversation, created, check } = parsed.value;
  if (typeof logbook !== 'number') return undefined;
  return {
    format: logbook,
    conversation: typeof conversation === 'string' ? conversation : undefined,
    created: typeof created === 'number' && Number.isFinite(created) ? created : undefined,
    checked: check === 'crc32',
  };
}
