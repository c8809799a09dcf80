/** Writes docs/formats.md from what the importers declare: `npm run docs:formats`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedFormats } from './checkedFormats.mjs';
import { formatted } from './formatted.mjs';
import { importSources } from './importSources.mjs';

/** @type {typeof import('../src/import/tools.js') & typeof import('../src/import/formatsPage.js') & typeof import('../src/import/importFile.js')} */
const engine = await importSources('formatsPage', [
  'import/tools',
  'import/formatsPage',
  'import/importFile',
]);
const page = join(import.meta.dirname, '../docs/formats.md');
await writeFile(
  page,
  await formatted(page, engine.formatsPage(engine.formats, await checkedFormats(engine))),
);
