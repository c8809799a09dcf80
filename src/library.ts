/**
 * What Node programs and other extensions may use, without VS Code: `agent-logbook/library`. A name that is neither here
 * nor in `agent-logbook/parts` is not public.
 */
/// <reference types="node" preserve="true" />

// Errors have codes.
import { judgeCommand as judge } from './agents/tools/command/decide.js';
import type * as blaming from './app/sources/blamedFiles.js';
import type * as files from './import/importFile.js';
import type * as prices from './query/pricing/loadPrices.js';
import type * as questions from './app/transcripts/queryTranscripts.js';
import type * as tables from './export/tables/exportTables.js';
import type * as transcripts from './import/importTranscript.js';

/**
 * Those functions of the library that are loaded with their first call: the readers of all formats, the table of prices,
 * the language of questions. Each is what its module says; what stands here only waits for it.
 */

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

/** Says which transcript wrote the lines of a file, from which prompt, as far as that is proved; see docs/blame.md. */
export const blame: typeof blaming.blame = async (file, transcripts, options) =>
  (await import('./app/sources/blamedFiles.js')).blame(file, transcripts, options);

/** Writes sessions as the Parquet tables of docs/sql.md, with bounded memory. */
export const exportTables: typeof tables.exportTables = async (...asked) =>
  (await import('./export/tables/exportTables.js')).exportTables(...asked);

export type { LibraryErrorCode } from './core/errorCode.js';

// Run a team.
export type { Team, TeamOptions } from './app/team/createTeam.js';
export { createTeam } from './app/team/createTeam.js';
export type { CommandJudgement } from './agents/tools/command/decide.js';
export type { TeamAgent } from './app/team/teamAgent.js';
export type { TeamSession } from './app/team/teamSession.js';
export type { RunResult } from './agents/loop/agentSession.js';
export type { AskApproval } from './core/ports/approvals.js';
export type { Tool } from './core/ports/tool.js';
export type { Model } from './core/ports/model.js';
export type { OpenAiModelOptions } from './agents/models/openaiModel.js';
export { OpenAiModel } from './agents/models/openaiModel.js';
export { ScriptedModel } from './agents/models/scriptedModel.js';

// Keep what it says.
export type { OpenStoreOptions } from './app/stores/openStore.js';
export { openStore } from './app/stores/openStore.js';
export { restoreTexts } from './store/read/restoredRecords.js';
export type { ChatMessage } from './core/message.js';
export { textOf } from './core/message.js';
export type { LogRecord, MessageRecord } from './core/record.js';
export { isMessageRecord } from './core/record.js';

// Import what other tools kept.
export type { FileOptions, ImportedFile } from './import/importFile.js';
export type { ImportResult } from './import/reading/importResult.js';

// Ask.
export type { MessageQueryOptions } from './export/messageQuery.js';
export { MessageQuery } from './export/messageQuery.js';
export type { FilterCriteria } from './query/filterCriteria.js';
export type { MessageStats } from './query/numbers/answers.js';
export type {
  QueryResult,
  QueryTarget,
  QueryTranscriptsOptions,
} from './app/transcripts/queryTranscripts.js';

export type { BlameOptions, BlameTarget, SessionClaim } from './app/sources/blamedFiles.js';
export type { SessionEdit } from './app/sources/sessionEdits.js';
export type { QueryRow, RecordRow, SpanRow, ToolCallRow } from './query/language/answer.js';
export type { RowKind } from './query/language/syntax.js';
export { queryOfCriteria } from './query/language/queryOfCriteria.js';
export { SessionSearch } from './search/sessionSearch.js';
export type { SearchQuestion, SearchUpdate } from './page/protocol/search.js';
export type { AgentContext } from './query/numbers/context/contextOf.js';
export { contextOf } from './query/numbers/context/contextOf.js';
export { CONTEXT_KINDS } from './query/numbers/context/contextKinds.js';

// Count tokens and money.
export type { TokenCounter } from './core/ports/tokenCounter.js';
export { encodingForModel } from './query/tokens/encodingForModel.js';
export { loadTokenCounter } from './query/tokens/loadTokenCounter.js';
export type { Cost } from './core/cost.js';
export { formatCost } from './core/cost.js';
export { dollars, inDollars } from './core/money.js';
export type { Prices } from './core/ports/prices.js';

// Export.
export type { ExportFormat } from './core/ports/exportFormats.js';
export { EXPORT_FORMATS, TEXT_FORMATS } from './core/ports/exportFormats.js';
export { exportChunks, exportMessages } from './export/exportMessages.js';
export { exportToFile } from './export/files/exportFile.js';
export type { ExportTablesOptions, TableSession } from './export/tables/exportTables.js';

export { TABLES } from './export/tables/tableColumns.js';

/**
 * What is known of a command line by its text alone, in the words that programs know: `harmless` if it only looks, `mustAsk` if a
 * person is asked whatever the policy says, else `ordinary`.
 */
export function judgeCommand(line: string): {
  readonly kind: 'harmless' | 'ordinary' | 'mustAsk';
  readonly reasons?: readonly string[];
} {
  const judgement = judge(line);
  if (judgement.kind === 'ask') return { kind: 'mustAsk', reasons: judgement.reasons };
  return { kind: judgement.kind === 'allow' ? 'harmless' : 'ordinary' };
}
