import { compactJson } from '../../query/numbers/jsonText.js';
import { answeredIdOf } from '../../query/numbers/transcriptItem.js';
import { isObject } from '../../core/message.js';
import { callOf, isoTime, type AboutTranscript, type BridgeWriter } from './bridge.js';
import { addressOf, knownParts, takeAnsweredId, takeCalls } from './messageParts.js';
import type { TakenRecord } from './takenRecord.js';

/** The version of Codex whose files these are. */
const VERSION = '0.100.0';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A rollout of Codex, which `codex resume` goes on with: what a person and the entry agent said, and the tools that it called.
 * Codex has instructions of its own, so that system prompts are not written; nor are thoughts, which it keeps encrypted.
 */
export class CodexSessionWriter implements BridgeWriter {
  readonly #about: AboutTranscript;
  #hasBegun = false;
  #isAnswering = false;
  /** Whether calls wait for a result, by their ids, so that a result without its call, which the API refuses, is not written. */
  readonly #called = new Map<string, boolean>();

  constructor(about: AboutTranscript) {
    this.#about = about;
  }

  add(record: TakenRecord): string {
    if (!record.isMessage || callOf(record.record) !== '') return '';
    const items = this.#itemsOf(record);
    if (items.length === 0) return '';
    // What a model says without a word between is one turn.
    const isAnswer = record.get(['message', 'role']) === 'assistant';
    if (isAnswer && this.#isAnswering) this.#about.loses('boundaries of messages');
    this.#isAnswering = isAnswer;
    const time = record.take(['time']);
    const lines = items.map((payload) => this.#line('response_item', payload, time)).join('');
    return this.#begin(time) + lines;
  }

  end(): string {
    return '';
  }

  #begin(time: unknown): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    const { id, folder } = this.#about.session;
    const about = { id, cwd: folder, ...isoTime(time) };
    const made = { originator: 'codex_cli_rs', cli_version: VERSION, source: 'cli' };
    return this.#line('session_meta', { ...about, ...made }, time);
  }

  #itemsOf(record: TakenRecord): readonly Fields[] {
    switch (record.get(['message', 'role'])) {
      case 'user':
        return messageOf(record, 'user', 'input_text');
      case 'assistant': {
        const said = messageOf(record, 'assistant', 'output_text');
        const calls = takeCalls(record, (id) => !this.#called.has(id)).map(({ id, name, at }) => {
          this.#called.set(id, true);
          const written = record.take([...at, 'function', 'arguments']);
          return {
            type: 'function_call',
            name,
            arguments: typeof written === 'string' ? written : '{}',
            call_id: id,
          };
        });
        if (calls.length > 0) record.take(['message', 'role']);
        return [...said, ...calls];
      }
      case 'tool': {
        const id = answeredIdOf(isObject(record.record.message) ? record.record.message : {});
        // A call has one answer.
        if (this.#called.get(id) !== true) return [];
        this.#called.set(id, false);
        record.take(['message', 'role']);
        takeAnsweredId(record);
        return [{ type: 'function_call_output', call_id: id, output: outputOf(record) }];
      }
      default:
        return [];
    }
  }

  #line(type: string, payload: Fields, time: unknown): string {
    return `${compactJson({ ...isoTime(time), type, payload })}\n`;
  }
}

function messageOf(record: TakenRecord, role: 'user' | 'assistant', type: string): readonly Fields[] {
  // Only what a person says has pictures there.
  const content = itemsIn(record, type, role === 'user');
  if (content.length === 0) return [];
  record.take(['message', 'role']);
  return [{ type: 'message', role, content }];
}

/** What a tool answered: a text, or texts and pictures. */
function outputOf(record: TakenRecord): string | readonly Fields[] {
  const content = record.get(['message', 'content']);
  if (Array.isArray(content)) return itemsIn(record, 'input_text', true);
  record.take(['message', 'content']);
  return typeof content === 'string' ? content : '';
}

/** The parts of a content, taken. */
function itemsIn(record: TakenRecord, type: string, hasPictures: boolean): readonly Fields[] {
  const items: Fields[] = [];
  for (const [part, at] of knownParts(record)) {
    const isText = part.kind === 'text';
    if (!isText && !hasPictures) continue;
    record.take(at);
    items.push(isText ? { type, text: part.text } : { type: 'input_image', image_url: addressOf(part) });
  }
  return items;
}
