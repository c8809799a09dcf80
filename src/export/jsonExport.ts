import { isObject } from '../core/message.js';
import { jsonText } from '../query/numbers/jsonText.js';
import { costFields } from './costWords.js';
import { freeKey, METADATA, timestampOf } from './metadata.js';
import type { ExportOptions } from './exportFormat.js';
import type { ExportNote } from './exportNote.js';
import type { ExportRow } from './exportRow.js';
import type { TextWriter, Ending } from './textWriter.js';
import type { ContextSection, ExportedPart, ExportedWindow } from './contextSection.js';
import { costShape } from './costShape.js';

/** The default of `indent`, in spaces. */
const DEFAULT_INDENT = 2;

/**
 * Writes a JSON array of the messages, exactly as JSON.stringify would write it whole; in full, its last element may say what
 * all of it cost, and what filled the windows of agents.
 */
export function jsonWriter({
  indent = DEFAULT_INDENT,
  includeMetadata = false,
  full = false,
}: ExportOptions): TextWriter {
  const element = (row: ExportRow) => (includeMetadata ? withMetadata(row, full) : exported(row));
  const noted = (row: ExportRow) => withNotes(full ? withRecord(row, element(row)) : element(row), row.notes);
  return arrayWriter(indent, noted, full, full && includeMetadata);
}

/** The key for what a person has noted. */
const NOTES = 'notes';

function withNotes(element: unknown, notes: readonly ExportNote[]): unknown {
  if (notes.length === 0 || !isObject(element)) return element;
  return { ...element, [freeKey(element, NOTES)]: notes };
}

/** The key for what a record holds besides its message. */
const RECORD = 'record';

/** A message with the rest of its record, so that nothing of the record is missing. */
function withRecord({ envelope, item }: ExportRow, element: unknown): unknown {
  if (!envelope || !isObject(element) || !isObject(item)) return element;
  return { ...element, [freeKey(element, RECORD)]: envelope };
}

/** A batch is written once it has this many elements, or this many UTF-16 code units of content. */
const BATCH_ELEMENTS = 64;
const BATCH_CHARACTERS = 32 * 1024;

/** Writes a JSON array with one element per row; `hasRecords`: and per record without a message, with its cost if `hasCosts`. */
export function arrayWriter(
  indent: number,
  elementOf: (row: ExportRow) => unknown,
  hasRecords = false,
  hasCosts = false,
): TextWriter {
  const writer = new ArrayWriter(indent, elementOf);
  return hasRecords
    ? {
        add: (row) => writer.add(row),
        note: (record, notes, cost) =>
          writer.element(withNotes({ ...(hasCosts && costFields(cost)), [RECORD]: record }, notes)),
        end: (told = {}) => {
          const ending = jsonEnding(told);
          return (ending ? writer.element(ending) : '') + writer.end();
        },
      }
    : writer;
}

/** Writes elements in batches, because JSON.stringify then indents them as elements of an array by itself. */
class ArrayWriter implements TextWriter {
  readonly #indent: number;
  readonly #elementOf: (row: ExportRow) => unknown;
  #batch: unknown[] = [];
  #characters = 0;
  #begin = '[';

  constructor(indent: number, elementOf: (row: ExportRow) => unknown) {
    this.#indent = indent;
    this.#elementOf = elementOf;
  }

