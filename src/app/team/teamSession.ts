import { checkOptions } from '../../core/checkOptions.js';
import { codedError } from '../../core/errorCode.js';
import type { AgentDefinition } from '../../core/agent.js';
import type { ChatMessage } from '../../core/message.js';
import type { LogRecord } from '../../core/record.js';
import { MessageQuery } from '../../export/messageQuery.js';
import type { Journal } from '../../core/ports/journal.js';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import { Recorder, type RecorderOptions } from '../../core/record/recorder.js';
import { AgentSession, type RunResult } from '../../agents/loop/agentSession.js';
import type { MessageLog, RuntimeConfig } from '../../agents/loop/runtimeConfig.js';
import { RunStop } from '../../agents/loop/runScope.js';

/** What a session is made of. */
export interface TeamSessionOptions extends RecorderOptions {
  readonly agent: AgentDefinition;
  readonly tokenCounter?: TokenCounter | undefined;
  /** Opens the conversation's journal; absent where nothing is stored. */
  readonly openJournal?: (() => Promise<Journal>) | undefined;
  readonly configFor: (messageLog: MessageLog) => RuntimeConfig;
}

/** A conversation with one agent of a team; runs follow one another, and the agent knows what was said before. */
export class TeamSession {
  readonly conversation: string;
  readonly agent: AgentDefinition;
  /**
   * Everything that was said so far in this conversation, by all of its agents. A query reads it afresh each time, so
   * that one property serves before, during and after a run. Tokens are counted by the team's own counter, else by
   * the encoding of the agent's model.
   */
  readonly messages: MessageQuery<LogRecord>;
  readonly #session: AgentSession;
  readonly #recorder: Recorder;
  readonly #openJournal: (() => Promise<Journal>) | undefined;
  readonly #closing = new AbortController();
  #journal: Promise<Journal> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ agent, tokenCounter, openJournal, configFor, ...recording }: TeamSessionOptions) {
    const records: LogRecord[] = [];
    this.conversation = recording.conversation;
    this.agent = agent;
    this.messages = new MessageQuery(records, { tokenCounter });
    this.#recorder = new Recorder(recording);
    this.#recorder.onDidRecord((record) => records.push(record));
    this.#openJournal = openJournal;
    this.#session = new AgentSession(this.conversation, agent, configFor(this.#recorder));
  }

  /**
   * Runs one prompt to its end, after the runs asked for before. A failure of a model or a tool is an `outcome`; rejects
   * only where nothing can be recorded: the session is closed, or its journal cannot be opened.
   */
  async run(prompt: string, options: { readonly signal?: AbortSignal } = {}): Promise<RunResult> {
    checkOptions(options, { signal: 'object' }, 'session.run');
    if (this.#closing.signal.aborted)
      throw codedError(Error, `The session ${this.conversation} is closed.`, 'SESSION_CLOSED');
    await (this.#journal ??= this.#openJournal?.().then((journal) => this.#keepIn(journal)));
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    const run = this.#session.run(prompt, { signal });
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** The messages of the person, the agent and its tools, without those of agents that it called. */
  history(): readonly ChatMessage[] {
    return this.#session.get();
  }

  /** Stops what runs and writes the rest; resolves when the conversation is durable and free for others. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
    await (await this.#journal)?.close();
    this.#recorder.dispose();
  }

  #keepIn(journal: Journal): Journal {
    this.#recorder.onDidRecord((record) => journal.append(record));
    this.#recorder.onDidSay((piece) => journal.say?.(piece));
    journal.onDidChange(({ full }) => {
      if (full === true) this.#closing.abort(storeIsFull());
    });
    return journal;
  }
}

function storeIsFull(): RunStop {
  return new RunStop('store', 'Too many messages wait in memory, because the store cannot be written.');
}
