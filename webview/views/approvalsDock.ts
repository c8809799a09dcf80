import { t } from '../../src/core/l10n.js';
import type { ApprovalCard } from '../../src/page/protocol/panelState.js';
import { button, checkbox, textField } from '../controls.js';
import { diffText } from '../content/editDiff.js';
import { plainText } from '../content/plainText.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount } from '../format.js';
import { icon } from '../icons.js';
import type { PageActions } from '../rows/pageActions.js';
import type { State } from '../state.js';

/** The pending approvals, below the list, whatever is shown above. */
export class ApprovalsDock {
  readonly element = el('section', {
    class: 'approvals',
    hidden: true,
    attributes: { 'aria-label': t`Waiting for your approval` },
  });
  readonly #actions: PageActions;
  readonly #count = el('span', { class: 'faint' });
  #shown: State['approvals'] = [];
  #drawn = '';

  constructor(actions: PageActions) {
    this.#actions = actions;
  }

  update({ approvals }: State): void {
    if (approvals === this.#shown) return;
    this.#shown = approvals;
    const [first] = approvals;
    this.element.hidden = first === undefined;
    this.#count.textContent = approvals.length > 1 ? `1 of ${approvals.length}` : '';
    // What a person types for an answer stays while others begin to wait behind it.
    const drawn = first ? JSON.stringify(first) : '';
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const isHere = this.element.contains(document.activeElement);
    fill(this.element, first && this.#card(first));
    // To what is asked next, never to a button: a key that is pressed twice must not answer what nobody has read.
    if (isHere) this.element.querySelector<HTMLElement>('.approval-subject')?.focus();
  }

  #card(card: ApprovalCard): HTMLElement {
    return el(
      'div',
      { class: 'approval-card', role: 'alertdialog', attributes: { 'aria-label': card.title } },
      head(card, this.#count),
      card.askReason !== undefined && warning(plainText(card.askReason)),
      subject(card),
      this.#answers(card),
    );
  }

  /** The buttons, and what goes with the answer. */
  #answers(card: ApprovalCard): HTMLElement {
    let remember = false;
    let reason = '';
    const answer = (approved: boolean) => (): void => {
      const { id, nonce } = card;
      this.#actions.answerApproval({ id, nonce, approved, remember, ...(reason !== '' && { reason }) });
    };
    const isShown = card.subject !== undefined;
    const { isOfRun, askReason } = card;
    return el(
      'div',
      { class: 'approval-buttons' },
      button(
        { appearance: 'primary', disabled: !isShown, on: { click: answer(true) } },
        icon('check'),
        isOfRun ? t`Resume` : t`Approve`,
      ),
      button({ on: { click: answer(false) } }, icon('close'), isOfRun ? t`Stop` : t`Deny`),
      isShown &&
        askReason === undefined &&
        checkbox(false, (checked) => (remember = checked), t`Do not ask again for exactly this`),
      !isOfRun &&
        textField({
          class: 'reason',
          label: t`Reason, for the agent to read`,
          placeholder: t`Reason (optional, the agent reads it)`,
          onInput: (value) => (reason = value),
        }),
    );
  }
}

/** Who asks for what, and beside it how many wait. */
function head({ title, agent, tool }: ApprovalCard, waiting: HTMLElement): HTMLElement {
  return el(
    'div',
    { class: 'approval-head' },
    icon('shield'),
    el('strong', {}, plainText(title)),
    el(
      'span',
      { class: 'faint' },
      t`asked by `,
      plainText(agent),
      tool && [' with ', el('code', {}, plainText(tool))],
    ),
    el('span', { class: 'spacer' }),
    waiting,
  );
}

function warning(words: Child): HTMLElement {
  return el('div', { class: 'banner warning' }, icon('warning'), words);
}

/** What will be done; for a change, as a diff. */
function subject({ tool, subject: text, characters }: ApprovalCard): HTMLElement {
  if (text === undefined)
    return warning(
      t`This is too large to be shown here (${formatCount(characters)} characters). Answer it in its notification.`,
    );
  return el(
    'pre',
    { class: 'approval-subject', tabIndex: 0, attributes: { 'aria-label': t`Exactly what will be done` } },
    tool === 'edit_file' || tool === 'write_file' ? diffText(text) : plainText(text),
  );
}
