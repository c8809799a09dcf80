import { DEFAULT_MAX_SILENCE_MS } from '../ports/model.js';
import { DEFAULT_LIMITS, DEFAULT_MAX_DEPTH, DEFAULT_REQUESTS_AT_ONCE } from '../runtime/limits/limits.js';

/** Every command of the extension; package.json contributes them with the prefix `agentLogbook.`. */
export const commandIds = [
  'runAgent',
  'continueConversation',
  'stopRun',
  'stopAllRuns',
  'selectModel',
  'addEndpoint',
  'editEndpoint',
  'removeEndpoint',
  'setEndpointKey',
  'clearEndpointKey',
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
  'showTimeline',
  'showStatistics',
  'showToolSummary',
  'showApprovals',
  'exportApprovals',
  'suggestAllowRules',
  'exportMarkdown',
  'exportTranscript',
  'importTranscript',
  'searchTranscripts',
  'openSearchEditor',
  'nextSearchMatch',
  'previousSearchMatch',
  'renameConversation',
  'deleteConversation',
  'revealConversation',
  'openRawJournal',
  'applyRetention',
  'setTelegramToken',
  'startTelegram',
  'stopTelegram',
  'setDiscordToken',
  'startDiscord',
  'stopDiscord',
  'showLog',
] as const;

/** The id of a command, without the prefix `agentLogbook.`. */
export type CommandId = (typeof commandIds)[number];

/** The command's full id in VS Code. */
export function commandName(id: CommandId): string {
  return `agentLogbook.${id}`;
}

/** The participant of VS Code's Chat view, `@logbook`. */
export const chatParticipantId = 'agentLogbook.logbook';

/** Every view of the extension. */
export const viewIds = {
  agents: 'agentLogbook.agents',
  transcripts: 'agentLogbook.transcripts',
  search: 'agentLogbook.search',
} as const;

/** The view type of the search in an editor; menus and keybindings refer to it. */
export const searchEditorType = 'agentLogbook.searchEditor';

/** An OpenAI-compatible server as the settings describe it; validated where it is used. */
export type EndpointSetting = Readonly<Record<string, unknown>>;

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
  'recording.accumulator': true,
  'recording.maxMessages': 100_000,
  'recording.maxMegabytes': 64,
  storePath: '',
  'retention.maxAgeDays': 0,
  'retention.maxMegabytes': 0,
  'export.redactSecrets': true,
  'prices.file': '',
  'telegram.apiRoot': 'https://api.telegram.org',
  'telegram.allowedSenders': [] as readonly string[],
  'telegram.agent': '',
  'discord.apiRoot': 'https://discord.com/api',
  'discord.gateway': '',
  'discord.allowedSenders': [] as readonly string[],
  'discord.agent': '',
};

/** The id of a setting, without the prefix `agentLogbook.`. */
export type SettingId = keyof typeof settingDefaults;
