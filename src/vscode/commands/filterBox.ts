import { textBox } from '../surfaces/pickers.js';
import { words } from '../../app/text/plainText.js';
import type { TranscriptsView } from '../views/transcriptsView.js';

/** How long typing must pause before the tree is filtered, in milliseconds. */
const TYPING_PAUSE_MS = 120;

/** Filters the Transcripts view while the person types; Escape restores the previous filter. */
export function askForFilter(view: Pick<TranscriptsView, 'filter'>): void {
  const before = view.filter;
  const box = textBox();
  box.title = words`Filter Transcripts`;
  box.placeholder = words`Words of the title, the agents or the state`;
  box.prompt = words`The list follows while you type`;
  box.value = before;
  let resting: NodeJS.Timeout | undefined;
  let isKept = false;
  box.onDidChangeValue((text) => {
    clearTimeout(resting);
    resting = setTimeout(() => (view.filter = text), TYPING_PAUSE_MS);
  });
  box.onDidAccept(() => {
    isKept = true;
    box.hide();
  });
  box.onDidHide(() => {
    clearTimeout(resting);
    view.filter = isKept ? box.value : before;
    box.dispose();
  });
  box.show();
}
