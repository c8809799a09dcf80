import { isObject, textOf } from '../core/message.js';
import { jsonText } from '../query/jsonText.js';
import type { TokenCounter } from '../ports/tokenCounter.js';
import { freeKey, METADATA, timestampOf } from './metadata.js';
import type { ExportOptions } from './exportFormat.js';
import type { ExportRow } from './exportRow.js';
import type { TextWriter } from './textWriter.js';

/** The default of the option `indent`. */
const DEFAULT_INDENT = 2;

/** Stands in for a missing counter where a format wants a number in any case: one token for each word. */
export const wordCounter: TokenCounter = {
  count: (text) => text.match(/\S+/g)?.length ?? 0,
  countMessage: ({ content }) => textOf(content).match(/\S+/g)?.length ?? 0,
};

/** Writes a JSON array of the messages, as JSON.stringify would write the whole. */
export function jsonWriter({ indent = DEFAULT_INDENT, includeMetadata = false }: ExportOptions): TextWriter {
  return arrayWriter(indent, (row) => (includeMetadata ? withMetadata(row) : exported(row)));
}

/** Writes a JSON array whose elements are made of the rows. */
export function arrayWriter(indent: number, elementOf: (row: ExportRow) => unknown): TextWriter {
  const newLine = indent >= 1 ? `\n${' '.repeat(Math.min(indent, 10))}` : '';
  let isFirst = true;
  return {
    add(row) {
      const text = jsonText(elementOf(row), indent);
      const begin = isFirst ? '[' : ',';
      isFirst = false;
      return begin + newLine + (newLine === '' ? text : text.replaceAll('\n', newLine));
    },
    end: () => (isFirst ? '[]' : newLine === '' ? ']' : '\n]'),
  };
}

/** The message as it goes out; an item that is no object stays what it is. */
function exported({ item, message }: ExportRow): unknown {
  return isObject(item) ? message : item;
}

function withMetadata(row: ExportRow): unknown {
  const { message, place, index } = row;
  const metadata = {
    index,
    token_count: row.tokens() ?? null,
    ...(place.time !== undefined && { timestamp: timestampOf(place.time) }),
    ...(place.agent !== undefined && { agent: place.agent }),
    ...(place.depth !== undefined && { depth: place.depth }),
    ...(place.run !== undefined && { run: place.run }),
    ...(place.call !== undefined && { call: place.call }),
  };
  const collides = Object.keys(metadata).some((key) => Object.hasOwn(message, key));
  return collides ? { ...message, [freeKey(message, METADATA)]: metadata } : { ...message, ...metadata };
}
