import { t } from '../src/core/l10n.js';
import { el } from './dom.js';

/** Under which names VS Code's explorer, its tabs and browsers say where dragged files lie; the first that is there counts. */
const ADDRESSES = ['application/vnd.code.uri-list', 'text/uri-list'] as const;

/** What is done with files that were dropped. */
export interface DropActions {
  /** Opens the files at these addresses. */
  readonly openDropped: (addresses: readonly string[]) => void;
  /** Says that a file does not tell where it lies: no system tells that to a page. */
  readonly tellNoAddress: () => void;
}

/**
 * Takes files that are dragged onto the page, in VS Code with Shift, and says so while they are over it. What is dragged from
 * within the page is not taken: a transcript may hold any address. Until the signal is aborted.
 */
export function takeDrops(page: HTMLElement, actions: DropActions, signal: AbortSignal): void {
  const invitation = el('div', { class: 'drop-invitation', hidden: true }, t`Drop to open as a transcript`);
  page.append(invitation);
  let isOwn = false;
  const isTaken = ({ dataTransfer }: DragEvent) =>
    !isOwn && [...ADDRESSES, 'Files'].some((type) => dataTransfer?.types.includes(type));
  page.addEventListener('dragstart', () => {
    isOwn = true;
  });
  const listen = (name: 'dragend' | 'dragover' | 'dragleave' | 'drop', heard: (event: DragEvent) => void) =>
    document.addEventListener(name, heard, { signal });
  listen('dragend', () => {
    isOwn = false;
  });
  listen('dragover', (event) => {
    if (!isTaken(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    invitation.hidden = false;
  });
  listen('dragleave', (event) => {
    // Between two elements of the page it is still over it.
    if (event.relatedTarget === null) invitation.hidden = true;
  });
  listen('drop', (event) => {
    invitation.hidden = true;
    if (!isTaken(event)) return;
    event.preventDefault();
    const addresses = addressesIn(event.dataTransfer);
    if (addresses.length > 0) actions.openDropped(addresses);
    else actions.tellNoAddress();
  });
}

function addressesIn(data: DataTransfer | null): readonly string[] {
  for (const type of ADDRESSES) {
    const lines = (data?.getData(type) ?? '').split(/\r?\n/);
    const found = lines.filter((line) => line !== '' && !line.startsWith('#'));
    if (found.length > 0) return found;
  }
  return [];
}
