import type { Params } from '../../src/protocol/requests.js';
import { isUnfiltered } from '../../src/protocol/criteria.js';
import { button } from '../controls.js';
import { el } from '../dom.js';
import { formatCount } from '../format.js';
import { icon } from '../icons.js';
import type { PageActions } from '../pageActions.js';
import type { State } from '../state.js';
import { Popover } from './popover.js';

type Format = Params<'export'>['format'];
type Scope = Params<'export'>['scope'];

/** Every format, in the order of the menu. */
const WORDS: Readonly<Record<Format, readonly [string, string]>> = {
  markdown: ['Markdown', 'to read and to share'],
  html: ['Web page', 'one file that needs nothing else'],
  json: ['JSON', 'messages with their fields'],
  csv: ['CSV', 'one line a message, for a spreadsheet'],
  dict: ['Dictionaries', 'plain objects, for programs'],
};
const FORMATS = (Object.keys(WORDS) as Format[]).map((format) => [format, ...WORDS[format]] as const);

/** The button that offers all ways to export. */
export function exportMenu(actions: PageActions, stateOf: () => State): HTMLElement {
  const anchor = button(
    { class: 'export', title: 'Export (X)', id: 'export' },
    icon('export'),
    el('span', { class: 'button-words' }, 'Export'),
  );
  let format: Format = 'markdown';
  let scope: Scope = 'all';
  const popover = new Popover(anchor, 'Export', () => {
    const { criteria, matches } = stateOf();
    const canFilter = !isUnfiltered(criteria);
    if (!canFilter) scope = 'all';
    const run = (target: Params<'export'>['target']): void => {
      popover.close();
      actions.exportAs({ format, scope, target });
    };
    return [
      radios('Format', 'format', FORMATS, format, (value) => (format = value)),
      radios(
        'What',
        'scope',
        [
          ['all', 'All messages', ''],
          ...(canFilter
            ? [['filtered', 'What the filter shows', `${formatCount(matches?.matches ?? 0)} rows`] as const]
            : []),
        ],
        scope,
        (value) => (scope = value),
      ),
      el(
        'div',
        { class: 'popover-buttons' },
        button({ appearance: 'primary', on: { click: () => run('editor') } }, 'Open in editor'),
        button({ on: { click: () => run('file') } }, 'Save as file…'),
        button({ on: { click: () => run('clipboard') } }, 'Copy'),
      ),
    ];
  });
  return anchor;
}

function radios<T extends string>(
  legend: string,
  name: string,
  choices: readonly (readonly [T, string, string])[],
  chosen: T,
  onChoose: (value: T) => void,
): HTMLElement {
  return el(
    'fieldset',
    {},
    el('legend', {}, legend),
    choices.map(([value, words, hint]) => {
      const input = el('input', {
        attributes: { type: 'radio', name, value, checked: value === chosen },
        on: { change: () => onChoose(value) },
      });
      return el(
        'label',
        { class: 'choice' },
        input,
        el('span', {}, words),
        el('span', { class: 'faint' }, hint),
      );
    }),
  );
}
