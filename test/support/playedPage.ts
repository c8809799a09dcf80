import { guardedPatterns } from '../../src/node/patterns/guardedPatterns.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../src/node/patterns/timeGuard.js';
import { Emitter } from '../../src/core/event.js';
import { PanelSession, type PanelSessionOptions } from '../../src/page/panel/panelSession.js';
import { TranscriptSession, type TranscriptSessionOptions } from '../../src/page/panel/transcriptSession.js';
import type { LiveText } from '../../src/page/panel/ports.js';
import type { ApprovalAnswer, ApprovalPrompt } from '../../src/core/ports/approvals.js';
import { silentLog } from '../../src/core/ports/log.js';
import { RequestClient } from '../../src/page/protocol/requestClient.js';
import type { EventData, EventName } from '../../src/page/protocol/events.js';
import type { LiveState } from '../../src/page/protocol/panelState.js';
import { MemoryDrafts } from './memoryDrafts.js';
import { memoryNotes, MemoryNotes } from './memoryNotes.js';
import { memoryQuestions } from './memoryQuestions.js';
import type { MemoryTranscript } from './memoryTranscript.js';
import { scanMemory } from './scanMemory.js';

/** What the counter of a played page says of every message. */
export const TOKENS_EACH = 1_000;

/** A page without a browser: asks the host's real side, and keeps what it is told. */
export class PlayedPage {
  readonly client: RequestClient;
  readonly session: PanelSession;
  /** The side of the session that reads the transcript. */
  readonly reading: TranscriptSession;
  readonly heard: { readonly name: EventName; readonly data: unknown }[] = [];
  readonly strays: string[] = [];
  /** Sizes of the messages from the host, in characters of JSON. */
  readonly sizes: number[] = [];
  readonly done: string[] = [];
  readonly answers: { id: string; answer: ApprovalAnswer }[] = [];
  readonly questions = memoryQuestions();
  readonly noteFiles = new MemoryNotes();
  readonly notes = memoryNotes(this.noteFiles);
  readonly drafts = new MemoryDrafts();
  live: LiveState = { state: 'running', canStop: true, canContinue: false };
  prompts: ApprovalPrompt[] = [];
  /** What agents are writing; changed by `write`. */
  texts: readonly LiveText[] = [];
  readonly #changes = new Emitter<string>((error) => {
    throw error;
  });
  readonly #writes = new Emitter<string>((error) => {
    throw error;
  });
  #waiting: (() => void)[] = [];
  #begins = Promise.resolve();

  constructor(
    readonly transcript: MemoryTranscript,
    options: Partial<PanelSessionOptions & TranscriptSessionOptions> = {},
  ) {
    this.reading = new TranscriptSession({ ...this.#readingOptions(), ...options, transcript });
    this.session = new PanelSession({ ...this.#options(), ...options, transcript: this.reading });
    this.client = new RequestClient({
      post: (message) => void this.session.receive(structuredClone(message)),
      onEvent: ({ name, data }) => {
        this.heard.push({ name, data });
        for (const wake of this.#waiting.splice(0)) wake();
      },
      onUnexpected: (why) => this.strays.push(why),
    });
  }

  /** Fires as the runs do when a state or a waiting approval changed. */
  changed(): void {
    this.#changes.fire(this.transcript.conversation);
  }

  /** Replaces what agents are writing. */
  write(...texts: LiveText[]): void {
    this.texts = texts;
    this.#writes.fire(this.transcript.conversation);
  }

  /** Nothing that is said begins until what is returned is called. */
  holdSaid(): () => void {
    let go: () => void = () => undefined;
    this.#begins = new Promise((resolve) => (go = resolve));
    return () => go();
  }

  /** The last event of a kind. */
  last<N extends EventName>(name: N): EventData<N> | undefined {
    return this.heard.findLast((event) => event.name === name)?.data as EventData<N> | undefined;
  }

  /** Resolves as soon as the condition holds after an event. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #readingOptions(): Omit<TranscriptSessionOptions, 'transcript'> {
    return {
      scan: (question, signal, from) => scanMemory(this.transcript, question, signal, from),
      guard: (work) => endsWithin(MAX_TEXT_TEST_MS, work),
      patterns: guardedPatterns,
      countTokens: async (transcript, start, end) =>
        (await transcript.read(start, end)).map((record) => ({ record, tokens: TOKENS_EACH })),
      details: () => [],
      log: silentLog,
      send: (event) => this.session.notify(event),
    };
  }

  #options(): Omit<PanelSessionOptions, 'transcript'> {
    const act = (what: string): Promise<void> => {
      this.done.push(what);
      return Promise.resolve();
    };
    return {
      conversation: this.transcript.conversation,
      title: () => 'A title',
      provenance: () => Promise.resolve({ details: [] }),
      runs: {
        onDidChangeState: this.#changes.event,
        onDidWrite: this.#writes.event,
        liveTexts: () => this.texts,
        stateOf: () => this.live,
        stop: () => void act('stop'),
        continueConversation: (_, text) => this.#begins.then(() => act(`continue ${text}`)),
        recallFailure: () => Promise.resolve(),
        afterFailure: (_, way) => act(`after failure ${way}`),
      },
      approvals: {
        pending: () => this.prompts,
        answer: (id, answer) => {
          const waits = this.prompts.some((prompt) => prompt.id === id);
          if (waits) this.answers.push({ id, answer });
          return waits;
        },
      },
      drafts: this.drafts,
      showImportReport: () => act('import report'),
      handOver: () => act('hand over'),
      exportApprovals: (_, format, filter) => act(`approvals ${format} ${JSON.stringify(filter)}`),
      exportTranscript: (_, format, positions, target) =>
        act(`export ${format} ${positions?.join(',') ?? 'all'} ${target}`).then(() => ({ isTold: false })),
      questions: this.questions,
      notes: this.notes,
      copyMessageLink: (conversation, { id, near }) => act(`copy link ${conversation} ${id} ${near}`),
      copyQuestionLink: (conversation, { text, rows }) => act(`copy link ${conversation} ${rows} ${text}`),
      actions: {
        copy: (text) => act(`copy ${text}`).then(() => ({ isTold: false })),
        showText: (text, language) => act(`show ${language} ${text}`),
        openChanges: (changes) => act(`changes ${changes.map(({ path }) => path).join(' ')}`),
        openFile: (path, line) => act(`open ${path} ${line ?? '-'}`),
        openDropped: (addresses) => act(`dropped ${addresses.join(' ')}`),
        openLink: (url) => act(`link ${url}`),
      },
      log: silentLog,
      post: (message) => {
        this.sizes.push(JSON.stringify(message).length);
        this.client.receive(structuredClone(message));
        return Promise.resolve();
      },
    };
  }
}
