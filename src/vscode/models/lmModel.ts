import * as vscode from 'vscode';
import { textOf, type ChatMessage } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { Usage } from '../../core/usage.js';
import type { Model, ModelEvent, ModelFailure, ModelRequest } from '../../ports/model.js';
import { toLmMessages } from './lmMessages.js';

const JUSTIFICATION = 'An agent of your team asks this model.';

/** A model of VS Code (Copilot's or any other extension's). It tells no usage: tokens are counted and marked estimated. */
export class LmModel implements Model {
  readonly kind = 'vscode';
  readonly id: string;
  readonly label: string;
  readonly endpoint: string;
  readonly #chat: vscode.LanguageModelChat;
  readonly #counts = new WeakMap<ChatMessage, number>();

  constructor(chat: vscode.LanguageModelChat) {
    this.#chat = chat;
    this.id = `${chat.vendor}/${chat.id}`;
    this.label = chat.name;
    this.endpoint = chat.vendor;
  }

  async *stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const source = new vscode.CancellationTokenSource();
    const cancel = () => source.cancel();
    request.signal.addEventListener('abort', cancel, { once: true });
    try {
      const response = await this.#chat.sendRequest(
        toLmMessages(request.messages),
        optionsOf(request),
        source.token,
      );
      yield* this.#events(response, request, source.token);
    } catch (error) {
      yield { type: 'error', error: failureOf(error) };
    } finally {
      request.signal.removeEventListener('abort', cancel);
      source.dispose();
    }
  }

  async *#events(
    response: vscode.LanguageModelChatResponse,
    request: ModelRequest,
    token: vscode.CancellationToken,
  ): AsyncIterable<ModelEvent> {
    let said = '';
    let calls = 0;
    for await (const part of untilCancelled(response.stream, request.signal)) {
      if (part instanceof vscode.LanguageModelTextPart) {
        said += part.value;
        yield { type: 'text', text: part.value };
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        const input = JSON.stringify(part.input);
        said += input;
        yield { type: 'toolCall', index: calls++, id: part.callId, name: part.name, arguments: input };
      }
    }
    yield { type: 'usage', usage: await this.#usage(request.messages, said, token) };
    yield { type: 'end', finishReason: calls > 0 ? 'tool_calls' : 'stop' };
  }

  async #usage(
    messages: readonly ChatMessage[],
    said: string,
    token: vscode.CancellationToken,
  ): Promise<Usage> {
    let inputTokens = 0;
    for (const message of messages) {
      const known =
        this.#counts.get(message) ?? (await this.#chat.countTokens(textOf(message.content), token));
      this.#counts.set(message, known);
      inputTokens += known;
    }
    return { inputTokens, outputTokens: await this.#chat.countTokens(said, token), estimated: true };
  }
}

function optionsOf(request: ModelRequest): vscode.LanguageModelChatRequestOptions {
  if (request.tools.length === 0) return { justification: JUSTIFICATION };
  const tools = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    inputSchema: parameters,
  }));
  return { justification: JUSTIFICATION, tools };
}

/** VS Code's stream goes on after a cancel until the provider returns; a reader that was cancelled does not wait. */
async function* untilCancelled<T>(stream: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  const iterator = stream[Symbol.asyncIterator]();
  const cancelled = new Promise<never>((_, reject) => {
    const stop = () => reject(new vscode.CancellationError());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  cancelled.catch(() => undefined); // It is also raced below; here it must not count as unhandled.
  for (;;) {
    const next = await Promise.race([iterator.next(), cancelled]);
    if (next.done === true) return;
    yield next.value;
  }
}

function failureOf(error: unknown): ModelFailure {
  if (error instanceof vscode.CancellationError) {
    return { code: 'cancelled', message: 'The request was cancelled.', retryable: false };
  }
  const message = messageOf(error);
  if (!(error instanceof vscode.LanguageModelError)) return { code: 'model', message, retryable: false };
  const words: Readonly<Record<string, string>> = {
    NoPermissions:
      'You have not allowed Agent Logbook to use this model. Run again and allow it when VS Code asks.',
    Blocked: 'The model refused the request (quota used up, or the content was blocked).',
    NotFound: 'This model is not there any more. Choose another one with "Select Model…".',
  };
  const known = words[error.code];
  return { code: error.code, message: known ? `${known} ${message}` : message, retryable: false };
}
