const SPACE = 0x20;
const FIRST_VISIBLE = 0x21;
const LAST_VISIBLE = 0x7e;

/**
 * Cuts a text into parts of about `size` UTF-16 code units where every encoding ends a piece, so that the tokens of the
 * parts are those of the whole: before a space that follows a visible ASCII character. Where there is none, a part is
 * longer.
 */
export function* textParts(text: string, size: number): Generator<string> {
  let from = 0;
  while (text.length - from > size) {
    const cut = cutNear(text, from, from + size);
    yield text.slice(from, cut);
    from = cut;
  }
  if (from < text.length) yield text.slice(from);
}

/** The last possible cut at or before `near`, else the first after it, else the text's end. */
function cutNear(text: string, from: number, near: number): number {
  for (let at = near; at > from; at--) if (isCut(text, at)) return at;
  for (let at = near + 1; at < text.length; at++) if (isCut(text, at)) return at;
  return text.length;
}

function isCut(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== SPACE) return false;
  const before = text.charCodeAt(at - 1);
  return before >= FIRST_VISIBLE && before <= LAST_VISIBLE;
}
