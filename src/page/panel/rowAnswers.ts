import { t } from '../../core/l10n.js';
import type { PatternMatcher } from '../../core/ports/patternMatcher.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import { PAGE_ROWS, type RowsAnswer } from '../protocol/requests.js';
import type { Row } from '../protocol/row.js';
import { PatternMarks } from './filter/patternMarks.js';
import type { ProjectionLoader } from './projection/projectionLoader.js';
import type { TranscriptProjection } from './projection/transcriptProjection.js';
import type { PanelView } from './panelView.js';
import type { RowPages } from './rows/rowPages.js';
import type { RowTexts } from './rows/rowTexts.js';
import type { RowContext } from './rows/stepRow.js';

/** What answers about rows are made of. */
export interface RowAnswersOptions {
  readonly projection: TranscriptProjection;
  readonly view: PanelView;
  readonly pages: RowPages;
  readonly texts: RowTexts;
  readonly loop: ProjectionLoader;
  readonly patterns: PatternMatcher;
  readonly context: () => RowContext;
  /** Sends changes of the list at once, so that the answer that follows is consistent with them. */
  readonly settle: () => void;
  /** Notes that the page has these rows. */
  readonly watch: (rows: readonly Row[]) => void;
}

/** Answers what a page asks about the list: its rows, their texts, which of them it shows, and where a record is. */
export function answerRows(handlers: RequestHandlers, options: RowAnswersOptions): void {
  const { projection, view, pages, texts, loop, context, settle, watch } = options;
  const marks = new PatternMarks(options.patterns);

  handlers.add('rows', async ({ start, end }): Promise<RowsAnswer> => {
    const numbers = () => view.rows(start, Math.min(end, start + PAGE_ROWS));
    const read = () => pages.rows(numbers(), context());
    const asked = view.run?.patterns ?? [];
    // Found before the rows are read for the answer: what happens to them afterwards must not overtake it.
    const marked = asked.length > 0 ? await marks.in(await loop.letPass(read), asked) : [];
    const { generation } = view.state;
    const rows = await loop.letPass(read);
    watch(rows);
    return { generation, start, rows, ...(marked.length > 0 && { marks: marked }) };
  });
  handlers.add('expand', ({ row, expanded }) => {
    view.expand(row, expanded);
    settle();
    return {};
  });
  handlers.add('expandAll', ({ expanded }) => {
    view.expandAll(expanded);
    settle();
    return {};
  });
  handlers.add('showRaw', ({ shown }) => {
    view.showRaw(shown);
    settle();
    return {};
  });
  handlers.add('text', (params) =>
    loop.letPass(async () => texts.piece(await pages.sources(params.row), params)),
  );
  handlers.add('ask', ({ number, question }) => {
    view.ask(number, question);
    settle();
    return {};
  });
  handlers.add('reveal', async ({ position }) => {
    await loop.reached(position + 1);
    const row = projection.index.rowOfRecord(position);
    if (row === undefined) throw new Error(t`This record is not shown in the list.`);
    const index = view.reveal(row);
    settle();
    if (index < 0) throw new Error(t`The question hides this record.`);
    return { generation: view.state.generation, index, id: row };
  });
}
