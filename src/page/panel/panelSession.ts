import { Cancelled } from '../../core/cancelled.js';
import type { Disposable } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import { isUnasked } from '../protocol/question.js';
import type { Question } from '../../query/language/question.js';
import type { EventData, PanelEvent, ShowEvent } from '../protocol/events.js';
import type { Provenance, Snapshot } from '../protocol/panelState.js';
import type { FromHost } from '../protocol/protocol.js';
import { RequestHandlers, RequestServer } from '../protocol/requestServer.js';
import type { Answer, Params } from '../protocol/requests.js';
import { answerActions, type ActionOptions } from './actionAnswers.js';
import { ApprovalCards } from './approvalCards.js';
import { Batcher } from './batcher.js';
import {
  TRANSCRIPT_REQUESTS,
  type Drafts,
  type ExportApprovals,
  type ExportTranscript,
  type LiveRuns,
  type LiveTranscript,
  type Looking,
  type NoteKeeper,
  type PanelActions,
  type PanelTranscript,
  type QuestionBook,
  type TranscriptRequest,
  type PendingApprovals,
} from './ports.js';
import { messageOf } from '../../core/text.js';

/** What the session of a panel needs. */
export interface PanelSessionOptions {
  readonly conversation: string;
  /** Disposed with the session. */
  readonly transcript: PanelTranscript;
  readonly title: () => string;
  /** See `LiveTranscript.origin`. */
  readonly origin?: () => LiveTranscript['origin'];
  /** Where the conversation comes from, as far as its store knows. Never rejects. */
  readonly provenance: () => Promise<Provenance>;
  /** How many lines of the conversation still stand in files; left out: that is never told. */
  readonly keptLines?: (conversation: string) => Promise<EventData<'kept'> | undefined>;
  readonly runs: LiveRuns;
  readonly approvals: PendingApprovals;
  readonly drafts: Drafts;
  readonly exportTranscript: ExportTranscript;
  readonly exportApprovals: ExportApprovals;
  /** Shows what reading the transcript's file has told. */
  readonly showImportReport: (conversation: string) => Promise<void>;
  readonly handOver: ActionOptions['handOver'];
  readonly questions: QuestionBook;
  readonly notes: NoteKeeper;
  /** Gives what keeps how far the person has looked; left out, nothing does. Never rejects. */
  readonly looking?: (conversation: string) => Promise<Looking | undefined>;
  /** Copies a link that opens a conversation with a question. */
  readonly copyQuestionLink: (conversation: string, question: Question) => Promise<void>;
  readonly copyMessageLink: ActionOptions['copyMessageLink'];
  readonly actions: PanelActions;
  readonly log: Log;
  /** Sends a message to the page; resolves when the page's side has taken it. */
  post(message: FromHost): PromiseLike<unknown>;
}

/** How long a page has been there before it is looked which lines still stand, in milliseconds. */
const KEPT_MS = 1_500;

/**
 * How long changes of the run are collected, in milliseconds: much shorter than those for the page, so that the end of a
 * text is known before its message is sent.
 */
const LIVE_MS = 5;

/**
 * The host's side of one panel: checks what the page asks and hands it on, to the transcript or to what the page may
 * cause outside of itself, and tells both what happens around them. Knows no editor.
 */
export class PanelSession implements Disposable {
  readonly #options: PanelSessionOptions;
  readonly #server: RequestServer;
  readonly #approvals: ApprovalCards;
  readonly #notes: PanelNotes;
  readonly #batcher: Batcher;
  readonly #listeners: readonly Disposable[];
  #isReady = false;
  #resting: NodeJS.Timeout | undefined;
  /** The number of the current page; it changes as soon as the page is gone. */
  #page = 0;
  #pendingShow: ShowEvent | undefined;
  #question: Question | undefined;
  /** Resolves once the transcript has its notes. */
  #noting = Promise.resolve();
  #looking: Promise<Looking | undefined> | undefined;
  /** How many records the page was told of last. */
  #records = 0;
  /** The page that is beginning; settled once it has its snapshot, or cannot have it. */
  #begun: Promise<Snapshot> | undefined;

