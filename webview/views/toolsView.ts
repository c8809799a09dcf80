import { knownAmount } from '../../src/core/cost.js';
import { inLanguage, message, t } from '../../src/core/l10n.js';
import { greatestOf } from '../../src/core/lists.js';
import type { ToolSummary } from '../../src/page/protocol/analysis.js';
import { withValues } from '../../src/query/language/edit.js';
import { NO_QUESTION } from '../../src/page/protocol/question.js';
import { plainText } from '../content/plainText.js';
import { el, fill } from '../dom.js';
import { formatDuration } from '../../src/core/duration.js';
import { formatCount } from '../format.js';
import type { PageActions } from '../rows/pageActions.js';
import { bar, DataTable, type Column } from './dataTable.js';
import { costCell } from './statisticsTables.js';

const WITHOUT_WAITING = message`The time for which a person was waited for is not in it.`;

const ENDS = ['denied', 'cancelled', 'timedOut', 'open'] as const;
type End = (typeof ENDS)[number];
const ENDS_IN_WORDS = {
  denied: { label: message`Denied`, title: message`Calls that you, a rule or a hook denied` },
  cancelled: { label: message`Cancelled`, title: message`Calls that were stopped` },
  timedOut: { label: message`Timed out`, title: message`Calls that a limit of time ended` },
  open: {
    label: message`Open`,
    title: message`Calls without a result, or of which the result says that they go on`,
  },
};

/** The tools tab: the use of each tool. */
export class ToolsView {
  readonly element = el('div', { class: 'sheet' });
  readonly #showTool: (tool: string, errorsOnly: boolean) => void;
  #table: DataTable<ToolSummary>;
  #hasCosts = false;
  /** The ends that some call came to: a column of nothing but 0 says nothing. */
  #ends: readonly End[] = [];
  #most = 1;
  #slowest = 1;

