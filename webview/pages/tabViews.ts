import { ContextView } from '../context/contextView.js';
import type { RequestClient } from '../../src/page/protocol/requestClient.js';
import type { PageActions } from '../rows/pageActions.js';
import type { State, Tab } from '../state.js';
import { StatisticsView } from '../views/statisticsView.js';
import { TimelineView } from '../views/timelineView.js';
import { ToolsView } from '../views/toolsView.js';
import { inLanguage, message, type Message } from '../../src/core/l10n.js';
import type {
  ApprovalLogFilter,
  ApprovalLogPage,
  ApprovalLogRow,
} from '../../src/page/protocol/approvals.js';
import type { Params } from '../../src/page/protocol/requests.js';
import { el, fill } from '../dom.js';
import { DECISION_PARTS, ApprovalLogList } from '../views/approvalLogList.js';

/** The approvals tab: every decision about a tool call, and what can be chosen of them. */
class ApprovalsView {
  readonly element = el('div', { class: 'sheet' });
  readonly #list: ApprovalLogList<ApprovalLogRow, keyof ApprovalLogFilter>;

  /** `onLook` is told when something else is to be shown. */
  constructor(actions: PageActions, onLook: () => void) {
    this.#list = new ApprovalLogList<ApprovalLogRow, keyof ApprovalLogFilter>({
      parts: DECISION_PARTS,
      keyOf: ({ position }) => String(position),
      onOpen: ({ askedAt, position }) => actions.showInContext(askedAt ?? position),
      onExport: (format) => actions.exportApprovals({ format, filter: this.wanted.filter }),
      onLook,
    });
  }

  /** What the host is to be asked for. */
  get wanted(): Params<'approvals'> {
    // The values of a part are those that the host has given for it.
    return this.#list.wanted as Params<'approvals'>;
  }

  update(page: ApprovalLogPage): void {
    if (page.approved + page.denied === 0) {
      const words = NOTHING.map(([tag, said]) => el(tag, {}, inLanguage(said)));
      fill(this.element, el('div', { class: 'empty' }, words));
      return;
    }
    const { head, facets, table, pages } = this.#list;
    if (!head.isConnected) fill(this.element, head, facets, table, pages);
    this.#list.update(page);
  }
}

const NOTHING: readonly (readonly ['h2' | 'p', Message])[] = [
  ['h2', message`Nothing was decided`],
  ['p', message`Who allowed a tool call, or did not, stands here: you, a setting, a rule or a hook.`],
];

/** What the other tabs need. */
export interface TabOptions {
  readonly client: RequestClient;
  readonly actions: PageActions;
  readonly stateOf: () => State;
  readonly onFailure: (error: unknown) => void;
}

/** A tab that is loaded late: all but the messages. */
export type OtherTab = Exclude<Tab, 'messages'>;

/** The content of a tab. */
export interface TabView {
  readonly element: HTMLElement;
  /** Asks the host for what is looked at; what is given shows the answer, and says whether there will be more of it by itself. */
  ask(): Promise<() => 'grows' | undefined>;
  handleKey?(event: KeyboardEvent): boolean;
}

/** Makes the tabs; `onLook` hears that a person looks at another part of one. */
export function tabViews(options: TabOptions, onLook: () => void): ReadonlyMap<OtherTab, TabView> {
  return new Map<OtherTab, TabView>([
    ['timeline', timelineTab(options, onLook)],
    ['statistics', statisticsTab(options)],
    ['tools', toolsTab(options)],
    ['approvals', approvalsTab(options, onLook)],
    ['context', contextTab(options, onLook)],
  ]);
}

function timelineTab({ client, actions }: TabOptions, onLook: () => void): TabView {
  const view = new TimelineView({ actions, onLook });
  return {
    element: view.element,
    handleKey: (event) => view.handleKey(event),
    ask: async () => {
      const { turnsWanted, part } = view;
      const [turns, timeline] = await Promise.all([
        client.ask('turns', turnsWanted),
        client.ask('timeline', part),
      ]);
      return () => {
        view.update(timeline, turns);
        return undefined;
      };
    },
  };
}

function statisticsTab({ client, actions }: TabOptions): TabView {
  const view = new StatisticsView(actions);
  return {
    element: view.element,
    ask: async () => {
      const statistics = await client.ask('statistics', {});
      return () => {
        view.update(statistics);
        return statistics.counting ? 'grows' : undefined;
      };
    },
  };
}

function toolsTab({ client, actions }: TabOptions): TabView {
  const view = new ToolsView(actions);
  return {
    element: view.element,
    ask: async () => {
      const tools = await client.ask('tools', {});
      return () => {
        view.update(tools);
        return undefined;
      };
    },
  };
}

function approvalsTab({ client, actions }: TabOptions, onLook: () => void): TabView {
  const view = new ApprovalsView(actions, onLook);
  return {
    element: view.element,
    ask: async () => {
      const page = await client.ask('approvals', view.wanted);
      return () => {
        view.update(page);
        return undefined;
      };
    },
  };
}

function contextTab(options: TabOptions, onLook: () => void): TabView {
  const { client, actions, stateOf, onFailure } = options;
  const view = new ContextView({
    client,
    onLook,
    onFailure,
    onOpen: (position) => actions.showInContext(position),
    canSay: () => stateOf().live.canContinue,
    onQuote: (text, rest) => actions.quote(text, rest),
  });
  return {
    element: view.element,
    handleKey: (event) => view.handleKey(event),
    ask: async () => {
      const answer = await client.ask('context', view.wanted);
      return () => {
        view.update(answer);
        return answer.looked < answer.records ? 'grows' : undefined;
      };
    },
  };
}
