import * as v from 'valibot';
import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { messageOf } from '../../src/core/text.js';
import { Cancelled } from '../../src/core/cancelled.js';
import {
  chosenDecisions,
  type ChosenDecisions,
  type ApprovalLogContract,
  type ApprovalLogPart,
  type ApprovalLogReading,
  type StoredApprovalLogPage,
  type StoredApprovalLogRow,
} from '../../src/page/protocol/approvalLogPage.js';
import type { FromHost } from '../../src/page/protocol/protocol.js';
import { RequestClient } from '../../src/page/protocol/requestClient.js';
import { plainText } from '../content/plainText.js';
import { iconButton, textField } from '../controls.js';
import { el, fill } from '../dom.js';
import { formatCount, formatNoun } from '../format.js';
import type { HostApi } from '../hostApi.js';
import { DECISION_PARTS, ApprovalLogList } from '../views/approvalLogList.js';

/** How long typing must pause before a text is looked for, in milliseconds. */
const TYPING_MS = 150;

/** The page of all decisions: those of every transcript of the window, and what can be chosen of them. */
export class ApprovalLogPage {
  readonly element: HTMLElement;
  readonly #client: RequestClient<ApprovalLogContract>;
  readonly #host: HostApi;
  readonly #list: ApprovalLogList<StoredApprovalLogRow, ApprovalLogPart>;
  readonly #body = el('div', { class: 'sheet ledger-sheet' });
  readonly #state = el('span', { class: 'faint', role: 'status' });
  readonly #failure = el('div', { class: 'notice notice-error', role: 'alert', hidden: true });
  #text = '';
  #names: Readonly<Record<string, string>> = {};
  #typing: number | undefined;
  /** Whether a page is being asked for, and whether another one is wanted after it. */
  #asking: 'no' | 'yes' | 'again' = 'no';

  constructor(host: HostApi) {
    this.#host = host;
    const left = v.safeParse(chosenDecisions, host.getState());
    const { filter, text }: ChosenDecisions = left.success ? left.output : { filter: {}, text: '' };
    this.#text = text;
    this.#client = new RequestClient<ApprovalLogContract>({
      post: (sent) => host.postMessage(sent),
      onEvent: (event) => {
        if (event.name === 'failed') this.#fail(event.data.message);
        void this.#ask();
      },
      onUnexpected: (why) => console.warn(t`Unexpected: ${why}`),
    });
    window.addEventListener('message', (event: MessageEvent<FromHost<ApprovalLogContract>>) =>
      this.#client.receive(event.data),
    );
    this.#list = new ApprovalLogList<StoredApprovalLogRow, ApprovalLogPart>({
      parts: PARTS,
      filter,
      nameOf: (part, value) => this.#nameOf(part, value),
      keyOf: ({ place: location, position }) => `${location.root} ${location.conversation} ${position}`,
      columns: [
        {
          label: t`Transcript`,
          cell: ({ title }) => el('span', { class: 'ledger-title', title }, plainText(title)),
          sort: ({ title }) => title,
        },
      ],
      onOpen: ({ place: location, position, askedAt }) =>
        void this.#do(this.#client.ask('open', { place: location, position: askedAt ?? position })),
      onExport: (format) => void this.#do(this.#client.ask('export', { ...this.#chosen, format })),
      onLook: () => {
        this.#keep();
        void this.#ask();
      },
    });
    const find = textField({
      class: 'ledger-find',
      label: t`Find in what was asked`,
      placeholder: t`Find in what was asked`,
      value: text,
      onInput: (typed) => this.#look(typed),
    });
    const again = iconButton('sync', t`Read all transcripts again`, () => void this.#reload());
    this.element = el(
      'main',
      { class: 'ledger-page' },
      el('header', { class: 'ledger-top' }, el('h1', {}, t`Approvals`), find, this.#state, again),
      this.#failure,
      this.#body,
    );
  }

  /** Shows what is there, and what comes; to be called at once. */
  async begin(): Promise<void> {
    await this.#ask();
    this.element.classList.add('is-ready');
  }

  get #chosen(): ChosenDecisions {
    return { filter: this.#list.wanted.filter, text: this.#text };
  }

  #look(text: string): void {
    this.#text = text;
    this.#keep();
    this.#list.toStart();
    clearTimeout(this.#typing);
    this.#typing = window.setTimeout(() => void this.#ask(), TYPING_MS);
  }

  /** What is chosen is chosen again when the page comes again. */
  #keep(): void {
    this.#host.setState(this.#chosen);
  }

  async #reload(): Promise<void> {
    this.#failure.hidden = true;
    await this.#do(this.#client.ask('reload', {}));
    await this.#ask();
  }

  /** Asks for what is to be shown, once at a time: what was wanted meanwhile is asked for afterwards. */
  async #ask(): Promise<void> {
    if (this.#asking !== 'no') {
      this.#asking = 'again';
      return;
    }
    this.#asking = 'yes';
    await this.#do(
      this.#client.ask('page', { ...this.#list.wanted, text: this.#text }).then((page) => this.#show(page)),
    );
    const isWanted = (this.#asking as string) === 'again';
    this.#asking = 'no';
    if (isWanted) await this.#ask();
  }

  #show(page: StoredApprovalLogPage): void {
    const { reading } = page;
    this.#names = page.names;
    this.#state.textContent = readingWords(reading);
    if (page.approved + page.denied === 0) {
      const [heading, words] = reading.isDone ? NOTHING : LOOKING;
      const said = [el('h2', {}, inLanguage(heading)), el('p', {}, inLanguage(words))];
      fill(this.#body, el('div', { class: 'empty' }, said));
      return;
    }
    const { head, facets, table, pages } = this.#list;
    if (!head.isConnected) fill(this.#body, head, facets, table, pages);
    this.#list.update(page);
  }

  #nameOf(part: ApprovalLogPart, value: string): string | undefined {
    if (part === 'source' && value === '') return t`your own runs`;
    return part === 'transcript' || part === 'folder' ? this.#names[value] : undefined;
  }

  async #do(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#fail(messageOf(error));
    }
  }

  #fail(words: string): void {
    this.#failure.hidden = false;
    this.#failure.textContent = words;
  }
}

const PARTS: readonly (readonly [ApprovalLogPart, Message])[] = [
  ...DECISION_PARTS,
  ['source', message`Recorded by`],
  ['folder', message`Folder`],
  ['transcript', message`Transcript`],
];

type Words = readonly [heading: Message, words: Message];

const NOTHING: Words = [
  message`Nothing was decided`,
  message`Who allowed a tool call, or did not, stands here: you, a setting, a rule or a hook.`,
];
const LOOKING: Words = [
  message`Looking for decisions`,
  message`All transcripts of this window are looked through.`,
];

function readingWords({ looked, of, isDone, unread, leftOut }: ApprovalLogReading): string {
  const looking = t`${formatCount(looked)} of ${formatCount(of)} transcripts`;
  return [
    isDone ? formatNoun(of, 'transcript', 'transcripts') : t`Looking: ${looking}`,
    ...(unread > 0 ? [t`${formatCount(unread)} could not be read`] : []),
    ...(leftOut > 0 ? [t`${formatCount(leftOut)} more decisions are not listed`] : []),
  ].join(' · ');
}
