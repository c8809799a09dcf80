import { t } from '../../src/core/l10n.js';
import { el } from '../dom.js';

/** What the shapes of the drawing mean. */
export function timelineLegend(): HTMLElement {
  const entries = [
    ['call', t`agent at work`],
    ['model', 'request'],
    ['tool', 'tool'],
    ['approval', t`waiting for approval`],
    ['failed', 'failed'],
    ['retry', t`another try`],
    ['loop', t`loop`],
    ['reread', t`read again`],
    ['idle', t`idle`],
    ['compaction', t`compaction`],
  ] as const;
  return el(
    'span',
    { class: 'timeline-legend', attributes: { 'aria-hidden': 'true' } },
    entries.map(([kind, words]) => el('span', {}, el('i', { class: `key key-${kind}` }), words)),
  );
}
