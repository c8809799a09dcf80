import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import type { Params } from '../../src/protocol/requests.js';
import { isUnasked } from '../../src/protocol/question.js';
import { button, checkbox } from '../controls.js';
import { el } from '../dom.js';
import { formatCount } from '../format.js';
import { icon } from '../icons.js';
import type { PageActions } from '../pageActions.js';
import type { State } from '../state.js';
import { Popover } from './popover.js';

type Format = Params<'export'>['format'];
type Scope = Params<'export'>['scope'];

/** Every format, in the order of the menu. */
const WORDS: Readonly<Record<Format, readonly [Message, Message]>> = {
  markdown: [message`Markdown`, message`to read and to share`],
  html: [message`Web page`, message`one file that needs nothing else`],
  json: [message`JSON`, message`messages with their fields`],
  csv: [message`CSV`, message`one line a message, for a spreadsheet`],
  dict: [message`Dictionaries`, message`plain objects, for programs`],
  atif: [message`ATIF trajectory`, message`for tools that read or resume trajectories`],
  'chat-jsonl': [message`Chat completions`, message`a line a conversation, for fine-tuning`],
  'request-jsonl': [message`Requests`, message`a line a request with its answer`],
  anthropic: [message`Anthropic messages`, message`a line a conversation`],
  'claude-session': [message`Claude Code session`, message`for claude --resume`],
  'codex-session': [message`Codex session`, message`for codex resume`],
  'otlp-json': [message`OpenTelemetry spans`, message`lines for a collector, whole when read again`],
  parquet: [message`Parquet tables`, message`a folder of files, for SQL`],
};
const formats = () =>
  (Object.keys(WORDS) as Format[]).map((format) => {
    const [name, detail] = WORDS[format];
    return [format, inLanguage(name), inLanguage(detail)] as const;
  });

/** The button that offers all ways to export. */
export function exportMenu(actions: PageActions, stateOf: () => State): HTMLElement {
  const anchor = button(
    { class: 'export', title: t`Export (X)`, id: 'export' },
    icon('export'),
    el('span', { class: 'button-words' }, t`Export`),
  );
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
      radios(t`Format`, 'format', formats(), format, (value) => {
        format = value;
        offer();
      }),
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
