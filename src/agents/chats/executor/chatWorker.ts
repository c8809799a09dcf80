import { firstCodePoints, messageOf } from '../../../core/text.js';
import { visibleText } from '../../../core/visibleText.js';
import type { ConversationOutcome, ConversationRunner } from '../../../core/ports/conversationRunner.js';
import type { Frontend } from '../../../core/ports/frontend.js';
import type { IncomingMessage, ChatConnector } from '../../../core/ports/chatConnector.js';
import type { ChatState, InboxEntry, ConnectorStateData } from './connectorState.js';
import { commandOf, type ParsedCommand } from './chatCommands.js';
import { ChatOutbox, type OutboxContext } from './chatOutbox.js';
import * as texts from './chatTexts.js';
import { chunkAnswer } from './chunkText.js';
import { untilStopped } from '../networkFailure.js';

/** A frontend that reports to a chat; `idle` resolves when it has handed over all its lines. */
export type ChatFrontend = Frontend & { idle(): Promise<void> };

/** Makes the frontend for one message; it posts through `poster`, which keeps the order and never waits. */
export type MakeFrontend = (poster: Pick<ChatConnector, 'post'>, chat: string) => ChatFrontend;

/** What all workers of a session share. */
export interface WorkerContext extends OutboxContext {
  readonly runner: ConversationRunner;
  readonly makeFrontend: MakeFrontend;
  /** What is posted of a text. */
  readonly clean: (text: string) => string;
}

/** How long a cancelled run is waited for, in milliseconds. */
const STOP_MS = 5_000;
/** A message that was started this often without an end is assumed to be what crashes the process. */
const MAX_ATTEMPTS = 3;
const TOO_OLD_MS = 24 * 60 * 60_000;
/** Ten full messages are more than anybody reads in a chat. */
const MAX_CHUNKS = 10;
/** How much of the last answer can be repeated, in code points: ten full Telegram messages. */
const MAX_REMEMBERED = 40_960;

/** One chat: its messages are answered one at a time, in order, independently of other chats. */
export class ChatWorker {
  readonly #chat: string;
  readonly #context: WorkerContext;
  readonly #outbox: ChatOutbox;
  #working: Promise<void> | undefined;
  #run: AbortController | undefined;
  #refusing = false;

  constructor(chat: string, context: WorkerContext) {
    this.#chat = chat;
    this.#context = context;
    this.#outbox = new ChatOutbox(chat, context);
    for (const entry of context.memory.data.outbox.values()) {
      if (entry.chat === chat) this.#outbox.addRemembered(entry.key);
    }
  }

  /** The messages that are not answered yet, including the one being answered. */
  get unanswered(): readonly InboxEntry[] {
    return [...this.#context.memory.data.inbox.values()].filter(({ message }) => message.chat === this.#chat);
  }

  get #known(): ChatState | undefined {
    return this.#context.memory.data.chats.get(this.#chat);
  }

  /** Starts answering the messages that the memory's inbox has for this chat. */
  wake(): void {
    this.#working ??= this.#work();
  }

