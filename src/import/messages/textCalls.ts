import { isObject } from '../../core/message.js';
import { parsed, type Fields } from '../reading/fields.js';

const RESPONSE = /<tool_response>([^]*?)<\/tool_response>/g;

/** The results in a text that is nothing but `<tool_response>` tags, as Hermes' data sets have them; else none. */
export function taggedResults(text: string): readonly Fields[] {
  // With a tag at the end, no search for one runs through the text in vain.
  if (!text.trimEnd().endsWith('</tool_response>')) return [];
  const inside = [...text.matchAll(RESPONSE)].map(([, words = '']) => words.trim());
  if (inside.length === 0 || text.replace(RESPONSE, '').trim() !== '') return [];
  return inside.map((words) => {
    const result = parsed(words);
    return isObject(result) && typeof result.name === 'string' && 'content' in result
      ? result
      : { content: words };
  });
}

/**
 * The calls in a text that is nothing but a list of them as Python writes them, `[name(key="value", n=1), …]`, as ToolACE
 * and BFCL have them. None for any other text, and for calls without any argument, which prose may have too.
 */
export function bracketCalls(text: string): readonly Fields[] {
  try {
    const calls = new CallList(text.trim()).calls();
    const hasArguments = calls.some((call) => Object.keys(call.arguments).length > 0);
    return hasArguments ? calls.map((call) => ({ ...call, type: 'tool_call' })) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['null', null],
]);

/** How deep the values of arguments nest at most. */
const MAX_DEPTH = 20;

/** Reads a list of calls from its first bracket to its last; throws a SyntaxError where it is none. */
class CallList {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  calls(): readonly Call[] {
    const calls = this.#listed('[', ']', () => this.#call());
    if (this.#at < this.#text.length) throw new SyntaxError('Something follows the list.');
    return calls;
  }

  #call(): Call {
    const name = this.#match(/[A-Za-z_][\w.\- /]*/y).trim();
    const pairs = this.#listed('(', ')', () => {
      const key = this.#match(/[A-Za-z_]\w*/y);
      this.#skip('=');
      return [key, this.#value(0)] as const;
    });
    return { name, arguments: Object.fromEntries(pairs) };
  }

  #value(depth: number): unknown {
    const next = this.#text[this.#at];
    if (depth > MAX_DEPTH) throw new SyntaxError('The values nest too deep.');
    if (next === '"' || next === "'") return this.#string();
    if (next === '[') return this.#listed('[', ']', () => this.#value(depth + 1));
    if (next === '{')
      return Object.fromEntries(
        this.#listed('{', '}', () => {
          const key = this.#string();
          this.#skip(':');
          return [key, this.#value(depth + 1)] as const;
        }),
      );
    const word = this.#match(/[A-Za-z]+|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y);
    if (/^[-\d]/.test(word)) return Number(word);
    if (!WORDS.has(word)) throw new SyntaxError('This is no value.');
    return WORDS.get(word);
  }

  #string(): string {
    const quoted = this.#match(/"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y);
    const marks: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
    return quoted.slice(1, -1).replace(/\\([^])/g, (_, mark: string) => marks[mark] ?? mark);
  }

  #listed<Item>(open: string, close: string, item: () => Item): Item[] {
    const items: Item[] = [];
    this.#skip(open);
    while (this.#text[this.#at] !== close) {
      if (items.length > 0) this.#skip(',');
      items.push(item());
      this.#match(/\s*/y);
    }
    this.#skip(close);
    return items;
  }

  /** Passes over a mark, with the white space around it. */
  #skip(mark: string): void {
    this.#match(/\s*/y);
    if (this.#text[this.#at] !== mark) throw new SyntaxError(`There is no ${mark}.`);
    this.#at++;
    this.#match(/\s*/y);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new SyntaxError('Something else stands here.');
    this.#at += found.length;
    return found;
  }
}
