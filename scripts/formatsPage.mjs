/** Writes docs/formats.md from what the importers declare: `npm run docs:formats`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { importSources } from './importSources.mjs';

/** @type {typeof import('../src/import/tools.js') & typeof import('../src/import/formatsPage.js')} */
const engine = await importSources('formatsPage', ['import/tools', 'import/formatsPage']);
const page = join(import.meta.dirname, '../docs/formats.md');
const options = await resolveConfig(page);
await writeFile(page, await format(engine.formatsPage(engine.formats), { ...options, parser: 'markdown' }));
