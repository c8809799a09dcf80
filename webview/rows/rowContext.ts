import type { Params } from '../../src/page/protocol/requests.js';
import type { RowField } from '../../src/page/protocol/row.js';
import type { ContentActions } from '../content/markdown.js';
import type { NoteActions } from '../notes/noteActions.js';
import type { FetchedText } from '../state.js';

/** What a person can do with a row. */
export interface RowActions extends ContentActions, Pick<NoteActions, 'editNote' | 'bookmark'> {
  readonly toggle: (row: number) => void;
  readonly expand: (row: number, expanded: boolean) => void;
  /** Fetches the next piece of a text that is cut in the row. */
  readonly fetchText: (row: number, field: RowField, part?: number) => void;
  /** Goes on from a row in a conversation of its own. */
  readonly goOn: (position: number) => void;
  /** Opens the conversation that this one goes on from, or compares them. */
  readonly showOrigin: (how: 'open' | 'compare') => void;
  readonly copyLink: (row: number) => void;
  readonly copyRow: (row: number, as: Params<'copyRow'>['as']) => void;
  readonly openInEditor: (row: number, field: RowField) => void;
  readonly openFile: (row: number, file: number) => void;
  readonly openChanges: (row: number) => void;
  /**
   * Goes to the next prompt, error, or row of the same agent, or to the previous one, from the selected row or the record at a
   * position; `isRound`: behind the last to the first.
   */
  readonly stepTo: (of: Params<'next'>['of'], by: 1 | -1, isRound?: boolean, at?: number) => void;
  /** Shows a row among its neighbours, without the filter. */
  readonly showInContext: (position: number) => void;
}

/** What the appearance of a row depends on besides the row. */
export interface RowContext {
  readonly isOpen: boolean;
  readonly isFiltered: boolean;
  /** Since when it and what follows is new to the person, in milliseconds since 1970, where it is the first that is. */
  readonly newSince?: number | undefined;
  readonly textOf: (field: RowField, part?: number) => FetchedText | undefined;
  readonly actions: RowActions;
}

/** The key under which a fetched text is kept. */
export function textKey(row: number, field: RowField, part = 0): string {
  return `${row}/${field}/${part}`;
}
