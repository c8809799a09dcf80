import { Cancelled } from '../../src/core/cancelled.js';
import { t } from '../../src/core/l10n.js';
import { messageOf } from '../../src/core/text.js';
import { visibleLine } from '../../src/core/visibleText.js';
import {
  COMPARE_FORMATS,
  type CompareChoices,
  type CompareContract,
  type CompareFormat,
  type CompareState,
  type CompareView,
  type KeptComparison,
} from '../../src/page/protocol/comparePage.js';
import type { FromHost } from '../../src/page/protocol/protocol.js';
import { RequestClient } from '../../src/page/protocol/requestClient.js';
import { plainText } from '../content/plainText.js';
import { button, checkbox, iconButton } from '../controls.js';
import { el, fill } from '../dom.js';
import { formatCount } from '../format.js';
import type { HostApi } from '../hostApi.js';
import { CompareSteps } from './compareSteps.js';

const FORMAT_NAMES: Readonly<Record<CompareFormat, string>> = {
  markdown: 'Markdown',
  html: 'HTML',
  csv: 'CSV',
};

/** What is different between two runs, side by side, or several as a table: one sentence first. */
export class ComparePage {
  readonly element: HTMLElement;
  readonly #host: HostApi;
  readonly #client: RequestClient<CompareContract>;
  readonly #state = el('span', { class: 'faint', role: 'status' });
  readonly #failure = el('div', { class: 'notice notice-error', role: 'alert', hidden: true });
  readonly #body = el('div', { class: 'compare-body' });
  readonly #actions = el('span', { class: 'compare-actions' });
  readonly #stop: HTMLElement;
  readonly #again: HTMLElement;
  #steps: CompareSteps | undefined;
  #places: KeptComparison['places'] = [];
  #choices: CompareChoices = { keep: [] };

