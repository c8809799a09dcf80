import { endOfWord, type CallEnd } from '../../messages/callEnd.js';
import type { Draft } from '../../building/conversationBuilder.js';
import { fields, number, objects, type Fields } from '../../reading/fields.js';

/** What a line with the result of a call says of its end besides the result: how it was stopped, or that it only began. */
export function endOfLine({ toolUseResult: given, toolDenialKind: kind }: Fields): CallEnd | undefined {
  if (kind === 'interrupted' || kind === 'cancelled') return 'cancelled';
  if (typeof given === 'string')
    return /^(?:Error: |InputValidationError)/.test(given) ? 'failed' : undefined;
  const { interrupted, timedOutAfterMs, isAsync, status } = fields(given);
  if (number(timedOutAfterMs) !== undefined) return 'timedOut';
  if (interrupted === true) return 'cancelled';
  return isAsync === true || status === 'async_launched' ? 'open' : undefined;
}

const NOTICE = /<task-notification>([^]*?)<\/task-notification>/g;

/** Calls whose agents or commands go on behind them, until a notification says how these ended. */
export class BackgroundCalls {
  readonly #open = new Map<string, Draft>();

  /** Notes the result that only says that something began. */
  begun(id: string, draft: Draft): void {
    this.#open.set(id, draft);
  }

  /** Reads what the program says in a message; a call that is over is open no more. */
  heard(words: unknown): void {
    if (this.#open.size === 0 || typeof words !== 'string') return;
    for (const [, notice = ''] of words.matchAll(NOTICE)) {
      const id = /<tool-use-id>([^<]*)</.exec(notice)?.[1]?.trim() ?? '';
      const end = endOfWord(/<status>([^<]*)</.exec(notice)?.[1]?.trim());
      const draft = this.#open.get(id);
      if (!draft || end === undefined || end === 'open') continue;
      this.#open.delete(id);
      const { body } = draft;
      delete body.state;
      if (end === 'cancelled') body.state = end;
      if (end === 'failed') body.isError = true;
    }
  }

  /** Reads a line that may tell of the end of one. */
  line({ message, attachment, content }: Fields): void {
    if (this.#open.size === 0) return;
    const said = fields(message).content ?? fields(attachment).prompt ?? content;
    if (typeof said === 'string') this.heard(said);
    else for (const part of objects(said)) this.heard(part.text);
  }
}
