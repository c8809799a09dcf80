import { DEFAULT_MAX_SILENCE_MS } from '../core/ports/model.js';
import { DEFAULT_LIMITS, DEFAULT_MAX_DEPTH, DEFAULT_REQUESTS_AT_ONCE } from '../agents/loop/limits/limits.js';

/** Every command that menus and the palette show; package.json contributes them with the prefix `agentLogbook.`. */
export const commandIds = [
  'runAgent',
  'runTimes',
  'continueConversation',
  'goOn',
  'undoRun',
  'stopRun',
  'stopAllRuns',
  'selectModel',
  'addEndpoint',
  'manageEndpoints',
  'createAgent',
  'openAgent',
  'refreshAgents',
  'openTranscript',
  'filterTranscripts',
  'clearTranscriptsFilter',
  'groupTranscripts',
  'filterMessages',
  'askTranscript',
  'chooseQuestion',
  'saveQuestion',
  'copyQuestionLink',
  'openQuestionLink',
  'bookmarkMessage',
  'noteMessage',
  'removeNote',
  'undoNote',
  'showNotes',
  'manageKept',
  'showTimeline',
  'showStatistics',
  'showToolSummary',
  'showApprovals',
  'showAllApprovals',
  'exportApprovals',
  'suggestAllowRules',
  'exportMarkdown',
  'exportTranscript',
  'exportTables',
  'pushToArchive',
  'setArchivePassword',
  'refreshArchive',
  'handOver',
  'verifyTranscript',
  'compareTranscripts',
  'selectForCompare',
  'compareWithSelected',
  'replayRun',
  'makeTest',
  'openChecked',
  'importTranscript',
  'openTranscriptFile',
  'keepCopy',
  'chooseFileConversation',
  'showFileReport',
  'receiveTelemetry',
  'recordTerminal',
  'openRecording',
  'captureMenu',
  'sendToCollector',
  'setCollectorHeaders',
  'chooseSessionTools',
  'pinSession',
  'searchTranscripts',
  'openSearchEditor',
  'showSpending',
  'showAgentBlame',
  'whyIsThisLineHere',
  'explainBranch',
  'nextSearchMatch',
  'previousSearchMatch',
  'renameConversation',
  'deleteConversation',
  'revealConversation',
  'openRawJournal',
  'applyRetention',
  'connectChat',
  'showLog',
] as const;

/**
 * Commands that no menu shows any more, as one that is shown leads to them. Buttons use them, and so may a key binding, a task
 * or another extension; the value is the command that is shown.
 */
export const formerCommandIds = {
  editEndpoint: 'manageEndpoints',
  removeEndpoint: 'manageEndpoints',
  setEndpointKey: 'manageEndpoints',
  clearEndpointKey: 'manageEndpoints',
  setTelegramToken: 'connectChat',
  startTelegram: 'connectChat',
  stopTelegram: 'connectChat',
  setDiscordToken: 'connectChat',
  startDiscord: 'connectChat',
  stopDiscord: 'connectChat',
  stopTelemetry: 'captureMenu',
  stopRecording: 'captureMenu',
  showCaptureReport: 'captureMenu',
  revealSession: 'revealConversation',
  sendWaitingSpans: 'sendToCollector',
} as const satisfies Readonly<Record<string, (typeof commandIds)[number]>>;

/** Commands that rows run and nobody else: neither menus nor the palette show them. */
export const rowCommandIds = ['openArchived', 'showFoundSessions'] as const;

/** The id of a command, without the prefix `agentLogbook.`. */
export type CommandId =
  | (typeof commandIds)[number]
  | (typeof rowCommandIds)[number]
  | keyof typeof formerCommandIds;

/** The command's full id in VS Code. */
export function commandName(id: CommandId): string {
  return `agentLogbook.${id}`;
}

/** The participant of VS Code's Chat view, `@logbook`. */
export const chatParticipantId = 'agentLogbook.logbook';

/** The provider of the server of the Model Context Protocol that reads recorded sessions. */
export const mcpProviderId = 'agentLogbook.sessions';

/** What VS Code calls that server; a name, which is the same in every language. */
export const mcpServerLabel = 'Agent Logbook';

/** The tools for models of VS Code, as `src/surfaces/mcp/editorTools.ts` defines them. */
export const sessionToolNames = [
  'search_agent_sessions',
  'read_agent_session',
  'get_agent_session_cost',
] as const;

/** Every view of the extension. */
export const viewIds = {
  agents: 'agentLogbook.agents',
  transcripts: 'agentLogbook.transcripts',
  notes: 'agentLogbook.notes',
  search: 'agentLogbook.search',
} as const;

/** The view type of the search in an editor; menus and keybindings refer to it. */
export const searchEditorType = 'agentLogbook.searchEditor';

/** The view type of what all sessions have cost, in an editor. */
export const spendingEditorType = 'agentLogbook.spendingEditor';

/** The view type of a comparison in an editor. */
export const compareEditorType = 'agentLogbook.compareEditor';

/** The view type of the decisions of all transcripts in an editor. */
export const approvalLogEditorType = 'agentLogbook.approvalsEditor';

/** An OpenAI-compatible server as the settings describe it; validated where it is used. */
export type EndpointSetting = Readonly<Record<string, unknown>>;

