import { t } from '../../core/l10n.js';
import { appendAll } from '../../core/lists.js';
import { quoted } from './scanner.js';
import { shown } from './values.js';

/**
 * The keys in a path as it stands behind `args`: `.edits[0]."old text"` as `.edits.0."old text"`. A text says why it is no
 * path.
 */
export function readArgumentPath(written: string): readonly string[] | string {
  const keys: string[] = [];
  for (const [, inQuotes, bare = ''] of written.matchAll(/\.(?:"((?:[^"\\]|\\.)*)"|([^."]+))/gs)) {
    if (inQuotes !== undefined) keys.push(inQuotes.replace(/\\(["\\])/g, '$1'));
    else if (!/[[\]]/.test(bare)) keys.push(bare);
    else {
      const [, name, indexes] = /^([^[\]]+)((?:\[\d+\])+)$/.exec(bare) ?? [];
      if (name === undefined || indexes === undefined)
        return t`'${shown(bare)}' is no key: write edits.0 for the first of a list, edits alone for any of it, or the key as it is in quotes, ${shown(quoted(bare))}.`;
      appendAll(keys, [name, ...(indexes.match(/\d+/g) ?? [])]);
    }
  }
  return keys;
}
