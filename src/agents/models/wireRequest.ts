import type { ModelRequest, ToolSpec } from '../../core/ports/model.js';
import { bytesOfMessages, PLAIN_HISTORY, type HistoryOptions } from './wireHistory.js';

const toolTexts = new WeakMap<readonly ToolSpec[], string>();

/** Keys that some endpoints refuse; they are then left out. */
export const optionalKeys = ['stream_options', 'reasoning_effort'] as const;
/** A key that is left out of requests once an endpoint refuses it. */
export type OptionalKey = (typeof optionalKeys)[number];

/** What goes into the body besides the request. */
export interface BodyOptions {
  readonly model: string;
  /** Keys that are sent as they are, replacing ours. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  readonly without: ReadonlySet<OptionalKey>;
  /** How the history is written; absent: `PLAIN_HISTORY`. */
  readonly history?: HistoryOptions;
}

/** The JSON body of a streaming chat completion, in UTF-8; messages serialized before are not serialized again. */
export function bodyOf(
  request: ModelRequest,
  { model, extraBody, without, history = PLAIN_HISTORY }: BodyOptions,
): Uint8Array<ArrayBuffer> {
  const keys = new Map<string, string>([
    ['model', JSON.stringify(model)],
    ['stream', 'true'],
    ['stream_options', '{"include_usage":true}'],
  ]);
  if (request.tools.length > 0) keys.set('tools', textOfTools(request.tools));
  if (request.effort !== undefined) keys.set('reasoning_effort', JSON.stringify(request.effort));
  for (const key of without) keys.delete(key);
  for (const [key, value] of Object.entries(extraBody ?? {})) {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined && key !== 'messages' && key !== 'stream') keys.set(key, text);
  }
  const rest = [...keys].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',');
  const messages = bytesOfMessages(request.messages, history);
  return Buffer.concat([Buffer.from(`{${rest},"messages":[`), messages, Buffer.from(']}')]);
}

function textOfTools(tools: readonly ToolSpec[]): string {
  let text = toolTexts.get(tools);
  if (text === undefined) {
    text = JSON.stringify(
      tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    );
    toolTexts.set(tools, text);
  }
  return text;
}
