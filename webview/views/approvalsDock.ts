import type { ApprovalCard } from '../../src/protocol/panelState.js';
import { button, checkbox, textField } from '../controls.js';
import { diffText } from '../content/editDiff.js';
import { plainText } from '../content/plainText.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount } from '../format.js';
import { icon } from '../icons.js';
import type { PageActions } from '../pageActions.js';
import type { State } from '../state.js';

/** The questions that wait for the person, below the list, whatever is shown above. */
export class ApprovalsDock {
  readonly element = el('section', {
    class: 'approvals',
    hidden: true,
    attributes: { 'aria-label': 'Waiting for your approval' },
  });
  readonly #actions: PageActions;
  #shown: State['approvals'] = [];

  constructor(actions: PageActions) {
    this.#actions = actions;
  }

  update({ approvals }: State): void {
    if (approvals === this.#shown) return;
    this.#shown = approvals;
    const [first] = approvals;
    this.element.hidden = first === undefined;
    fill(this.element, first && this.#card(first, approvals.length));
  }

  #card(card: ApprovalCard, waiting: number): HTMLElement {
    const label = `Approve ${card.title}?`;
    return el(
      'div',
      { class: 'approval-card', role: 'alertdialog', attributes: { 'aria-label': label } },
      head(card, waiting),
      card.mustAsk !== undefined && warning(plainText(card.mustAsk)),
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
    return el(
      'div',
      { class: 'approval-buttons' },
      button(
        { appearance: 'primary', disabled: !isShown, on: { click: answer(true) } },
        icon('check'),
        'Approve',
      ),
      button({ on: { click: answer(false) } }, icon('close'), 'Deny'),
      isShown &&
        card.mustAsk === undefined &&
        checkbox(false, (checked) => (remember = checked), 'Do not ask again for exactly this'),
      textField({
        class: 'reason',
        label: 'Reason, for the agent to read',
        placeholder: 'Reason (optional, the agent reads it)',
        onInput: (value) => (reason = value),
      }),
    );
  }
}

/** Who asks for what, and how many others wait. */
function head({ title, agent, tool }: ApprovalCard, waiting: number): HTMLElement {
  return el(
    'div',
    { class: 'approval-head' },
    icon('shield'),
    el('strong', {}, plainText(title)),
    el('span', { class: 'faint' }, 'asked by ', plainText(agent), ' with ', el('code', {}, plainText(tool))),
    el('span', { class: 'spacer' }),
    waiting > 1 && el('span', { class: 'faint' }, `1 of ${waiting}`),
  );
}

function warning(words: Child): HTMLElement {
  return el('div', { class: 'banner warning' }, icon('warning'), words);
}

/** What will be done; of a change which lines go and which come. */
function subject({ tool, subject: text, characters }: ApprovalCard): HTMLElement {
  if (text === undefined)
    return warning(
      `This is too large to be shown here (${formatCount(characters)} characters). Answer it in its notification.`,
    );
  return el(
    'pre',
    { class: 'approval-subject', tabIndex: 0, attributes: { 'aria-label': 'Exactly what will be done' } },
    tool === 'edit_file' || tool === 'write_file' ? diffText(text) : plainText(text),
  );
}
