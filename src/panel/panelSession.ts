import type { Disposable } from '../core/event.js';
import type { Log } from '../ports/log.js';
import type { PatternMatcher } from '../ports/patternMatcher.js';
import type { Transcript } from '../ports/transcript.js';
import type { Statistics, Timeline } from '../protocol/analysis.js';
import { Answerer } from '../protocol/answerer.js';
import type { Criteria } from '../protocol/criteria.js';
import type { EventData } from '../protocol/events.js';
import type { Provenance, Snapshot } from '../protocol/panelState.js';
import type { FromHost } from '../protocol/protocol.js';
import type { Params } from '../protocol/requests.js';
import { ApprovalDesk } from './approvalDesk.js';
import { Batcher } from './batcher.js';
import { FoldLoop } from './folds/foldLoop.js';
import { PageTeller } from './pageTeller.js';
import { panelHandlers } from './panelHandlers.js';
import { PatternMarks } from './filter/patternMarks.js';
import { PanelView } from './panelView.js';
import type {
  CountTokens,
  Drafts,
  ExportTranscript,
  LiveRuns,
  PanelActions,
  SavedFilters,
  Scan,
} from './ports.js';
import { RecordReader } from './recordReader.js';
import { RowPages } from './rows/rowPages.js';
import { RowTexts } from './rows/rowTexts.js';
import type { RowContext } from './rows/stepRow.js';
import { pausesOf } from './folds/pauses.js';
import { timelineView, type TimelinePart } from './folds/timelineView.js';
import { TokenTally } from './folds/tokenTally.js';
import { TranscriptFolds } from './folds/transcriptFolds.js';

/** What the session of a panel needs. */
export interface PanelSessionDeps {
  readonly transcript: Transcript;
  readonly title: () => string;
  /** Where the conversation comes from. Never rejects. */
  readonly provenance: (transcript: Transcript) => Promise<Provenance>;
  readonly runs: LiveRuns;
  readonly drafts: Drafts;
  readonly scan: Scan;
  /** Called when a person is likely to filter a conversation soon. */
  readonly prepareScan: (conversation: string) => void;
  readonly patterns: PatternMatcher;
  readonly countTokens: CountTokens;
  readonly exportTranscript: ExportTranscript;
  readonly savedFilters: SavedFilters;
  readonly actions: PanelActions;
  readonly log: Log;
  /** Sends a message to the page; resolves when the page's side has taken it. */
  post(message: FromHost): PromiseLike<unknown>;
}

/** How many records are read before the page gets its first rows. */
const FIRST_RECORDS = 100;
const SENT_DAMAGES = 20;
/** A transcript with fewer records is searched as fast as it is indexed. */
const WORTH_PREPARING = 5_000;

/**
 * The host's side of one panel: reads the transcript as far as needed, answers the page's requests and sends changes
 * while the page is visible. Knows no editor.
 */
export class PanelSession implements Disposable {
  readonly folds = new TranscriptFolds();
  readonly view: PanelView;
  readonly pages: RowPages;
  readonly texts: RowTexts;
  readonly desk: ApprovalDesk;
  readonly #tally: TokenTally;
  readonly #deps: PanelSessionDeps;
  readonly #reader: RecordReader;
  readonly #loop: FoldLoop;
  readonly #answerer: Answerer;
  readonly #teller: PageTeller;
  readonly #batcher: Batcher;
  readonly #marks: PatternMarks;
  readonly #listeners: readonly Disposable[];
  #drawing = new AbortController();
  #ready = false;
  /** The number of the current page; it changes as soon as the page is gone. */
  #page = 0;
  #pendingShow: EventData<'show'> | undefined;

