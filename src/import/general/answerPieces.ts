import { asText, fields, number, objects, text, type Fields } from '../reading/fields.js';

/** What arrived of an answer since the piece before, as a record of type `piece` has it. */
export interface AnswerPiece {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCall?: Readonly<{ index: number; id?: string; name?: string; arguments?: string }>;
  /** What arrived of an answer that is no stream, as it is. */
  readonly body?: string;
}

/** What one event of a streamed answer of a known API says, in order; empty for one that says nothing. */
export function piecesIn(event: Fields): readonly AnswerPiece[] {
  const type = text(event.type) ?? '';
  if (type.startsWith('content_block')) return messagePieces(event);
  if (type.startsWith('response.')) return responsePieces(type, event);
  const [choice] = objects(event.choices);
  if (choice) return deltaPieces(fields(choice.delta ?? choice.message), text(choice.text));
  const [candidate] = objects(event.candidates);
  if (candidate) return objects(fields(candidate.content).parts).flatMap(partPieces);
  return deltaPieces(fields(event.message), text(event.response), text(event.thinking));
}

/** Chat completions, and Ollama's messages. */
function deltaPieces(delta: Fields, whole?: string, thinking?: string): readonly AnswerPiece[] {
  const thought = text(delta.reasoning_content) ?? text(delta.reasoning) ?? text(delta.thinking) ?? thinking;
  return [
    ...reasoned(thought),
    ...spoken(text(delta.content) ?? text(delta.refusal) ?? whole),
    ...objects(delta.tool_calls).flatMap((call, at) => {
      const { name, arguments: input } = fields(call.function);
      return called(number(call.index) ?? at, { id: call.id, name, input });
    }),
  ];
}

/** Anthropic's blocks. */
function messagePieces({ index, content_block, delta }: Fields): readonly AnswerPiece[] {
  const { type, id, name, text: words, thinking } = fields(content_block);
  const more = fields(delta);
  if (type === 'tool_use') return called(number(index) ?? 0, { id, name });
  if (more.type === 'input_json_delta') return called(number(index) ?? 0, { input: more.partial_json });
  return [...reasoned(text(more.thinking) ?? text(thinking)), ...spoken(text(more.text) ?? text(words))];
}

/** The Responses API. */
function responsePieces(type: string, { delta, item, output_index }: Fields): readonly AnswerPiece[] {
  const index = number(output_index) ?? 0;
  const { type: kind, call_id, name } = fields(item);
  if (type === 'response.output_item.added' && text(kind)?.endsWith('_call') === true)
    return called(index, { id: call_id, name });
  if (!type.endsWith('.delta')) return [];
  if (type.startsWith('response.reasoning')) return reasoned(text(delta));
  if (/arguments|call_input/.test(type)) return called(index, { input: delta });
  return spoken(text(delta));
}

/** Gemini's parts. */
function partPieces({ text: words, thought, functionCall }: Fields, at: number): readonly AnswerPiece[] {
  const { id, name, args } = fields(functionCall);
  if (name !== undefined) return called(at, { id, name, input: args });
  return thought === true ? reasoned(text(words)) : spoken(text(words));
}

const spoken = (words: string | undefined) => (words ? [{ text: words }] : []);
const reasoned = (words: string | undefined) => (words ? [{ reasoning: words }] : []);

function called(index: number, { id, name, input }: Fields): readonly AnswerPiece[] {
  const words = input === undefined || input === null ? '' : asText(input);
  const toolCall = {
    index,
    ...(typeof id === 'string' && id !== '' && { id }),
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(words !== '' && { arguments: words }),
  };
  return Object.keys(toolCall).length > 1 ? [{ toolCall }] : [];
}

/** Why an answer is not whole of which only pieces are there. */
export const LAST_WORDS = 'The recording ended before the answer did.';

/** The pieces of an answer, put together as far as it came. */
export class LastWords {
  #said: Fields = {};
  readonly #calls = new Map<number, Record<string, string>>();
  #body = '';

  /** Takes a piece as it stands in a recording. */
  add(piece: Fields): void {
    const { text: words, reasoning, body } = piece;
    const { content, reasoning_content: thought } = this.#said;
    this.#body += asText(body ?? '');
    this.#said = {
      ...this.#said,
      ...(typeof words === 'string' && { content: `${asText(content ?? '')}${words}` }),
      ...(typeof reasoning === 'string' && { reasoning_content: `${asText(thought ?? '')}${reasoning}` }),
    };
    for (const { index, id, name, arguments: input } of objects([piece.toolCall])) {
      const known = this.#calls.get(number(index) ?? 0) ?? { arguments: '' };
      this.#calls.set(number(index) ?? 0, known);
      if (typeof id === 'string') known.id = id;
      if (typeof name === 'string') known.name = name;
      known.arguments = `${known.arguments ?? ''}${asText(input ?? '')}`;
    }
  }

  /** The body of an answer that says no more than this; undefined where nothing was said. */
  get answer(): unknown {
    if (this.#body !== '') return this.#body;
    if (this.#calls.size === 0 && Object.keys(this.#said).length === 0) return undefined;
    const calls = [...this.#calls].map(([at, { id, name, arguments: input }]) => ({
      id: id ?? `call ${at + 1}`,
      type: 'function',
      function: { name: name ?? '', arguments: input ?? '' },
    }));
    const message = {
      role: 'assistant',
      content: null,
      ...this.#said,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return { object: 'chat.completion', choices: [{ index: 0, message }] };
  }
}
