import { t } from '../../../core/l10n.js';
import { knownAmount } from '../../../core/cost.js';
import { appendAll } from '../../../core/lists.js';
import { isOfArguments } from '../../../query/language/seenArguments.js';
import { answerQuestions } from '../actionAnswers.js';
import type { QuestionBook } from '../ports.js';
import { messageOf } from '../../../core/text.js';
import type { Disposable } from '../../../core/event.js';
import type { Log } from '../../../core/ports/log.js';
import { MESSAGE_CHARACTERS, type FromHost } from '../../protocol/protocol.js';
import { RequestHandlers, RequestServer } from '../../protocol/requestServer.js';
import type {
  NearRecord,
  SearchGroup,
  SearchLimits,
  SearchQuestion,
  SearchUpdate,
  SessionLocation,
} from '../../protocol/search.js';
import {
  searchRequests,
  type BarQuery,
  type KeptSpending,
  type LiveRow,
  type SearchContract,
} from '../../protocol/searchPage.js';

/** Values that occur, by what they are values of. */
type Values = Readonly<Record<string, readonly string[]>>;

/** What finds the hits: everything that is stored, asked in the language of questions. */
export interface SearchEngine {
  /** Asks a question. What is found comes as it is found; ends when the signal is aborted. */
  ask(question: SearchQuestion, signal: AbortSignal): AsyncIterable<SearchUpdate>;
  /** The records around a position, at most `around` before and after it. Rejects with an error for a person. */
  near(location: SessionLocation, position: number, around: number): Promise<readonly NearRecord[]>;
  /** The values of fields and arguments that tool calls tell, by their names, see `completeAt`. Rejects like `near`. */
  argumentValues(): Promise<Values>;
}

/** The archive as a page may have it asked. */
export interface SearchedArchiveChoice {
  /** Whether there is one. */
  isSet(): boolean;
  /** Whether a person wants it to be asked. */
  isWanted(): boolean;
  want(isWanted: boolean): void;
}

/** A hit as it is opened in its transcript: `found` is a text that is to be marked there. */
export interface OpenedHit {
  readonly place: SessionLocation;
  readonly position: number | undefined;
  readonly found: string | undefined;
  readonly staysHere: boolean;
}

/** What the session of a search page needs. */
export interface SearchSessionOptions {
  readonly engine: SearchEngine;
  /** How many conversations there are; rejects with an error for a person where they cannot be listed. */
  readonly conversations: () => Promise<number>;
  /** Left out where there is none. */
  readonly archive?: SearchedArchiveChoice;
  readonly open: (hit: OpenedHit) => void;
  readonly openInEditor: (question: BarQuery) => void;
  readonly exportFound: (places: readonly SessionLocation[]) => void;
  /** Told of each question that is asked, as for the title of a tab; of undefined where nothing is asked any more. */
  readonly onAsked: (question: BarQuery | undefined) => void;
  readonly isEditor: boolean;
  /** Given where the page tells what everything has cost: what was told last, where it is kept, and what is live. */
  readonly spending?: {
    kept(): KeptSpending | undefined;
    keep(spent: KeptSpending): void;
    follow(show: (rows: readonly LiveRow[]) => void): Disposable;
  };
  readonly questions: QuestionBook;
  /** Copies a link that opens the search with a question; rejects with an error for a person. */
  readonly copyQuestionLink: (question: BarQuery) => Promise<void>;
  readonly now: () => number;
  /** The name of the person's time zone. */
  readonly timeZone: string;
  readonly log: Log;
  /** Sends a message to the page; resolves when the page's side has taken it. */
  post(message: FromHost<SearchContract>): PromiseLike<unknown>;
}

/** So much of what is found is listed at first: nobody reads a longer list, and all of it is counted. */
const LISTED: SearchLimits = { sessions: 1_000, hitsOfSession: 20 };
/** So much of one session, where a person asks for all of it. */
const ALL_OF_ONE: SearchLimits = { sessions: 1, hitsOfSession: 2_000 };
/** Of what everything has cost: all sessions, no hit, and as many days, models and projects as a person may look at. */
const COSTLIEST: SearchLimits = { sessions: 100_000, hitsOfSession: 0, costliest: 2_000 };
/** So many sessions of it are kept, those that cost the most. */
const KEPT_SESSIONS = 50;
/** So many records before and after a hit are shown with it. */
const AROUND = 12;
/** What completion asks for: values, and the ids of the newest sessions. */
const NO_HITS: SearchLimits = { sessions: 200, hitsOfSession: 0 };

