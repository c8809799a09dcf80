import { requestsOf, type Cost } from '../core/cost.js';
import { injectedOf } from '../core/injected.js';
import { isObject, textOf } from '../core/message.js';
import { pictureAddressIn } from '../core/picture.js';
import { preview } from '../core/text.js';
import { isFailed, stateIn } from '../query/numbers/failures.js';
import { someTime } from '../query/numbers/requestPairing.js';
import type { Spent } from '../query/numbers/spentByRecord.js';
import { answeredIdOf, originOf, roleOf, type UntypedMessage } from '../query/numbers/transcriptItem.js';
import { compactJson } from '../query/numbers/jsonText.js';
import { callsOf, rawArgumentsOf } from '../query/numbers/toolCalls.js';
import { costFields, decimalDollars, pricesOf } from './costWords.js';
import type { ExportOptions } from './exportFormat.js';
import { noteLine } from './exportNote.js';
import type { ExportRow } from './exportRow.js';
import { countBeside, countFurtherFields, countParts, recordWords } from './leftOut.js';
import { numberOr } from '../query/numbers/values.js';
import { timestampOf } from './metadata.js';
import type { LeaveOut, TextWriter } from './textWriter.js';

const HEADER = 'index,role,content,tool_name,tool_call_id,token_count\r\n';

/** The default of `maxContentLength`, in code points. */
const DEFAULT_MAX_CONTENT = 500;

/** What spreadsheets take for a formula, even after white space or in full-width form (OWASP, "CSV Injection"). */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

/** Writes CSV (RFC 4180, CRLF); a cell that a spreadsheet would execute is prefixed with an apostrophe. */
export function csvWriter(
  { maxContentLength = DEFAULT_MAX_CONTENT }: ExportOptions,
  leaveOut: LeaveOut,
): TextWriter {
  let header = HEADER;
  return {
    add(row) {
      const line = header + lineOf(row, maxContentLength, leaveOut);
      header = '';
      return line;
    },
    end: () => header,
  };
}

function lineOf(row: ExportRow, maxContentLength: number, leaveOut: LeaveOut): string {
  const { message } = row;
  const whole = textOf(message.content);
  const content = preview(whole, Math.max(0, maxContentLength));
  if (content !== whole) leaveOut('ends of long texts');
  countParts(message.content, leaveOut);
  countBeside(message, leaveOut);
  row.notes.forEach(() => leaveOut('notes'));
  const said = `${cell(roleOf(message))},${cell(content)}`;
  const tool = `${cell(toolNameOf(row))},${cell(answeredIdOf(message))}`;
  return `${row.index},${said},${tool},${row.tokens ?? ''}\r\n`;
}

const FULL_COLUMNS = [
  'index',
  'time',
  'run',
  'call',
  'agent',
  'depth',
  'role',
  'model',
  'content',
  'reasoning',
  'refusal',
  'called_tools',
  'arguments',
  'tool_name',
  'tool_call_id',
  'duration_ms',
  'error',
  'state',
  'partial',
  'injected',
  'token_count',
  'requests',
  'input_tokens',
  'output_tokens',
  'prices',
  'cost_usd',
  'cost_provenance',
];

/** Writes CSV with a column for everything that a reader compares, and nothing cut unless `maxContentLength` says so. */
export function fullCsvWriter(
  { maxContentLength, notes, prices }: ExportOptions,
  leaveOut: LeaveOut,
): TextWriter {
  const version = prices?.version ?? '';
  const hasNotes = notes !== undefined;
  let header = `${[...FULL_COLUMNS, ...(hasNotes ? ['notes'] : [])].join(',')}\r\n`;
  const cut = (text: string) => {
    if (maxContentLength === undefined) return text;
    const short = preview(text, Math.max(0, maxContentLength));
    if (short !== text) leaveOut('ends of long texts');
    return short;
  };
  return {
    add(row) {
      const noted = hasNotes ? [noteCell(row)] : [];
      const line = header + `${[...fullCells(row, cut, version), ...noted].map(cell).join(',')}\r\n`;
      header = '';
      countParts(withoutLinked(row.message.content), leaveOut);
      countFurtherFields(row.message, leaveOut);
      return line;
    },
    note(record, notes, cost, counts) {
      if (!cost) return undefined;
      leaveOut(recordWords(record));
      notes.forEach(() => leaveOut('notes'));
      const line =
        header +
        `${[...spentCells(record, cost, counts, version), ...(hasNotes ? [''] : [])].map(cell).join(',')}\r\n`;
      header = '';
      return line;
    },
    end: () => header,
  };
}

