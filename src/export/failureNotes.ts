import { STOPPED_WORDS } from '../core/cancelled.js';
import { isObject } from '../core/message.js';
import { isFailedRecord } from '../query/numbers/failures.js';
import type { UntypedMessage } from '../query/numbers/transcriptItem.js';

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Requests of a call that failed, until it is known whether an error tells of the same failure. */
interface BufferedRequests {
  readonly call: unknown;
  readonly requests: UntypedMessage[];
}

/**
 * The notes of a failing model, which requests, an error and the end of their call tell of: what they say alike is said
 * once, by the last of them, with the number of requests.
 */
export class FailureNotes {
  #held: BufferedRequests | undefined;
  /** The words of the last error of each call that has not ended. */
  readonly #said = new Map<unknown, string>();

  /** The notes of a record that tells of a failing model; undefined where it tells of none. */
  of(record: UntypedMessage): readonly RecordNote[] | undefined {
    const isFailing = isObject(record.error) || words(record.superseded) !== '';
    if (record.type === 'request') return isFailing ? this.#request(record) : undefined;
    if (record.type === 'error') return this.#error(record);
    return undefined;
  }

  /** What has to be said before a record or a message of another kind. */
  before(record: UntypedMessage | undefined): readonly RecordNote[] {
    // What had come of the answer stands between the request and the error.
    const isBroken = record?.type === 'message' && record.partial === 'error';
    return isBroken && this.#held?.call === record.call ? [] : this.rest();
  }

  /** The requests that no error has told of. */
  rest(): readonly RecordNote[] {
    const { requests } = this.#held ?? { requests: [] };
    this.#held = undefined;
    return requestNotes(requests);
  }

  /** Why a call ended, unless its error has just said so. */
  endingOf({ call, outcome, reason }: UntypedMessage): string {
    const said = this.#said.get(call);
    this.#said.delete(call);
    const why = words(reason);
    // Whoever stops a run knows why it ended; the words for that say no more than its outcome.
    return why === said || (outcome === 'cancelled' && why === STOPPED_WORDS) ? '' : why;
  }

  #request(record: UntypedMessage): readonly RecordNote[] {
    const before = this.#held?.call === record.call ? [] : this.rest();
    this.#held ??= { call: record.call, requests: [] };
    this.#held.requests.push(record);
    return before;
  }

  #error(record: UntypedMessage): readonly RecordNote[] {
    const isSame = this.#held?.call === record.call;
    const before = isSame ? [] : this.rest();
    const requests = this.#held?.requests ?? [];
    this.#held = undefined;
    const said = failureWords(record.error);
    if (isObject(record.error)) this.#said.set(record.call, words(record.error.message));
    const alike = requests.filter(({ error }) => failureWords(error) === said);
    const others = requests.filter((each) => !alike.includes(each));
    const last = alike.at(-1);
    const line = isFailedRecord(record) ? `Error (${words(record.where)}): ${said}` : 'Stopped';
    const facts = [words(last?.model), alike.length > 1 ? `${alike.length} requests` : ''];
    const text = alike.map(({ superseded }) => words(superseded)).filter((each) => each !== '');
    return [
      ...before,
      ...requestNotes(others),
      {
        line: [line, ...facts.filter((each) => each !== '')].join(' · '),
        text: text.join('\n\n'),
        label: 'What had come',
        isError: isFailedRecord(record),
      },
    ];
  }
}

/** The notes of failed requests: those that say the same are one. */
function requestNotes(requests: readonly UntypedMessage[]): readonly RecordNote[] {
  const bySaid = new Map<string, UntypedMessage[]>();
  for (const request of requests) {
    const said = failureWords(request.error);
    bySaid.set(said, [...(bySaid.get(said) ?? []), request]);
  }
  return [...bySaid].map(([said, alike]) => {
    const attempts = alike.flatMap(({ attempt }) => (typeof attempt === 'number' ? [attempt] : []));
    const which = attempts.length > 1 ? `attempts ${attempts.join(', ')}` : `attempt ${attempts[0]}`;
    const facts = [words(alike.at(-1)?.model), attempts.length > 0 ? which : ''];
    const isStop = !alike.some((each) => isFailedRecord(each));
    return {
      line: [
        isStop ? 'A request was stopped' : `A request failed: ${said}`,
        ...facts.filter((each) => each !== ''),
      ].join(' · '),
      text: alike
        .map(({ superseded }) => words(superseded))
        .filter((each) => each !== '')
        .join('\n\n'),
      label: 'What had come',
      isError: !isStop,
    };
  });
}

function failureWords(error: unknown): string {
  if (!isObject(error)) return 'no words were given';
  const [message, code] = [words(error.message), words(error.code)];
  return message === '' ? code || 'no words were given' : code === '' ? message : `${message} (${code})`;
}

/** What a record that carries no message tells a reader of a full export. */
export interface RecordNote {
  /** One line, plain text. */
  readonly line: string;
  /** A longer text that belongs to it, as it was written; what it is called is `label`. */
  readonly text?: string | undefined;
  readonly label?: string | undefined;
  readonly isError: boolean;
}
