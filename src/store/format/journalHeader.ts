import { createHash } from 'node:crypto';
import { isObject } from '../../core/message.js';
import { firstCodePoints } from '../../core/text.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import { checkLine, encodeLine, parseLine, withoutMark, withoutReturn } from './lineFormat.js';

/**
 * The format that this version writes. A file with a larger number must not be written by this version, and one with a
 * smaller number is continued in a file of its own.
 */
export const FORMAT = 2;

/** The content of a journal file's first line. */
export interface JournalHeader {
  readonly format: number;
  readonly conversation: string | undefined;
  /** Milliseconds since 1970; undefined where it is missing. */
  readonly created: number | undefined;
  /** Whether every line carries a checksum, so that one without is damaged. */
  readonly checked: boolean;
  /** Where the conversation was imported from. */
  readonly source?: ConversationSource;
}

/** A journal file's first line, including its newline. */
export function encodeHeader(
  conversation: string,
  created: number,
  segment: number,
  source?: ConversationSource,
): Buffer {
  const more = segment > 0 && { segment };
  const from = source && { source: boundedSource(source) };
  const line = encodeLine({ logbook: FORMAT, conversation, created, check: 'crc32', ...more, ...from });
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
  const source = sourceOf(parsed.value.source);
  if (typeof logbook !== 'number') return undefined;
  return {
    format: logbook,
    conversation: typeof conversation === 'string' ? conversation : undefined,
    created: typeof created === 'number' && Number.isFinite(created) ? created : undefined,
    checked: check === 'crc32',
    ...(source && { source }),
  };
}

/** How long the texts of a source may be, in UTF-16 code units, so that a header stays short. */
const MAX_SOURCE = { tool: 100, session: 300, path: 4096, title: 200, project: 200 } as const;

/** How many digits of a hash stand for what was cut off an id, so that long ones stay apart. */
const HASH_DIGITS = 16;

function boundedSession(session: string): string {
  if (session.length <= MAX_SOURCE.session) return session;
  const hash = createHash('sha256').update(Buffer.from(session, 'utf16le')).digest('hex');
  return `${session.slice(0, MAX_SOURCE.session - HASH_DIGITS - 1)}~${hash.slice(0, HASH_DIGITS)}`;
}

/**
 * A source whose texts are short enough, as a header holds it; bounding it again changes nothing. A path that is too long
 * is left out, because a part of it leads nowhere.
 */
export function boundedSource({
  tool,
  session,
  path,
  title,
  project,
  version,
  reader,
}: ConversationSource): ConversationSource {
  return {
    tool: tool.slice(0, MAX_SOURCE.tool),
    session: boundedSession(session),
    ...(path !== undefined && path.length <= MAX_SOURCE.path && { path }),
    ...(title !== undefined && { title: firstCodePoints(title, MAX_SOURCE.title / 2) }),
    ...(project !== undefined && { project: firstCodePoints(project, MAX_SOURCE.project / 2) }),
    ...(version !== undefined && { version }),
    ...(reader !== undefined && { reader }),
  };
}

/** The source in a header, which may come from a hostile file; undefined where it is none. */
export function sourceOf(value: unknown): ConversationSource | undefined {
  if (!isObject(value)) return undefined;
  const { tool, session, path, title, project, version, reader } = value;
  if (typeof tool !== 'string' || typeof session !== 'string') return undefined;
  return boundedSource({
    tool,
    session,
    ...(typeof path === 'string' && { path }),
    ...(typeof title === 'string' && { title }),
    ...(typeof project === 'string' && { project }),
    ...(isCount(version) && { version }),
    ...(isCount(reader) && { reader }),
  });
}

/** Whether a value is a number from 2 on; 1 is not written. */
function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 1;
}
