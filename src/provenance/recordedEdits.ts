import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { BoundedMap } from '../core/boundedMap.js';
import { ownTextOf } from '../core/injected.js';
import { isObject, textOf } from '../core/message.js';
import type { ReadRecord } from '../core/ports/transcript.js';
import { isMessageRecord, type ApprovalBody, type Decider, type MessageRecord } from '../core/record.js';
import type { Usage } from '../core/usage.js';
import { deedOf } from '../query/numbers/deed.js';
import { GAP, type DeedEdit } from '../query/numbers/deedEdits.js';
import { argumentsOf, callsOf } from '../query/numbers/toolCalls.js';

/** An edit of a file as a session tells it; every text in it is as untrusted as the session. */
export interface RecordedEdit {
  /** As the call writes it. */
  readonly path: string;
  /** The path that the file had before, where the edit moves it. */
  readonly movedFrom?: string;
  /** The folder that the agent worked in, where the session says so: relative paths begin there. */
  readonly folder?: string;
  /** When it was done, in milliseconds since 1970; 0 where that is not told. */
  readonly time: number;
  /** The positions of the message that made the call and of the prompt before it. */
  readonly position: number;
  readonly prompt?: number;
  readonly agent: string;
  readonly model?: string;
  readonly tool: string;
  readonly callId: string;
  /** Who let it happen, where that is recorded. */
  readonly approvedBy?: Decider;
  /** What the request used that asked for it, perhaps with others. */
  readonly usage?: Usage;
  readonly change: FileChange;
  /** Missing where nothing says that it was done: then only the file's later content can show it. */
  readonly isDone?: true;
  /** The position of the record that says so. */
  readonly doneAt?: number;
}

/** A call of which the result is not known yet. */
interface OpenCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly position: number;
  readonly prompt: number | undefined;
  readonly message: MessageRecord;
  approvedBy?: Decider;
  /** Whether what it did was told by a record of its own. */
  isTold?: boolean;
}

/** Of how many calls the results are waited for. */
const MAX_OPEN = 10_000;
/** Longer texts are no file that a person reads line by line, in UTF-16 code units. */
const MAX_TEXT = 4_000_000;
/** Tools whose one text is a whole file; others of their kind insert, append or sketch. */
const WHOLE = /^(?:.*[^a-z])?(?:write|create)(?:[_-]?(?:to[_-]?)?file)?$/i;

/**
 * Reads the edits of a session from its records, which are added in their order. What is told by the tool that did it goes
 * before what its call asked for: a person may have changed the proposal.
 */
export class EditReader {
  readonly #open = new BoundedMap<string, OpenCall>(MAX_OPEN);
  readonly #isOwn: boolean;
  #folder: string | undefined;
  #prompt: number | undefined;
  #position = -1;

  /** `folder`: that in which agents worked, where it is known without the session. `isOwn`: whether it was recorded here. */
  constructor(folder?: string, isOwn = folder !== undefined) {
    this.#folder = folder;
    this.#isOwn = isOwn;
  }

  /** The edits that a record completes. */
  add(record: ReadRecord): readonly RecordedEdit[] {
    this.#position++;
    this.#folder = folderIn(record) ?? this.#folder;
    if (record.type === 'approval') this.#decided(record as ApprovalBody & ReadRecord);
    if (record.type === 'imported') return this.#imported(record);
    if (!isMessage(record)) return [];
    const message = record;
    const { role } = message.message;
    if (role === 'user' && ownTextOf(record).trim() !== '') this.#prompt = this.#position;
    if (role === 'assistant') this.#calls(message);
    return role === 'tool' ? this.#answered(message) : [];
  }

