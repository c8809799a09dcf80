import type { GatheredFacts } from '../../src/query/language/sessionFacts.js';
import { ColumnFacts } from '../../src/search/columns/columnFacts.js';
import { GramFilterBuilder } from '../../src/search/stored/columns/gramFilter.js';
import { textsOf } from '../../src/search/columns/readSession.js';
import { encodeSearchFile, parseSearchFile } from '../../src/search/stored/columns/searchFile.js';
import { columnsOf } from '../../src/search/stored/columns/sessionColumns.js';
import { RecordKindTable } from '../../src/search/stored/columns/recordKinds.js';
import { LineIndex } from '../../src/store/read/lineIndex.js';

const table = new RecordKindTable();

/** The facts of a session as they come back from the bytes of the file that is kept of it. */
export function columnFactsOf(items: readonly unknown[], facts: GatheredFacts): ColumnFacts {
  const grams = new GramFilterBuilder();
  for (const item of items) grams.add(textsOf(item));
  const { source, project } = facts.info;
  const columns = columnsOf(facts, new LineIndex(), {
    source: source ?? null,
    project: project ?? null,
    toolSession: null,
    isOpen: false,
    damaged: 0,
    prices: '',
    blocks: grams.blocks(),
    odd: null,
  });
  const file = parseSearchFile(encodeSearchFile({ stamps: [], columns }));
  const { session } = facts.info;
  const made = file && ColumnFacts.over(file.columns, { session, source, project }, table);
  if (!made) throw new Error('What was written cannot be read.');
  return made;
}
