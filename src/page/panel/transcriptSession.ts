import { fenced } from '../../core/text.js';
import { t } from '../../core/l10n.js';
import type { Log } from '../../core/ports/log.js';
import type { Prices } from '../../core/ports/prices.js';
import type { PatternMatcher } from '../../core/ports/patternMatcher.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import type { PanelEvent } from '../protocol/events.js';
import type { Damages, Provenance, TranscriptFacts } from '../protocol/panelState.js';
import { RequestHandlers } from '../protocol/requestServer.js';
import type { Answer, Params } from '../protocol/requests.js';
import type { RowField } from '../protocol/row.js';
import { answerApprovals } from './approvalAnswers.js';
import { answerAnalysis, drawTimeline, type AnalysisAnswers, TurnTexts } from './analysisAnswers.js';
import { Batcher } from './batcher.js';
import { answerContext } from './contextAnswers.js';
import { deedOf, type DeedEdit } from '../../query/numbers/deed.js';
import { factsOf } from '../../query/numbers/facts.js';
import { PriorityGate, RecordReader } from './recordReader.js';
import { CachedAnswers, type AnswerKeeper } from './projection/cachedAnswers.js';
import { ProjectionLoader, type ReadFacts } from './projection/projectionLoader.js';
import { TokenTally } from './projection/tokenTally.js';
import { TranscriptProjection } from './projection/transcriptProjection.js';
import { PanelUpdates } from './panelUpdates.js';
import { PanelView } from './panelView.js';
import type {
  CountTokens,
  LiveTranscript,
  NamedFile,
  PanelTranscript,
  Scan,
  TranscriptRequest,
  TranscriptStart,
} from './ports.js';
import { answerRows } from './rowAnswers.js';
import { filesIn, type RowContext } from './rows/stepRow.js';
import { fieldOf } from './rows/rowFields.js';
import { OccurringValues } from './filter/occurringValues.js';
import { SessionAnswers, type CachedFacts } from './filter/sessionAnswers.js';
import type { Guard } from '../../query/language/evaluate.js';
import type { SessionInfo } from '../../query/language/sessionFacts.js';
import { RowPages } from './rows/rowPages.js';
import { RowTexts } from './rows/rowTexts.js';
import { callOfRow, markRowsOf, TranscriptNotes } from './notes/transcriptNotes.js';
import type { Note, NoteTarget } from '../../core/note.js';
import { asksForNotes } from '../../query/language/terms.js';
import type { QueryPlan } from '../../query/language/plan.js';
import { positionOfMessage } from '../../query/notes/locateNotes.js';
import { noteTargetOf } from '../../query/notes/noteTarget.js';
import { clipName } from '../../query/numbers/values.js';
import { callsOf } from '../../query/numbers/toolCalls.js';
import { messageIn, roleOf } from '../../query/numbers/transcriptItem.js';
import { ROW } from './rows/rowIndex.js';
import type { RowSources } from './rows/rowSources.js';

/** What the session of a transcript needs. */
export interface TranscriptSessionOptions {
  /** Closed with the session. */
  readonly transcript: Transcript;
  /** A faster way to the facts of its records than to read them, where there is one. */
  readonly facts?: ReadFacts;
  /** The facts that are kept beside its files for questions; left out, none. */
  readonly keptFacts?: CachedFacts;
  /** What people wait for on the thread that the session works on; left out, only what this panel asks comes first. */
  readonly gate?: PriorityGate;
  /** What models cost; left out, costs are known where a source recorded them. */
  readonly prices?: Prices;
  /** Where answers are kept from one opening to the next; left out, nowhere. */
  readonly keeper?: AnswerKeeper;
  readonly scan: Scan;
  /** Runs what looks for patterns, with a limit of time. */
  readonly guard: Guard;
  /** A record with its whole texts; left out, records are whole. */
  readonly whole?: (record: ReadRecord) => Promise<ReadRecord>;
  readonly patterns: PatternMatcher;
  readonly countTokens: CountTokens;
  /** What a source tells of the whole, in the transcript's first record. */
  readonly details: (first: ReadRecord | undefined) => Provenance['details'];
  readonly log: Log;
  /** Sends an event to the page; resolves when the page's side has taken it, and never rejects. */
  readonly send: (event: PanelEvent) => PromiseLike<unknown>;
}

