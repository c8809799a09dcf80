/** Writes docs/commandLine.md from the table of subcommands: `npm run docs:commands`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatted } from './formatted.mjs';
import { importSources } from './importSources.mjs';

/** @type {typeof import('../src/surfaces/cli/commands.js') & typeof import('../src/surfaces/cli/commandLinePage.js')} */
const engine = await importSources('commandLinePage', [
  'surfaces/cli/commands',
  'surfaces/cli/commandLinePage',
]);
const page = join(import.meta.dirname, '../docs/commandLine.md');
await writeFile(page, await formatted(page, engine.commandLinePage(engine.commands)));
