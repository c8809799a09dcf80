import type { Row } from '../../src/page/protocol/row.js';
import type { PageActions } from '../rows/pageActions.js';
import { MAIN_FIELD } from '../rows/rowToolbar.js';
import { TABS, type State } from '../state.js';

/** What keys act on. */
export interface KeyTargets {
  readonly actions: PageActions;
  readonly stateOf: () => State;
  readonly focusQuestion: () => void;
  readonly focusChat: () => void;
  readonly openExport: () => void;
  /** Moves the focus from a row to its first button; false where it has none. */
  readonly goIntoRow: (index: number) => boolean;
  /** Moves the focus from a button of a row to the row. */
  readonly leaveRow: (index: number) => void;
  /** Goes a page down or up. */
  readonly turnPage: (by: 1 | -1) => void;
  /** Goes to the next or the previous prompt. */
  readonly stepTo: PageActions['stepTo'];
}

/** Handles a key that no field or button has taken; whether it had a meaning. */
export function handleKey(event: KeyboardEvent, targets: KeyTargets): boolean {
  if (isTyping(event)) return false;
  if (handleChord(event, targets)) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return (
    handlePageKey(event, targets) || (targets.stateOf().tab === 'messages' && handleRowKey(event, targets))
  );
}

function isField(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

/** Whether the key goes to a field; keys with modifiers still reach the page. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  const isTick =
    target instanceof HTMLInputElement && (target.type === 'radio' || target.type === 'checkbox');
  return (
    isField(event) && !isTick && !event.ctrlKey && !event.metaKey && !event.altKey && !/^F\d/.test(event.key)
  );
}

function handleChord(event: KeyboardEvent, { actions, focusQuestion }: KeyTargets): boolean {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') focusQuestion();
  else if (event.key === 'F3') actions.step(event.shiftKey ? -1 : 1);
  else if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !isField(event)) actions.undoNote();
  else return false;
  return true;
}

function handlePageKey(event: KeyboardEvent, targets: KeyTargets): boolean {
  const tab = TABS[Number(event.key) - 1];
  if (tab) targets.actions.showTab(tab);
  else if (event.key === '?') targets.actions.showKeys();
  else if (event.key === '/') targets.focusQuestion();
  else if (event.key === 'x') targets.openExport();
  else if (event.key === 't') targets.focusChat();
  else return false;
  return true;
}

function handleRowKey(event: KeyboardEvent, targets: KeyTargets): boolean {
  const { actions, stateOf, stepTo, goIntoRow, leaveRow, turnPage } = targets;
  const { selected, rows, list } = stateOf();
  const row = selected && rows.get(selected.index);
  const isOnButton = isWithin(event.target, 'button, vscode-button');
  switch (event.key) {
    case 'ArrowDown':
    case 'j':
      actions.step(1);
      return true;
    case 'ArrowUp':
    case 'k':
      actions.step(-1);
      return true;
    case 'Home':
      actions.select(0);
      return true;
    case 'End':
      actions.select(list.rows - 1);
      return true;
    case 'PageDown':
    case 'PageUp':
      turnPage(event.key === 'PageDown' ? 1 : -1);
      return true;
    case 'b':
    case 'F2':
      return selected !== undefined && goIntoRow(selected.index);
    case 'Escape':
      if (!selected || !isWithin(event.target, '.row *')) return false;
      leaveRow(selected.index);
      return true;
    case 'p':
    case 'P':
      stepTo('prompt', event.shiftKey ? -1 : 1);
      return true;
    case 'f':
    case 'F':
      stepTo('error', event.shiftKey ? -1 : 1);
      return true;
    case 'a':
    case 'A':
      stepTo('agent', event.shiftKey ? -1 : 1);
      return true;
    case 'Enter':
      if (isOnButton || !row) return false;
      if (!canOpen(row)) return goIntoRow(selected.index);
      actions.toggle(row.id);
      return true;
    default:
      return row !== undefined && handleOneRow(event.key, row, actions);
  }
}

function isWithin(target: EventTarget | null, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null;
}

/** Whether a row has something that is collapsed until it is opened. */
function canOpen(row: Row): boolean {
  if (row.kind === 'note') return row.detail !== undefined;
  if (row.kind !== 'message') return true;
  return row.role === 'system' || row.role === 'developer' || row.reasoning !== undefined;
}

function handleOneRow(key: string, row: Row, actions: PageActions): boolean {
  if (key === 'm') actions.bookmark(row);
  else if (key === 'n') actions.editNote(row, row.notes?.[0]);
  else if (key === 'c') actions.copyRow(row.id, 'text');
  else if (key === 'C') actions.copyRow(row.id, 'markdown');
  else if (key === 'l') actions.copyLink(row.id);
  else if (key === 'e') actions.openInEditor(row.id, MAIN_FIELD[row.kind]);
  else if (key === 'o' && row.kind === 'tool' && row.files.length > 0) actions.openFile(row.id, 0);
  else if (key === 'ArrowRight' && row.kind === 'dispatch' && row.child) actions.expand(row.id, true);
  else if (key === 'ArrowLeft' && row.kind === 'dispatch') actions.expand(row.id, false);
  else return false;
  return true;
}
