import { linesOf, type EditedPlace, type FileChange, type RecordedEdit } from './recordedEdits.js';

/** What stood in a file, as the session tells it; `null` for no file. */
export type FileState = string | null;

/** What is known of a file around an edit; undefined where the session does not tell it exactly. */
interface Around {
  before: FileState | undefined;
  after: FileState | undefined;
}

/** A text as it is compared. */
export function plainText(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** A state as it is written beside another text of the file: with its mark and, where the session may not tell these, its ends of lines. */
export function styledAs(state: string, like: string, tellsEnds: boolean): string {
  const text = state.replace(/^\uFEFF/, '');
  const ended = !tellsEnds && like.includes('\r\n') ? plainText(text).replaceAll('\n', '\r\n') : text;
  return like.startsWith('\uFEFF') || state.startsWith('\uFEFF') ? `\uFEFF${ended}` : ended;
}

/**
 * What stood in a file around each of its edits, which are those of one session in their order. Only what is told exactly, or
 * follows from that by edits that fit exactly, is known: forwards and backwards.
 */
export class FileStates {
  readonly #around: readonly Around[];
  readonly #edits: readonly RecordedEdit[];

  constructor(edits: readonly RecordedEdit[]) {
    this.#edits = edits;
    this.#around = edits.map(toldAround);
    for (const [at, around] of this.#around.entries()) {
      if (around.before === undefined) around.before = at === 0 ? undefined : this.#around[at - 1]?.after;
      if (around.after === undefined) around.after = made(around.before, edits[at]);
    }
    for (let at = edits.length - 1; at >= 0; at--) {
      const around = this.#around[at];
      if (!around) continue;
      if (around.after === undefined) around.after = this.#around[at + 1]?.before;
      if (around.before === undefined) around.before = unmade(around.after, edits[at]);
    }
  }

  /** What stands there when all edits that are done at a position are; undefined where that is not known. */
  at(position: number): FileState | undefined {
    const next = this.#edits.findIndex(({ doneAt = Infinity }) => doneAt > position);
    if (next === 0) return this.#around[0]?.before;
    return this.#around.at(next === -1 ? -1 : next - 1)?.after;
  }

  /** What stands there behind the last of them. */
  get last(): FileState | undefined {
    return this.#around.at(-1)?.after;
  }
}

function toldAround({ change }: RecordedEdit): Around {
  switch (change.kind) {
    case 'seen': {
      return { before: change.after, after: change.after };
    }
    case 'delete':
      return { before: undefined, after: null };
    case 'write':
      return { before: toldBefore(change), after: change.after };
    case 'replace':
      return { before: toldBefore(change), after: undefined };
  }
}

/** A file that is said to have been empty before it was written was made then. */
function toldBefore(change: Extract<FileChange, { readonly before?: string }>): FileState | undefined {
  const { before, kind } = change;
  if (before === undefined) return undefined;
  return before === '' && kind === 'write' ? null : before;
}

function made(before: FileState | undefined, edit: RecordedEdit | undefined): FileState | undefined {
  if (typeof before !== 'string' || edit?.change.kind !== 'replace' || edit.movedFrom !== undefined)
    return undefined;
  let text: string | undefined = before;
  for (const place of edit.change.places) text = text === undefined ? undefined : put(text, place);
  return text;
}

function unmade(after: FileState | undefined, edit: RecordedEdit | undefined): FileState | undefined {
  if (typeof after !== 'string' || edit?.change.kind !== 'replace' || edit.movedFrom !== undefined)
    return undefined;
  let text: string | undefined = after;
  for (const { old, now, line, everywhere } of edit.change.places.toReversed()) {
    // What was replaced everywhere may have stood there before as well.
    if (text === undefined || everywhere === true) return undefined;
    text = put(text, { old: now, now: old, ...(line !== undefined && { line }) });
  }
  // It is known only where the edit makes of it what there is.
  return text !== undefined && made(text, edit) === after ? text : undefined;
}

/** A text with a place replaced; undefined where it does not fit exactly. */
function put(text: string, { old, now, line, everywhere }: EditedPlace): string | undefined {
  const ends = text.includes('\r\n') && !/(?<!\r)\n/.test(text) ? '\r\n' : '\n';
  if (line !== undefined) {
    const lines = linesOf(text);
    const [from, there] = [line - 1, linesOf(old)];
    if (from >= 0 && from <= lines.length && there.every((one, at) => one === lines[from + at])) {
      const all = [...lines.slice(0, from), ...linesOf(now), ...lines.slice(from + there.length)];
      const end = all.length > 0 && (text === '' || text.endsWith('\n')) ? ends : '';
      return all.join(ends) + end;
    }
  }
  if (old === '') return undefined;
  const given = ends === '\r\n' ? withEnds(now) : now;
  if (!text.includes(old) && text.includes('\r\n') && old.includes('\n') && !old.includes('\r'))
    return exchanged(text, withEnds(old), withEnds(given), everywhere === true);
  return exchanged(text, old, given, everywhere === true);
}

const withEnds = (text: string) => text.replace(/\r?\n/g, '\r\n');

function exchanged(text: string, old: string, now: string, isEverywhere: boolean): string | undefined {
  const first = text.indexOf(old);
  if (first < 0) return undefined;
  if (isEverywhere) return text.split(old).join(now);
  if (text.includes(old, first + 1)) return undefined;
  return text.slice(0, first) + now + text.slice(first + old.length);
}