/** The cells of a record without a message that adds to the cost of all: a request that nothing answers, or a call's end. */
function spentCells(
  record: UntypedMessage,
  spent: Cost,
  counts: Spent | undefined,
  prices: string,
): string[] {
  const place = originOf(record);
  const cost = costFields(spent);
  const usage = tokensIn(counts, record.type === 'callEnd' ? record.ownUsage : record.usage);
  const cells: Readonly<Record<string, unknown>> = {
    time: place.time === undefined ? undefined : timestampOf(place.time),
    run: place.run,
    call: place.call,
    agent: place.agent,
    depth: place.depth,
    role: record.type,
    model: record.model,
    duration_ms: someTime(numberOr(record.durationMs)),
    requests: requestsOf(spent),
    input_tokens: usage.input,
    output_tokens: usage.output,
    prices: pricesOf(cost, prices),
    cost_usd: decimalDollars(cost?.cost_usd),
    cost_provenance: cost?.cost_provenance,
  };
  return FULL_COLUMNS.map((column) => plainCell(cells[column]));
}

function plainCell(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A content without the pictures that are named by their addresses. */
function withoutLinked(content: unknown): unknown {
  return Array.isArray(content) ? content.filter((part) => pictureAddressIn(part) === undefined) : content;
}

function fullCells(row: ExportRow, cut: (text: string) => string, prices: string): string[] {
  const { message, place, envelope = {} } = row;
  const { content } = message;
  const calls = callsOf(message);
  const cost = costFields(row.cost);
  const usage = row.addsUp ? tokensIn(row.counts, undefined) : tokensIn(undefined, envelope.usage);
  const said = saidIn(content) || (isObject(content) ? compactJson(content) : '');
  const hasFailed = isFailed(row.item) || message.is_error === true;
  return [
    row.index,
    place.time === undefined ? '' : (timestampOf(place.time) ?? ''),
    place.run,
    place.call,
    place.agent,
    place.depth,
    roleOf(message),
    envelope.model,
    cut(said),
    message.reasoning_content,
    message.refusal,
    calls.map(({ name }) => name).join(' '),
    calls.map(({ input }) => rawArgumentsOf(input)).join('\n'),
    toolNameOf(row),
    answeredIdOf(message),
    row.durationMs,
    hasFailed ? 'true' : '',
    stateIn(envelope),
    envelope.partial,
    [...new Set(injectedOf(row.item).map(({ kind }) => kind))].join(' '),
    row.tokens,
    row.cost && requestsOf(row.cost),
    usage.input,
    usage.output,
    pricesOf(cost, prices),
    decimalDollars(cost?.cost_usd),
    cost?.cost_provenance,
  ].map(plainCell);
}

/** The tokens that stand beside a cost: of the requests that it is of, else of what the record tells itself. */
function tokensIn(
  counts: Spent | undefined,
  told: unknown,
): { readonly input?: unknown; readonly output?: unknown } {
  if (counts) return counts.tokens ?? {};
  return isObject(told) ? { input: told.inputTokens, output: told.outputTokens } : {};
}

/** The text of a content, and the addresses of the pictures on the web in it. */
function saidIn(content: unknown): string {
  const pictures = Array.isArray(content) ? content.map((part) => pictureAddressIn(part)) : [];
  const named = pictures.flatMap((address) => (address === undefined ? [] : `picture: ${address}`));
  return [textOf(content), ...named].filter((each) => each !== '').join('\n');
}

/** What a person has noted about a row and its tool calls, a line each. */
function noteCell({ message, notes }: ExportRow): string {
  const tools = callsOf(message).map(({ name }) => name);
  return notes.map((note) => noteLine(note, tools)).join('\n');
}

/** The first tool that a message calls, or the tool whose result it is. */
function toolNameOf(row: ExportRow): string {
  return row.message.role === 'tool' ? row.resultName : (callsOf(row.message)[0]?.name ?? '');
}

/** A text as a cell of CSV; one that a spreadsheet would execute is prefixed with an apostrophe. */
export function cell(text: string): string {
  const safe = startsPlain(text) || !FORMULA.test(text) ? text : `'${text}`;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Whether a text is empty or starts with an ASCII letter or digit, which no formula does. */
function startsPlain(text: string): boolean {
  const code = text.charCodeAt(0) | 0x20;
  return text === '' || (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
