import { t } from '../../src/core/l10n.js';
import type { Answer } from '../../src/page/protocol/requests.js';
import type { RowField } from '../../src/page/protocol/row.js';
import type { Questions } from '../questions.js';
import { textKey } from './rowContext.js';
import type { Store } from '../store.js';

/** The longest text that is fetched into the page, in UTF-16 code units; a longer one is opened in an editor. */
const MAX_TEXT = 2_000_000;
/** The longest `data:` URL of a picture that is fetched, in UTF-16 code units; more than a tool's picture can have. */
const MAX_PICTURE = 5_000_000;

/** Fetches a text of a row piece by piece, and adds it to the state when it is complete. */
export async function fetchText(
  questions: Questions,
  store: Store,
  row: number,
  field: RowField,
  part?: number,
): Promise<void> {
  const place = { row, field, ...(part !== undefined && { part }) };
  const longest = field === 'image' ? MAX_PICTURE : MAX_TEXT;
  let text = '';
  let last: Answer<'text'> | undefined;
  do {
    last = await questions.ask('text', { ...place, from: last?.next ?? 0 });
    if (!last) return;
    text += last.text;
  } while (last.next !== undefined && text.length < longest);
  const { total, next } = last;
  const fetched = { text, total, ...(next !== undefined && { next }) };
  store.dispatch({ type: 'text', key: textKey(row, field, part), text: fetched });
  if (text.length >= longest)
    questions.tell(t`This text is very long; the rest of it can be read in an editor.`);
}
