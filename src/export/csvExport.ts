import { textOf } from '../core/message.js';
import { preview } from '../core/text.js';
import { answeredIdOf, roleOf } from '../query/queryItem.js';
import { callsOf } from '../query/toolCalls.js';
import type { ExportOptions } from './exportFormat.js';
import type { ExportRow } from './exportRow.js';
import type { TextWriter } from './textWriter.js';

const HEADER = 'index,role,content,tool_name,tool_call_id,token_count\r\n';

/** The default of `maxContentLength`, in code points. */
const DEFAULT_MAX_CONTENT = 500;

/** What spreadsheets take for a formula, even after white space or in full-width form (OWASP, "CSV Injection"). */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

/** Writes CSV (RFC 4180, CRLF); a cell that a spreadsheet would execute is prefixed with an apostrophe. */
export function csvWriter({ maxContentLength = DEFAULT_MAX_CONTENT }: ExportOptions): TextWriter {
  let header = HEADER;
  return {
    add(row) {
      const line = header + lineOf(row, maxContentLength);
      header = '';
      return line;
    },
    end: () => header,
  };
}

function lineOf(row: ExportRow, maxContentLength: number): string {
  const { message } = row;
  const content = preview(textOf(message.content), Math.max(0, maxContentLength));
  const said = `${cell(roleOf(message))},${cell(content)}`;
  const tool = `${cell(toolNameOf(row))},${cell(answeredIdOf(message))}`;
  return `${row.index},${said},${tool},${row.tokens ?? ''}\r\n`;
}

/** The first tool that a message calls, or the tool whose result it is. */
function toolNameOf(row: ExportRow): string {
  return row.message.role === 'tool' ? row.resultName : (callsOf(row.message)[0]?.name ?? '');
}

function cell(text: string): string {
  const safe = startsPlain(text) || !FORMULA.test(text) ? text : `'${text}`;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Whether a text is empty or starts with an ASCII letter or digit, which no formula does. */
function startsPlain(text: string): boolean {
  const code = text.charCodeAt(0) | 0x20;
  return text === '' || (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
