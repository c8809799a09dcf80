/**
 * The parts that `agent-logbook/library` is made of, for programs that need one of them to be another:
 * `agent-logbook/parts`. **Unstable**: a name here may change or go with any version, without notice. What stands in
 * the library is not repeated here.
 */
/// <reference types="node" preserve="true" />

// Run a team, keep what it says.
export type { ConversationStore } from './app/team/createTeam.js';

// Read transcripts back: ask, import, export.
export type { QueryExportOptions } from './export/messageQuery.js';
export type { InEitherCase } from './core/checkOptions.js';
export type { Names } from './query/filterCriteria.js';
export type { CriteriaQuery } from './query/language/queryOfCriteria.js';
export type { QueryProblem, Range } from './query/language/syntax.js';
export { ROW_KINDS } from './query/language/syntax.js';
export type { SessionInfo } from './query/language/sessionFacts.js';
export type { ExportNote } from './export/exportNote.js';
export type { Note, NoteChange, NoteTarget, LocatedNote } from './core/note.js';
export { noteTargetOf } from './query/notes/noteTarget.js';
export type { NotePositions } from './query/notes/locateNotes.js';
export { locatedNotes, locateNotes } from './query/notes/locateNotes.js';
export type { TokenCount } from './query/numbers/tokens.js';
export type { CostProvenance, CostShare, KnownProvenance, RequestCost } from './core/cost.js';
export { explainCost, knownAmount, provenanceOf } from './core/cost.js';
export type { NanoDollars } from './core/money.js';
export type { PricedRequest } from './core/ports/prices.js';
export { CostShares } from './query/numbers/costShares.js';
export type { Spent, SpentAt } from './query/numbers/spentByRecord.js';
export type { AgentContext } from './query/numbers/context/contextOf.js';
export type { CacheBreak, CacheReason } from './query/numbers/context/cacheUse.js';
export type { ContextKind } from './query/numbers/context/contextKinds.js';
export type { ContextRequest } from './query/numbers/context/sentRequests.js';
export type { SentPiece, SizedMessage, WindowCompaction } from './query/numbers/context/contextWindow.js';
export type {
  InteractionStatus,
  MessageCounts,
  OrphanResult,
  ToolCallEntry,
  ToolCallInfo,
  ToolInteraction,
  Turn,
} from './query/numbers/answers.js';
export type { OpenedFile } from './import/importFile.js';
export type { OpenedConversation, OpenedImport } from './import/readLarge.js';
export type { ImportedConversation, ImportedRecord } from './import/reading/importResult.js';
export type { ImportOptions, SidecarSource } from './import/importTranscript.js';
export type { TranscriptSource } from './import/reading/readBytes.js';
export type { MessageDict } from './export/exportMessages.js';
export type { ExportFileOptions, ExportProgress } from './export/files/exportFile.js';
export type { ExportOptions, ExportReport } from './export/exportFormat.js';
export type { Exported } from './export/exportMessages.js';
export type { TablesProgress, TablesReport } from './export/tables/exportTables.js';
export type { ColumnType, TableColumn, TableName } from './export/tables/tableColumns.js';
export type { TextFormat } from './core/ports/exportFormats.js';
export type { UntypedMessage } from './query/numbers/transcriptItem.js';
export { Redactor } from './export/secrets/redact.js';

// Compare what was said.
export type { CompareTranscriptsOptions } from './app/sources/compareSessions.js';
export { compareTranscripts } from './app/sources/compareSessions.js';
export type { ReplayOptions } from './app/team/replayRun.js';
export type { ReplayChange, Replayed, ReplayDeparture } from './app/team/replayDeparture.js';
export { replayRun } from './app/team/replayRun.js';
export { replaySentence } from './app/team/replayDeparture.js';
export type {
  Changed,
  Comparison,
  DifferenceKind,
  Divergence,
  InputDifference,
  Row,
  RunFacts,
  StepView,
} from './compare/comparison.js';
export type { RunEnd, RunTotals, Score, Step, StepKind } from './compare/steps.js';
export type { Rule } from './compare/normal.js';
export type { Way } from './compare/align.js';