  constructor(actions: PageActions) {
    this.#showTool = (tool, errorsOnly) => {
      const text = withValues('', 'tool', [tool]) ?? '';
      actions.ask({ ...NO_QUESTION, text: errorsOnly ? `${text} is:error` : text });
      actions.showTab('messages');
    };
    this.#table = this.#newTable();
  }

  update(tools: readonly ToolSummary[]): void {
    this.#most = greatestOf(
      tools.map(({ calls }) => calls),
      1,
    );
    this.#slowest = greatestOf(
      tools.map(({ p95 = 0 }) => p95),
      1,
    );
    const hasCosts = tools.some(({ cost }) => cost !== undefined);
    const ends = ENDS.filter((end) => tools.some(({ states }) => states[end] > 0));
    if (hasCosts !== this.#hasCosts || ends.join() !== this.#ends.join()) {
      this.#hasCosts = hasCosts;
      this.#ends = ends;
      this.#table.element.remove();
      this.#table = this.#newTable();
    }
    this.#table.update(tools);
    const words = [
      el('h2', {}, t`No tool was called`),
      el('p', {}, t`As soon as an agent calls a tool, its calls, failures and durations stand here.`),
    ];
    if (tools.length === 0) fill(this.element, el('div', { class: 'empty' }, words));
    else if (!this.#table.element.isConnected) fill(this.element, this.#table.element);
  }

  #newTable(): DataTable<ToolSummary> {
    const keyOf = ({ tool }: ToolSummary) => tool;
    return new DataTable({ caption: t`Tools`, keyOf, columns: this.#columns(), sortBy: 1 });
  }

  #columns(): Column<ToolSummary>[] {
    return [
      {
        label: t`Tool`,
        cell: ({ tool }) => link(tool, t`Show the calls of ${tool}`, () => this.#showTool(tool, false)),
        sort: ({ tool }) => tool,
      },
      {
        label: t`Calls`,
        isNumber: true,
        cell: ({ calls }) => bar(calls / this.#most, formatCount(calls)),
        sort: ({ calls }) => calls,
      },
      ...this.#outcomes(),
      ...this.#durations(),
      ...(this.#hasCosts ? [costColumn()] : []),
      ...namesColumns(),
    ];
  }

  /** How many calls ended badly, or not at all. */
  #outcomes(): Column<ToolSummary>[] {
    return [
      {
        label: t`Failures`,
        title: t`Calls that failed, were refused or denied`,
        isNumber: true,
        cell: ({ tool, failures, calls }) =>
          failures === 0
            ? el('span', { class: 'faint' }, '0')
            : link(
                `${formatCount(failures)} (${Math.round((100 * failures) / calls)} %)`,
                t`Show the failed calls of ${tool}`,
                () => this.#showTool(tool, true),
                'bad',
              ),
        sort: ({ failures }) => failures,
      },
      ...this.#ends.map(stateColumn),
    ];
  }

  /** How long the calls took. */
  #durations(): Column<ToolSummary>[] {
    return [
      {
        label: t`Median`,
        title: t`Half of the calls took no longer. ${inLanguage(WITHOUT_WAITING)}`,
        isNumber: true,
        cell: ({ p50 }) => duration(p50),
        sort: ({ p50 }) => p50,
      },
      {
        label: t`95 % within`,
        title: t`95 of 100 calls took no longer. ${inLanguage(WITHOUT_WAITING)}`,
        isNumber: true,
        cell: ({ p95 }) =>
          p95 === undefined ? duration(p95) : bar(p95 / this.#slowest, formatDuration(p95)),
        sort: ({ p95 }) => p95,
      },
      {
        label: t`Total`,
        title: t`All calls together. ${inLanguage(WITHOUT_WAITING)}`,
        isNumber: true,
        cell: ({ total, waitedMs }) =>
          waitedMs === 0 ? duration(total) : [duration(total), waited(waitedMs)],
        sort: ({ total }) => total,
      },
    ];
  }
}

/** How many calls came to one end. */
function stateColumn(end: End): Column<ToolSummary> {
  const { label, title } = ENDS_IN_WORDS[end];
  return {
    label: inLanguage(label),
    title: inLanguage(title),
    isNumber: true,
    cell: ({ states }) => el('span', { class: states[end] === 0 ? 'faint' : '' }, formatCount(states[end])),
    sort: ({ states }) => states[end],
  };
}

/** The names of what calls were given, and of who made them. */
function namesColumns(): Column<ToolSummary>[] {
  return [
    {
      label: t`Arguments`,
      cell: ({ arguments: names }) =>
        el(
          'span',
          { class: 'words' },
          names.map(({ name, calls }) =>
            el('span', { class: 'word', title: t`in ${formatCount(calls)} calls` }, plainText(name)),
          ),
        ),
    },
    {
      label: t`Agents`,
      cell: ({ agents }) => {
        const names = agents.join(', ');
        return el('span', { class: 'names', title: names }, plainText(names));
      },
      sort: ({ agents }) => agents.join(', '),
    },
  ];
}

/** Only tools that dispatch agents have a cost of their own. */
function costColumn(): Column<ToolSummary> {
  return {
    label: t`Cost`,
    title: t`What the agents cost that its calls dispatched, with all agents below them`,
    isNumber: true,
    cell: ({ cost }) => (cost ? costCell(cost) : el('span', { class: 'faint' }, '–')),
    sort: ({ cost }) => cost && knownAmount(cost),
  };
}

function duration(ms: number | undefined): HTMLElement {
  return ms === undefined ? el('span', { class: 'faint' }, '–') : el('span', {}, formatDuration(ms));
}

/** What is not in a duration: how long a person was waited for. */
function waited(ms: number): HTMLElement {
  const title = t`How long a person was waited for, to approve the calls`;
  return el('div', { class: 'faint', title }, t`+ ${formatDuration(ms)} waited`);
}

function link(words: string, title: string, onClick: () => void, looks = ''): HTMLElement {
  return el(
    'button',
    { class: `link ${looks}`.trim(), title, attributes: { type: 'button' }, on: { click: onClick } },
    plainText(words),
  );
}
