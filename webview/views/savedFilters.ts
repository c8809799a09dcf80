import { t } from '../../src/core/l10n.js';
import { isUnfiltered, type Criteria } from '../../src/protocol/criteria.js';
import { button, iconButton, textField } from '../controls.js';
import { el } from '../dom.js';
import { icon } from '../icons.js';
import type { PageActions } from '../pageActions.js';
import type { State } from '../state.js';
import { Popover } from './popover.js';

/** The button that saves and restores named filters. */
export function savedFiltersMenu(actions: PageActions, stateOf: () => State): HTMLElement {
  const anchor = button(
    { appearance: 'icon', title: t`Saved filters`, attributes: { 'aria-label': t`Saved filters` } },
    icon('bookmark'),
  );
  const popover: Popover = new Popover(anchor, t`Saved filters`, () => {
    const { savedFilters, lastFilter, criteria } = stateOf();
    const use = (chosen: Criteria): void => {
      actions.filter(chosen);
      popover.close();
    };
    let name = '';
    const save = (): void => {
      if (name.trim() === '') return;
      actions.saveFilter(name.trim());
      popover.close();
    };
    const field = textField({
      label: t`Name of this filter`,
      placeholder: t`Name this filter`,
      onInput: (value) => (name = value),
    });
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') save();
    });
    return [
      lastFilter &&
        isUnfiltered(criteria) &&
        el('div', { class: 'saved' }, entry(t`Used last`, lastFilter, use)),
      el('div', { class: 'popover-title' }, t`Saved filters`),
      ...savedFilters.map((filter) =>
        el(
          'div',
          { class: 'saved' },
          entry(filter.name, filter.criteria, use),
          iconButton('trash', t`Remove ${filter.name}`, () => {
            actions.removeFilter(filter.name);
            popover.close();
          }),
        ),
      ),
      savedFilters.length === 0 && el('div', { class: 'faint' }, t`None yet.`),
      isUnfiltered(criteria)
        ? el('div', { class: 'faint' }, t`Set a filter, then name it here to use it again in any transcript.`)
        : el(
            'div',
            { class: 'save-line' },
            field,
            button({ appearance: 'primary', on: { click: save } }, t`Save`),
          ),
    ];
  });
  return anchor;
}

function entry(name: string, criteria: Criteria, use: (criteria: Criteria) => void): HTMLElement {
  return el(
    'button',
    { class: 'saved-name', attributes: { type: 'button' }, on: { click: () => use(criteria) } },
    name,
    el('span', { class: 'faint' }, describe(criteria)),
  );
}

function describe({ text, role, agent, toolName, errorsOnly, regex }: Criteria): string {
  const words = [
    text !== '' && (regex ? `/${text}/` : `“${text}”`),
    ...[role, agent, toolName].flatMap((names) => names ?? []),
    errorsOnly && 'errors',
  ].filter((word) => word !== false);
  return words.join(', ');
}
