import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileSessions } from '../../app/sources/fileSessions.js';
import type { NamedSession } from '../../app/sources/namedSessions.js';
import { LATEST } from '../../app/sources/foundByName.js';
import { UserError } from '../../app/userError.js';
import { delay, systemTimers } from '../../core/timers.js';
import type { ReadRecord, Transcript } from '../../ports/transcript.js';
import { restoreTexts } from '../../store/read/restoreTexts.js';
import type { Call } from '../call.js';
import { MessageWriter } from '../messageWriter.js';

/** How often a session is looked at, in milliseconds. */
const POLL_MS = 500;
/** How many messages from before are shown, where nothing else is said. */
const USUAL_LAST = 10;
/** How many records are read at once. */
const PAGE = 200;

/** Shows the end of a session, and what comes to it until the person interrupts. */
export async function follow(call: Call): Promise<void> {
  const names = call.words.length > 0 ? call.words : [LATEST];
  if (names.includes('-'))
    throw new UserError('Standard input cannot be followed; name the file, or write show - instead.');
  const following = new Following(call);
  await call.withOne(names, async (session) => {
    await following.begin(session);
    if (session.kind === 'stored') await followStored(call, session, following);
  });
  await followFile(call, following.where, following);
}

/** What was shown of a session so far, and what is behind it. */
class Following {
  readonly #call: Call;
  readonly #writer: MessageWriter;
  /** How many records were shown or left out, and the id of the last of them. */
  #shown = 0;
  #lastId: unknown;
  id = '';
  where = '';

  constructor(call: Call) {
    this.#call = call;
    this.#writer = new MessageWriter(call.out, call.has('full'));
  }

  /** Shows the last messages that there are. */
  async begin(session: NamedSession): Promise<void> {
    this.id = session.id;
    this.where = session.where;
    const transcript = await session.open();
    this.#shown = await startOf(transcript, this.#call.number('last') ?? USUAL_LAST);
    await this.more(transcript);
  }

  /** Shows what has come. */
  async more(transcript: Transcript): Promise<void> {
    const { out, signal } = this.#call;
    if (!(await this.#continues(transcript))) {
      await out.note('The session was written anew; it follows from its beginning.');
      this.#shown = 0;
    }
    while (this.#shown < transcript.length) {
      signal.throwIfAborted();
      const records = await transcript.read(this.#shown, Math.min(this.#shown + PAGE, transcript.length));
      if (records.length === 0) break;
      for (const record of records) {
        await this.#show((await restoreTexts(record, transcript)).record);
        this.#lastId = record.id;
        this.#shown++;
      }
    }
    await out.flush();
  }

  /** Whether what was shown still stands there. */
  async #continues(transcript: Transcript): Promise<boolean> {
    if (this.#shown === 0 || this.#lastId === undefined) return true;
    const [last] = await transcript.read(this.#shown - 1, this.#shown);
    return last?.id === this.#lastId;
  }

  async #show(record: ReadRecord): Promise<void> {
    const { out } = this.#call;
    if (out.isJson) await out.tell('record', { session: this.id, position: this.#shown, record });
    else await this.#writer.write(record);
  }
}

/** The position from which on a transcript has so many messages. */
async function startOf(transcript: Transcript, last: number): Promise<number> {
  let left = last;
  for (let end = transcript.length; end > 0; end -= PAGE) {
    const from = Math.max(0, end - PAGE);
    const records = await transcript.read(from, end);
    for (let at = records.length - 1; at >= 0; at--) {
      if (left === 0) return from + at + 1;
      if (records[at]?.type === 'message') left--;
    }
  }
  return 0;
}

/** Follows a conversation that another process writes; ends only by an error or an interruption. */
async function followStored(call: Call, session: NamedSession, following: Following): Promise<never> {
  const transcript = await session.open();
  // Its journal is looked at as long as somebody listens.
  const grown = transcript.onDidGrow(() => undefined);
  try {
    for (;;) {
      await following.more(transcript);
      await delay(systemTimers, POLL_MS, call.signal);
      call.signal.throwIfAborted();
    }
  } finally {
    grown.dispose();
    await transcript.close();
  }
}

/** Follows a file of another tool: whenever it has changed it is read again, and what is new is shown. */
async function followFile(call: Call, name: string, following: Following): Promise<never> {
  const { signal, terminal } = call;
  const path = resolve(terminal.cwd, name);
  let before = await stampOf(path);
  for (;;) {
    await delay(systemTimers, POLL_MS, signal);
    signal.throwIfAborted();
    const now = await stampOf(path);
    if (now === before) continue;
    before = now;
    // While it is written, its last line may be there in part: what is wrong with it is told by whoever shows it later.
    const reading = { signal, onProblem: () => undefined };
    try {
      for await (const session of fileSessions(path, name, reading))
        if (session.id === following.id) await following.more(await session.open());
    } catch (error) {
      // It may be empty for a moment, as where it is written anew.
      if (!(error instanceof UserError)) throw error;
    }
  }
}

async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? `${found.size} ${found.mtimeMs} ${found.ino}` : '';
}
