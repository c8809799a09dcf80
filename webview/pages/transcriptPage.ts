import { t } from '../../src/core/l10n.js';
import { messageOf } from '../../src/core/text.js';
import { RequestClient } from '../../src/page/protocol/requestClient.js';
import { isUnasked, NO_QUESTION } from '../../src/page/protocol/question.js';
import type { EventData, PanelEvent } from '../../src/page/protocol/events.js';
import type { FromHost } from '../../src/page/protocol/protocol.js';
import type { Answer } from '../../src/page/protocol/requests.js';
import type { Row, RowNote } from '../../src/page/protocol/row.js';
import { el, fill } from '../dom.js';
import { takeDrops } from '../fileDrop.js';
import type { HostApi } from '../hostApi.js';
import { handleKey } from './keys.js';
import { LatePart } from '../latePart.js';
import { makeActions } from '../rows/makeActions.js';
import type { PageActions } from '../rows/pageActions.js';
import { persist, readPersisted, type Persisted } from '../persisted.js';
import type { NoteEditor } from '../notes/noteEditor.js';
import { RowLoader } from '../rowLoader.js';
import { INITIAL, isRunning, NOWHERE, type State, type Notice } from '../state.js';
import { Store } from '../store.js';
import { ApprovalsDock } from '../views/approvalsDock.js';
import { ChatBox } from '../views/chatBox.js';
import { FailureDock } from '../views/failureDock.js';
import { Header } from '../views/header.js';
import type { KeysHelp } from '../views/keysHelp.js';
import { MessagesView } from '../views/messagesView.js';
import { OtherViews } from './otherViews.js';
import { whenFocused } from '../rows/rowFocus.js';
import type { VirtualList } from '../rows/virtualList.js';
import { button, iconButton } from '../controls.js';
import { icon } from '../icons.js';

/** How long a notice is shown, unless it is a failure, in milliseconds. */
const SHOWN_MS = 4_000;
/** The same where what was done can be undone there. */
const UNDO_MS = 10_000;

/** One sentence at the top of the page: what was done, or why it was not. */
class NoticeBar {
  readonly element = el('div', { class: 'notice', role: 'status', hidden: true });
  readonly #actions: PageActions;
  #shown: Notice | undefined;
  #timer: number | undefined;

  constructor(actions: PageActions) {
    this.#actions = actions;
  }

