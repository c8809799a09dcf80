import { randomUUID } from 'node:crypto';
import { messageOf } from '../../core/text.js';
import { MAX_RECORDING, RecordingFiles, type Growth } from '../servers/recordingFiles.js';
import { AnswerPieces } from './answerPieces.js';
import { ConversationTracker, type Turn } from './conversationTracker.js';
import { EchoedKeys } from './echoedKeys.js';
import {
  MAX_COPY,
  type AnswerBytes,
  type AnsweredExchange,
  type ProxiedRequest,
  type ExchangeSink,
  type SentBody,
} from './exchanges.js';
import { RepeatFinder } from './repeatFinder.js';
import { readSent, type ReadBody } from './sentBody.js';
import { withoutKeys, type RecordableBody } from './withoutKeys.js';

/** What a recorder is given. */
export interface ExchangeRecorderOptions {
  /** The folder of the recordings. */
  readonly folder: string;
  /** Hears of every recording that grew. */
  readonly onGrown: (growth: Growth) => void;
  /** Hears of what went wrong, in words. */
  readonly onProblem: (words: string) => void;
}

/** What was asked: the conversation that it was taken for, and whether it stands in the recording. */
interface Asking {
  readonly turn: Turn;
  readonly isAdded: Promise<boolean>;
  readonly pieces: AnswerPieces;
  isOver: boolean;
}

/**
 * Records requests to models with their answers, a file for each conversation: which one a request belongs to, what of it
 * was sent before, and what of it is a key for other servers and is not kept.
 */
export class ExchangeRecorder implements ExchangeSink {
  readonly #onProblem: (words: string) => void;
  readonly #files: RecordingFiles;
  readonly #tracker = new ConversationTracker();
  readonly #repeats = new RepeatFinder();
  /** Conversations of two recorders are never one. */
  readonly #id = randomUUID();
  readonly #keys = new EchoedKeys();
  /** The requests that wait for their answers. */
  readonly #asking = new Map<string, Asking>();
  /** Settles when what came last was read. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ folder, onGrown, onProblem }: ExchangeRecorderOptions) {
    this.#onProblem = onProblem;
    this.#files = new RecordingFiles({
      folder,
      extension: '.exchanges.jsonl',
      maxBytes: MAX_RECORDING,
      onGrown,
    });
  }

  /** Records a request at once: its answer may take minutes. */
  async asked({ id, body, url, start, isRetry, keys }: ProxiedRequest): Promise<void> {
    this.#keys.add(keys);
    const asking = await this.#inTurn(body, (question) => {
      const turn = this.#tracker.begin({ body: question.value, isRetry });
      const { value, count } = this.#withoutKeys(question.value, (clean) => this.#keys.withoutOwn(clean));
      const { request, repeats } = this.#repeats.take(turn.conversation, id, value);
      const isAdded = this.#add(turn, {
        exchange: id,
        url,
        startTime: new Date(start).toISOString(),
        ...leftOutIn('request', question, count),
        ...(repeats && { repeats }),
        request: request ?? null,
        response: null,
      });
      const begun: Asking = { turn, isAdded, pieces: new AnswerPieces(this.#keys), isOver: false };
      this.#asking.set(id, begun);
      return begun;
    });
    if (!(await asking.isAdded)) this.#repeats.forget(asking.turn.conversation);
  }

  async answered({ id, body, status, end, failure }: AnsweredExchange): Promise<void> {
    const { answer, asked } = await this.#inTurn(body, (read) => {
      const asking = this.#asking.get(id);
      this.#asking.delete(id);
      if (asking) asking.isOver = true;
      asking?.pieces.end();
      asking?.turn.end({ isFailed: failure !== '' || (status ?? 500) >= 400, answer: read.value });
      return { answer: read, asked: asking };
    });
    // Without its request an answer says nothing.
    if (!asked || !(await asked.isAdded)) return;
    const { value, count } = this.#withoutKeys(answer.value, (clean) => this.#keys.inAnswer(clean));
    const { value: why } = this.#keys.without(failure);
    await this.#add(asked.turn, {
      exchange: id,
      status: status ?? 0,
      endTime: new Date(end).toISOString(),
      ...(why !== '' && { failure: why }),
      ...leftOutIn('answer', answer, count),
      response: value === '' && why !== '' ? { error: { message: why } } : (value ?? null),
    });
  }

  /** Records what came of an answer that is on its way: what follows it replaces it, and nothing may follow. */
  async passing({ id, bytes, encoding }: AnswerBytes): Promise<void> {
    await this.#last;
    const asking = this.#asking.get(id);
    if (!asking || !(await asking.isAdded)) return;
    for (const piece of await asking.pieces.take(bytes, encoding)) {
      if (asking.isOver) return;
      await this.#add(asking.turn, { exchange: id, piece });
    }
  }

  /** A body without the keys that it carries for other servers, and without those that requests came with. */
  #withoutKeys(body: unknown, withoutEchoes: (value: unknown) => RecordableBody): RecordableBody {
    const clean = withoutKeys(body);
    const { value, count } = withoutEchoes(clean.value);
    return { value, count: clean.count + count };
  }

  /** Resolves when all that was given is on the disk. */
  async settled(): Promise<void> {
    await this.#last;
    await this.#files.settled();
  }

  /**
   * Reads a body, and goes on with what it says in the order in which they came: a request that follows an answer may go on
   * with what was said in it, however long that takes to be unpacked.
   */
  #inTurn<T>(body: SentBody, goOn: (read: ReadBody) => T): Promise<T> {
    const reading = readSent(body, MAX_COPY);
    const done = this.#last.then(async () => goOn(await reading));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Adds a line to the recording of a conversation; tells whether it is there. Never rejects. */
  async #add({ conversation }: Turn, line: Readonly<Record<string, unknown>>): Promise<boolean> {
    try {
      const isAdded = await this.#files.add(`${this.#id} ${conversation}`, [JSON.stringify(line)]);
      if (!isAdded) this.#onProblem('A recording is full; a request was passed on without being recorded.');
      return isAdded;
    } catch (error) {
      this.#onProblem(`A request was passed on but cannot be recorded: ${messageOf(error)}`);
      return false;
    }
  }
}

/** What a line says of a body that is not there, or not whole. */
function leftOutIn(what: string, { problem }: ReadBody, keys: number): { readonly leftOut?: string } {
  const told = keys === 0 ? '' : `${keys} ${keys === 1 ? 'key was' : 'keys were'} not kept.`;
  const words = [problem, told].filter((each) => each !== '').join(' ');
  return words === '' ? {} : { leftOut: `${what}: ${words}` };
}
