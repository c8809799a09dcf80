import * as v from 'valibot';
import { t } from '../../src/core/l10n.js';
import { messageOf } from '../../src/core/text.js';
import { Cancelled } from '../../src/core/cancelled.js';
import { withoutSaved, type KnownQuestions, type QuestionScope } from '../../src/page/protocol/question.js';
import type { FromHost } from '../../src/page/protocol/protocol.js';
import { RequestClient } from '../../src/page/protocol/requestClient.js';
import type { SearchHit, SessionLocation, ToldElsewhere } from '../../src/page/protocol/search.js';
import type { BarQuery, SearchContract } from '../../src/page/protocol/searchPage.js';
import { isSameQuestion, problemsOf } from '../../src/query/language/question.js';
import { toggleRefinement, withinTime, type Refinement } from '../../src/query/language/refine.js';
import { ROW_KINDS } from '../../src/query/language/syntax.js';
import { checkbox } from '../controls.js';
import { el } from '../dom.js';
import type { HostApi } from '../hostApi.js';
import { QuestionBar } from '../questionBar/questionBar.js';
import { QuestionChips } from '../questionBar/questionChips.js';
import { questionsButton, type QuestionsButton } from '../views/questionsButton.js';
import type { QuestionsMenuOptions } from '../views/questionsMenu.js';
import { EmptyState } from './emptyState.js';
import { FacetList } from './facetList.js';
import { HistogramView, writtenMoment } from './histogram.js';
import { Preview } from './preview.js';
import { isItselfFound } from './resultRow.js';
import { isSameRow, type ResultRow } from './resultRows.js';
import { ResultTree } from './resultTree.js';
import { NOTHING_ASKED, ORDERS, reduceSearch, type SearchEvent, type SearchState } from './searchState.js';
import { StatusLine } from './statusLine.js';

/** How long typing must pause before a question is asked, in milliseconds. */
const TYPING_MS = 150;
/** How long a hit must be chosen before what is around it is read, in milliseconds. */
const PREVIEW_MS = 80;
/** How long a sentence on what was done is shown, in milliseconds. */
const TOLD_MS = 4_000;

const NOTHING: BarQuery = { text: '', rows: 'messages' };

const question = v.object({ text: v.string(), rows: v.picklist(ROW_KINDS) });
/** What a page saves for its successor. */
const persisted = v.object({
  question,
  order: v.picklist(ORDERS),
});