  constructor(host: HostApi) {
    this.#host = host;
    this.#client = new RequestClient<CompareContract>({
      post: (sent) => host.postMessage(sent),
      onEvent: ({ data }) => this.#show(data),
      onUnexpected: (why) => console.warn(t`Unexpected: ${why}`),
    });
    window.addEventListener('message', (event: MessageEvent<FromHost<CompareContract>>) =>
      this.#client.receive(event.data),
    );
    this.#stop = button({ on: { click: () => this.#do(this.#client.ask('cancel', {})) } }, t`Cancel`);
    this.#again = iconButton('sync', t`Compare again`, () => this.#compareAgain({}));
    this.element = el(
      'main',
      { class: 'compare-page', on: { keydown: (event) => this.#steps?.key(event) } },
      el(
        'header',
        { class: 'compare-top' },
        el('h1', {}, t`Compare`),
        this.#state,
        this.#actions,
        this.#stop,
        this.#again,
      ),
      this.#failure,
      this.#body,
    );
  }

  /** Asks for what is compared; to be called at once. */
  async begin(): Promise<void> {
    await this.#tried(
      this.#client.ask('ready', {}).then(({ state, choices, places }) => {
        this.#places = places;
        this.#choices = choices;
        this.#keep();
        this.#show(state);
      }),
    );
    this.element.classList.add('is-ready');
  }

  #compareAgain(changed: Partial<CompareChoices>): void {
    this.#choices = { ...this.#choices, ...changed };
    this.#keep();
    this.#do(this.#client.ask('again', this.#choices));
  }

  /** Keeps what is compared, for the page that follows this one when the window comes again. */
  #keep(): void {
    this.#host.setState({ places: this.#places, choices: this.#choices } satisfies KeptComparison);
  }

  #show(state: CompareState): void {
    const isComparing = state.state === 'comparing';
    this.#stop.hidden = !isComparing;
    this.#again.hidden = isComparing;
    this.#failure.hidden = state.state !== 'failed';
    this.element.setAttribute('aria-busy', String(isComparing));
    switch (state.state) {
      case 'comparing':
        this.#state.textContent = comparingWords(state);
        break;
      case 'cancelled':
        this.#state.textContent = t`Cancelled`;
        break;
      case 'failed':
        this.#state.textContent = '';
        this.#failure.textContent = state.message;
        break;
      case 'done':
        this.#state.textContent = '';
        this.#draw(state.view);
    }
  }

  #draw(view: CompareView): void {
    fill(
      this.#actions,
      t`Export:`,
      COMPARE_FORMATS.map((format) =>
        el(
          'button',
          {
            class: 'link',
            attributes: { type: 'button', 'aria-label': t`Export as ${FORMAT_NAMES[format]}` },
            on: { click: () => this.#do(this.#client.ask('export', { format })) },
          },
          FORMAT_NAMES[format],
        ),
      ),
    );
    this.#steps = undefined;
    if (view.rows !== undefined) {
      const [left = '', right = ''] = view.names;
      this.#steps = new CompareSteps({
        marks: view.rows,
        names: { left, right },
        client: this.#client,
        onProblem: (words) => this.#fail(words),
      });
    }
    fill(
      this.#body,
      el('p', { class: 'compare-sentence' }, plainText(visibleLine(view.sentence))),
      this.#steps?.bar,
      view.rows === undefined && this.#baselines(view),
      this.#spreads(view),
      view.rows === undefined && this.#tables(view),
      this.#steps?.element,
      view.rows !== undefined && this.#tables(view),
      el(
        'ul',
        { class: 'compare-notes' },
        view.notes.map((note) => el('li', {}, plainText(visibleLine(note)))),
      ),
      this.#rules(view),
    );
    this.#body.scrollTop = 0;
  }

  #tables(view: CompareView): HTMLElement {
    return el(
      'div',
      { class: 'compare-tables' },
      view.tables.map(({ title, heads, rows, numbers }, number) => {
        const classOf = (at: number) => (numbers.includes(at) ? 'number' : '');
        const isRuns = view.rows === undefined && number === 0;
        return el(
          'section',
          { class: isRuns ? 'compare-table is-runs' : 'compare-table', attributes: { 'aria-label': title } },
          el('h2', {}, title),
          el(
            'div',
            { class: 'compare-wide', tabIndex: 0, role: 'group', attributes: { 'aria-label': title } },
            el(
              'table',
              { class: 'data' },
              el(
                'thead',
                {},
                el(
                  'tr',
                  {},
                  heads.map((head, at) =>
                    el('th', { class: classOf(at), attributes: { scope: 'col' } }, head),
                  ),
                ),
              ),
              el(
                'tbody',
                {},
                rows.map((row, run) =>
                  el(
                    'tr',
                    {},
                    row.map((text, at) =>
                      el(
                        'td',
                        { class: classOf(at) },
                        isRuns && at === 0 ? this.#run(text, run, view) : plainText(visibleLine(text)),
                      ),
                    ),
                  ),
                ),
              ),
            ),
          ),
        );
      }),
    );
  }

  /** A run of several: its name opens it, and it can be compared with the baseline alone. */
  #run(name: string, run: number, { baseline }: CompareView): HTMLElement {
    const link = (words: string, as: 'transcript' | 'comparison', label: string) =>
      el(
        'button',
        {
          class: 'link',
          attributes: { type: 'button', 'aria-label': label },
          on: { click: () => this.#do(this.#client.ask('openRun', { run, as })) },
        },
        words,
      );
    const shown = visibleLine(name);
    return el(
      'span',
      { class: 'compare-run words' },
      link(shown, 'transcript', t`Open ${shown}`),
      run !== baseline && link(t`compare`, 'comparison', t`Compare ${shown} with the baseline`),
    );
  }

  /** With which run the others are compared. */
  #baselines({ names, numbers, baseline }: CompareView): HTMLElement {
    const isTypical = this.#choices.baseline === 'typical';
    const select = el(
      'select',
      { class: 'select', attributes: { id: 'baseline' } },
      el('option', { attributes: { value: 'typical' } }, t`the most typical one`),
      names.map((name, run) =>
        el('option', { attributes: { value: String(numbers[run]) } }, visibleLine(name)),
      ),
    );
    select.value = isTypical ? 'typical' : String(numbers[baseline]);
    select.addEventListener('change', () => {
      const { value } = select;
      this.#compareAgain({ baseline: value === 'typical' ? value : Number(value) });
    });
    return el(
      'p',
      { class: 'compare-baseline' },
      el('label', { attributes: { for: 'baseline' } }, t`Compared with`),
      ' ',
      select,
      isTypical && el('span', { class: 'faint' }, t` which is ${visibleLine(names[baseline] ?? '')}`),
    );
  }

  /** All points of each number, with the median. */
  #spreads({ spreads, names }: CompareView): HTMLElement | false {
    if (spreads.length === 0) return false;
    return el(
      'section',
      { class: 'compare-spreads', attributes: { 'aria-label': t`Numbers` } },
      el('h2', {}, t`Numbers`),
      spreads.map(({ name, words, median, points }) => {
        const line = el('span', { class: 'compare-line', attributes: { 'aria-hidden': 'true' } });
        const middle = el('span', { class: 'compare-median' });
        middle.style.left = `${median * 100}%`;
        line.append(middle);
        for (const { run, at, isFar } of points) {
          const point = el('span', {
            class: isFar ? 'compare-point is-far' : 'compare-point',
            title: names[run] ?? '',
          });
          point.style.left = `${at * 100}%`;
          line.append(point);
        }
        return el(
          'div',
          { class: 'compare-spread' },
          el('span', { class: 'compare-what' }, name),
          line,
          el('span', { class: 'faint' }, words),
        );
      }),
    );
  }

  #rules({ rules }: CompareView): HTMLElement {
    return el(
      'details',
      { class: 'compare-rules' },
      el('summary', {}, t`Taken as equal`),
      rules.map(({ name, words, isOn }) =>
        el(
          'div',
          {},
          checkbox(
            isOn,
            (isWanted) => {
              const others = this.#choices.keep.filter((each) => each !== name);
              this.#compareAgain({ keep: isWanted ? others : [...others, name] });
            },
            words,
          ),
        ),
      ),
    );
  }

  #do(work: Promise<unknown>): void {
    void this.#tried(work);
  }

  async #tried(work: Promise<unknown>): Promise<void> {
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

function comparingWords({ run, done, of }: Extract<CompareState, { state: 'comparing' }>): string {
  if (run === '') return t`Comparing`;
  if (of > 0) return t`Comparing: ${formatCount(done + 1)} of ${formatCount(of)} runs`;
  return t`Comparing: run ${formatCount(done + 1)}`;
}