  update({ notice }: State): void {
    if (notice === this.#shown) return;
    this.#shown = notice;
    window.clearTimeout(this.#timer);
    this.element.hidden = notice === undefined;
    this.element.className = `notice notice-${notice?.level ?? 'info'}`;
    this.element.setAttribute('role', notice?.level === 'error' ? 'alert' : 'status');
    const close = iconButton('close', t`Close this notice`, this.#actions.dismissNotice);
    fill(
      this.element,
      notice && [
        icon(notice.level === 'error' ? 'error' : 'info'),
        el('span', {}, notice.text),
        notice.undoes && button({ class: 'notice-undo', on: { click: this.#actions.undoNote } }, t`Undo`),
        close,
      ],
    );
    const shownMs = notice?.undoes ? UNDO_MS : SHOWN_MS;
    if (notice?.level === 'info') this.#timer = window.setTimeout(this.#actions.dismissNotice, shownMs);
  }
}

/** How much of the page before stays in sight when one is turned, in pixels. */
const OVERLAP = 48;

/** Brings a row into sight. Of one that is higher than the window, the beginning; where it fills the window, it stays. */
function revealRow(list: VirtualList, index: number, align: 'auto' | 'center'): void {
  list.showPart(index);
  const { start, end, windowHeight } = list.span(index);
  if (end - start <= windowHeight) list.reveal(index, align);
  else if (align === 'center' || start > 0 || end < windowHeight) list.reveal(index, 'start');
}

/**
 * The row to which a page further down (1) or up (-1) leads from a row. A row that goes on beyond the window is scrolled,
 * and stays the one.
 */
function turnPage(list: VirtualList, from: number, by: 1 | -1): number {
  const { start, end, windowHeight } = list.span(from);
  if (end <= 0 || start >= windowHeight) return list.top?.index ?? from;
  if (by > 0 ? end > windowHeight + OVERLAP : start < -OVERLAP) {
    list.element.scrollTop += by * (windowHeight - OVERLAP);
    return from;
  }
  const next = list.indexAt(start + by * windowHeight);
  const moved = by > 0 ? Math.max(next, from + 1) : Math.min(next, from - 1);
  return Math.max(0, Math.min(moved, list.part.of - 1));
}

/** How long changes are collected before they are saved for the next page, in milliseconds. */
const PERSIST_MS = 250;

/** The page of one transcript: connects its state with the host, the person's actions and the views. */
export class TranscriptPage {
  readonly element: HTMLElement;
  readonly #host: HostApi;
  readonly #ended = new AbortController();
  readonly #left: Persisted;
  readonly #store: Store;
  readonly #client: RequestClient;
  readonly #actions: PageActions;
  readonly #messages: MessagesView;
  readonly #others: OtherViews;
  readonly #keys = new LatePart(() => this.#newKeysHelp());
  /** The box of notes, loaded once the page stands, so that who types on after its key types into it. */
  readonly #noteEditor = new LatePart(() => this.#newNoteEditor());
  readonly #chat: ChatBox;
  readonly #loader: RowLoader;
  /** Requested before the page is built, so that the host reads meanwhile. */
  readonly #snapshot: Promise<Answer<'ready'>>;
  /** How the selected row is to be shown again once it is known. */
  #revealing: 'auto' | 'center' | undefined;
  #persistTimer: number | undefined;
  /** Whether the host has asked for something to be shown. */
  #isLed = false;

  constructor(host: HostApi) {
    this.#host = host;
    this.#left = readPersisted(host.getState());
    this.#store = new Store(stateFrom(this.#left));
    this.#client = new RequestClient({
      post: (message) => {
        if (!this.#ended.signal.aborted) host.postMessage(message);
      },
      onEvent: (event) => this.#take(event),
      onUnexpected: (why) => console.warn(t`Unexpected: ${why}`),
    });
    const { signal } = this.#ended;
    window.addEventListener('message', (event: MessageEvent<FromHost>) => this.#client.receive(event.data), {
      signal,
    });
    const { asked, expanded, expandedAll, showsRaw, top } = this.#left;
    this.#snapshot = this.#client.ask('ready', {
      question: asked,
      expanded,
      expandedAll,
      showsRaw,
      ...(top && { top: top.id }),
    });
    const stateOf = (): State => this.#store.state;
    this.#actions = this.#newActions();
    this.#loader = new RowLoader({
      stateOf,
      fetch: (generation, start, end) => this.#client.ask('rows', { generation, start, end }),
      onRows: (answer, center) => this.#store.dispatch({ type: 'rows', answer, center }),
      onFailure: (error) => this.#fail(error),
    });
    this.#messages = new MessagesView({
      actions: this.#actions,
      stateOf,
      onRange: (first, last) => this.#loader.look(first, last),
      onFollow: (following) => this.#store.dispatch({ type: 'follow', following }),
    });
    this.#others = new OtherViews({
      client: this.#client,
      actions: this.#actions,
      stateOf,
      onFailure: (error) => this.#fail(error),
    });
    this.#chat = new ChatBox(this.#actions);
    this.element = this.#newElement(stateOf);
  }

  #newActions(): PageActions {
    return makeActions({
      client: this.#client,
      store: this.#store,
      showKeys: () => void this.#showKeys(),
      tellFailure: (error) => this.#fail(error),
      editNote: (row, note) => void this.#editNote(row, note),
      reveal: (index, align) => this.#reveal(index, align),
      toEnd: () => this.#messages.list.toEnd(),
      putIntoChat: (text) => {
        this.#chat.add(text);
        this.#chat.focus();
      },
    });
  }

  async #editNote(row: Row, note: RowNote | undefined): Promise<void> {
    try {
      (await this.#noteEditor.get()).open(row, note);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #showKeys(): Promise<void> {
    try {
      (await this.#keys.get()).show();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #newKeysHelp(): Promise<KeysHelp> {
    const { KeysHelp: Help } = await import('../views/keysHelp.js');
    const help = new Help();
    this.element.append(help.element);
    return help;
  }

  async #newNoteEditor(): Promise<NoteEditor> {
    const { NoteEditor: Editor } = await import('../notes/noteEditor.js');
    const editor = new Editor({
      write: (row, note, text) => this.#actions.writeNote(row, note, text),
      remove: (note) => this.#actions.removeNote(note),
    });
    this.element.append(editor.element);
    return editor;
  }

  /** Puts the page together; each part follows the state from then on. */
  #newElement(stateOf: () => State): HTMLElement {
    const header = new Header(this.#actions, stateOf);
    const dock = new ApprovalsDock(this.#actions);
    const failure = new FailureDock(this.#actions);
    const notice = new NoticeBar(this.#actions);
    const page = el(
      'main',
      { class: 'page' },
      header.element,
      notice.element,
      el('div', { class: 'views' }, this.#messages.element, this.#others.elements),
      dock.element,
      failure.element,
      this.#chat.element,
    );
    takeDrops(page, this.#actions, this.#ended.signal);
    copyMarked(this.#actions.copy, this.#ended.signal);
    this.#store.listen((state, before) => {
      page.dataset.tab = state.tab;
      page.classList.toggle('is-loading', !state.ready);
      for (const part of [header, notice, dock, failure, this.#chat]) part.update(state);
      this.#messages.element.hidden = state.tab !== 'messages';
      this.#messages.update(state, before);
      const { selected } = state;
      // A row that was not known when it was gone to may be higher than was assumed.
      if (this.#revealing && selected && state.rows.has(selected.index)) {
        revealRow(this.#messages.list, selected.index, this.#revealing);
        this.#revealing = undefined;
      }
      this.#others.update(state);
      // Saved at once, so that a filter that was just set survives an immediate closing of the page.
      if (state.question !== before.question || state.selected !== before.selected) this.#persistNow();
      else this.#persistSoon();
    });
    return page;
  }

  /** In a low page what stands above the rows folds as one scrolls, so that most of it is rows. */
  #fold({ scrollTop, scrollHeight, clientHeight }: HTMLElement): void {
    // What is folded gives its height to the list, which then must have somewhere to scroll to, or it would unfold at once.
    const isLong = scrollHeight - clientHeight > 2 * window.innerHeight;
    const isFolded = scrollTop > 0 && (isLong || this.element.classList.contains('is-folded'));
    this.element.classList.toggle('is-folded', isFolded);
  }

  /** Shows what the host has; to be called at once. */
  async begin(): Promise<void> {
    const { signal } = this.#ended;
    document.addEventListener('keydown', (event) => this.#onKey(event), { signal });
    const { element } = this.#messages.list;
    element.addEventListener('scroll', () => this.#persistSoon());
    element.addEventListener('scroll', () => this.#fold(element));
    element.addEventListener('wheel', () => (this.#revealing = undefined), { passive: true });
    window.addEventListener('pagehide', () => this.#persistNow(), { signal });
    const { top, following } = this.#left;
    try {
      const { draft, ...snapshot } = await this.#snapshot;
      this.#store.dispatch({ type: 'snapshot', snapshot });
      this.#chat.add(draft);
      this.#messages.list.reset(snapshot.list.rows);
      if (following) this.#messages.list.toEnd();
      else if (snapshot.at) this.#messages.list.restore(snapshot.at.index, top?.offset ?? 0);
      else if (this.#store.state.following) this.#messages.list.toEnd();
      else if (snapshot.seen) await this.#showNews(snapshot.seen.records);
      // Where it cannot be loaded, that is said when it is asked for.
      this.#noteEditor.get().catch(() => undefined);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Brings what came since one looked into sight, unless something else is to be shown or the person went elsewhere meanwhile. */
  async #showNews(from: number): Promise<void> {
    const { position } = await this.#client.ask('next', { of: 'new', from, by: 1 });
    const { tab, asked } = this.#store.state;
    const isElsewhere = this.#isLed || this.#messages.isTouched || tab !== 'messages' || !isUnasked(asked);
    if (position !== undefined && !isElsewhere) this.#actions.showInContext(position);
  }

  /** Leaves the window to another page, which begins where this one was. */
  end(): void {
    this.#persistNow();
    this.#ended.abort();
  }

  /** Whoever has the end in sight when a run begins, as after its button, follows it. */
  #takeLive(data: State['live']): void {
    const { state } = this.#store;
    const isAtEnd = state.tab === 'messages' && this.#messages.list.isAtEnd;
    this.#store.dispatch({ type: 'live', data });
    const begins = !isRunning(state) && isRunning(this.#store.state);
    if (begins && isAtEnd) this.#store.dispatch({ type: 'follow', following: true });
  }

  #take(event: PanelEvent): void {
    switch (event.name) {
      case 'list':
        this.#takeList(event.data);
        break;
      case 'changed':
        this.#store.dispatch({ type: 'changed', rows: event.data.rows });
        break;
      case 'title':
        this.#store.dispatch({ type: 'title', title: event.data.title });
        break;
      case 'facts':
        this.#store.dispatch({ type: 'facts', facts: event.data });
        break;
      case 'kept':
        this.#store.dispatch({ type: 'kept', kept: event.data });
        break;
      case 'show':
        // Whoever only opens the transcript asks for nothing in it.
        this.#isLed ||= Object.keys(event.data).length > 0;
        void this.#show(event.data);
        break;
      case 'matches':
        this.#store.dispatch({ type: 'matches', data: event.data });
        break;
      case 'live':
        this.#takeLive(event.data);
        break;
      case 'approvals':
        this.#store.dispatch({ type: 'approvals', data: event.data });
        break;
      case 'writing':
        this.#messages.showWriting(event.data);
        break;
      case 'returned':
        this.#chat.add(event.data.text);
        if (event.data.problem !== undefined) this.#fail(event.data.problem);
        break;
      case 'facets':
        this.#store.dispatch({ type: 'facets', data: event.data });
        break;
      case 'damaged':
        this.#store.dispatch({ type: 'damaged', data: event.data });
        break;
    }
  }

  #takeList(data: EventData<'list'>): void {
    this.#store.dispatch({ type: 'list', data });
    const { list } = this.#messages;
    if (data.replaced) list.reset(data.rows);
    else list.change(data.rows, data.changes);
    if (this.#store.state.following) list.toEnd();
  }

  async #show({
    position,
    tab,
    bar,
    question,
    found,
    note,
    message,
    noting,
  }: EventData<'show'>): Promise<void> {
    if (note !== undefined) this.#fail(t`The message of this note is not in this transcript.`);
    if (message) this.#fail(t`The message that the link names is not in this transcript.`);
    if (noting) this.#note(noting);
    if (question) this.#actions.ask(question);
    if (tab) this.#actions.showTab(tab);
    if (position !== undefined && found) this.#actions.showFound(position, found);
    else if (position !== undefined) this.#actions.showInContext(position);
    if (bar === undefined) return;
    this.#actions.showTab('messages');
    await Promise.resolve();
    if (bar === 'copyLink') this.#actions.copyQuestionLink();
    else if (bar === 'focus') whenFocused(() => this.#messages.filterBar.focus());
    else whenFocused(() => this.#messages.filterBar.openQuestions());
  }

  /** Does something with the note of the row that is selected, else of the first in sight. */
  #note(what: NonNullable<EventData<'show'>['noting']>): void {
    if (what === 'undo') {
      this.#actions.undoNote();
      return;
    }
    this.#actions.showTab('messages');
    const { selected, rows } = this.#store.state;
    const row = rows.get(selected?.index ?? this.#messages.list.top?.index ?? 0);
    if (!row) this.#fail(t`There is no message to note anything about.`);
    else if (what === 'bookmark') this.#actions.bookmark(row);
    else this.#actions.editNote(row, row.notes?.[0]);
  }

  #reveal(index: number, align: 'auto' | 'center'): void {
    const { list, filterBar } = this.#messages;
    revealRow(list, index, align);
    this.#revealing = this.#store.state.rows.has(index) ? undefined : align;
    // A person who steps through matches from the filter continues typing there.
    if (!filterBar.hasFocus) this.#messages.focusRow(index);
  }

  #turnPage(by: 1 | -1): void {
    const { list } = this.#messages;
    const from = this.#store.state.selected?.index ?? list.top?.index ?? 0;
    const to = turnPage(list, from, by);
    if (to !== from) this.#actions.select(to);
  }

  #onKey(event: KeyboardEvent): void {
    const isTaken = handleKey(event, {
      actions: this.#actions,
      stateOf: () => this.#store.state,
      focusQuestion: () => {
        this.#actions.showTab('messages');
        this.#messages.filterBar.focus();
      },
      focusChat: () => this.#chat.focus(),
      openExport: () => document.getElementById('export')?.click(),
      goIntoRow: (index) => this.#messages.focusButtons(index),
      leaveRow: (index) => this.#messages.focusRow(index),
      turnPage: (by) => this.#turnPage(by),
      stepTo: this.#actions.stepTo,
    });
    if (isTaken || this.#others.handleKey(event)) event.preventDefault();
    else if (event.key === 'Escape') this.#escape();
  }

  #escape(): void {
    if (document.querySelector(':popover-open, dialog[open]')) return;
    const { notice, question, found } = this.#store.state;
    if (found) this.#store.dispatch({ type: 'found', found: undefined });
    else if (notice) this.#actions.dismissNotice();
    else if (!isUnasked(question)) this.#actions.ask(NO_QUESTION);
  }

  #fail(error: unknown): void {
    const text = messageOf(error);
    this.#store.dispatch({ type: 'notice', notice: { text, level: 'error' } });
  }

  #persistSoon(): void {
    this.#persistTimer ??= window.setTimeout(() => this.#persistNow(), PERSIST_MS);
  }

  #persistNow(): void {
    clearTimeout(this.#persistTimer);
    this.#persistTimer = undefined;
    if (this.#ended.signal.aborted) return;
    const { state } = this.#store;
    if (!state.ready) return;
    const top = this.#messages.list.top;
    const id = top && state.rows.get(top.index)?.id;
    this.#host.setState(persist(state, top && id !== undefined ? { id, offset: top.offset } : undefined));
  }
}

function stateFrom(left: Persisted): State {
  return {
    ...INITIAL,
    tab: left.tab,
    question: left.question,
    asked: left.asked,
    expandedAll: left.expandedAll,
    following: left.following,
    expanded: new Set(left.expanded),
    open: new Set(left.open),
    ...(left.selected !== undefined && { selected: { id: left.selected, index: NOWHERE } }),
  };
}

/**
 * Lets what is marked on the page be copied the way its buttons copy, so that it passes what every text passes that leaves the product.
 * What somebody has written into a field is theirs. Until the signal is aborted.
 */
function copyMarked(copy: (text: string) => void, signal: AbortSignal): void {
  const heard = (event: ClipboardEvent) => {
    const marked = String(document.getSelection() ?? '');
    if (marked === '' || isField(event.target)) return;
    event.preventDefault();
    copy(marked);
  };
  document.addEventListener('copy', heard, { signal });
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
