import { appendAll } from '../core/lists.js';
import { isObject, textOf } from '../core/message.js';
import { deedOf } from '../query/numbers/deed.js';
import { jsonText } from '../query/numbers/jsonText.js';
import { answeredIdOf, type UntypedMessage } from '../query/numbers/transcriptItem.js';
import { callsOf, type LooseCall } from '../query/numbers/toolCalls.js';
import { scopeOf } from '../query/numbers/toolNames.js';
import { ToolPairing } from '../query/numbers/toolPairing.js';
import { toolResultOf } from '../query/numbers/toolSummary.js';
import type { ContextSection } from './contextSection.js';
import { contextWords, type PartWords } from './contextWords.js';
import { costLine, costWords } from './costWords.js';
import { keptWords, type LivingLines, type ExportOptions } from './exportFormat.js';
import { noteLine, type ExportNote } from './exportNote.js';
import type { ExportRow } from './exportRow.js';
import { harmlessMarkdown } from './harmlessMarkdown.js';
import { escapeInline, fenced, readableArguments, tableCell } from './markdownText.js';
import { countFurtherFields, countPart, countParts, otherPartOf, terminalTextOf } from './leftOut.js';
import { timeWords } from './metadata.js';
import { deedPieces } from './deedPieces.js';
import type { RecordNote } from './failureNotes.js';
import { absorbedWords, partialWords, RecordNotes, resultFacts, usageWords } from './recordNotes.js';
import type { Ending, LeaveOut, TextWriter } from './textWriter.js';

/** The whole export of a conversation without messages. */
const EMPTY_HEADING = '# Empty conversation';

/** The level of a message's heading: `###`. */
const HEADING_LEVEL = 3;

const SEPARATOR = '\n\n---\n\n';

/** A call that is held back, because its result may still come. */
interface OpenCall {
  readonly call: LooseCall;
  result: string | undefined;
  /** Whether it failed and how long it took, in words. */
  how: string;
  /** What was decided about it, as blocks of text. */
  readonly notes: string[];
  /** Pictures in its result, as Markdown. */
  pictures: string;
}

/** An assistant message that is held back, of the agent's call `scope`. */
interface OpenBlock {
  readonly scope: string;
  readonly head: string;
  readonly calls: readonly OpenCall[];
  readonly pairing: ToolPairing<OpenCall>;
  /** The number of calls without a result. */
  waiting: number;
  readonly time: number | undefined;
}

/**
 * Writes Markdown: a heading for each message, then its calls with formatted arguments, each followed by its result. A
 * result that does not directly follow its message's calls, or answers none, is written where it occurs.
 */
export function markdownWriter(options: ExportOptions, leaveOut: LeaveOut): TextWriter {
  const writer = new MarkdownWriter(options, leaveOut);
  return options.full === true
    ? {
        add: (row) => writer.add(row),
        note: (record, notes) => writer.note(record, notes),
        end: (ending) => writer.end(ending),
      }
    : writer;
}

class MarkdownWriter implements TextWriter {
  readonly #isSubset: boolean;
  readonly #isFull: boolean;
  readonly #leaveOut: LeaveOut;
  readonly #notes = new RecordNotes();
  #title: string | undefined;
  readonly #kept: LivingLines | undefined;
  #separator = '';
  #open: OpenBlock | undefined;

  constructor({ isSubset = false, full = false, title, kept }: ExportOptions, leaveOut: LeaveOut) {
    this.#isSubset = isSubset;
    this.#isFull = full;
    this.#leaveOut = leaveOut;
    this.#title = full ? title : undefined;
    this.#kept = kept;
  }

  /** What happened beside the messages: who began and ended, what was approved, what failed. */
  note(record: UntypedMessage, noted: readonly ExportNote[]): string | undefined {
    const notes = this.#notes.of(record);
    if (!notes || notes.length + noted.length === 0) return notes && '';
    const block = [...notes.map(noteBlock), ...ownNotes(noted, [])].join(SEPARATOR);
    const decided = record.type === 'approval' ? this.#waitingCall(record) : undefined;
    if (!decided) return this.#flush() + this.#block(block, record.time);
    decided.notes.push(block);
    return '';
  }

  /** The call of the open block that a decision is about, so that it does not part call and result. */
  #waitingCall(record: UntypedMessage): OpenCall | undefined {
    if (this.#open?.scope !== scopeOf(record)) return undefined;
    const { toolCallId } = record;
    return this.#open.calls.find(({ call, result }) => result === undefined && call.id === toolCallId);
  }

