import { endOfCode, ended, worst, type CallEnd } from '../../messages/callEnd.js';
import { appendAll } from '../../../core/lists.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import { asText, fields, list, objects, text, time, type Fields } from '../../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';

/** Kinds of parts that VS Code shows beside the answer and that nobody said. */
const SHOWN_ONLY =
  /^(?:textEditGroup|notebookEditGroup|codeblockUri|undoStop|progress\w*|mcpServersStarting|confirmation|elicitation\w*|warning|command|extensions|pullRequest|references?|usedContext|codeCitation|multiDiffData|prepareToolInvocation|questionCarousel)$/;

/** What is known of an answer as a whole. */
interface AnswerDetails {
  /** When the answer was complete. */
  readonly time: number | undefined;
  readonly model: string | undefined;
  /** The custom agent that answers, where it is none of VS Code's own. */
  readonly agent: string | undefined;
}

/** The answer to one prompt in VS Code's chat: texts, reasoning and calls, in the order in which they are shown. */
export class VscodeAnswer {
  readonly #builder: ConversationBuilder;
  readonly #details: AnswerDetails;
  readonly #calls: RoundCalls;
  readonly #results: Fields;
  /** The messages so far. */
  readonly drafts: Draft[] = [];
  #said = '';
  #thought = '';
  /** The parts that the next message is made of. */
  #parts: unknown[] = [];

  constructor(builder: ConversationBuilder, metadata: Fields, details: AnswerDetails) {
    this.#builder = builder;
    this.#details = details;
    this.#calls = new RoundCalls(objects(metadata.toolCallRounds));
    this.#results = fields(metadata.toolCallResults);
  }

  read(response: readonly unknown[]): void {
    const shown = objects(response).filter(isInvocation);
    this.#calls.match(shown);
    for (const part of response) this.#add(fields(part), part);
    // Calls of the last rounds may not have been shown; what is left was said after them.
    for (const call of this.#calls.rest()) this.#addRoundCall(call);
    this.#flush();
  }

  #add(part: Fields, original: unknown): void {
    const kind = text(part.kind);
    if (kind === undefined || kind === 'markdownContent' || kind === 'markdownVuln') {
      const value = part.value ?? fields(part.content).value;
      if (typeof value !== 'string') {
        this.#keep('unknown', original);
        return;
      }
      this.#said += value;
    } else if (kind === 'thinking') this.#thought += thoughtOf(part.value);
    else if (kind === 'inlineReference') this.#said += nameOf(part);
    else if (isInvocation(part)) {
      this.#addInvocation(part);
      return;
    } else {
      this.#keep(SHOWN_ONLY.test(kind) ? kind : `response/${kind}`, original);
      return;
    }
    this.#parts.push(original);
  }

  #addInvocation(part: Fields): void {
    for (const call of this.#calls.before(part)) this.#addRoundCall(call);
    const known = this.#calls.of(part);
    const id = text(part.toolCallId) ?? '';
    const name = text(known?.call.name) ?? text(part.toolId) ?? 'tool';
    const input = known?.call.arguments ?? fields(part.toolSpecificData);
    this.#parts.push(part);
    this.#flush(toolCall(id, name, input), known);
    const result = known ? this.#resultOf(known.call.id) : this.#resultOf(id);
    if (result === undefined && part.isComplete === false) return;
    this.#addResult(id, name, result ?? shown(part), part);
  }