// Messages and records.
export type { ContentPart, ImagePart, OtherPart, Role, TextPart, ToolCall } from './core/message.js';
export type {
  ApprovalBody,
  CallEndBody,
  CallSite,
  CallStartBody,
  CallState,
  DispatchBody,
  ErrorBody,
  Failure,
  MessageBody,
  Outcome,
  PartialReason,
  PieceBody,
  PieceDraft,
  PieceRecord,
  ProviderIds,
  RecordBody,
  RecordDraft,
  RecordHeader,
  RecordType,
  RequestBody,
  SpillRef,
  TitleBody,
  ToolCallPiece,
  UnknownRecord,
} from './core/record.js';
export type { Injected, InjectedKind } from './core/injected.js';
export { injectedOf, ownTextOf } from './core/injected.js';
export type { Usage } from './core/usage.js';
export { addUsage, NO_USAGE } from './core/usage.js';
export type { AccumulatedMessage, AccumulatorLimits, Provenance } from './core/record/messageAccumulator.js';
export { DEFAULT_ACCUMULATOR_LIMITS, MessageAccumulator } from './core/record/messageAccumulator.js';
export type { RecorderOptions } from './core/record/recorder.js';
export { Recorder } from './core/record/recorder.js';

// The store on disk.
export { TranscriptStore } from './store/transcriptStore.js';
export type { TranscriptStoreOptions } from './store/write/storeOptions.js';
export type { StoredNotes } from './store/notes/noteFile.js';
export type { JournalLimits } from './store/write/journalOptions.js';
export type { ImportedSession, ImportOutcome } from './store/write/importSession.js';
export type { Catalog } from './store/catalog/catalog.js';
export type { Retention, RetentionPolicy, RetentionResult } from './store/catalog/retention.js';
export { applyRetention, planRetention } from './store/catalog/retention.js';
export type { RestoredRecord } from './store/read/restoredRecords.js';
export type { SessionSearchOptions } from './search/sessionSearch.js';
export type { SearchedStore } from './search/searchCalls.js';
export type { SearchedFile } from './search/files/fileSession.js';
export type {
  Counted,
  Excerpt,
  Facet,
  FacetValue,
  Histogram,
  HistogramBar,
  IncompleteSession,
  Mark,
  NearRecord,
  SearchGroup,
  SearchHit,
  SearchLimits,
  SearchOrder,
  SessionLocation,
  UnreadSession,
} from './page/protocol/search.js';
export type { Resumed } from './store/write/openConversations.js';
export type { StoreProblem } from './store/write/storeProblem.js';
export type { Journal, JournalState } from './core/ports/journal.js';
export type {
  CatalogEntry,
  ConversationSource,
  ConversationState,
  DamagedLine,
  ReadRecord,
  ScanBatch,
  Transcript,
} from './core/ports/transcript.js';

// Agents and their definition files.
export type { AgentDefinition, AgentFile, AgentFormat, AgentOrigin, Problem } from './core/agent.js';
export { callableAgents, findAgent } from './core/agentLookup.js';
export type { AgentCatalog, KnownTools } from './agents/definitions/catalog.js';
export { buildCatalog } from './agents/definitions/catalog.js';
export { findAgentFiles } from './agents/definitions/findAgentFiles.js';
export { readAgentFile } from './agents/definitions/readAgentFile.js';