/** The page of the search: connects its state with the host, the bar and the views. */
export class SearchPage {
  readonly element: HTMLElement;
  readonly #host: HostApi;
  readonly #client: RequestClient<SearchContract>;
  readonly #bar: QuestionBar;
  readonly #chips = new QuestionChips(
    (text) => this.#askFor({ ...this.#question, text }),
    () => this.#bar.focus(),
  );
  readonly #status: StatusLine;
  readonly #facets: FacetList;
  readonly #refine: HTMLDetailsElement;
  readonly #chosen = el('span', { class: 'chosen', hidden: true });
  readonly #histogram: HistogramView;
  readonly #tree: ResultTree;
  readonly #preview: Preview;
  readonly #empty: EmptyState;
  #state: SearchState = NOTHING_ASKED;
  #question = NOTHING;
  #questions: KnownQuestions = { saved: [], recent: [] };
  readonly #archive = checkbox(false, () => this.#ask(this.#question), t`Search the archive too`);
  readonly #values = new Map<string, readonly string[]>();
  readonly #told = el('div', { class: 'search-told', role: 'status', hidden: true });
  #telling: number | undefined;
  #typing: number | undefined;
  #previewing: number | undefined;

  constructor(host: HostApi) {
    this.#host = host;
    this.#client = new RequestClient<SearchContract>({
      post: (message) => host.postMessage(message),
      onEvent: (event) => this.#take(event),
      onUnexpected: (why) => console.warn(t`Unexpected: ${why}`),
    });
    window.addEventListener('message', (event: MessageEvent<FromHost<SearchContract>>) =>
      this.#client.receive(event.data),
    );
    this.#bar = this.#newBar();
    this.#status = this.#newStatus();
    this.#facets = new FacetList((field, refinement) => this.#refined(field, refinement));
    this.#histogram = new HistogramView((from, to) => this.#narrowed(from, to));
    this.#tree = this.#newTree();
    this.#preview = new Preview(
      (other) => this.#openChosen(other),
      (agent) => this.#tree.hueOf(agent),
    );
    this.#empty = new EmptyState((asked) => this.#askFor(asked));
    this.#refine = el(
      'details',
      { class: 'refine' },
      el('summary', {}, t`Refine`, ' ', this.#chosen),
      this.#facets.element,
    );
    this.element = el(
      'main',
      { class: 'search-page' },
      el('h1', { class: 'sr' }, t`Search`),
      el(
        'div',
        { class: 'search-bar' },
        el('div', { class: 'search-asked' }, this.#bar.element, this.#newQuestions().element),
        // What is wrong appears where the field is left: above them it would push away what is clicked.
        this.#chips.element,
        this.#bar.problems,
        this.#archive,
        this.#told,
      ),
      this.#status.element,
      el(
        'div',
        { class: 'search-body' },
        this.#refine,
        el('div', { class: 'search-main' }, this.#histogram.element, this.#empty.element, this.#tree.element),
        this.#preview.element,
      ),
    );
    this.#fitRefine();
  }

  #newBar(): QuestionBar {
    return new QuestionBar({
      label: t`Search all conversations`,
      placeholder: t`Search all conversations`,
      rows: ['messages', 'toolCalls', 'agentCalls', 'runs', 'sessions', 'records'],
      nothing: NOTHING,
      showsAllUnasked: false,
      values: (name) => this.#valuesOf(name),
      history: () => this.#questions.recent,
      onChange: (asked, answered) => this.#changed(asked, answered),
      onEnter: (by) => this.#enter(by),
      onLeave: () => this.#tree.focus(),
    });
  }

  #newStatus(): StatusLine {
    return new StatusLine({
      cancel: () => this.#cancel(),
      again: () => this.#ask(this.#question),
      order: (order) => this.#dispatch({ type: 'order', order }),
      collapseAll: (collapsed) => this.#dispatch({ type: 'collapseAll', collapsed }),
      exportFound: () =>
        void this.#do(
          this.#client.ask('exportFound', { places: this.#state.groups.map(({ place }) => place) }),
        ),
      openInEditor: () => void this.#do(this.#client.ask('openInEditor', this.#question)),
      openSession: (location) =>
        void this.#do(this.#client.ask('open', { place: location, staysHere: false })),
    });
  }

  #newTree(): ResultTree {
    return new ResultTree({
      select: (row) => this.#dispatch({ type: 'select', row }),
      collapse: (session, collapsed) => this.#dispatch({ type: 'collapse', session, collapsed }),
      collapseAll: (collapsed) => this.#dispatch({ type: 'collapseAll', collapsed }),
      open: (row, staysHere) => this.#open(row, staysHere),
      openOther: ({ place, position }, hit, staysHere) => this.#openAt(place, hit, position, staysHere),
      more: (row) => void this.#more(row.group.place),
      leave: () => this.#bar.focus(),
    });
  }

  /** Shows what its predecessor left, or what the host has it ask; to be called at once. */
  async begin(): Promise<void> {
    const left = v.safeParse(persisted, this.#host.getState());
    if (left.success) {
      this.#dispatch({ type: 'order', order: left.output.order });
    }
    try {
      const {
        conversations,
        question: given,
        isEditor,
        questions,
        archive,
      } = await this.#client.ask('ready', {});
      this.#questions = questions;
      this.#archive.hidden = archive === undefined;
      this.#archive.checked = archive === true;
      // Where nothing is here yet, there may be something in the archive.
      if (conversations > 0 || archive === undefined)
        this.#dispatch({ type: 'conversations', count: conversations });
      this.element.classList.toggle('in-editor', isEditor);
      if (isEditor) this.#status.inEditor();
      this.element.classList.add('is-ready');
      // What was typed while this was waited for is what the person wants.
      if (given || this.#question === NOTHING)
        this.#askFor(given ?? (left.success ? left.output.question : NOTHING));
      else this.#ask(this.#question);
      if (document.hasFocus() || given) this.#bar.focus();
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(
    event: Parameters<ConstructorParameters<typeof RequestClient<SearchContract>>[0]['onEvent']>[0],
  ): void {
    switch (event.name) {
      case 'update':
        this.#dispatch({ type: 'update', ...event.data });
        if (event.data.number === this.#state.number) this.#bar.refuse(this.#state.problems);
        break;
      case 'failed':
        this.#dispatch({ type: 'failed', ...event.data });
        break;
      case 'show':
        if (event.data.question) this.#askFor(event.data.question);
        this.#bar.focus();
        break;
      case 'step':
        this.#step(event.data.by, true);
        break;
      case 'live':
        break;
    }
  }

  #dispatch(event: SearchEvent): void {
    const before = this.#state;
    this.#state = reduceSearch(before, event);
    const state = this.#state;
    if (state === before) return;
    this.#status.update(state);
    this.#facets.update(state);
    this.#facets.reach();
    this.#refine.hidden = this.#facets.isEmpty;
    this.#chosen.textContent = t`${this.#facets.chosen} chosen`;
    this.#chosen.hidden = this.#facets.chosen === 0;
    this.#histogram.update(state.histogram);
    this.#empty.update(state);
    this.#tree.element.hidden = state.groups.length === 0;
    this.#tree.update(state);
    this.element.classList.toggle('has-results', state.groups.length > 0);
    if (state.selected !== before.selected) this.#previewSoon();
    if (event.type === 'order') this.#persist();
  }

  /** Somebody has changed the question in the bar. */
  #changed(asked: BarQuery, answered: BarQuery): void {
    this.#question = asked;
    this.#chips.show(answered.text);
    this.#persist();
    clearTimeout(this.#typing);
    // Whatever is being looked for is not what is wanted any more.
    if (this.#state.state === 'searching') this.#cancel();
    if (isSameQuestion(asked, answered)) this.#typing = window.setTimeout(() => this.#ask(asked), TYPING_MS);
  }

  #enter(by: 1 | -1): void {
    clearTimeout(this.#typing);
    if (problemsOf(this.#question).length > 0) return;
    this.#remember(this.#question);
    const { asked, state } = this.#state;
    if (!asked || !isSameQuestion(asked, this.#question) || state === 'cancelled' || state === 'failed')
      this.#ask(this.#question);
    else if (by < 0) this.#step(-1, true);
    else this.#tree.focus();
  }

  /** Puts a question into the bar and asks it. */
  #askFor(asked: BarQuery, refines?: string): void {
    this.#question = asked;
    this.#bar.show(asked);
    if (problemsOf(asked).length === 0) this.#chips.show(asked.text);
    this.#remember(asked);
    this.#ask(asked, refines);
    this.#persist();
  }

  #ask(asked: BarQuery, refines?: string): void {
    clearTimeout(this.#typing);
    // The bar says what is wrong; what was found before stays.
    if (problemsOf(asked).length > 0) return;
    if (asked.text.trim() === '') {
      this.#dispatch({ type: 'forget' });
      void this.#do(this.#client.ask('cancel', { forgets: true }));
      return;
    }
    this.#dispatch({ type: 'ask', question: asked, refines });
    const { number } = this.#state;
    void this.#do(this.#client.ask('ask', { number, question: asked, archive: this.#archive.checked }));
  }

  #cancel(): void {
    this.#dispatch({ type: 'cancel' });
    void this.#do(this.#client.ask('cancel', {}));
  }

  #refined(field: string, refinement: Refinement): void {
    const text = toggleRefinement(this.#question.text, refinement, this.#question.rows);
    if (text !== undefined) this.#askFor({ ...this.#question, text }, field);
  }

  #narrowed(from: number, to: number): void {
    const { text: asked, rows } = this.#question;
    const text = withinTime(asked, { since: writtenMoment(from), before: writtenMoment(to) }, rows);
    if (text !== undefined) this.#askFor({ ...this.#question, text });
  }

  #step(by: 1 | -1, staysHere: boolean): void {
    const row = this.#tree.step(by);
    if (row) this.#open(row, staysHere);
  }

  #open(row: ResultRow, staysHere: boolean): void {
    const hit = row.kind === 'hit' ? row.hit : isItselfFound(row.group) ? row.group.hits[0] : undefined;
    this.#openAt(row.group.place, hit, hit?.position, staysHere);
  }

  #openChosen(other: ToldElsewhere | undefined): void {
    const row = this.#tree.chosen;
    if (row && other)
      this.#openAt(other.place, row.kind === 'hit' ? row.hit : undefined, other.position, false);
    else if (row) this.#open(row, false);
  }

  /** Opens a session at a position, with what was found marked in it. */
  #openAt(
    place: SessionLocation,
    hit: SearchHit | undefined,
    position: number | undefined,
    staysHere: boolean,
  ): void {
    const [mark] = hit?.excerpt.marks ?? [];
    const found = mark && hit ? hit.excerpt.text.slice(mark.start, mark.end) : undefined;
    void this.#do(
      this.#client.ask('open', {
        place,
        staysHere,
        ...(position !== undefined && { position }),
        ...(found !== undefined && found.trim() !== '' && { found }),
      }),
    );
  }

  async #more(location: SessionLocation): Promise<void> {
    const { asked, number } = this.#state;
    if (!asked) return;
    try {
      const { group } = await this.#client.ask('more', { question: asked, place: location });
      if (group && this.#state.number === number) this.#dispatch({ type: 'group', group });
    } catch (error) {
      this.#fail(error);
    }
  }

  #previewSoon(): void {
    clearTimeout(this.#previewing);
    this.#previewing = window.setTimeout(() => void this.#showPreview(), PREVIEW_MS);
  }

  async #showPreview(): Promise<void> {
    const row = this.#tree.chosen;
    const hit = row?.kind === 'hit' ? row.hit : row?.group.hits[0];
    if (!row || !hit) {
      this.#preview.clear();
      return;
    }
    // In a side bar there is no room for it, so nothing is read for it.
    if (this.#preview.element.offsetWidth === 0) return;
    try {
      const { records } = await this.#client.ask('near', { place: row.group.place, position: hit.position });
      if (isSameRow(this.#state.selected, row.key)) this.#preview.show({ group: row.group, hit, records });
    } catch (error) {
      if (isSameRow(this.#state.selected, row.key)) this.#preview.fail(messageOf(error));
    }
  }

  #valuesOf(name: string): readonly string[] {
    const known = this.#values.get(name);
    if (!known) void this.#readValues(name);
    return known ?? [];
  }

  async #readValues(name: string): Promise<void> {
    this.#values.set(name, []);
    try {
      this.#values.set(name, (await this.#client.ask('values', { name })).values);
      this.#bar.refresh();
    } catch {
      // Without values nothing is completed; the next field that is typed asks again.
      this.#values.delete(name);
    }
  }

  #newQuestions(): QuestionsButton {
    const options: QuestionsMenuOptions = {
      known: () => this.#questions,
      isAsked: () => this.#question.text.trim() !== '' && problemsOf(this.#question).length === 0,
      ask: (asked) => this.#askFor(asked),
      save: (name, scope) =>
        void this.#keep(
          this.#client.ask('saveQuestion', { name, scope, question: this.#question }),
          t`Saved as “${name}”.`,
        ),
      remove: (name, scope) => void this.#remove(name, scope),
      copyLink: () => void this.#copyLink(),
    };
    return questionsButton(options, (error) => this.#tell(messageOf(error)));
  }

  async #remove(name: string, scope: QuestionScope): Promise<void> {
    const before = this.#questions;
    this.#questions = withoutSaved(before, name, scope);
    const isRemoved = await this.#keep(this.#client.ask('removeQuestion', { name, scope }));
    if (!isRemoved) this.#questions = before;
  }

  async #copyLink(): Promise<void> {
    try {
      await this.#client.ask('copyQuestionLink', { question: this.#question });
      this.#tell(t`The link is copied.`);
    } catch (error) {
      this.#tell(messageOf(error));
    }
  }

  /** Takes the questions that are kept from now on, and tells what was done; false where it could not be. */
  async #keep(keeping: Promise<KnownQuestions>, done?: string): Promise<boolean> {
    try {
      this.#questions = await keeping;
      if (done !== undefined) this.#tell(done);
      return true;
    } catch (error) {
      this.#tell(messageOf(error));
      return false;
    }
  }

  #tell(words: string): void {
    clearTimeout(this.#telling);
    this.#told.textContent = words;
    this.#told.hidden = false;
    this.#telling = window.setTimeout(() => (this.#told.hidden = true), TOLD_MS);
  }

  async #do(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const message = messageOf(error);
    this.#dispatch({ type: 'failed', number: this.#state.number, message });
  }

  #remember(asked: BarQuery): void {
    if (asked.text.trim() === '') return;
    const [latest] = this.#questions.recent;
    if (latest && isSameQuestion(latest, asked)) return;
    void this.#keep(this.#client.ask('noteQuestion', { question: asked }));
  }

  #persist(): void {
    const { order } = this.#state;
    this.#host.setState({ question: this.#question, order });
  }

  /** Where there is room, what refines is always shown. */
  #fitRefine(): void {
    const wide = window.matchMedia('(min-width: 720px)');
    const fit = () => {
      this.#refine.open = wide.matches;
      this.#previewSoon();
    };
    wide.addEventListener('change', fit);
    fit();
  }
}