  /** The edits of calls that nothing has answered: a tool that keeps no results tells no more. */
  finish(): readonly RecordedEdit[] {
    const open = [...this.#open.values()].filter(({ isTold }) => isTold !== true);
    this.#open.clear();
    return open.flatMap((call) => this.#asked(call, call.message.time, false));
  }

  #decided({ toolCallId, call, decision, decidedBy }: ApprovalBody & ReadRecord): void {
    const open = this.#open.get(`${call}\n${toolCallId}`);
    if (!open) return;
    if (decision === 'denied') this.#open.delete(`${call}\n${toolCallId}`);
    else open.approvedBy = decidedBy;
  }

  #calls(record: MessageRecord): void {
    for (const { id, name, input } of callsOf({ ...record.message })) {
      const [position, prompt] = [this.#position, this.#prompt];
      this.#open.set(`${record.call}\n${id}`, { id, tool: name, input, position, prompt, message: record });
    }
  }

  #answered(record: MessageRecord): readonly RecordedEdit[] {
    const key = `${record.call}\n${record.message.tool_call_id ?? ''}`;
    const call = this.#open.get(key);
    if (!call) return [];
    this.#open.delete(key);
    if (record.isError === true || record.state !== undefined || call.isTold === true) return [];
    const { source } = record as MessageRecord & { readonly source?: unknown };
    const told = this.#isOwn
      ? toldByUs(call, textOf(record.message.content))
      : isObject(source)
        ? toldByClaude(source.toolUseResult)
        : undefined;
    if (!told) return this.#asked(call, record.time, true);
    return told.map(({ path, change }) =>
      this.#edit(call, { path, change, time: record.time, isDone: true }),
    );
  }

  /** What the arguments of a call ask for. */
  #asked(call: OpenCall, time: number, isDone: boolean): readonly RecordedEdit[] {
    const args = argumentsOf(call.input);
    return (deedOf(call.tool, call.input).edits ?? []).flatMap((edit) => {
      const change = changeAsked(edit, call.tool, args);
      if (edit.path === '' || !change) return [];
      const made = { path: edit.path, change, time, ...(isDone && { isDone: true as const }) };
      if (typeof edit.file !== 'object') return [this.#edit(call, made)];
      const { movedTo } = edit.file;
      return [
        this.#edit(call, { ...made, path: movedTo, movedFrom: edit.path }),
        this.#edit(call, { ...made, change: { kind: 'delete' } }),
      ];
    });
  }

  /** What Codex tells of a patch besides the call: the difference that it made, whatever the patch asked for. */
  #imported(record: ReadRecord): readonly RecordedEdit[] {
    const { kind, value, call, time } = record as ReadRecord & { kind?: unknown; value?: unknown };
    if (kind !== 'event_msg/patch_apply_end' || !isObject(value) || !isObject(value.payload)) return [];
    const { call_id: id, success, changes } = value.payload;
    const open = this.#open.get(`${call}\n${String(id)}`);
    if (open) open.isTold = true;
    if (success !== true || !isObject(changes)) return [];
    const by: OpenCall = open ?? {
      id: String(id),
      tool: 'apply_patch',
      input: '',
      position: this.#position,
      prompt: this.#prompt,
      message: record as MessageRecord,
    };
    return Object.entries(changes).flatMap(([path, told]) =>
      codexChanges(path, told).map((one) => this.#edit(by, { ...one, time, isDone: true })),
    );
  }