// Models.
export type {
  FinishReason,
  JsonSchema,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  ToolSpec,
} from './core/ports/model.js';
export { DEFAULT_MAX_SILENCE_MS } from './core/ports/model.js';
export type { Endpoint } from './agents/models/endpoint.js';
export type { EndpointUrl } from './agents/models/endpoint.js';
export { parseEndpointUrl } from './agents/models/endpoint.js';
export type { ParsedEndpoints } from './agents/models/endpoints.js';
export { parseEndpoints } from './agents/models/endpoints.js';
export type { HttpLimits } from './agents/models/httpLimits.js';
export type { ListModelsOptions } from './agents/models/listModels.js';
export { listModels } from './agents/models/listModels.js';
export type { LocalServer } from './agents/models/listModels.js';
export { findLocalServers } from './agents/models/listModels.js';
export type { NamedModel } from './agents/models/resolveModelName.js';
export { resolveModelName } from './agents/models/resolveModelName.js';
export type {
  Script,
  ScriptError,
  ScriptExpectation,
  ScriptStep,
  ScriptToolCall,
} from './agents/models/script.js';
export type { ScriptFile } from './agents/models/scriptFile.js';
export { parseScript } from './agents/models/scriptFile.js';
export type { UnusedStep } from './agents/models/scriptedModel.js';

// Tools, and what they may touch.
export type {
  Dispatch,
  DispatchRequest,
  DispatchResult,
  ToolContext,
  ToolEffect,
  ToolExecutor,
  ToolResult,
} from './core/ports/tool.js';
export type { ArgumentValidator } from './core/ports/argumentValidator.js';
export type { FileOutcome, FileText, GuardedPath, WorkspaceFiles } from './core/ports/workspaceFiles.js';
export type { PatternMatcher } from './core/ports/patternMatcher.js';
export { agentTools } from './agents/tools/agentTools.js';
export { builtInTools } from './agents/tools/builtInTools.js';
export type { AllowedCommand } from './agents/tools/command/allowedCommand.js';
export { DiskWorkspaceFiles } from './agents/tools/files/writeDiskText.js';
export type { UnreviewedFile } from './agents/tools/files/seenFiles.js';
export { SeenFiles } from './agents/tools/files/seenFiles.js';
export type { GuardOutcome } from './agents/tools/paths/pathGuard.js';
export { PathGuard } from './agents/tools/paths/pathGuard.js';
export type { Workspace } from './agents/tools/paths/workspace.js';
export type { CommandOptions, CommandWatcher, RunningCommand } from './agents/tools/runCommand.js';
export { missingTools, selectTools } from './agents/tools/selectTools.js';
export type { CallableAgent } from './agents/tools/subagentDispatch.js';
export { SUBAGENT_DISPATCH, subagentDispatch } from './agents/tools/subagentDispatch.js';
export { ToolRegistry } from './agents/tools/toolRegistry.js';

// The runtime: sessions, calls, limits, approvals.
export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalPrompt,
  ApprovalRequest,
  Approver,
  RunApprovalPolicy,
  RunApprover,
} from './core/ports/approvals.js';
export type { RunOptions } from './agents/loop/agentSession.js';
export { AgentSession } from './agents/loop/agentSession.js';
export type { ApprovalDeciderOptions } from './agents/loop/approvalDecider.js';
export { ApprovalDecider } from './agents/loop/approvalDecider.js';
export type { CallOptions, ForkOptions } from './agents/loop/callFrame.js';
export { CallFrame } from './agents/loop/callFrame.js';
export type { LoopResult } from './agents/loop/chatToolLoop.js';
export { chatToolLoop } from './agents/loop/chatToolLoop.js';
export { createDispatch } from './agents/loop/dispatch.js';
export type { RepairedHistory } from './agents/loop/history/repairHistory.js';
export { repairHistory } from './agents/loop/history/repairHistory.js';
export type { Limits } from './agents/loop/limits/limits.js';
export { DEFAULT_LIMITS, DEFAULT_MAX_DEPTH, DEFAULT_REQUESTS_AT_ONCE } from './agents/loop/limits/limits.js';
export type { Release } from './agents/loop/limits/scheduler.js';
export { Scheduler } from './agents/loop/limits/scheduler.js';
export type { AssistantDetails, LoopObserver, ToolDetails } from './agents/loop/askModel.js';
export type { CallResult } from './agents/loop/callResult.js';
export type { CallStart } from './agents/loop/runCall.js';
export { runCall } from './agents/loop/runCall.js';
export { RunScope, RunStop } from './agents/loop/runScope.js';
export type { MessageLog, RuntimeConfig } from './agents/loop/runtimeConfig.js';
export type { RuntimeEvent, Verbosity } from './agents/loop/runtimeEvent.js';
export { SchemaValidator } from './agents/loop/toolCalls/schemaValidator.js';
export { UsageCollector } from './agents/loop/usageCollector.js';