  /** Adds a call that was made but not shown. */
  #addRoundCall(known: RoundCall): void {
    const { id, name, arguments: input } = known.call;
    this.#flush(toolCall(id, name, input), known);
    const result = this.#resultOf(id);
    if (result !== undefined) this.#addResult(id, asText(name), result, known.call);
  }

  #addResult(id: unknown, toolName: string, content: string, raw: unknown): void {
    const { entry } = this.#builder;
    this.drafts.push(
      this.#builder.message(entry, toolMessage(id, content), {
        toolName,
        agent: this.#details.agent,
        ...ended(endOfPart(fields(raw))),
        raw,
      }),
    );
  }

  /** What a call answered according to the rounds; undefined where they do not say. */
  #resultOf(id: unknown): string | undefined {
    const key = asText(id);
    if (!Object.hasOwn(this.#results, key)) return undefined;
    const said = objects(fields(this.#results[key]).content).map(({ value }) => promptText(value));
    return said.length === 0 ? undefined : said.join('');
  }

  #flush(call?: Fields, known?: RoundCall): void {
    if (this.#said === '' && this.#thought === '' && !call) return;
    const content = this.#said === '' ? null : this.#said;
    const calls = call ? [call] : [];
    const message = chatMessage('assistant', content, { reasoning: this.#thought, calls });
    const at = time(known?.round.timestamp) ?? this.#details.time;
    const draft = this.#builder.message(this.#builder.entry, message, { ...this.#details, time: at });
    appendAll(draft.raws, this.#parts.splice(0));
    if (known) draft.raws.push(known.call);
    this.drafts.push(draft);
    this.#said = '';
    this.#thought = '';
  }

  #keep(kind: string, value: unknown): void {
    this.#builder.keep(this.#builder.entry, kind, value, this.#details.time);
  }
}

/** What is shown of the end of a call; 0 and 5 of those who confirm say that it was denied, or skipped. */
function endOfPart({
  isConfirmed,
  isComplete,
  resultDetails,
  toolSpecificData,
}: Fields): CallEnd | undefined {
  const { type } = fields(isConfirmed);
  const { exitCode } = fields(fields(toolSpecificData).terminalCommandState);
  return worst(
    isConfirmed === false || type === 0 || type === 5 ? 'denied' : undefined,
    fields(resultDetails).isError === true ? 'failed' : undefined,
    endOfCode(exitCode),
    isComplete === false ? 'open' : undefined,
  );
}

function isInvocation({ kind }: Fields): boolean {
  return kind === 'toolInvocationSerialized' || kind === 'toolInvocation';
}

/** The text of thinking, which may be a list of pieces. */
function thoughtOf(value: unknown): string {
  return Array.isArray(value)
    ? list(value)
        .map((piece) => asText(piece))
        .join('')
    : asText(value);
}

function nameOf({ name, inlineReference }: Fields): string {
  const reference = fields(inlineReference);
  const path = [reference, fields(reference.uri), fields(fields(reference.location).uri)]
    .map((place) => text(place.path))
    .find((found) => found !== undefined);
  return text(name) ?? text(reference.name) ?? (path ?? '').replace(/^.*\//, '');
}

/** What a person saw of a call whose result was not stored. */
function shown({ resultDetails, pastTenseMessage, invocationMessage }: Fields): string {
  const output = objects(fields(resultDetails).output).map(({ value }) => asText(value));
  if (output.length > 0) return output.join('\n');
  const words = [pastTenseMessage, invocationMessage].map((said) => text(said) ?? text(fields(said).value));
  return words.find((said) => said !== undefined) ?? '';
}

/** How deep the nodes of a prompt may nest; a file that nests deeper is not read at all. */
const MAX_DEPTH = 200;

/**
 * The text of a part of a tool's result in VS Code: a text, or the tree of nodes that `@vscode/prompt-tsx` renders, whose
 * leaves are texts. Anything else as JSON.
 */
function promptText(value: unknown): string {
  const { node } = fields(value);
  return node === undefined ? asText(value) : textOfNode(node, 0);
}

function textOfNode(value: unknown, depth: number): string {
  const node = fields(value);
  const before = node.lineBreakBefore === true ? '\n' : '';
  if (typeof node.text === 'string') return before + node.text;
  if (depth > MAX_DEPTH) return '';
  return (
    before +
    objects(node.children)
      .map((child) => textOfNode(child, depth + 1))
      .join('')
  );
}

/** A tool call as it stands in a round of requests. */
interface RoundCall {
  readonly call: Fields;
  readonly round: Fields;
}

/**
 * The tool calls of an answer's rounds, matched with what was shown of them: ids and names may differ between the two,
 * and a call need not have been shown.
 */
class RoundCalls {
  readonly #calls: readonly RoundCall[];
  readonly #shown = new Map<Fields, number>();
  #next = 0;

  constructor(rounds: readonly Fields[]) {
    this.#calls = rounds.flatMap((round) => objects(round.toolCalls).map((call) => ({ call, round })));
  }

  /** Matches what was shown: by id, then by name, then by order where as many are left on both sides. */
  match(invocations: readonly Fields[]): void {
    const free = new Set(this.#calls.keys());
    const waiting = new Set(invocations);
    const take = (isSame: (call: Fields, part: Fields) => boolean) => {
      for (const part of waiting) {
        const found = [...free].find((index) => isSame(this.#calls[index]?.call ?? {}, part));
        if (found === undefined) continue;
        this.#shown.set(part, found);
        free.delete(found);
        waiting.delete(part);
      }
    };
    take(({ id }, { toolCallId }) => id === toolCallId);
    take(({ name }, { toolId }) => plain(name) === plain(toolId));
    if (free.size === waiting.size) take(() => true);
  }

  /** The call that was shown as this part; undefined where no round has it. */
  of(part: Fields): RoundCall | undefined {
    return this.#calls[this.#shown.get(part) ?? -1];
  }

  /** The calls before the one that was shown as this part, that were not shown themselves; each is given once. */
  before(part: Fields): readonly RoundCall[] {
    const end = this.#shown.get(part);
    return end === undefined ? [] : this.#unshown(end);
  }

  /** The calls that were not shown and have not been given yet. */
  rest(): readonly RoundCall[] {
    return this.#unshown(this.#calls.length);
  }

  #unshown(end: number): readonly RoundCall[] {
    const shown = new Set(this.#shown.values());
    const from = this.#next;
    this.#next = Math.max(from, end);
    return this.#calls.slice(from, end).filter((_call, index) => !shown.has(from + index));
  }
}

/** A tool's name without the prefix and the spelling by which it is registered: `copilot_readFile` is `read_file`. */
function plain(name: unknown): string {
  return asText(name)
    .replace(/^(?:copilot|vscode)_/, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}
