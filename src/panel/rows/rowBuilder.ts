import type { Row } from '../../protocol/row.js';
import { messageRow } from './messageRow.js';
import { noteRow } from './noteRow.js';
import { ROW } from './rowIndex.js';
import type { RowSources } from './rowSources.js';
import { dispatchRow, toolRow, type RowContext } from './stepRow.js';

/** Builds a row from its records, with its texts cut. */
export function buildRow(sources: RowSources, context: RowContext): Row {
  switch (sources.kind) {
    case ROW.message:
      return messageRow(sources);
    case ROW.tool:
      return toolRow(sources, context);
    case ROW.dispatch:
      return dispatchRow(sources, context);
    default:
      return noteRow(sources);
  }
}
