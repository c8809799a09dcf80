import { inLanguage, message, type Message } from '../../src/core/l10n.js';
import type {
  ApprovalLogFilter,
  ApprovalLogPage,
  ApprovalLogRow,
} from '../../src/page/protocol/approvals.js';
import type { Params } from '../../src/page/protocol/requests.js';
import { el, fill } from '../dom.js';
import type { PageActions } from '../rows/pageActions.js';
import { DECISION_PARTS, ApprovalLogList } from './approvalLogList.js';

/** The approvals tab: every decision about a tool call, and what can be chosen of them. */
export class ApprovalsView {
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