  constructor(options: PanelSessionOptions) {
    this.#options = options;
    const { conversation, runs, approvals, drafts, transcript, log } = options;
    const handlers = RequestHandlers.ofPanel();
    this.#server = new RequestServer({
      handlers,
      post: (message) => this.#post(message),
      onProblem: (why, error) => log.warn(why, error),
    });
    handlers.add('ready', (params) => this.#beginning(params));
    for (const name of TRANSCRIPT_REQUESTS) handlers.add(name, (params) => this.#ask(name, params));
    answerActions(handlers, options);
    answerChat(handlers, options);
    this.#approvals = new ApprovalCards(handlers, approvals, conversation);
    this.#notes = new PanelNotes(handlers, options);
    if (handlers.missing.length > 0) throw new Error(`Nobody answers ${handlers.missing.join(', ')}.`);
    this.#batcher = new Batcher(() => this.#tell(), LIVE_MS);
    const poke = (changed: string) => {
      if (changed === conversation && this.#isReady) this.#batcher.poke();
    };
    this.#listeners = [
      runs.onDidChangeState(poke),
      runs.onDidWrite(poke),
      drafts.onDidReturn(({ conversation: returned, ...what }) => {
        // A page that starts later gets it with its snapshot.
        if (returned === conversation && this.#isReady) void this.#server.notify('returned', what);
      }),
      this.#notes,
      transcript,
    ];
  }

  /** Takes a message from the page. */
  async receive(message: unknown): Promise<void> {
    await this.#server.receive(message);
  }

  /** Sends an event of the transcript to the page; resolves when the page's side has taken it, and never rejects. */
  notify({ name, data }: PanelEvent): PromiseLike<unknown> {
    if (name === 'list') this.#records = data.records;
    return this.#server.notify(name, data);
  }

  /** Asks the page to show something, now or as soon as there is a page. */
  show(what: ShowEvent): void {
    if (this.#isReady) void this.#show(what);
    else this.#pendingShow = what;
  }

  async #show({ note, message, ...what }: ShowEvent): Promise<void> {
    if (message) {
      const { id, near } = message;
      const position = await this.#options.transcript.positionOfMessage(id, near).catch(() => undefined);
      await this.#server.notify('show', {
        ...what,
        ...(position === undefined ? { message } : { position }),
      });
      return;
    }
    if (note === undefined) {
      await this.#server.notify('show', what);
      return;
    }
    await this.#noting;
    const position = await this.#options.transcript.positionOfNote(note).catch(() => undefined);
    await this.#server.notify('show', { ...what, ...(position === undefined ? { note } : { position }) });
  }

  /** What the page asks; undefined where it shows everything. */
  get question(): Question | undefined {
    return this.#question;
  }

  /** To be called when the page is hidden: nothing is read, searched or sent until it is ready again. */
  hide(): void {
    this.#page++;
    this.#leave();
    this.#options.transcript.hide();
  }

  dispose(): void {
    this.#leave();
    this.#batcher.dispose();
    for (const listener of this.#listeners) listener.dispose();
  }

  /** What came while there was a page was seen. */
  #leave(): void {
    if (this.#isReady) void this.#look();
    clearTimeout(this.#resting);
    this.#isReady = false;
  }

  async #look() {
    this.#looking ??= this.#options.looking?.(this.#options.conversation);
    return (await this.#looking)?.(this.#records);
  }

  async #beginning(params: Params<'ready'>): Promise<Snapshot> {
    const begun = this.#begin(params);
    this.#begun = begun;
    try {
      return await begun;
    } finally {
      if (this.#begun === begun) this.#begun = undefined;
    }
  }

  /** Starts a page: gives everything that it needs at first. */
  async #begin(params: Params<'ready'>): Promise<Snapshot> {
    const { conversation, transcript, drafts, questions, provenance } = this.#options;
    const page = ++this.#page;
    this.#question = askedIn(params.question);
    void this.#options.runs.recallFailure(conversation);
    const live = this.#live();
    this.#noting = this.#notes.tell();
    const [start, origin] = await Promise.all([transcript.begin(params, live), provenance()]);
    this.#records = start.list.records;
    const seen = await this.#look();
    // Last: a text that is put back while nobody follows comes with the draft.
    const draft = await drafts.draftOf(conversation);
    // A page that is gone by now must get no events, nor be asked anything.
    if (page === this.#page) this.#follow();
    const { details, ...list } = start;
    return {
      ...list,
      provenance: { ...origin, details: [...details, ...origin.details] },
      conversation,
      draft,
      ...(seen && { seen }),
      title: live.title,
      live: live.state,
      approvals: this.#approvals.cards(),
      questions: questions.known(),
    };
  }

  /** Sends changes to the page from now on. */
  #follow(): void {
    this.#approvals.reset();
    this.#batcher.restart();
    this.#isReady = true;
    void this.#options.transcript.follow(this.#live()).catch((error: unknown) => this.#lost(error));
    this.#batcher.poke();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => void this.#tellKept(this.#page), KEPT_MS);
  }

  /** Tells the page how many lines still stand, which nobody waits for. */
  async #tellKept(page: number): Promise<void> {
    try {
      const kept = await this.#options.keptLines?.(this.#options.conversation);
      if (kept && page === this.#page && this.#isReady) await this.#server.notify('kept', kept);
    } catch (error) {
      this.#options.log.warn('Which lines still stand is not told', error);
    }
  }

  /** Hands a request on once the page has begun, which would undo what it asked for before. */
  async #ask<N extends TranscriptRequest>(name: N, params: Params<N>): Promise<Answer<N>> {
    if (name === 'ask') this.#question = askedIn((params as Params<'ask'>).question);
    if (this.#begun) {
      const page = this.#page;
      await this.#begun.catch(() => undefined);
      if (page !== this.#page) throw new Cancelled();
    }
    return await this.#options.transcript.ask(name, params);
  }

  #live(): LiveTranscript {
    const { conversation, runs, title, origin } = this.#options;
    return {
      origin: origin?.(),
      state: runs.stateOf(conversation),
      title: title(),
      texts: runs.liveTexts(conversation),
    };
  }

  async #tell(): Promise<void> {
    if (!this.#isReady) return;
    const page = this.#page;
    try {
      await this.#options.transcript.setLive(this.#live());
      const approvals = this.#approvals.changed();
      if (approvals) await this.#server.notify('approvals', { approvals });
    } catch (error) {
      this.#lost(error);
    }
    // A page that is gone meanwhile leaves it to the next one.
    if (page !== this.#page) return;
    const show = this.#pendingShow;
    this.#pendingShow = undefined;
    if (show) void this.#show(show);
  }

  #lost(error: unknown): void {
    this.#options.log.error('The panel could not be told what changed.', error);
  }

  async #post(message: FromHost): Promise<void> {
    try {
      await this.#options.post(message);
    } catch (error) {
      this.#options.log.warn('A message to the page was lost.', error);
    }
  }
}

