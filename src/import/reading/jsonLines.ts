import { nestsDeeper, MAX_NESTING } from './nesting.js';
import type { Entry, ImportSink } from '../importSink.js';

const LINE_FEED = 0x0a;

/**
 * The lines of JSONL without blank ones. Split only at the byte 0x0A, because other line separators are legal within
 * JSON strings. A line that is not JSON is given as `raw` and reported.
 */
export function* jsonLines(bytes: Uint8Array, sink: ImportSink): Generator<Entry> {
  const decode = decoder(sink);
  let line = 0;
  for (let start = 0; start < bytes.length;) {
    line++;
    const end = bytes.indexOf(LINE_FEED, start);
    const isLast = end < 0;
    const text = decode(bytes.subarray(start, isLast ? bytes.length : end), line);
    start = isLast ? bytes.length : end + 1;
    if (text.trim() !== '') yield readLine(text, line, isLast, sink);
  }
}

function readLine(text: string, line: number, isLast: boolean, sink: ImportSink): Entry {
  if (nestsDeeper(text)) {
    sink.unreadable(line, `This line nests deeper than ${MAX_NESTING} levels.`);
    return { value: undefined, line, raw: text };
  }
  try {
    return { value: JSON.parse(text) as unknown, line };
  } catch {
    sink.unreadable(line, isLast ? 'The last line is cut.' : 'This line is no JSON.');
    return { value: undefined, line, raw: text };
  }
}

/** Decodes UTF-8; invalid bytes are replaced and reported once. */
function decoder(sink: ImportSink): (bytes: Uint8Array, line: number) => string {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
  let isReported = false;
  return (bytes, line) => {
    try {
      return strict.decode(bytes);
    } catch {
      if (!isReported) sink.problem('warning', 'Some bytes are no UTF-8; they were replaced.', line);
      isReported = true;
      return lenient.decode(bytes);
    }
  };
}