/** The host's side of one page of the search: has its questions answered, one at a time. Knows no editor. */
export class SearchSession {
  readonly #options: SearchSessionOptions;
  readonly #server: RequestServer<SearchContract>;
  #search = new AbortController();
  /** What else is being asked for the page: all of one session, values. */
  readonly #others = new AbortController();
  #following: Disposable | undefined;
  #wantsLive = false;
  #isVisible = true;
  #isReady = false;
  #first: BarQuery | undefined;
  readonly #values = new Map<'facets' | 'arguments', Promise<Values>>();

  constructor(options: SearchSessionOptions) {
    this.#options = options;
    const handlers = new RequestHandlers<SearchContract>(searchRequests);
    this.#server = new RequestServer({
      handlers,
      post: (message) => this.#post(message),
      onProblem: (why, error) => options.log.warn(why, error),
    });
    handlers.add('ready', () => this.#begin());
    handlers.add('ask', ({ number, question, archive = false }) => {
      if (options.archive && options.archive.isWanted() !== archive) options.archive.want(archive);
      this.#ask(number, question, archive);
      return {};
    });
    handlers.add('cancel', ({ forgets = false }) => {
      this.#search.abort();
      if (forgets) options.onAsked(undefined);
      return {};
    });
    handlers.add('more', async ({ question, place }) => this.#allOf(question, place));
    handlers.add('near', async ({ place, position }) => ({
      records: await options.engine.near(place, position, AROUND),
    }));
    handlers.add('values', async ({ name }) => ({ values: await this.#valuesOf(name) }));
    handlers.add('open', ({ place, position, found, staysHere }) => {
      options.open({ place, position, found, staysHere });
      return {};
    });
    handlers.add('follow', ({ isWanted }) => {
      this.#wantsLive = isWanted;
      this.#follow();
      return {};
    });
    handlers.add('openInEditor', (question) => {
      options.openInEditor(question);
      return {};
    });
    handlers.add('exportFound', ({ places }) => {
      if (places.every(({ kind }) => kind === 'archive'))
        throw new Error(t`Sessions of the archive are opened first, and exported from there.`);
      options.exportFound(places);
      return {};
    });
    answerQuestions(handlers, options.questions);
    handlers.add('copyQuestionLink', async ({ question }) => {
      await options.copyQuestionLink(question);
      return {};
    });
    if (handlers.missing.length > 0) throw new Error(`Nobody answers ${handlers.missing.join(', ')}.`);
  }

  /** Takes a message from the page. */
  async receive(message: unknown): Promise<void> {
    await this.#server.receive(message);
  }

  /** Shows a question, or the bar alone; as soon as there is a page. */
  show(question?: BarQuery): void {
    if (this.#isReady) void this.#server.notify('show', question ? { question } : {});
    else if (question) this.#first = question;
  }

  /** Goes to the next hit, or to the previous one. */
  step(by: 1 | -1): void {
    if (this.#isReady) void this.#server.notify('step', { by });
  }

  /** Ends what is being asked. */
  dispose(): void {
    this.#isReady = false;
    this.#following?.dispose();
    this.#search.abort();
    this.#others.abort();
  }

  /** Whether anybody can see the page: nothing is followed for nobody. */
  set isVisible(isVisible: boolean) {
    if (this.#isVisible === isVisible) return;
    this.#isVisible = isVisible;
    this.#follow();
  }

  #follow(): void {
    this.#following?.dispose();
    const isFollowed = this.#wantsLive && this.#isVisible;
    this.#following = isFollowed ? this.#options.spending?.follow((rows) => this.#tellLive(rows)) : undefined;
  }

  #tellLive(rows: readonly LiveRow[]): void {
    if (this.#isReady) void this.#server.notify('live', { rows });
  }

  async #begin(): Promise<SearchContract['answers']['ready']> {
    const conversations = await this.#options.conversations();
    this.#isReady = true;
    // Asked anew by each page: there may be more by now.
    this.#values.clear();
    const question = this.#first;
    this.#first = undefined;
    const { isEditor, questions, archive, spending } = this.#options;
    const spent = spending?.kept();
    return {
      conversations,
      isEditor,
      questions: questions.known(),
      ...(archive?.isSet() && { archive: archive.isWanted() }),
      ...(question && { question }),
      ...(spent && { spent }),
    };
  }

  #ask(number: number, question: BarQuery, archive: boolean): void {
    this.#search.abort();
    this.#search = new AbortController();
    this.#options.onAsked(question);
    const asked = {
      ...this.#asked(question, this.#options.spending ? COSTLIEST : LISTED),
      archive: archive && this.#options.archive?.isSet() === true,
    };
    void this.#tell(number, asked, this.#search.signal);
  }

  async #tell(number: number, question: SearchQuestion, signal: AbortSignal): Promise<void> {
    const groups: SearchGroup[] = [];
    const { spending } = this.#options;
    try {
      for await (const update of this.#options.engine.ask(question, signal)) {
        if (spending) {
          appendAll(groups, update.groups);
          if (update.state === 'done')
            spending.keep({ at: question.now, update: { ...update, groups: costliestOf(groups) } });
        }
        for (const part of inParts(update)) await this.#server.notify('update', { number, update: part });
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#options.log.warn('A question could not be answered.', error);
      await this.#server.notify('failed', { number, message: messageOf(error) });
    }
  }

  async #allOf(question: BarQuery, location: SessionLocation): Promise<{ readonly group?: SearchGroup }> {
    const asked = {
      ...this.#asked(question, ALL_OF_ONE),
      only: [location],
      archive: location.kind === 'archive',
    };
    for await (const { groups } of this.#options.engine.ask(asked, this.#others.signal)) {
      const [group] = groups;
      if (group) return { group: fitting(group) };
    }
    return {};
  }

  async #valuesOf(name: string): Promise<readonly string[]> {
    const from = isOfArguments(name) ? 'arguments' : 'facets';
    const reading =
      this.#values.get(from) ?? (from === 'arguments' ? this.#argumentValues() : this.#readFacets());
    this.#values.set(from, reading);
    try {
      const values = await reading;
      return Object.hasOwn(values, name) ? (values[name] ?? []) : [];
    } catch (error) {
      // The next question for them may succeed.
      if (this.#values.get(from) === reading) this.#values.delete(from);
      throw error;
    }
  }

  /** Tool calls are looked at where something is known of their sessions: once all of them were asked. */
  async #argumentValues(): Promise<Values> {
    await this.#valuesOf('tool');
    return await this.#options.engine.argumentValues();
  }

  async #readFacets(): Promise<Values> {
    const found: Record<string, readonly string[]> = {};
    const sessions: string[] = [];
    const asked = this.#asked({ text: '', rows: 'records' }, NO_HITS);
    for await (const { facets, groups } of this.#options.engine.ask(asked, this.#others.signal)) {
      for (const { field, values } of facets) found[field] = values.map(({ value }) => value);
      // What is in a file is called by its number there.
      for (const { place: location } of groups)
        if (location.kind === 'stored') sessions.push(location.conversation);
    }
    return { ...found, session: sessions };
  }

  #asked({ text, rows }: BarQuery, limits: SearchLimits): SearchQuestion {
    const { now, timeZone } = this.#options;
    return { text, rows, now: now(), timeZone, order: 'newest', limits };
  }

  async #post(message: FromHost<SearchContract>): Promise<void> {
    try {
      await this.#options.post(message);
    } catch (error) {
      this.#options.log.warn('A message to the page of the search was lost.', error);
    }
  }
}

function costliestOf(groups: readonly SearchGroup[]): readonly SearchGroup[] {
  const amountOf = ({ cost }: SearchGroup) => (cost ? knownAmount(cost) : 0);
  return [...groups].sort((a, b) => amountOf(b) - amountOf(a)).slice(0, KEPT_SESSIONS);
}

/** An update in parts that each fit into a message: the groups are spread over them, the rest stands in each. */
function* inParts(update: SearchUpdate): Generator<SearchUpdate> {
  let groups: SearchGroup[] = [];
  let size = 0;
  for (const group of update.groups) {
    const characters = JSON.stringify(group).length;
    if (groups.length > 0 && size + characters > MESSAGE_CHARACTERS) {
      yield { ...update, state: 'searching', groups };
      [groups, size] = [[], 0];
    }
    groups.push(group);
    size += characters;
  }
  yield { ...update, groups };
}

/** A group with as many of its hits as fit into a message. */
function fitting(group: SearchGroup): SearchGroup {
  let size = 0;
  const end = group.hits.findIndex((hit) => (size += JSON.stringify(hit).length) > MESSAGE_CHARACTERS);
  return end < 0 ? group : { ...group, hits: group.hits.slice(0, Math.max(1, end)) };
}