  add(row: ExportRow): string {
    return this.element(this.#elementOf(row), row.message.content);
  }

  element(element: unknown, content?: unknown): string {
    this.#batch.push(element);
    this.#characters += typeof content === 'string' ? content.length : BATCH_CHARACTERS / BATCH_ELEMENTS;
    const isFull = this.#batch.length >= BATCH_ELEMENTS || this.#characters >= BATCH_CHARACTERS;
    return isFull ? this.#flush() : '';
  }

  end(): string {
    const rest = this.#flush();
    if (this.#begin === '[') return '[]';
    return `${rest}${this.#indent >= 1 ? '\n' : ''}]`;
  }

  #flush(): string {
    if (this.#batch.length === 0) return '';
    const text = jsonText(this.#batch, this.#indent);
    const end = this.#indent >= 1 ? '\n]' : ']';
    const elements = this.#begin + text.slice(1, -end.length);
    this.#batch = [];
    this.#characters = 0;
    this.#begin = ',';
    return elements;
  }
}

/** The exported message; an item that is no object is exported as it is. */
function exported({ item, message }: ExportRow): unknown {
  return isObject(item) ? message : item;
}

interface Metadata {
  index: number;
  token_count: number | null;
  timestamp?: string | null;
  agent?: string;
  depth?: number;
  run?: string;
  call?: string;
  cost_usd?: number | null;
  cost_provenance?: string;
}

const METADATA_KEYS = ['index', 'token_count', 'timestamp', 'agent', 'depth', 'run', 'call'] as const;
const COST_KEYS = ['cost_usd', 'cost_provenance'] as const;

function withMetadata(row: ExportRow, isFull: boolean): unknown {
  const { message, place, index } = row;
  // Assigned key by key: spreading an object per optional key costs as much as writing the message.
  const metadata: Metadata = { index, token_count: row.tokens ?? null };
  if (place.time !== undefined) metadata.timestamp = timestampOf(place.time);
  if (place.agent !== undefined) metadata.agent = place.agent;
  if (place.depth !== undefined) metadata.depth = place.depth;
  if (place.run !== undefined) metadata.run = place.run;
  if (place.call !== undefined) metadata.call = place.call;
  const cost = costFields(row.cost);
  if (cost) Object.assign(metadata, cost);
  // Whoever reads a full export takes these keys for added ones, whether a message has a cost or not.
  const collides =
    METADATA_KEYS.some((key) => Object.hasOwn(message, key) && Object.hasOwn(metadata, key)) ||
    (isFull && COST_KEYS.some((key) => Object.hasOwn(message, key)));
  return collides ? { ...message, [freeKey(message, METADATA)]: metadata } : { ...message, ...metadata };
}

/**
 * The last element of a full export as JSON: what the conversation is called, how many of its lines still stand, what all of it cost, by which prices, and what
 * filled the windows of agents. Undefined where there is nothing of these; what there is none of is left out.
 */
function jsonEnding({ title = '', kept, cost, context }: Ending): object | undefined {
  if (title === '' && !kept && !cost && !context) return undefined;
  return {
    ...(title !== '' && { title }),
    ...(kept && { lines: kept }),
    ...(cost && { cost: { ...costShape(cost.total), ...(cost.version !== '' && { prices: cost.version }) } }),
    ...(context && { context: contextValue(context) }),
  };
}

function contextValue({ windows, moreWindows }: ContextSection): object {
  return {
    windows: windows.map(windowValue),
    ...(moreWindows > 0 && { more_windows: moreWindows }),
  };
}

function windowValue({ agent, call, requests, largest, ...compacted }: ExportedWindow): object {
  const { compactions, moreCompactions } = compacted;
  return {
    agent,
    call,
    requests,
    ...(largest && {
      largest: {
        tokens: largest.total,
        provenance: largest.provenance,
        parts: largest.parts.map(partValue),
        ...(largest.moreParts.parts > 0 && { more_parts: largest.moreParts }),
      },
    }),
    ...(compactions.length > 0 && {
      compactions: compactions.map(({ requestsBefore, trigger, messages, tokens }) => ({
        after_request: requestsBefore,
        ...(trigger && { trigger }),
        messages,
        tokens,
      })),
    }),
    ...(moreCompactions > 0 && { more_compactions: moreCompactions }),
  };
}

function partValue({ kind, tool, path, tokens }: ExportedPart): object {
  return { kind, ...(tool !== '' && { tool }), ...(path !== '' && { path }), tokens };
}