  /** An edit of the memory that merges `change` into what is remembered of this chat. */
  noting(change: ChatState): (data: ConnectorStateData) => void {
    return ({ chats }) => chats.set(this.#chat, { ...chats.get(this.#chat), ...change });
  }

  /** Posts a line that need not survive a restart. */
  say(line: string): void {
    this.#outbox.addLine(this.#context.clean(line));
  }

  /** Answers a message at once, ahead of those that wait. */
  reply(message: IncomingMessage, text: string): Promise<void> {
    return this.#finish(message, text);
  }

  /** Rejects a message because too many wait; says so only once until there is room again. */
  refuse(message: IncomingMessage): Promise<void> {
    const answer = this.#refusing ? undefined : texts.tooBusy(this.unanswered.length);
    this.#refusing = true;
    return this.#finish(message, answer);
  }

  /** Cancels the run, drops the waiting messages and says so. */
  stop(message: IncomingMessage): Promise<void> {
    const running = this.#run !== undefined;
    const waiting = this.unanswered.slice(running ? 1 : 0);
    this.#run?.abort();
    const answer = running || waiting.length > 0 ? texts.stopped(waiting.length) : texts.NOTHING_RUNS;
    return this.#finish(message, answer, ({ inbox, handled }) => {
      for (const { message: forgotten } of waiting) {
        inbox.delete(forgotten.id);
        handled.add(forgotten.id);
      }
    });
  }

  /** Resolves when nothing is left to do, or the rest is left for the next start. Never rejects. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
    await this.#outbox.idle();
  }

  async #work(): Promise<void> {
    await Promise.resolve();
    for (let [next] = this.unanswered; next && !this.#context.signal.aborted; [next] = this.unanswered) {
      const { message } = next;
      await this.#answer(next).catch((error: unknown) =>
        this.#finish(message, texts.runFailed(messageOf(error))),
      );
      this.#refusing = false;
    }
    this.#working = undefined;
  }

  async #answer(entry: InboxEntry): Promise<void> {
    const { message, attempts } = entry;
    const { clock, memory, signal } = this.#context;
    const command = commandOf(message);
    if (command) return this.#obey(message, command);
    if (message.text.trim() === '') return this.#finish(message, texts.TEXT_ONLY);
    if (clock.now() - message.time > TOO_OLD_MS) return this.#finish(message, texts.TOO_OLD);
    if (attempts >= MAX_ATTEMPTS) return this.#finish(message, texts.GAVE_UP);
    const run = new AbortController();
    this.#run = run;
    await memory.change(({ inbox }) => inbox.set(message.id, { message, attempts: attempts + 1 }));
    const outcome = await this.#runToEnd(message, AbortSignal.any([signal, run.signal])).finally(
      () => (this.#run = undefined),
    );
    if ('answer' in outcome) {
      const answer = outcome.answer.trim() === '' ? texts.EMPTY_ANSWER : visibleText(outcome.answer);
      const known = { conversation: outcome.conversation, answer: firstCodePoints(answer, MAX_REMEMBERED) };
      return this.#finish(message, answer, this.noting(known));
    }
    // A message cut short by a stop of the connector is answered after the next start.
    if (signal.aborted) return memory.change(({ inbox }) => inbox.set(message.id, entry));
    const { conversation, failure } = outcome;
    const goesNowhere = conversation === undefined && this.#known?.conversation !== undefined;
    const noting = this.noting(conversation === undefined ? {} : { conversation });
    const answer = run.signal.aborted ? undefined : texts.runFailed(failure, goesNowhere);
    return this.#finish(message, answer, noting);
  }

  async #runToEnd(message: IncomingMessage, signal: AbortSignal): Promise<ConversationOutcome> {
    const { makeFrontend, memory, runner, timers } = this.#context;
    let over = false;
    const poster = {
      // A line after the answer would only confuse.
      post: (_: string, line: string) => {
        if (!over) this.say(line);
        return Promise.resolve();
      },
    };
    const frontend = makeFrontend(poster, this.#chat);
    const known = this.#known;
    const conversation = message.conversation ?? known?.conversation;
    const run = async () =>
      runner.run({
        prompt: message.text,
        frontend,
        signal,
        onConversation: (id) => void memory.change(this.noting({ conversation: id })),
        ...(conversation !== undefined && { conversation }),
        ...(known?.agent !== undefined && { agent: known.agent }),
      });
    const ended = run().catch((error: unknown) => ({ failure: messageOf(error) }));
    const outcome = await untilStopped(ended, signal, timers, STOP_MS);
    await untilStopped(frontend.idle(), signal, timers, STOP_MS);
    over = true;
    return outcome ?? { failure: 'it did not end when it was told to stop' };
  }

  async #obey(message: IncomingMessage, { command, rest }: ParsedCommand): Promise<void> {
    const { runner } = this.#context;
    const { agent: current, answer } = this.#known ?? {};
    const beginWith = (agent: string | undefined) => (data: ConnectorStateData) => {
      const known = Object.entries(data.chats.get(this.#chat) ?? {});
      const kept = Object.fromEntries(known.filter(([what]) => what !== 'conversation'));
      data.chats.set(this.#chat, { ...kept, ...(agent !== undefined && { agent }) });
    };
    if (command === 'new') return this.#finish(message, texts.NEW_CONVERSATION, beginWith(current));
    if (command === 'again') return this.#finish(message, answer ?? texts.NO_ANSWER_YET);

    const names = await runner.agents();
    if (rest === '') return this.#finish(message, texts.agentChoice(current ?? names[0], names));
    const agent = names.find((name) => name.toLowerCase() === rest.toLowerCase());
    if (agent === undefined) return this.#finish(message, texts.unknownAgent(rest, names));
    return this.#finish(message, texts.agentChosen(agent), beginWith(agent));
  }

  /** Marks a message as handled and queues its answer, both in one change, then posts the answer. */
  async #finish(
    message: IncomingMessage,
    answer: string | undefined,
    also?: (data: ConnectorStateData) => void,
  ) {
    const { connector, clean, memory } = this.#context;
    // Before it is cut, because a secret may begin in one part and end in the next.
    const chunks =
      answer === undefined ? [] : chunkAnswer(clean(answer), connector.maxMessageLength, MAX_CHUNKS);
    const entries = chunks.map((text, n) => {
      return { key: `${message.id}#${n}`, chat: this.#chat, text, state: 'waiting', triedAt: 0 } as const;
    });
    await memory.change((data) => {
      data.inbox.delete(message.id);
      data.handled.add(message.id);
      for (const entry of entries) data.outbox.set(entry.key, entry);
      also?.(data);
    });
    for (const { key } of entries) this.#outbox.addRemembered(key);
  }
}