/** A question that asks for something; undefined where everything is shown. */
function askedIn(question: Question | undefined): Question | undefined {
  return question && !isUnasked(question) ? question : undefined;
}

/** What the chat box works with. */
interface ChatOptions {
  readonly conversation: string;
  readonly runs: LiveRuns;
  readonly drafts: Drafts;
}

/** Answers what a page asks of the run: to continue it with what was typed, to stop it, and what to do after a failure. */
function answerChat(handlers: RequestHandlers, { conversation, runs, drafts }: ChatOptions): void {
  handlers.add('stop', () => {
    runs.stop(conversation);
    return {};
  });
  handlers.add('continue', async ({ text }) => {
    await drafts.keep(conversation, text);
    await runs.continueConversation(conversation, text);
    // A text typed or put back meanwhile must not be cleared.
    if ((await drafts.draftOf(conversation)) === text) await drafts.keep(conversation, '');
    return {};
  });
  handlers.add('afterFailure', async ({ way }) => {
    await runs.afterFailure(conversation, way);
    return {};
  });
  handlers.add('draft', async ({ text }) => {
    await drafts.keep(conversation, text);
    return {};
  });
}

/** What the notes of a panel work with. */
interface NoteOptions {
  readonly conversation: string;
  readonly notes: NoteKeeper;
  readonly transcript: PanelTranscript;
  readonly log: Log;
}

/** Answers what a page asks of notes, and gives the transcript the notes about it as they change. */
class PanelNotes implements Disposable {
  readonly #options: NoteOptions;
  readonly #following: Disposable;
  #told: string | undefined;

  constructor(handlers: RequestHandlers, options: NoteOptions) {
    const { conversation, notes, transcript } = options;
    this.#options = options;
    this.#following = notes.onDidChange((changed) => {
      if (changed === undefined || changed === conversation) void this.tell();
    });
    handlers.add('writeNote', async ({ row, note, text }) => {
      if (note !== undefined) await notes.rewrite(conversation, note, text);
      else await notes.add(conversation, await transcript.noteTargetOf(row), text);
      return {};
    });
    handlers.add('removeNote', async ({ note }) => {
      await notes.remove(conversation, note);
      return {};
    });
    handlers.add('undoNote', async () => ({ undone: await notes.undo(conversation) }));
  }

  /** Reads the notes and hands them to the transcript, unless it has them. Never rejects. */
  async tell(): Promise<void> {
    const { conversation, notes, transcript, log } = this.#options;
    try {
      const { notes: all } = await notes.of(conversation);
      await transcript.setNotes(all);
    } catch (error) {
      const why = messageOf(error);
      // Said once: the panel shows the transcript all the same.
      if (this.#told !== why) log.warn(`The notes of ${conversation} are not shown: ${why}`);
      this.#told = why;
    }
  }

  dispose(): void {
    this.#following.dispose();
  }
}