/** How many records are read before the page gets its first rows. */
const FIRST_RECORDS = 100;
const MAX_SENT_DAMAGES = 20;
/** How wide a timeline is drawn that is kept, in pixels: as a wide screen. */
const SCREEN_PIXELS = 1_600;

/** Whether a question may find something else once notes have changed. */
function isAboutNotes({ terms }: QueryPlan): boolean {
  return [...terms.keys()].some(asksForNotes);
}

/** What is known of a conversation before anybody has said it. */
const UNKNOWN: LiveTranscript = {
  state: { state: 'unknown', canStop: false, canContinue: false },
  title: '',
  texts: [],
};

/**
 * One transcript as one panel shows it: reads it as far as needed, answers what the page asks of it, and sends changes
 * while the page is visible. Knows neither the editor nor runs, so that it can work on a thread of its own.
 */
export class TranscriptSession implements PanelTranscript {
  readonly projection: TranscriptProjection;
  readonly view: PanelView;
  readonly #options: TranscriptSessionOptions;
  readonly #reader: RecordReader;
  readonly #pages: RowPages;
  readonly #texts: RowTexts;
  readonly #tally: TokenTally;
  readonly #loop: ProjectionLoader;
  readonly #answers: SessionAnswers;
  readonly #updates: PanelUpdates;
  readonly #notes: TranscriptNotes;
  readonly #kept: CachedAnswers;
  readonly #batcher: Batcher;
  readonly #handlers = RequestHandlers.ofPanel();
  readonly #analysis: AnalysisAnswers;
  #live = UNKNOWN;
  #isReady = false;
  /** The number of the current page; it changes as soon as the page is gone. */
  #page = 0;

