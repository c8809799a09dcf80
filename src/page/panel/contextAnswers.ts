import { ContextUse, type CallWindow } from '../../query/numbers/context/contextUse.js';
import type { Facts } from '../../query/numbers/facts.js';
import { callsOf, rawArgumentsOf, resultNameOf } from '../../query/numbers/toolCalls.js';
import { answeredIdOf, envelopeOf, messageIn, roleOf } from '../../query/numbers/transcriptItem.js';
import { clipName, textOr } from '../../query/numbers/values.js';
import { textOf } from '../../core/message.js';
import { isMessageRecord } from '../../core/record.js';
import { t } from '../../core/l10n.js';
import { deedOf } from '../../query/numbers/deed.js';
import { firstCodePoints, preview, singleLine } from '../../core/text.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { PAGE_DROPPED, type DroppedMessage } from '../protocol/context.js';
import { MESSAGE_CHARACTERS } from '../protocol/protocol.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import { contextView } from './projection/contextView.js';
import type { AgentHues } from './rows/agentHues.js';

/** How many records are read at a time, and how many are added before others get their turn. */
const RECORDS_PER_READ = 1_600;
const RECORDS_PER_TURN = 400;
/** How long an answer waits for records that are still being read, in milliseconds: short transcripts need no second one. */
const PATIENCE_MS = 150;

/** What answers about contexts are made of. */
export interface ContextOptions {
  readonly transcript: Transcript;
  /** The facts of its records from a position up to, not including, another. */
  readonly facts: (start: number, end: number) => Promise<readonly Facts[]>;
  readonly hues: AgentHues;
  readonly onFailure: (error: unknown) => void;
}

/** The work for answers that is in progress. */
export interface ContextAnswering {
  /** Ends reading for contexts until they are asked about again. */
  leave(): void;
}

/**
 * Answers what a page asks about what filled its agents' windows. Nothing is read for it before the first question, which
 * then needs the facts of every record once; what a transcript gains later is added with the next question.
 */
export function answerContext(handlers: RequestHandlers, options: ContextOptions): ContextAnswering {
  const { transcript, hues } = options;
  const reading = new ContextReading(options);
  const { use } = reading;

  handlers.add('context', async (part) => {
    await reading.wait();
    const view = contextView(reading.windows(), hues, part);
    return { ...view, looked: use.records, records: lengthOf(transcript) };
  });
  handlers.add('dropped', async ({ window, compaction, start }) => {
    await reading.wait();
    const all = reading.windows()[window]?.window.droppedBy(compaction) ?? [];
    const page = all.slice(start, start + PAGE_DROPPED);
    const messages: DroppedMessage[] = [];
    for (const { position, tokens, tool, path } of page) {
      const [record] = await transcript.read(position, position + 1);
      if (!record) continue;
      const told = describe(record);
      // A result seldom names its tool: the call that it answers does.
      const of = told.tool === '' && tool !== '' ? `${tool} ${path}`.trim() : told.tool;
      messages.push({ ...told, tool: of, position, tokens });
    }
    const tokens = all.reduce((sum, each) => sum + each.tokens, 0);
    return { total: all.length, tokens, messages };
  });
  handlers.add('quote', async ({ positions }) => {
    const texts: string[] = [];
    const tools = new Map<string, string>();
    let room = MESSAGE_CHARACTERS;
    for (const position of positions) {
      const [record] = await transcript.read(position, position + 1);
      const text = record ? await quoted(record, transcript, tools) : '';
      if (text.length > room && texts.length > 0) break;
      texts.push(text.length > room ? `${firstCodePoints(text, room)}\n${t`[the rest does not fit]`}` : text);
      room -= text.length;
      if (room <= 0) break;
    }
    return { text: texts.join('\n\n'), rest: positions.length - texts.length };
  });
  return { leave: () => reading.stop() };
}

/** Reads a transcript into `ContextUse`, as long as somebody asks. */
class ContextReading {
  readonly use = new ContextUse();
  readonly #options: ContextOptions;
  #work: { readonly done: Promise<void>; readonly abort: AbortController } | undefined;

  constructor(options: ContextOptions) {
    this.#options = options;
  }

