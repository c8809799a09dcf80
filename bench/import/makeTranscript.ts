import { closeSync, openSync, writeSync } from 'node:fs';

/** The forms in which a large transcript lies on the disk. */
export type TranscriptForm = 'lines' | 'one value';

/** Writes a conversation of at least `bytes` bytes to a file: prompts, calls of a tool, and long results. */
export function makeTranscript(path: string, form: TranscriptForm, bytes: number): void {
  const file = openSync(path, 'w');
  const isLines = form === 'lines';
  try {
    let written = isLines ? 0 : writeSync(file, '{"messages":[');
    for (let at = 0; written < bytes; at++) {
      const json = JSON.stringify(messageAt(at));
      written += writeSync(file, isLines ? `${json}\n` : `${at === 0 ? '' : ','}${json}`);
    }
    if (!isLines) writeSync(file, ']}');
  } finally {
    closeSync(file);
  }
}

const prose = (at: number, times: number) =>
  `Note ${at}: the lid is closed, the label says when. `.repeat(times);

function messageAt(at: number): object {
  if (at % 3 === 0) return { role: 'user', content: prose(at, 8) };
  const id = `call_${at - (at % 3)}`;
  if (at % 3 === 2) return { role: 'tool', tool_call_id: id, content: prose(at, 40) };
  const call = { name: 'read_file', arguments: JSON.stringify({ path: `notes/${at}.md` }) };
  return { role: 'assistant', content: prose(at, 8), tool_calls: [{ id, type: 'function', function: call }] };
}
