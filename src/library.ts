/**
 * What Node programs and other extensions may use, without VS Code: `agent-logbook/library`. A name that is neither here
 * nor in `agent-logbook/parts` is not public.
 */
/// <reference types="node" preserve="true" />

// Errors have codes.
import { judgeCommand as judge } from './agents/tools/command/decide.js';
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
export { importFile, openImport, importTranscript } from './lateLibrary.js';

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
export { query } from './lateLibrary.js';
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
export { loadPrices } from './lateLibrary.js';

// Export.
export type { ExportFormat } from './core/ports/exportFormats.js';
export { EXPORT_FORMATS, TEXT_FORMATS } from './core/ports/exportFormats.js';
export { exportChunks, exportMessages } from './export/exportMessages.js';
export { exportToFile } from './export/files/exportFile.js';
export type { ExportTablesOptions, TableSession } from './export/tables/exportTables.js';
export { exportTables } from './lateLibrary.js';
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
