import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { formatGroups, formatNames } from '../../src/page/protocol/formatNames.js';
import type { Params } from '../../src/page/protocol/requests.js';
import { isUnasked } from '../../src/page/protocol/question.js';
import { button, checkbox } from '../controls.js';
import { el } from '../dom.js';
import { formatCount } from '../format.js';
import type { PageActions } from '../rows/pageActions.js';
import type { State } from '../state.js';
import { Popover } from './popover.js';

type Format = Params<'export'>['format'];
type Scope = Params<'export'>['scope'];

/** What each format is for. */
const USES: Readonly<Record<Format, Message>> = {
  markdown: message`to read and to share`,
  html: message`one file that needs nothing else`,
  json: message`messages with their fields`,
  csv: message`one line a message, for a spreadsheet`,
  dict: message`plain objects, for programs`,
  atif: message`for tools that read or resume trajectories`,
  'chat-jsonl': message`a line a conversation, for fine-tuning`,
  'request-jsonl': message`a line a request with its answer`,
  anthropic: message`a line a conversation`,
  'claude-session': message`for claude --resume`,
  'codex-session': message`for codex resume`,
  'otlp-json': message`lines for a collector, whole when read again`,
  parquet: message`a folder of files, for SQL`,
};

/** All ways to export, below their button, which opens and closes it from then on. */
export function exportMenu(anchor: HTMLElement, actions: PageActions, stateOf: () => State): Popover {
  let format: Format = 'markdown';
  let scope: Scope = 'all';
  let withNotes = false;
  const popover = new Popover(anchor, t`Export`, () => {
    const { asked, matches } = stateOf();
    const canFilter = !isUnasked(asked);
    if (!canFilter) scope = 'all';
    const run = (target: Params<'export'>['target']): void => {
      popover.close();
      actions.exportAs({ format, scope, target, withNotes });
    };
    const primary = button({ appearance: 'primary', on: { click: () => run('editor') } }, t`Open in editor`);
    const save = button({ on: { click: () => run('file') } }, t`Save as file…`);
    const copy = button({ on: { click: () => run('clipboard') } }, t`Copy`);
    const notes = checkbox(withNotes, (checked) => (withNotes = checked), t`With your notes`);
    // Tables are a folder of files: there is nothing to show or to copy, and no place for notes.
    const offer = (): void => {
      const isFolder = format === 'parquet';
      primary.disabled = isFolder;
      copy.disabled = isFolder;
      notes.disabled = isFolder;
      save.lastChild?.replaceWith(isFolder ? t`Save in a folder…` : t`Save as file…`);
    };
    offer();
    return [
      ...formatGroups.map(({ words, formats }) =>
        radios(
          inLanguage(words),
          'format',
          formats.map((each) => [each, inLanguage(formatNames[each]), inLanguage(USES[each])] as const),
          format,
          (value) => {
            format = value;
            offer();
          },
        ),
      ),
      radios(
        t`What`,
        'scope',
        [
          ['all', t`All messages`, ''],
          ...(canFilter
            ? [['filtered', t`What the filter shows`, t`${formatCount(matches?.matches ?? 0)} rows`] as const]
            : []),
        ],
        scope,
        (value) => (scope = value),
      ),
      el('div', { class: 'export-notes' }, notes),
      el('div', { class: 'popover-buttons' }, primary, save, copy),
    ];
  });
  return popover;
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