  constructor(deps: PanelSessionDeps) {
    this.#deps = deps;
    const { transcript, runs, scan, log } = deps;
    const { conversation } = transcript;
    const poke = () => this.#poke();
    this.#reader = new RecordReader(transcript);
    this.pages = new RowPages(this.folds, this.#reader);
    this.texts = new RowTexts(transcript);
    this.#tally = new TokenTally(transcript, deps.countTokens, log);
    this.desk = new ApprovalDesk(runs, conversation);
    this.view = new PanelView({
      folds: this.folds,
      conversation,
      scan,
      length: () => transcript.length,
      onAdvance: poke,
    });
    this.#loop = new FoldLoop({
      transcript,
      folds: this.folds,
      onAdvance: poke,
      onFailure: (error) => log.error('The transcript cannot be read on.', error),
    });
    this.#answerer = new Answerer({
      handlers: panelHandlers(this, deps),
      post: async (message) => {
        try {
          await deps.post(message);
        } catch (error) {
          log.warn('A message to the page was lost.', error);
        }
      },
      onProblem: (why, error) => log.warn(why, error),
    });
    this.#teller = new PageTeller({
      folds: this.folds,
      view: this.view,
      pages: this.pages,
      desk: this.desk,
      conversation,
      runs,
      answerer: this.#answerer,
      context: () => this.context(),
      title: deps.title,
      facts: () => this.folds.facts(this.#tally),
    });
    this.#batcher = new Batcher(() => this.#tell());
    this.#marks = new PatternMarks(deps.patterns);
    this.#listeners = [
      runs.onDidChangeState((changed) => {
        if (changed === conversation) poke();
      }),
      runs.onDidWrite((changed) => {
        if (changed === conversation) poke();
      }),
      deps.drafts.onDidReturn(({ conversation: returned, text }) => {
        // A page that starts later gets it with its snapshot.
        if (returned === conversation && this.#ready) void this.#answerer.tell('returned', { text });
      }),
    ];
  }

  /** Takes a message from the page. */
  async receive(message: unknown): Promise<void> {
    await this.#answerer.receive(message);
  }

  /** Asks the page to show something, now or as soon as there is a page. */
  show(what: EventData<'show'>): void {
    if (this.#ready) void this.#answerer.tell('show', what);
    else this.#pendingShow = what;
  }

  /** What the page filters by; undefined where it shows everything. */
  get criteria(): Criteria | undefined {
    return this.view.filter?.criteria;
  }

  /** To be called when the page is hidden: nothing is read, searched or sent until it is ready again. */
  hide(): void {
    this.#page++;
    this.#ready = false;
    this.#loop.stop();
    this.leave();
    this.view.dispose();
    this.#reader.clear();
    this.texts.clear();
  }

  /** Starts a page: gives everything that it needs at first. */
  async begin(params: Params<'ready'>): Promise<Snapshot> {
    const { transcript, runs, drafts, savedFilters, title } = this.#deps;
    const page = ++this.#page;
    await this.#readFor(params);
    if (page === this.#page) await this.view.begin(params);
    const draft = await drafts.draftOf(transcript.conversation);
    // A page that is gone by now must get no events.
    if (page === this.#page) this.#follow();
    const at = params.top === undefined ? -1 : this.view.indexOf(params.top);
    return {
      title: title(),
      conversation: transcript.conversation,
      live: runs.stateOf(transcript.conversation),
      list: this.view.state,
      facts: this.folds.facts(this.#tally),
      provenance: await this.#deps.provenance(transcript),
      facets: this.folds.facets(),
      damaged: transcript.damaged.slice(0, SENT_DAMAGES).map((line) => ({ ...line })),
      damagedTotal: transcript.damaged.length,
      approvals: this.desk.cards(),
      savedFilters: [...savedFilters.list()],
      draft,
      ...(savedFilters.last && { lastFilter: savedFilters.last }),
      expandedAll: this.view.expandedAll,
      ...(at >= 0 && params.top !== undefined && { at: { index: at, id: params.top } }),
    };
  }

  /** Reads what the page shows first. */
  async #readFor({ top }: Params<'ready'>): Promise<void> {
    const { index } = this.folds;
    this.#loop.start();
    await this.#loop.reached(FIRST_RECORDS);
    while (top !== undefined && index.length <= top && this.#loop.isReading) {
      await this.#loop.reached(index.records + 1);
    }
  }

  /** Sends changes to the page from now on. */
  #follow(): void {
    const { transcript, prepareScan } = this.#deps;
    this.desk.reset();
    this.#batcher.restart();
    this.#teller.begin();
    this.#ready = true;
    this.#poke();
    if (transcript.length >= WORTH_PREPARING) prepareScan(transcript.conversation);
  }

  /** Rows of the list for the page, kept up to date from now on. */
  async rows(start: number, end: number) {
    const read = () => this.pages.rows(this.view.rows(start, end), this.context());
    const { criteria } = this;
    // Found before the rows are read for the answer: what happens to them afterwards must not overtake it.
    const marks = criteria?.regex ? await this.#marks.in(await this.#loop.letPass(read), criteria) : [];
    const { generation } = this.view.state;
    const rows = await this.#loop.letPass(read);
    this.#teller.watch(rows);
    return { generation, start, rows, ...(marks.length > 0 && { marks }) };
  }

  /** Sends changes at once, so that an answer that follows is consistent with them. */
  settle(): void {
    const list = this.view.takeListEvent();
    if (list) void this.#answerer.tell('list', list);
    this.#poke();
  }

  /** The statistics so far; starts counting tokens that no provider reported. */
  statistics(): Statistics {
    this.#tally.want(this.folds.index.records);
    return { ...this.folds.statistics(this.#tally), counting: this.#tally.isCounting };
  }

  /** The timeline for a part of the time axis; cancels an earlier request. */
  async timeline(part: TimelinePart): Promise<Timeline> {
    const { index, timeline, turns, hues } = this.folds;
    this.#drawing.abort();
    const { signal } = (this.#drawing = new AbortController());
    const { running } = this.context();
    const { countsSteps } = this.folds;
    const pauses = countsSteps ? [] : pausesOf(turns, index.calls.all, running);
    const whole = { ...part, pauses, countsSteps };
    return timelineView(index.calls.all, timeline.moments, hues, whole, running, signal);
  }

  /** Ends work for the timeline and the statistics until they are requested again. */
  leave(): void {
    this.#drawing.abort();
    this.#tally.dispose();
  }

  /** The row that shows a record; undefined where none does yet. */
  async rowOf(position: number): Promise<number | undefined> {
    await this.#loop.reached(position + 1);
    return this.folds.index.rowOfRecord(position);
  }

  /** What rows depend on besides their records. */
  context(): RowContext {
    const { runs, transcript } = this.#deps;
    return {
      hueOf: (agent) => this.folds.hues.of(agent),
      isExpanded: (row) => this.view.isExpanded(row),
      // Asked as late as rows are made: the run may end while their records are read.
      get running() {
        const { state } = runs.stateOf(transcript.conversation);
        return state === 'running' || state === 'waiting';
      },
    };
  }

  dispose(): void {
    this.#batcher.dispose();
    for (const listener of this.#listeners) listener.dispose();
    this.#loop.dispose();
    this.leave();
    this.view.dispose();
  }

  #poke(): void {
    if (this.#ready) this.#batcher.poke();
  }

  async #tell(): Promise<void> {
    if (!this.#ready) return;
    try {
      await this.#teller.tell();
    } catch (error) {
      this.#deps.log.error('The panel could not be told what changed.', error);
    }
    const show = this.#pendingShow;
    this.#pendingShow = undefined;
    if (show) void this.#answerer.tell('show', show);
  }
}
