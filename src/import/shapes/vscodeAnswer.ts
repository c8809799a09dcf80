import type { ConversationBuilder, MessageDetails } from '../conversationBuilder.js';
import { asText, fields, list, objects, text, without, type Fields } from '../reading/fields.js';
import { spokenMessage, toolCall, toolMessage } from './chatMessage.js';

/** Kinds of parts that VS Code shows beside the answer and that nobody said. */
const SHOWN_ONLY =
  /^(?:textEditGroup|notebookEditGroup|codeblockUri|undoStop|progress\w*|mcpServersStarting|confirmation|elicitation\w*|warning|command|extensions|pullRequest|references?|usedContext|codeCitation|multiDiffData|prepareToolInvocation|questionCarousel)$/;

/** The answer to one prompt in VS Code's chat: texts, reasoning and calls, in the order in which they are shown. */
export class VscodeAnswer {
  readonly #builder: ConversationBuilder;
  readonly #details: MessageDetails;
  /** The calls as they occur in the requests, with their arguments and results. */
  readonly #calls: Fields[];
  readonly #results: Fields;
  #said = '';
  #thought = '';

  constructor(builder: ConversationBuilder, metadata: Fields, details: MessageDetails) {
    this.#builder = builder;
    this.#details = details;
    this.#calls = objects(metadata.toolCallRounds).flatMap(({ toolCalls }) => objects(toolCalls));
    this.#results = fields(metadata.toolCallResults);
  }

  read(response: readonly unknown[]): void {
    for (const part of response) this.#add(fields(part), part);
    this.#flush();
  }

  #add(part: Fields, original: unknown): void {
    const kind = text(part.kind);
    if (kind === undefined || kind === 'markdownContent' || kind === 'markdownVuln') {
      const value = part.value ?? fields(part.content).value;
      if (typeof value === 'string') this.#said += value;
      else this.#keep('unknown', original);
    } else if (kind === 'thinking') this.#thought += list(part.value ?? []).join('') || asText(part.value);
    else if (kind === 'inlineReference') this.#said += nameOf(part);
    else if (kind === 'toolInvocationSerialized' || kind === 'toolInvocation') this.#addCall(part);
    else this.#keep(SHOWN_ONLY.test(kind) ? kind : `response/${kind}`, original);
  }

  #addCall(part: Fields): void {
    const id = text(part.toolCallId) ?? '';
    const name = text(part.toolId) ?? 'tool';
    const known = this.#take(id, name);
    const input = fields(part.toolSpecificData);
    this.#flush([toolCall(id, text(known?.name) ?? name, known?.arguments ?? input)]);
    const result = fields(
      Object.hasOwn(this.#results, asText(known?.id ?? id)) ? this.#results[asText(known?.id ?? id)] : {},
    );
    const told = objects(result.content).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
    if (part.isComplete === false && told.length === 0) return;
    const content = told.length > 0 ? told.join('') : shown(part);
    const source = without(part, 'toolCallId', 'toolId');
    const details = { time: this.#details.time, toolName: name, source };
    this.#builder.message(this.#builder.entry, toolMessage(id, content), details);
  }

  /** The call with this id, else the first of this tool, because ids may differ between requests and answer. */
  #take(id: string, name: string): Fields | undefined {
    const byId = this.#calls.findIndex((call) => call.id === id);
    const at = byId >= 0 ? byId : this.#calls.findIndex((call) => call.name === name);
    return at >= 0 ? this.#calls.splice(at, 1)[0] : undefined;
  }

  #flush(calls: readonly Fields[] = []): void {
    if (this.#said === '' && this.#thought === '' && calls.length === 0) return;
    const content = this.#said === '' ? null : this.#said;
    const message = spokenMessage('assistant', content, { reasoning: this.#thought, calls });
    this.#builder.message(this.#builder.entry, message, this.#details);
    this.#said = '';
    this.#thought = '';
  }

  #keep(kind: string, value: unknown): void {
    this.#builder.keep(this.#builder.entry, kind, value, this.#details.time);
  }
}

function nameOf({ name, inlineReference }: Fields): string {
  const reference = fields(inlineReference);
  const path = text(reference.path) ?? text(fields(reference.uri).path) ?? '';
  return text(name) ?? text(reference.name) ?? path.replace(/^.*\//, '');
}

/** What a person saw of a call whose result was not stored. */
function shown({ resultDetails, pastTenseMessage, invocationMessage }: Fields): string {
  const output = objects(fields(resultDetails).output).map(({ value }) => asText(value));
  if (output.length > 0) return output.join('\n');
  const words = [pastTenseMessage, invocationMessage].map((said) => text(said) ?? text(fields(said).value));
  return words.find((said) => said !== undefined) ?? '';
}
