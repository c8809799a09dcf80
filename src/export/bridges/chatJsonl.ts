import { compactJson } from '../../query/numbers/jsonText.js';
import { callOf, type AboutTranscript, type BridgeWriter, type Loses, BufferedCalls } from './bridge.js';
import type { TakenRecord } from './takenRecord.js';

/**
 * Messages of chat completions, as they were sent: a line for each conversation with a model, which is `{"messages": […]}`, as
 * files for fine-tuning are. The first line is of the entry agent, the others of the calls that were dispatched.
 */
export class ChatJsonlWriter implements BridgeWriter {
  readonly #calls = new BufferedCalls();
  readonly #begun = new Set<string>();

  add(record: TakenRecord): string {
    if (!record.isMessage) return '';
    const call = callOf(record.record);
    const before = this.#begun.has(call) ? ',' : '{"messages":[';
    this.#begun.add(call);
    return this.#calls.add(call, before + compactJson(record.take(['message'])));
  }

  end(): string {
    return this.#calls.end(() => ']}\n');
  }
}

/**
 * A line for each request to a model: what was sent, as far as it stands in the record, and the answer as the last message.
 * What was said after the last answer of a call stands in no request.
 */
export class RequestJsonlWriter implements BridgeWriter {
  readonly #loses: Loses;
  /** What was said so far in each call. */
  readonly #said = new Map<string, { text: string; unsent: number }>();

  constructor({ loses }: AboutTranscript) {
    this.#loses = loses;
  }

  add(record: TakenRecord): string {
    if (!record.isMessage) return '';
    const call = callOf(record.record);
    const said = this.#said.get(call) ?? { text: '', unsent: 0 };
    this.#said.set(call, said);
    said.text += `${said.text === '' ? '' : ','}${compactJson(record.take(['message']))}`;
    said.unsent++;
    if (record.get(['message', 'role']) !== 'assistant') return '';
    said.unsent = 0;
    const model = record.take(['model']);
    const named = typeof model === 'string' ? `"model":${JSON.stringify(model)},` : '';
    return `{${named}"messages":[${said.text}]}\n`;
  }

  end(): string {
    for (const { unsent } of this.#said.values()) this.#loses('message records', unsent);
    return '';
  }
}