  /** Reads on; resolves when all was read, or after a moment. Rejects where reading failed. */
  async wait(): Promise<void> {
    const { transcript } = this.#options;
    if (this.use.records >= lengthOf(transcript)) return;
    if (!this.#work) {
      const abort = new AbortController();
      const done = this.#read(abort.signal).finally(() => (this.#work = undefined));
      // Whoever no longer waits is told in the log.
      done.catch((error: unknown) => this.#options.onFailure(error));
      this.#work = { done, abort };
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const moment = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
    await Promise.race([this.#work.done, moment]).finally(() => clearTimeout(timer));
  }

  /** The windows, of the last requests only what is sure: their numbers may stand in what has not been read yet. */
  windows(): readonly CallWindow[] {
    return this.use.windows(this.use.records >= lengthOf(this.#options.transcript));
  }

  stop(): void {
    this.#work?.abort.abort();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { transcript, facts } = this.#options;
    const isOver = () => signal.aborted;
    while (!isOver() && this.use.records < lengthOf(transcript)) {
      const start = this.use.records;
      const found = await facts(start, start + RECORDS_PER_READ);
      if (found.length === 0) return;
      for (let at = 0; at < found.length && !isOver(); at += RECORDS_PER_TURN) {
        await this.#add(found.slice(at, at + RECORDS_PER_TURN));
        await yieldToEventLoop();
      }
    }
  }

  /** Few records have to be read themselves. */
  async #add(found: readonly Facts[]): Promise<void> {
    const start = this.use.records;
    const records = new Map<number, unknown>();
    for (const [at, { describesWindow }] of found.entries()) {
      if (!describesWindow) continue;
      const [record] = await this.#options.transcript.read(start + at, start + at + 1);
      records.set(at, record);
    }
    for (const [at, facts] of found.entries()) this.use.addFacts(facts, () => records.get(at));
  }
}

/** How many records there are, also of those that nobody has read yet. */
function lengthOf({ length, expected = length }: Transcript): number {
  return expected;
}

function describe(record: ReadRecord): Omit<DroppedMessage, 'position' | 'tokens'> {
  const message = messageIn(record) ?? {};
  const calls = callsOf(message);
  const text = singleLine(textOf(message.content));
  const asked = calls
    .map(({ name, input }) => deedOf(name, input).headline || singleLine(rawArgumentsOf(input)))
    .join(' ');
  const tool =
    calls.length > 0 ? calls.map(({ name }) => name).join(', ') : resultNameOf(message, envelopeOf(record));
  const words = text !== '' ? text : asked !== '' ? asked : singleLine(textOr(message.reasoning_content));
  const role = messageIn(record) ? roleOf(message) : textOr(record.type);
  return {
    role: clipName(role),
    agent: clipName(record.agent),
    tool: clipName(tool),
    preview: preview(words),
  };
}

/**
 * What a message said, as it can be said again: whose it was, its whole text, and the arguments of its calls. `tools` are
 * those that the messages before it call, by the ids of their calls.
 */
async function quoted(
  record: ReadRecord,
  transcript: Transcript,
  tools: Map<string, string>,
): Promise<string> {
  const message = messageIn(record);
  if (!message) return '';
  const whole = async (field: string, text: string, index?: number): Promise<string> => {
    const ref = isMessageRecord(record)
      ? record.spill?.find((each) => each.field === field && each.index === index)
      : undefined;
    const kept = ref && (await transcript.readSpill(ref.path));
    return kept ?? text;
  };
  const said = await whole('content', textOf(message.content));
  const calls = await Promise.all(
    callsOf(message).map(
      async ({ name, input }, at) => `${name}(${await whole('arguments', rawArgumentsOf(input), at)})`,
    ),
  );
  for (const { id, name } of callsOf(message)) tools.set(id, name);
  const tool = tools.get(answeredIdOf(message)) ?? (resultNameOf(message, envelopeOf(record)) || 'a tool');
  const head =
    roleOf(message) === 'tool' ? t`[result of ${clipName(tool)}]` : `[${clipName(roleOf(message))}]`;
  return [head, said, ...calls].filter((text) => text !== '').join('\n');
}
