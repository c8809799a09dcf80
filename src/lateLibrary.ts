/**
 * Those functions of the library that are loaded with their first call: the readers of all formats, the table of prices,
 * the language of questions. Each is what its module says; what stands here only waits for it.
 */
import type * as files from './import/importFile.js';
import type * as prices from './query/pricing/loadPrices.js';
import type * as questions from './app/transcripts/queryTranscripts.js';
import type * as tables from './export/tables/exportTables.js';
import type * as transcripts from './import/importTranscript.js';

/** Reads a transcript of any known tool from disk, with the files that belong to it; all its records are held. */
export const importFile: typeof files.importFile = async (path, options) =>
  (await import('./import/importFile.js')).importFile(path, options);

/** Reads a transcript like `importFile`, but in bounded memory: large ones wait in a temporary file until it is closed. */
export const openImport: typeof files.openImport = async (path, options) =>
  (await import('./import/importFile.js')).openImport(path, options);

/** Reads a transcript of any known tool from its bytes. */
export const importTranscript: typeof transcripts.importTranscript = async (...source) =>
  (await import('./import/importTranscript.js')).importTranscript(...source);

/** What models cost, by the bundled table and by a person's own file of prices. Nothing is fetched. */
export const loadPrices: typeof prices.loadPrices = async (ownFile) =>
  (await import('./query/pricing/loadPrices.js')).loadPrices(ownFile);

/** Asks a question of transcripts, one after the other, in the language of docs/query.md. */
export const query: typeof questions.query = async (transcripts, text, options) =>
  (await import('./app/transcripts/queryTranscripts.js')).query(transcripts, text, options);

/** Writes sessions as the Parquet tables of docs/sql.md, with bounded memory. */
export const exportTables: typeof tables.exportTables = async (...asked) =>
  (await import('./export/tables/exportTables.js')).exportTables(...asked);
