/** An open code fence: its run of marks, and the line that reopens it. */
interface Fence {
  readonly marks: string;
  readonly opener: string;
}

/**
 * Cuts a text into chunks of at most `limit` UTF-16 code units, at the end of a paragraph if possible, else of a line,
 * else of a word, else between characters, never within one. A code fence that is open at a cut is closed before it and
 * reopened after it. White space at a cut is removed; chunks of nothing else are left out. `limit` is at least 2.
 */
export function chunkText(text: string, limit: number): string[] {
  if (text.length <= limit) return text.trim() === '' ? [] : [text];
  const chunks: string[] = [];
  let reopen = '';
  let rest = text.replaceAll('\r\n', '\n');
  while (reopen.length + rest.length > limit) {
    const { piece, after, fence } = firstPiece(rest, reopen, limit);
    if (piece.trim() !== '') chunks.push(reopen + piece + (fence ? `\n${fence.marks}` : ''));
    reopen = fence ? `${fence.opener}\n` : '';
    rest = after;
  }
  if (rest.trim() !== '') chunks.push(reopen + rest);
  return chunks;
}

/** `chunkText` with at most `most` chunks; if the text needs more, the last one says how much is missing. */
export function chunkAnswer(text: string, limit: number, most: number): string[] {
  const chunks = chunkText(text, limit);
  if (chunks.length <= most) return chunks;
  const shown = chunks.slice(0, most - 1);
  const missing = text.length - shown.reduce((sum, { length }) => sum + length, 0);
  return [...shown, ...chunkText(`(About ${missing} more characters are in the transcript.)`, limit)];
}

function firstPiece(rest: string, reopen: string, limit: number) {
  let reserved = 0;
  for (;;) {
    const { end, after } = cut(rest, limit - reopen.length - reserved);
    const piece = rest.slice(0, end).trimEnd();
    const fence = openFence(reopen + piece, limit);
    const needed = fence ? fence.marks.length + 1 : 0;
    if (needed <= reserved) return { piece, after: rest.slice(after), fence };
    reserved = needed;
  }
}

/** Where a chunk ends and where the next one starts. */
function cut(rest: string, room: number): { end: number; after: number } {
  const window = rest.slice(0, room + 1);
  const paragraph = lastBlankLine(window);
  if (paragraph > 0) return { end: paragraph, after: paragraph + blankLinesAt(rest, paragraph) };
  const line = window.lastIndexOf('\n');
  if (line > 0) return { end: line, after: line + 1 };
  const word = Math.max(window.lastIndexOf(' '), window.lastIndexOf('\t'));
  if (word > 0) return { end: word, after: word + 1 };
  const high = rest.charCodeAt(room - 1);
  const end = room > 1 && high >= 0xd800 && high <= 0xdbff ? room - 1 : room;
  return { end, after: end };
}

function lastBlankLine(window: string): number {
  for (let at = window.lastIndexOf('\n'); at > 0; at = window.lastIndexOf('\n', at - 1)) {
    const before = window.lastIndexOf('\n', at - 1);
    if (before > 0 && window.slice(before, at).trim() === '') return before;
  }
  return -1;
}

function blankLinesAt(rest: string, at: number): number {
  return /^(?:[^\S\n]*\n)+/.exec(rest.slice(at))?.[0].length ?? 0;
}

/** The fence that is open at the end of `text`. One whose marks or info exceed an eighth of the limit is ignored. */
function openFence(text: string, limit: number): Fence | undefined {
  let open: Fence | undefined;
  for (const line of text.split('\n')) {
    const [, marks = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (marks === '') continue;
    if (open) {
      if (marks.startsWith(open.marks) && info.trim() === '') open = undefined;
    } else if (marks.length <= limit / 8 && !(marks.startsWith('`') && info.includes('`'))) {
      const language = /^\s*([\w+#.-]*)/.exec(info)?.[1] ?? '';
      open = { marks, opener: language.length <= limit / 8 ? marks + language : marks };
    }
  }
  return open;
}
