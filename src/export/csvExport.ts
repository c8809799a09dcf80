import { textOf } from '../core/message.js';
import { preview } from '../core/text.js';
import { answeredIdOf, envelopeOf, roleOf } from '../query/queryItem.js';
import { callsOf, resultNameOf } from '../query/toolCalls.js';
import type { ExportOptions } from './exportFormat.js';
import type { ExportRow } from './exportRow.js';
import type { TextWriter } from './textWriter.js';

const HEADER = 'index,role,content,tool_name,tool_call_id,token_count\r\n';

/** The default of the option `maxContentLength`, in code points. */
const DEFAULT_MAX_CONTENT = 500;

/** What spreadsheets take for a formula, also behind white space or in its full-width form (OWASP, "CSV Injection"). */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

/** Writes CSV after RFC 4180, its lines ended by CRLF; a cell that a spreadsheet would run begins with an apostrophe. */
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
  const cells = [roleOf(message), content, toolNameOf(row), answeredIdOf(message)];
  return `${row.index},${cells.map((text) => cell(text)).join(',')},${row.tokens() ?? ''}\r\n`;
}

/** The tool that a message calls first, or whose result it is. */
function toolNameOf({ item, message, calledTool }: ExportRow): string {
  if (message.role !== 'tool') return callsOf(message)[0]?.name ?? '';
  return resultNameOf(message, envelopeOf(item)) || (calledTool ?? '');
}

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
