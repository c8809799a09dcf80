import { isObject, textOf } from '../core/message.js';
import { jsonText } from '../query/jsonText.js';
import { answeredIdOf, roleOf, type LooseMessage } from '../query/queryItem.js';
import { callsOf, rawArgumentsOf, type LooseCall } from '../query/toolCalls.js';
import { scopeOf } from '../query/toolNames.js';
import { ToolPairing } from '../query/toolPairing.js';
import { toolResultOf } from '../query/toolResult.js';
import type { ExportOptions } from './exportFormat.js';
import type { ExportRow } from './exportRow.js';
import { harmlessMarkdown } from './harmlessMarkdown.js';
import { escapeInline, fenced } from './markdownText.js';
import type { TextWriter } from './textWriter.js';

/** The whole export of a conversation without messages. */
const EMPTY_HEADING = '# Empty conversation';

/** The level of a message's heading: `###`. */
const HEADING_LEVEL = 3;

const SEPARATOR = '\n\n---\n\n';

/** A call that is held back, because its result may still come. */
interface OpenCall {
  readonly call: LooseCall;
  result: string | undefined;
}

/** An assistant message that is held back, of the agent's call `scope`. */
interface OpenBlock {
  readonly scope: string;
  readonly head: string;
  readonly calls: readonly OpenCall[];
  readonly pairing: ToolPairing<OpenCall>;
  /** The number of calls without a result. */
  waiting: number;
}

/**
 * Writes Markdown: a heading for each message, then its calls with formatted arguments, each followed by its result. A
 * result that does not directly follow its message's calls, or answers none, is written where it occurs.
 */
export function markdownWriter({ isSubset = false }: ExportOptions): TextWriter {
  return new MarkdownWriter(isSubset);
}

class MarkdownWriter implements TextWriter {
  readonly #isSubset: boolean;
  #separator = '';
  #open: OpenBlock | undefined;

  constructor(isSubset: boolean) {
    this.#isSubset = isSubset;
  }

  add(row: ExportRow): string {
    const { item, message } = row;
    if (message.role === 'tool') return this.#addResult(row);
    const before = this.#flush();
    const head = messageBlocks(message, headingOf(row));
    const calls = callsOf(message).map((call) => ({ call, result: undefined }));
    if (calls.length === 0) return before + this.#block(head);
    const pairing = new ToolPairing<OpenCall>();
    for (const open of calls) pairing.open('', open.call.id, 0, open);
    this.#open = { scope: scopeOf(item), head, calls, pairing, waiting: calls.length };
    return before;
  }

  end(): string {
    const rest = this.#flush();
    return this.#separator === '' && !this.#isSubset ? EMPTY_HEADING : rest;
  }

  #addResult(row: ExportRow): string {
    const { item, message } = row;
    const result = toolResultOf(item, message).text;
    const open = this.#open?.scope === scopeOf(item) ? this.#open : undefined;
    const paired = open?.pairing.answer('', answeredIdOf(message));
    if (open && paired && !paired.again) {
      paired.call.result = result;
      return --open.waiting === 0 ? this.#flush() : '';
    }
    const title = `**Result: ${escapeInline(row.resultName) || 'unnamed tool'}**`;
    return this.#flush() + this.#block([headingOf(row), title, fenced(result)].join('\n\n'));
  }

  #flush(): string {
    if (!this.#open) return '';
    const { head, calls } = this.#open;
    this.#open = undefined;
    return this.#block([head, ...calls.flatMap((open) => callBlocks(open))].join('\n\n'));
  }

  #block(text: string): string {
    const block = this.#separator + text;
    this.#separator = SEPARATOR;
    return block;
  }
}

function headingOf({ message, place }: ExportRow): string {
  const role = roleOf(message);
  const title = escapeInline(role.charAt(0).toUpperCase() + role.slice(1));
  return place.agent === undefined ? `### ${title}` : `### ${title} (${escapeInline(place.agent)})`;
}

/** The heading and content of a message; parts that are not text are named. */
function messageBlocks(message: LooseMessage, heading: string): string {
  const { content, refusal } = message;
  const blocks = [heading];
  if (typeof content === 'string') blocks.push(harmlessMarkdown(content, HEADING_LEVEL));
  else if (Array.isArray(content)) for (const part of content as unknown[]) blocks.push(partBlock(part));
  else if (isObject(content)) blocks.push(fenced(jsonText(content, 2), 'json'));
  if (typeof refusal === 'string') blocks.push(`**Refusal:** ${escapeInline(refusal)}`);
  return blocks.join('\n\n');
}

function partBlock(part: unknown): string {
  const text = textOf([part]);
  if (text !== '') return harmlessMarkdown(text, HEADING_LEVEL);
  return `(${escapeInline(isObject(part) && typeof part.type === 'string' ? part.type : 'unknown part')})`;
}

function callBlocks({ call, result }: OpenCall): string[] {
  const blocks = [`**Tool Call: ${escapeInline(call.name)}**`, fenced(formatted(call.input), 'json')];
  return result === undefined ? blocks : [...blocks, '**Result:**', fenced(result)];
}

/** Arguments as indented JSON, or as the model wrote them where that is not JSON. */
function formatted(input: unknown): string {
  const raw = rawArgumentsOf(input);
  try {
    return jsonText(JSON.parse(raw), 2);
  } catch {
    // Models do write arguments that are not JSON: shown as they are.
    return raw;
  }
}