// Where runs are shown, and the chats they are asked from.
export type { Frontend, FrontendLocation } from './core/ports/frontend.js';
export {
  formatApproval,
  formatDispatchFailure,
  formatDispatchResult,
  formatDispatchStart,
  formatToolActivity,
} from './agents/frontends/dispatchLines.js';
export { DispatchesOnlyFrontend } from './agents/frontends/dispatchesOnlyFrontend.js';
export type { FrontendHubOptions } from './agents/frontends/frontendHub.js';
export type { DeliveryLimits } from './agents/frontends/deliveryQueue.js';
export { FrontendHub } from './agents/frontends/frontendHub.js';
export type { ConnectorContext } from './agents/frontends/connectorFrontend.js';
export { ConnectorFrontend } from './agents/frontends/connectorFrontend.js';
export type { LineSink, OutputChannelOptions } from './agents/frontends/outputChannelFrontend.js';
export { OutputChannelFrontend } from './agents/frontends/outputChannelFrontend.js';
export { SilentFrontend } from './agents/frontends/dispatchesOnlyFrontend.js';
export type {
  ConversationOutcome,
  ConversationRequest,
  ConversationRunner,
} from './core/ports/conversationRunner.js';
export type {
  ConnectorState,
  IncomingMessage,
  ChatConnector,
  PostFailure,
} from './core/ports/chatConnector.js';
export { isPostError, PostError } from './core/ports/chatConnector.js';
export type { DiscordConnectorOptions } from './agents/chats/discord/discordConnector.js';
export { DiscordConnector } from './agents/chats/discord/discordConnector.js';
export type { EmbeddedPost } from './agents/chats/embeddedConnector.js';
export { EmbeddedConnector } from './agents/chats/embeddedConnector.js';
export { ConnectorExecutor } from './agents/chats/executor/connectorExecutor.js';
export type { ConnectorExecutorOptions } from './agents/chats/executor/connectorSession.js';
export type { ChatFrontend, MakeFrontend } from './agents/chats/executor/chatWorker.js';
export { chunkAnswer, chunkText } from './agents/chats/executor/chunkText.js';
export type { TelegramConnectorOptions } from './agents/chats/telegram/telegramConnector.js';
export { TelegramConnector } from './agents/chats/telegram/telegramConnector.js';

// Tokens.
export type { MessageTokens } from './query/numbers/messageTokens.js';
export { countMessageTokens } from './query/numbers/messageTokens.js';
export type { Encoding, ModelEncoding } from './query/tokens/encodingForModel.js';
export { TokenService } from './query/tokens/tokenService.js';

// Small things that the parts above are given.
export { canonicalJson } from './core/canonicalJson.js';
export type { Clock } from './core/clock.js';
export { systemClock } from './core/clock.js';
export type { Disposable, Event, ListenerFailure } from './core/event.js';
export { Emitter } from './core/event.js';
export type { IdKind } from './core/ids.js';
export { newConversationId, newId } from './core/ids.js';
export { messageOf } from './core/text.js';
export type { Timers } from './core/timers.js';
export { delay, systemTimers } from './core/timers.js';
export type { Log } from './core/ports/log.js';
export { silentLog } from './core/ports/log.js';