  add(row: ExportRow): string {
    const { item, message } = row;
    if (this.#isFull) countFurtherFields(message, this.#leaveOut);
    if (message.role === 'tool') return this.#addResult(row);
    const before = this.#flush() + this.#tasks(row);
    const tools = callsOf(message).map(({ name }) => name);
    const head = [messageBlocks(row, this.#isFull, this.#leaveOut), ...ownNotes(row.notes, tools)].join(
      '\n\n',
    );
    const calls = callsOf(message).map((call) => ({
      call,
      result: undefined,
      how: '',
      notes: [],
      pictures: '',
    }));
    if (calls.length === 0) return before + this.#block(head, row.place.time);
    const pairing = new ToolPairing<OpenCall>();
    for (const open of calls) pairing.open('', open.call.id, 0, open);
    this.#open = { scope: scopeOf(item), head, calls, pairing, waiting: calls.length, time: row.place.time };
    return before;
  }

  end({ context, cost }: Ending = {}): string {
    const rest = this.#flush() + this.#blocks(this.#notes.rest());
    if (this.#separator === '') return this.#isSubset ? rest : EMPTY_HEADING;
    const filled = context ? this.#block(contextBlock(context)) : '';
    return rest + filled + (cost === undefined ? '' : this.#block(`_${escapeInline(costLine(cost))}_`));
  }

  #addResult(row: ExportRow): string {
    const { item, message } = row;
    const told = toolResultOf(item, message);
    const result = this.#isFull ? terminalTextOf(told.text, this.#leaveOut) : told.text;
    const pictures = this.#picturesIn(message.content);
    const open = this.#open?.scope === scopeOf(item) ? this.#open : undefined;
    const paired = open?.pairing.answer('', answeredIdOf(message));
    const deed = paired ? deedOf(paired.call.call.name, paired.call.call.input) : OTHER;
    const how = this.#isFull ? resultWords(resultFacts(deed, item, told.text, row.durationMs)) : '';
    if (open && paired && !paired.again) {
      paired.call.result = result;
      paired.call.how = how;
      paired.call.pictures = pictures;
      appendAll(paired.call.notes, ownNotes(row.notes, []));
      return --open.waiting === 0 ? this.#flush() : '';
    }
    const title = `**Result: ${escapeInline(row.resultName) || 'unnamed tool'}**${how}`;
    const before = this.#flush() + this.#tasks(row);
    const blocks = [
      headingOf(row, this.#isFull),
      title,
      fenced(result) + pictures,
      ...ownNotes(row.notes, []),
    ];
    return before + this.#block(blocks.join('\n\n'), row.place.time);
  }

  /** The tasks that this message does not say, and no later one will. */
  #tasks({ envelope, message, place }: ExportRow): string {
    return this.#isFull ? this.#blocks(this.#notes.before(envelope, message), place.time) : '';
  }

  #blocks(notes: readonly RecordNote[], time?: unknown): string {
    return notes.map((note) => this.#block(noteBlock(note), time)).join('');
  }

  /** The pictures of a result, to stand behind its text. */
  #picturesIn(content: unknown): string {
    if (!this.#isFull) countParts(content, this.#leaveOut);
    if (!this.#isFull || !Array.isArray(content)) return '';
    return (content as unknown[])
      .filter((part) => textOf([part]) === '')
      .map((part) => `\n\n${partBlock(part, HEADING_LEVEL, true, this.#leaveOut)}`)
      .join('');
  }

  #flush(): string {
    if (!this.#open) return '';
    const { head, calls, time } = this.#open;
    this.#open = undefined;
    return this.#block([head, ...calls.flatMap((open) => callBlocks(open, this.#isFull))].join('\n\n'), time);
  }

  /** The title with the date of the first record, once, above everything. */
  #titleBlock(time: unknown): string {
    const title = this.#title;
    this.#title = undefined;
    if (title === undefined) return '';
    const date = timeWords(time);
    const facts = [
      ...(date === '' ? [] : [`${date.slice(0, 16)} UTC`]),
      ...(this.#kept ? [keptWords(this.#kept)] : []),
    ];
    const line = facts.length === 0 ? '' : `_${facts.join(', ')}_\n\n`;
    return `# ${escapeInline(title)}\n\n${line}`;
  }

  #block(text: string, time?: unknown): string {
    const block = this.#titleBlock(time) + this.#separator + text;
    this.#separator = SEPARATOR;
    return block;
  }
}

/** The deed of a call that is not known. */
const OTHER = { kind: 'other' } as const;

/** What a result says beside its text: ` (failed, 310 ms)`. */
function resultWords(words: readonly string[]): string {
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** What a person has noted, as quotations. */
function ownNotes(notes: readonly ExportNote[], tools: readonly string[]): string[] {
  return notes.map((note) => {
    const lines = noteLine(note, tools).split('\n');
    return lines.map((line) => `> ${escapeInline(line)}`.trimEnd()).join('\n');
  });
}

function noteBlock({ line, text = '', label = 'Text', isError }: RecordNote): string {
  const quoted = `> ${isError ? '⚠ ' : ''}${escapeInline(line)}`;
  return text === '' ? quoted : `${quoted}\n\n${details(label, text, HEADING_LEVEL)}`;
}

/** A text that is folded until a reader opens it. */
function details(summary: string, text: string, level: number): string {
  return `<details>\n<summary>${summary}</summary>\n\n${harmlessMarkdown(text, level)}\n\n</details>`;
}

/** Model, time, tokens, cost and what is missing of a message, in one line. */
function aboutLine({ place, cost, envelope = {} }: ExportRow): string {
  const model = typeof envelope.model === 'string' ? envelope.model : '';
  const words = [
    model,
    timeWords(place.time),
    usageWords(envelope.usage),
    costWords(cost),
    partialWords(envelope.partial),
    absorbedWords(envelope),
  ];
  return escapeInline(words.filter((word) => word !== '').join(' · '));
}

/** The level of a message's heading: deeper for agents that were asked by others. */
function levelOf({ place }: ExportRow, isFull: boolean): number {
  return isFull ? HEADING_LEVEL + Math.min(2, Math.max(0, Math.trunc(place.depth ?? 0))) : HEADING_LEVEL;
}

function headingOf(row: ExportRow, isFull: boolean): string {
  const { place } = row;
  const mark = '#'.repeat(levelOf(row, isFull));
  const role = row.speaker;
  const title = escapeInline(role.charAt(0).toUpperCase() + role.slice(1));
  return place.agent === undefined ? `${mark} ${title}` : `${mark} ${title} (${escapeInline(place.agent)})`;
}

/** The heading and content of a message; parts that are not text are named. */
function messageBlocks(row: ExportRow, isFull: boolean, leaveOut: LeaveOut): string {
  const { content, refusal, reasoning_content: reasoning } = row.message;
  const level = levelOf(row, isFull);
  const blocks = [headingOf(row, isFull)];
  const about = isFull ? aboutLine(row) : '';
  if (about !== '') blocks.push(`_${about}_`);
  if (typeof reasoning === 'string' && reasoning !== '') {
    if (isFull) blocks.push(details('Reasoning', reasoning, level));
    else leaveOut('reasoning');
  }
  const { spoken } = row;
  if (spoken) {
    if (spoken.own !== '')
      blocks.push(harmlessMarkdown(isFull ? terminalTextOf(spoken.own, leaveOut) : spoken.own, level));
    for (const part of Array.isArray(content) ? (content as unknown[]) : [])
      if (textOf([part]) === '') blocks.push(partBlock(part, level, isFull, leaveOut));
    for (const { kind, by, text } of spoken.put)
      blocks.push(
        details(
          escapeInline(by === undefined ? kind : `${kind}: ${by}`),
          isFull ? terminalTextOf(text, leaveOut) : text,
          level,
        ),
      );
  } else if (typeof content === 'string')
    blocks.push(harmlessMarkdown(isFull ? terminalTextOf(content, leaveOut) : content, level));
  else if (Array.isArray(content))
    for (const part of content as unknown[]) blocks.push(partBlock(part, level, isFull, leaveOut));
  else if (isObject(content)) blocks.push(fenced(jsonText(content, 2), 'json'));
  if (typeof refusal === 'string') blocks.push(`**Refusal:** ${escapeInline(refusal)}`);
  return blocks.join('\n\n');
}

function partBlock(part: unknown, level: number, isFull: boolean, leaveOut: LeaveOut): string {
  const text = textOf([part]);
  if (text !== '') return harmlessMarkdown(isFull ? terminalTextOf(text, leaveOut) : text, level);
  const shown = otherPartOf(part, leaveOut);
  if (typeof shown === 'string') return escapeInline(shown);
  if (isFull) return `![picture](data:${shown.mimeType};base64,${shown.base64})`;
  countPart(part, leaveOut);
  return '(picture)';
}

function callBlocks({ call, result, how, notes, pictures }: OpenCall, isFull: boolean): string[] {
  const blocks = [
    ...(isFull
      ? deedBlocks(call)
      : [`**Tool Call: ${escapeInline(call.name)}**`, fenced(readableArguments(call.input), 'json')]),
    ...notes,
  ];
  return result === undefined ? blocks : [...blocks, `**Result:**${how}`, fenced(result) + pictures];
}

/** A call by what it does, and what it was given. */
function deedBlocks({ name, input }: LooseCall): string[] {
  const { deed, pieces } = deedPieces(name, input);
  return [
    [`**${escapeInline(deed.name)}**`, escapeInline(deed.headline)].filter((words) => words !== '').join(' '),
    ...(deed.about === undefined ? [] : [`_${escapeInline(deed.about)}_`]),
    ...pieces.flatMap(({ language, of = '', text }) => [
      ...(of === '' || pieces.length === 1 ? [] : [escapeInline(of)]),
      fenced(text, language === 'text' ? undefined : language),
    ]),
  ];
}

/** What filled the windows of agents, as a section of its own. */
function contextBlock(section: ContextSection): string {
  const { windows, last } = contextWords(section);
  const ofWindows = windows.flatMap(({ agent, line, parts, compactions }) => [
    `**${escapeInline(agent)}**: ${escapeInline(line)}`,
    ...(parts.length === 0 ? [] : [partTable(parts)]),
    ...(compactions.length === 0 ? [] : [compactions.map((each) => `- ${escapeInline(each)}`).join('\n')]),
  ]);
  return ['## What filled the windows', ...ofWindows, `_${escapeInline(last)}_`].join('\n\n');
}

function partTable(parts: readonly PartWords[]): string {
  const rows = parts.map((cells) => `| ${cells.map(tableCell).join(' | ')} |`);
  return ['| Part | Tokens | Share |', '| --- | ---: | ---: |', ...rows].join('\n');
}
