import { editorSettings } from '../settings.js';
import * as vscode from 'vscode';
import { onAbort } from '../../../core/abort.js';
import { systemTimers } from '../../../core/timers.js';
import { DEFAULT_HTTP_LIMITS } from '../../../agents/models/httpLimits.js';
import type { Usage } from '../../../core/usage.js';
import type { Model, ModelEvent, ModelRequest } from '../../../core/ports/model.js';
import { lmFailure } from '../../../app/models/lmFailure.js';
import { toLmMessages, seesPictures, thinkingIn, usageInPart } from './lmMessages.js';
import { limitSetting } from '../../../app/ports/runLimits.js';
import { LmTokens, readParts } from '../../../app/models/readParts.js';

const JUSTIFICATION = 'An agent of your team asks this model.';

/**
 * How long a model may at least be silent, because it may be thinking: the same time as for endpoints. It is not less
 * within an answer, because VS Code gives a tool call only when all of it is written, and sends no sign of life.
 */
const LEAST_IDLE_MS = DEFAULT_HTTP_LIMITS.firstByteMs;

/**
 * A model of VS Code (Copilot's or any other extension's). Where it does not report its usage, as few do, tokens are
 * counted and marked as estimated.
 */
export class LmModel implements Model {
  readonly kind = 'vscode';
  readonly id: string;
  readonly label: string;
  readonly endpoint: string;
  readonly #chat: vscode.LanguageModelChat;
  readonly #tokens: LmTokens;

  constructor(chat: vscode.LanguageModelChat) {
    this.#chat = chat;
    this.#tokens = new LmTokens((text) => chat.countTokens(text), systemTimers);
    this.id = `${chat.vendor}/${chat.id}`;
    this.label = chat.name;
    this.endpoint = chat.vendor;
  }

  async *stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const source = new vscode.CancellationTokenSource();
    const leave = onAbort(request.signal, () => source.cancel());
    try {
      const messages = toLmMessages(request.messages, seesPictures(this.#chat));
      const response = await this.#chat.sendRequest(messages, optionsOf(request), source.token);
      yield* this.#events(response, request);
    } catch (error) {
      const cancelled = request.signal.aborted || error instanceof vscode.CancellationError;
      yield { type: 'error', error: cancelled ? CANCELLED : lmFailure(error) };
    } finally {
      leave();
      // Also reached when the consumer stops reading early.
      source.cancel();
      source.dispose();
    }
  }

  async *#events(
    response: vscode.LanguageModelChatResponse,
    { messages, signal }: ModelRequest,
  ): AsyncIterable<ModelEvent> {
    let said = '';
    let calls = 0;
    let told: Usage | undefined;
    const idleMs = Math.max(LEAST_IDLE_MS, limitSetting(editorSettings, 'limits.maxSilenceSeconds') * 1000);
    for await (const part of readParts(response.stream, { signal, idleMs, timers: systemTimers })) {
      if (part instanceof vscode.LanguageModelTextPart) {
        said += part.value;
        yield { type: 'text', text: part.value };
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        const input = JSON.stringify(part.input);
        said += input;
        yield { type: 'toolCall', index: calls++, id: part.callId, name: part.name, arguments: input };
      } else {
        const thought = thinkingIn(part);
        if (thought !== '') yield { type: 'reasoning', text: thought };
        told = usageInPart(part) ?? told;
      }
    }
    if (signal.aborted) {
      yield { type: 'error', error: CANCELLED };
      return;
    }
    yield { type: 'usage', usage: told ?? (await this.#tokens.usage(messages, said)) };
    yield { type: 'end', finishReason: calls > 0 ? 'tool_calls' : 'stop' };
  }
}

const CANCELLED = { code: 'cancelled', message: 'The request was cancelled.', retryable: false } as const;

function optionsOf(request: ModelRequest): vscode.LanguageModelChatRequestOptions {
  if (request.tools.length === 0) return { justification: JUSTIFICATION };
  const tools = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    inputSchema: parameters,
  }));
  return { justification: JUSTIFICATION, tools };
}