  constructor(options: TranscriptSessionOptions) {
    this.#options = options;
    this.projection = new TranscriptProjection(options.prices);
    const { transcript, scan, log } = options;
    const poke = () => this.#poke();
    const length = () => transcript.expected ?? transcript.length;
    const context = () => this.#context();
    const { projection } = this;
    this.#reader = new RecordReader(transcript);
    this.#notes = new TranscriptNotes(transcript);
    this.#pages = new RowPages(projection, this.#reader);
    this.#texts = new RowTexts(transcript);
    this.#tally = new TokenTally(transcript, options.countTokens, log);
    this.#answers = new SessionAnswers({
      transcript,
      prices: projection.prices,
      info: () => this.#info(),
      kept: options.keptFacts,
      whole: options.whole ?? ((record) => Promise.resolve(record)),
      guard: options.guard,
    });
    this.view = new PanelView({
      projection,
      scan,
      length,
      onAdvance: poke,
      answers: this.#answers,
      reached: (records) => this.#loop.reached(records),
    });
    const isRunning = () => context().running;
    this.#kept = new CachedAnswers({
      projection,
      length,
      isRunning,
      keeper: options.keeper,
      draw: () => drawTimeline(projection, { pixels: SCREEN_PIXELS }, false),
    });
    this.#loop = this.#newLoop(options);
    const { view } = this;
    const pages = this.#pages;
    const facts = () => this.#facts();
    const damages = () => this.#damages();
    const { send } = options;
    this.#updates = new PanelUpdates({ projection, view, pages, context, facts, damages, length, send });
    this.#batcher = new Batcher(() => this.#send());
    answerRows(this.#handlers, {
      projection,
      view,
      pages,
      texts: this.#texts,
      loop: this.#loop,
      patterns: options.patterns,
      context,
      settle: () => this.#settle(),
      watch: (rows) => this.#updates.watch(rows),
    });
    answerApprovals(this.#handlers, projection, transcript);
    const contexts = answerContext(this.#handlers, {
      transcript,
      facts: factSource(options),
      hues: projection.hues,
      onFailure: (error) => log.error('The contexts of the transcript cannot be read.', error),
    });
    const occurring = new OccurringValues(projection, transcript);
    this.#handlers.add('occurring', async ({ field }) => ({
      values: await this.#loop.letPass(() => occurring.of(field)),
    }));
    this.#analysis = answerAnalysis(this.#handlers, {
      projection,
      tally: this.#tally,
      kept: this.#kept,
      context,
      loop: this.#loop,
      texts: new TurnTexts(transcript),
      onLeave: () => contexts.leave(),
    });
  }

  #newLoop(options: TranscriptSessionOptions): ProjectionLoader {
    const { projection } = this;
    const { transcript, gate = new PriorityGate(), log } = options;
    return new ProjectionLoader({
      transcript,
      gate,
      projection,
      facts: factSource(options),
      onAdvance: () => this.#poke(),
      // Whoever asks for anything meanwhile comes first.
      onEnd: () => void gate.done().then(() => this.#keep()),
      onFailure: (error) => log.error('The transcript cannot be read on.', error),
    });
  }

  async begin(params: Params<'ready'>, live: LiveTranscript): Promise<TranscriptStart> {
    const page = ++this.#page;
    this.#live = live;
    await Promise.all([this.#readFor(params), this.#kept.load()]);
    if (page === this.#page) await this.view.begin(params);
    const first = (await this.#reader.read([0])).get(0);
    // What is sent from now on is what has changed since.
    if (page === this.#page) this.#updates.begin(live);
    const at = params.top === undefined ? -1 : this.view.indexOf(params.top);
    return {
      list: this.view.state,
      facts: this.#facts(),
      facets: this.#kept.current?.facets ?? this.projection.facets(),
      ...this.#damages(),
      expandedAll: this.view.expandedAll,
      details: this.#options.details(first),
      ...(at >= 0 && params.top !== undefined && { at: { index: at, id: params.top } }),
    };
  }

  follow(live: LiveTranscript): Promise<void> {
    this.#batcher.restart();
    this.#isReady = true;
    return this.setLive(live);
  }

  hide(): void {
    this.#page++;
    this.#isReady = false;
    this.#loop.stop();
    this.#analysis.leave();
    this.view.dispose();
    this.#reader.clear();
    this.#texts.clear();
    this.#answers.clear();
  }

  setLive(live: LiveTranscript): Promise<void> {
    this.#live = live;
    this.#poke();
    if (!this.#loop.isReading) void this.#keep();
    return Promise.resolve();
  }

  ask<N extends TranscriptRequest>(name: N, params: Params<N>): Promise<Answer<N>> {
    return this.#handlers.answer(name, params);
  }

  async copyOf(row: number, as: 'text' | 'markdown'): Promise<string> {
    return copyOf(await this.#pages.sources(row), this.#texts, as);
  }

  async textOf(row: number, field: RowField, part: number | undefined): Promise<string> {
    return this.#texts.whole(await this.#pages.sources(row), field, part);
  }

  async fileOf(row: number, file: number): Promise<NamedFile> {
    const named = filesIn(fieldOf(await this.#pages.sources(row), 'arguments').text)[file];
    if (!named) throw new Error(t`This row names no such file.`);
    return { path: named.path, line: named.line };
  }

  async changesOf(row: number): Promise<readonly DeedEdit[]> {
    const sources = await this.#pages.sources(row);
    const { name = '' } = callsOf(messageIn(sources.record) ?? {})[sources.sub] ?? {};
    return deedOf(name, await this.#texts.whole(sources, 'arguments', undefined)).edits ?? [];
  }

  async setNotes(notes: readonly Note[]): Promise<void> {
    const changed = await this.#notes.take(notes);
    if (changed.length === 0) return;
    markRowsOf(changed, this.projection.index);
    this.view.askAgain(isAboutNotes);
    this.#poke();
  }

  async noteTargetOf(row: number): Promise<NoteTarget> {
    const sources = await this.#pages.sources(row);
    return noteTargetOf(sources.record, sources.position, callOfRow(sources));
  }

  positionOfNote(note: string): Promise<number | undefined> {
    return Promise.resolve(this.#notes.positionOf(note));
  }

  positionOfMessage(id: string, near: number | undefined): Promise<number | undefined> {
    return positionOfMessage(id, this.#options.transcript, { near });
  }

  foundPositions(): Promise<readonly number[]> {
    const { run, matches } = this.view;
    if (!run || !matches?.done)
      return Promise.reject(new Error(t`The answer is not complete yet; try again.`));
    return Promise.resolve(run.recordPositions());
  }

  dispose(): void {
    this.#batcher.dispose();
    this.#loop.dispose();
    this.#kept.dispose();
    this.#analysis.leave();
    this.view.dispose();
    void this.#options.transcript.close();
  }

  /** Reads what the page shows first. */
  async #readFor({ top }: Params<'ready'>): Promise<void> {
    const { index } = this.projection;
    this.#loop.start();
    await this.#loop.reached(FIRST_RECORDS);
    while (top !== undefined && index.length <= top && this.#loop.isReading) {
      await this.#loop.reached(index.records + 1);
    }
  }

  #facts(): TranscriptFacts {
    return this.#kept.current?.facts ?? this.projection.facts();
  }

  #damages(): Damages {
    const { damaged } = this.#options.transcript;
    const first = damaged.slice(0, MAX_SENT_DAMAGES).map((line) => ({ ...line }));
    return { damaged: first, damagedTotal: damaged.length };
  }

  async #keep(): Promise<void> {
    try {
      await this.#kept.keep();
    } catch (error) {
      this.#options.log.error('The answers about the transcript cannot be kept.', error);
    }
  }

  #settle(): void {
    this.#updates.sendList();
    this.#poke();
  }

  /** What is known of the transcript besides its records. */
  #info(): SessionInfo {
    const { state, title, origin } = this.#live;
    const live = state.state === 'running' || state.state === 'waiting';
    const notes = this.#notes.placed;
    return {
      session: this.#options.transcript.conversation,
      live,
      notes,
      ...(title !== '' && { title }),
      ...origin,
    };
  }

  /** What rows depend on besides their records. */
  #context(): RowContext {
    const live = () => this.#live.state.state;
    return {
      prices: this.projection.prices,
      hueOf: (agent) => this.projection.hues.of(agent),
      notesOf: (sources) => this.#notes.ofRow(sources),
      isExpanded: (row) => this.view.isExpanded(row),
      // Asked as late as rows are made: the run may end while their records are read.
      get running() {
        const state = live();
        return state === 'running' || state === 'waiting';
      },
    };
  }

  #poke(): void {
    if (this.#isReady) this.#batcher.poke();
  }

  async #send(): Promise<void> {
    if (!this.#isReady) return;
    try {
      await this.#updates.send(() => this.#live);
    } catch (error) {
      this.#options.log.error('The panel could not be told what changed.', error);
    }
  }
}

/** Where the facts of a transcript's records come from: the records themselves where there is nothing better. */
function factSource({
  transcript,
  facts,
}: TranscriptSessionOptions): NonNullable<TranscriptSessionOptions['facts']> {
  return facts ?? (async (start, end) => (await transcript.read(start, end)).map(factsOf));
}

/** The whole text of a row, as plain text or as Markdown that no content can break out of. */
async function copyOf(sources: RowSources, texts: RowTexts, as: 'text' | 'markdown'): Promise<string> {
  const { kind, record, sub, dispatch } = sources;
  const message = messageIn(record) ?? {};
  const isMarkdown = as === 'markdown';
  if (kind === ROW.message) {
    const body = await texts.whole(sources, 'body');
    return isMarkdown ? `**${plain(record.agent)}** (${plain(roleOf(message))})\n\n${body}\n` : body;
  }
  if (kind === ROW.note) return texts.whole(sources, 'detail');
  const asked = kind === ROW.dispatch ? 'task' : 'arguments';
  const name = clipName(kind === ROW.dispatch ? dispatch?.target : callsOf(message)[sub]?.name);
  const input = await texts.whole(sources, asked);
  const output = await texts.whole(sources, 'result');
  if (!isMarkdown) return output === '' ? `${name}\n${input}` : `${name}\n${input}\n\n${output}`;
  const title = kind === ROW.dispatch ? `dispatched **${plain(name)}**` : `called **${plain(name)}**`;
  return `**${plain(record.agent)}** ${title}\n\n${fenced(input)}\n\n${output === '' ? '_no result_' : fenced(output)}\n`;
}

/** A name with all Markdown escaped. */
function plain(name: unknown): string {
  return clipName(name).replace(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&');
}