/** How the names of files of expectations end; package.json starts the extension by it. */
export const expectationFiles = '.logbook.yaml';

/** Every setting with its default; a test compares them with package.json. */
export const settingDefaults = {
  endpoints: [] as readonly EndpointSetting[],
  model: '',
  allowRules: [] as readonly Readonly<Record<string, unknown>>[],
  approvals: 'ask' as 'ask' | 'approveAll' | 'rejectAll',
  showCommands: true,
  verbosity: 1 as 0 | 1 | 2,
  'limits.maxDepth': DEFAULT_MAX_DEPTH,
  'limits.maxSteps': DEFAULT_LIMITS.steps,
  'limits.maxCalls': DEFAULT_LIMITS.calls,
  'limits.maxFanOut': DEFAULT_LIMITS.fanOut,
  'limits.maxTokens': DEFAULT_LIMITS.tokens,
  'limits.maxCost': 0,
  'limits.maxMinutes': DEFAULT_LIMITS.runMs / 60_000,
  'limits.maxToolMinutes': DEFAULT_LIMITS.toolMs / 60_000,
  'limits.maxRepetitions': DEFAULT_LIMITS.repetitions,
  'limits.maxRequestsAtOnce': DEFAULT_REQUESTS_AT_ONCE,
  'limits.maxSilenceSeconds': DEFAULT_MAX_SILENCE_MS / 1000,
  'limits.more': {} as Readonly<Record<string, unknown>>,
  'recording.accumulator': true,
  'recording.more': {} as Readonly<Record<string, unknown>>,
  'recording.maxMessages': 100_000,
  'recording.maxMegabytes': 64,
  'telemetry.port': 4318,
  'telemetry.autoStart': false,
  'capture.openAiAddress': '',
  'capture.anthropicAddress': '',
  'capture.ollamaAddress': '',
  'capture.keepDays': 0,
  'sessions.keepCopies': false,
  'sessions.folders': {} as Readonly<Record<string, readonly string[]>>,
  watch: {
    rules: [
      { when: 'waits', then: 'notify' },
      { when: 'finished while away', then: 'notify' },
    ],
    quietHours: '',
    says: 'state',
  } as Readonly<Record<string, unknown>>,
  'blame.show': false,
  storePath: '',
  'retention.maxAgeDays': 0,
  'retention.maxMegabytes': 0,
  'openTelemetry.endpoint': '',
  'openTelemetry.live': false,
  'openTelemetry.content': 'cut' as 'none' | 'cut' | 'full',
  'openTelemetry.maxTextBytes': 10_000,
  'openTelemetry.dialect': '1.41' as '1.41' | 'latest',
  'openTelemetry.additions': [] as readonly string[],
  'openTelemetry.allowUnencrypted': false,
  'export.redactSecrets': true,
  'sharing.review': 'whenFound' as 'never' | 'whenFound' | 'always',
  'sharing.names': [] as readonly string[],
  'sharing.patterns': {} as Readonly<Record<string, string>>,
  'sharing.homeFolders': false,
  'sharing.leaveIn': [] as readonly string[],
  'sharing.leaveOut': [] as readonly string[],
  'sharing.values': {} as Readonly<Record<string, string>>,
  'archive.address': '',
  'archive.mode': 'redacted' as 'facts' | 'redacted' | 'full',
  'archive.push': 'onDemand' as 'onDemand' | 'live',
  'prices.file': '',
  'chats.servers': {} as Readonly<Record<string, unknown>>,
  'telegram.apiRoot': 'https://api.telegram.org',
  'telegram.allowedSenders': [] as readonly string[],
  'telegram.agent': '',
  'discord.apiRoot': 'https://discord.com/api',
  'discord.gateway': '',
  'discord.allowedSenders': [] as readonly string[],
  'discord.agent': '',
};

/**
 * Settings that stand in another one, by their names there. Their own ids are those that they had before: what is set under
 * one counts where the other says nothing.
 */
export const settingParts: Readonly<
  Partial<Record<SettingId, readonly ['limits.more' | 'chats.servers' | 'recording.more', name: string]>>
> = {
  'limits.maxCalls': ['limits.more', 'maxCalls'],
  'limits.maxFanOut': ['limits.more', 'maxFanOut'],
  'limits.maxToolMinutes': ['limits.more', 'maxToolMinutes'],
  'limits.maxRepetitions': ['limits.more', 'maxRepetitions'],
  'limits.maxRequestsAtOnce': ['limits.more', 'maxRequestsAtOnce'],
  'limits.maxSilenceSeconds': ['limits.more', 'maxSilenceSeconds'],
  'recording.accumulator': ['recording.more', 'accumulator'],
  'recording.maxMessages': ['limits.more', 'maxMessages'],
  'recording.maxMegabytes': ['limits.more', 'maxMegabytes'],
  'telegram.apiRoot': ['chats.servers', 'telegram'],
  'discord.apiRoot': ['chats.servers', 'discord'],
  'discord.gateway': ['chats.servers', 'discordGateway'],
};

/** The id of a setting, without the prefix `agentLogbook.`. */
export type SettingId = keyof typeof settingDefaults;