  #edit(
    { id, tool, position, prompt, message, approvedBy }: OpenCall,
    told: Pick<RecordedEdit, 'path' | 'movedFrom' | 'change' | 'time' | 'isDone'>,
  ): RecordedEdit {
    const { agent, model, usage } = message;
    return {
      ...told,
      ...(told.isDone && { doneAt: this.#position }),
      ...(this.#folder !== undefined && { folder: this.#folder }),
      position,
      ...(prompt !== undefined && { prompt }),
      agent,
      ...(model !== undefined && { model }),
      tool,
      callId: id,
      ...(approvedBy !== undefined && { approvedBy }),
      ...(usage && { usage }),
    };
  }
}

function isMessage(record: ReadRecord): record is MessageRecord {
  return isMessageRecord(record);
}

/** The folder that an agent works in, where a record says so. */
function folderIn(record: ReadRecord): string | undefined {
  const { source, value, folder } = record as ReadRecord & {
    source?: unknown;
    value?: unknown;
    folder?: unknown;
  };
  if (record.type === 'callStart' && typeof folder === 'string' && folder !== '') return folder;
  for (const at of [
    source,
    value,
    isObject(value) ? value.payload : undefined,
    isObject(value) ? value.data : undefined,
  ]) {
    if (!isObject(at)) continue;
    const { cwd = isObject(at.context) ? at.context.cwd : undefined } = at;
    if (typeof cwd === 'string' && cwd !== '') return cwd;
  }
  return undefined;
}

/** Where our own tool says that it does not show all of a file. */
const CUT =
  /(?:^|\n)\(Lines? \d+ (?:to \d+ )?of (?:\d+ of )?'.*' ?.*\)$|^\('.*' (?:is empty|has \d+ lines; .*)\.\)$/;

/** What our own tools tell of a file that was read whole, or made; undefined where the call says it. */
function toldByUs(
  { tool, input }: OpenCall,
  answer: string,
): readonly { readonly path: string; readonly change: FileChange }[] | undefined {
  const { path, content, start_line: start, end_line: end } = argumentsOf(input);
  if (typeof path !== 'string') return undefined;
  if (tool === 'write_file' && typeof content === 'string' && answer.startsWith("Created '"))
    return [{ path, change: { kind: 'write', before: '', after: content } }];
  if (tool !== 'read_file') return undefined;
  const isWhole = start === undefined && end === undefined && !CUT.test(answer);
  return isWhole && answer.length <= MAX_TEXT ? [{ path, change: { kind: 'seen', after: answer } }] : [];
}

/** What Claude Code tells of an edit, a written file or one that was read whole; undefined where it tells nothing of these. */
function toldByClaude(
  result: unknown,
): readonly { readonly path: string; readonly change: FileChange }[] | undefined {
  if (!isObject(result)) return undefined;
  const { filePath: path, structuredPatch, content, originalFile, type, file, userModified } = result;
  if (isObject(file) && typeof file.content === 'string' && typeof file.filePath === 'string') {
    const { startLine, numLines, totalLines } = file;
    const isWhole = startLine === 1 && numLines === totalLines && typeof numLines === 'number';
    return isWhole ? [{ path: file.filePath, change: { kind: 'seen', after: file.content } }] : [];
  }
  if (typeof path !== 'string') return undefined;
  const before = typeof originalFile === 'string' ? originalFile : type === 'create' ? '' : undefined;
  const known = before !== undefined && before.length <= MAX_TEXT && { before };
  if (typeof content === 'string') return [{ path, change: { kind: 'write', ...known, after: content } }];
  const hunks = hunksOf(structuredPatch);
  if (!hunks) return undefined;
  const places = placesOfHunks(hunks);
  if (places.length === 0) return undefined;
  // What is shown of a change may be made for the eye; then the texts that were asked for say it, if they were taken as they are.
  const { oldString: old, newString: now, replaceAll } = result;
  const isShown = before !== undefined && !fits(linesOf(before), places);
  if (!isShown) return [{ path, change: { kind: 'replace', ...known, places } }];
  if (userModified === true || typeof old !== 'string' || typeof now !== 'string') return [];
  const asked = { old, now, ...(replaceAll === true && { everywhere: true as const }) };
  return [{ path, change: { kind: 'replace', ...known, places: [asked] } }];
}

/** A file of a patch as Codex tells that it was changed. */
function codexChanges(
  path: string,
  told: unknown,
): readonly { readonly path: string; readonly movedFrom?: string; readonly change: FileChange }[] {
  if (!isObject(told)) return [];
  const { type, content, unified_diff: diff, move_path: moved } = told;
  if (type === 'delete') return [{ path, change: { kind: 'delete' } }];
  const places = typeof diff === 'string' ? placesOfHunks(hunksOf(diff) ?? []) : [];
  const [first] = places;
  const isAdded = type === 'add' && places.length === 1 && first?.old === '';
  if (type === 'add' && (typeof content === 'string' || isAdded))
    return [
      {
        path,
        change: {
          kind: 'write',
          before: '',
          after: typeof content === 'string' ? content : String(first?.now),
        },
      },
    ];
  if (places.length === 0 && typeof moved !== 'string') return [];
  const change: FileChange = { kind: 'replace', places };
  if (typeof moved !== 'string' || moved === path) return [{ path, change }];
  return [
    { path: moved, movedFrom: path, change },
    { path, change: { kind: 'delete' } },
  ];
}

/** What a call asks for one file; undefined where its arguments do not say exactly what becomes of it. */
function changeAsked(
  { before, after, isWritten, file }: DeedEdit,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): FileChange | undefined {
  if (before.length + after.length > MAX_TEXT) return undefined;
  if (file === 'deleted') return { kind: 'delete' };
  if (file === 'added') return { kind: 'write', before: '', after };
  const line = args.insert_line;
  if (isWritten === true && typeof line === 'number')
    return { kind: 'replace', places: [{ old: '', now: after, line: line + 1 }] };
  if (isWritten === true) {
    const isWhole = args.command === 'create' || (args.command === undefined && WHOLE.test(tool));
    return isWhole && args.insert_line === undefined ? { kind: 'write', after } : undefined;
  }
  if (before === '')
    return file === undefined ? { kind: 'write', before: '', after } : { kind: 'replace', places: [] };
  const everywhere =
    args.replace_all === true || args.replaceAll === true || Number(args.expected_replacements) > 1;
  const places = pairs(before, after);
  return (
    places && {
      kind: 'replace',
      places: places.map((place) => ({ ...place, ...(everywhere && { everywhere: true as const }) })),
    }
  );
}

/** The places of a change whose texts have a line between each two of them; undefined where they do not come in pairs. */
function pairs(before: string, after: string): readonly EditedPlace[] | undefined {
  const [old, now] = [before, after].map((text) => text.split(`\n${GAP}\n`));
  if (!old || !now || old.length !== now.length) return undefined;
  return old.map((text, at) => ({ old: text, now: now[at] ?? '' }));
}

/** A place in a file that an edit replaces. */
export interface EditedPlace {
  readonly old: string;
  readonly now: string;
  /** Where the old text begins once the places before it are replaced, from 1; else it must stand in the file exactly once. */
  readonly line?: number;
  /** Whether it is replaced wherever it stands. */
  readonly everywhere?: true;
}

/** What an edit makes of a file, as far as a session tells it. `before`: the whole file until then, where that is told. */
export type FileChange =
  | { readonly kind: 'write'; readonly before?: string; readonly after: string }
  | { readonly kind: 'replace'; readonly before?: string; readonly places: readonly EditedPlace[] }
  | { readonly kind: 'delete' }
  /** Nothing: the session only shows what stands in the file. */
  | { readonly kind: 'seen'; readonly after: string };

/** A place of a unified diff: its lines with their marks, and the number of its first line in the new file. */
export interface Hunk {
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

const HEAD = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;

/** The places of a diff, as its text or as a list of objects; undefined where it is neither. */
export function hunksOf(told: unknown): readonly Hunk[] | undefined {
  if (typeof told === 'string') return hunksOfText(told);
  if (!Array.isArray(told)) return undefined;
  const hunks = told.map((each: unknown) => {
    if (!isObject(each) || !Array.isArray(each.lines)) return undefined;
    const { newStart, newLines } = each;
    if (typeof newStart !== 'number' || typeof newLines !== 'number') return undefined;
    const lines = each.lines.filter((line): line is string => typeof line === 'string');
    return { newStart, newLines, lines };
  });
  return hunks.every((hunk) => hunk !== undefined) ? hunks : undefined;
}

function hunksOfText(diff: string): readonly Hunk[] {
  const hunks: { newStart: number; newLines: number; lines: string[] }[] = [];
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const [isHead, start, count] = HEAD.exec(line) ?? [];
    if (isHead !== undefined)
      hunks.push({ newStart: Number(start), newLines: count === undefined ? 1 : Number(count), lines: [] });
    else hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

/** What hunks replace, in their order, with all lines that they show around it. */
export function placesOfHunks(hunks: readonly Hunk[]): readonly EditedPlace[] {
  return hunks.map(({ newStart, newLines, lines }) => {
    const side = (without: string) =>
      lines
        .filter((line) => !line.startsWith(without) && !line.startsWith('\\'))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    // Where no line stays, the number is that of the line before.
    return { old: side('+'), now: side('-'), line: newLines === 0 ? newStart + 1 : newStart };
  });
}

/** The lines of a file: without the mark at its beginning, and whatever ends them. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Lines that are replaced by others, by their places in the file as it is before. */
export interface Replacement {
  readonly from: number;
  /** Behind the last. */
  readonly to: number;
  readonly now: readonly string[];
}

/** What a place replaces in a file, from the end to its beginning; undefined where it does not fit exactly, or not surely there. */
export function replacementsOf(
  lines: readonly string[],
  { old, now, line, everywhere }: EditedPlace,
): readonly Replacement[] | undefined {
  if (line !== undefined) {
    const [from, there] = [line - 1, linesOf(old)];
    if (from >= 0 && from <= lines.length && there.every((one, at) => one === lines[from + at]))
      return [{ from, to: from + there.length, now: linesOf(now) }];
  }
  const [text, sought, given] = [`${lines.join('\n')}\n`, plainEnds(old), plainEnds(now)];
  if (sought.trim() === '') return undefined;
  const found: number[] = [];
  for (
    let at = text.indexOf(sought);
    at >= 0;
    at = text.indexOf(sought, at + (everywhere ? sought.length : 1))
  )
    found.push(at);
  if (found.length === 0 || (found.length > 1 && everywhere !== true)) return undefined;
  // An empty line that the text begins with is none here, so that this is not the content that was meant.
  if (sought.startsWith('\n') && found.some((at) => at > 0 && text[at - 1] !== '\n')) return undefined;
  // From the end, so that the places before stay where they are.
  return found.length === 1
    ? [replacementAt(text, found[0] ?? 0, sought, given)]
    : wholeLines(text, found, sought, given);
}

/** Where the line of a place begins. A search before the beginning would look at the beginning itself. */
function lineBegin(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** The replacement of a text that stands at a place; the rest of its first and last line stays. */
function replacementAt(text: string, at: number, old: string, now: string): Replacement {
  const begin = lineBegin(text, at);
  const last = Math.max(at, at + old.length - 1);
  const end = text.indexOf('\n', last);
  const whole = text.slice(begin, at) + now + text.slice(at + old.length, end + 1);
  const from = countLines(text, begin);
  return { from, to: countLines(text, end + 1), now: whole === '' ? [] : linesOf(whole) };
}

/** The same of a text that stands at several places, of which several may be on one line. */
function wholeLines(
  text: string,
  found: readonly number[],
  old: string,
  now: string,
): readonly Replacement[] {
  const groups: { begin: number; end: number; places: number[] }[] = [];
  for (const at of found) {
    const begin = lineBegin(text, at);
    const end = text.indexOf('\n', at + old.length - 1) + 1;
    const last = groups.at(-1);
    if (last && begin < last.end) {
      last.end = Math.max(end, last.end);
      last.places.push(at);
    } else groups.push({ begin, end, places: [at] });
  }
  return groups.toReversed().map(({ begin, end }) => {
    const whole = text.slice(begin, end).split(old).join(now);
    return {
      from: countLines(text, begin),
      to: countLines(text, end),
      now: whole === '' ? [] : linesOf(whole),
    };
  });
}

/** Whether places fit a file, one after the other. */
export function fits(lines: readonly string[], places: readonly EditedPlace[]): boolean {
  let now = [...lines];
  for (const place of places) {
    const replaced = replacementsOf(now, place);
    if (!replaced) return false;
    for (const { from, to, now: put } of replaced) now = [...now.slice(0, from), ...put, ...now.slice(to)];
  }
  return true;
}

function plainEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The fields that hold whole files and prompts: of each is written what is not as in the one before of its kind. */
const PACKED = new Map([
  ['before', 'file'],
  ['after', 'file'],
  ['asked', 'prompt'],
]);

/** Edits as bytes to be kept. */
export function packedEdits(edits: readonly RecordedEdit[]): Buffer {
  const lasts = new Map<string, string>();
  const json = JSON.stringify(edits, (key, value: unknown) => {
    const kind = PACKED.get(key);
    if (kind === undefined || typeof value !== 'string') return value;
    const last = lasts.get(kind) ?? '';
    const most = Math.min(last.length, value.length);
    let [head, tail] = [0, 0];
    while (head < most && last[head] === value[head]) head++;
    while (tail < most - head && last.at(-1 - tail) === value.at(-1 - tail)) tail++;
    lasts.set(kind, value);
    return `${head} ${tail} ${value.slice(head, value.length - tail)}`;
  });
  return deflateRawSync(json, { level: 1 });
}

/** The edits that were kept as bytes. */
export function unpackedEdits(bytes: Buffer): readonly RecordedEdit[] {
  const lasts = new Map<string, string>();
  return JSON.parse(inflateRawSync(bytes).toString(), (key, value: unknown) => {
    const kind = PACKED.get(key);
    if (kind === undefined || typeof value !== 'string') return value;
    const last = lasts.get(kind) ?? '';
    const [head = '', tail = ''] = value.split(' ', 2);
    const middle = value.slice(head.length + tail.length + 2);
    const begin = last.slice(0, Number(head));
    // Equal ones stay one text.
    const whole =
      begin.length === last.length && middle === ''
        ? last
        : begin + middle + last.slice(last.length - Number(tail));
    lasts.set(kind, whole);
    return whole;
  }) as readonly RecordedEdit[];
}
