import { t } from '../../core/l10n.js';
import { visibleLine } from '../../core/visibleText.js';
import type { ChatMemory } from '../answers/chatMemory.js';

/** Answering in chats: Telegram, Discord and the Chat view. The packages of a platform come when its connector is started. */
export { DiscordConnector } from '../../agents/chats/discord/discordConnector.js';
export { TelegramConnector } from '../../agents/chats/telegram/telegramConnector.js';
export { ConnectorConversationRunner } from '../connectors/connectorConversationRunner.js';
export { ConnectorService } from '../connectors/connectorService.js';
export { StreamedAnswer } from '../answers/streamedAnswer.js';

/** A follow-up question, as VS Code's Chat view takes it. */
interface FollowUp {
  readonly prompt: string;
  readonly label: string;
  /** The participant's command; absent: the conversation continues. */
  readonly command?: 'run';
}

/** How many agents are offered; more would hide the answer. */
const MAX_AGENTS = 3;

/**
 * The follow-ups to offer: asking another agent the same, in a conversation of its own; after a stop, to continue; after
 * a wrong name, the agents that exist. `agents` are the names of those that can be run.
 */
export function followUps(memory: ChatMemory | undefined, agents: readonly string[]): readonly FollowUp[] {
  if (!memory || memory.ended === 'refused' || memory.ended === 'answered') return [];
  const { ended, prompt } = memory;
  if (ended === 'stopped') return [{ label: t`Go on`, prompt: 'Go on where you stopped.' }];
  if (prompt === '') return [];
  const [same, asked] = ended === 'done' ? [t` the same`, memory.agent] : ['', undefined];
  const others = agents.filter((name) => name !== asked).slice(0, MAX_AGENTS);
  return others.map((name) => {
    return { label: t`Ask ${visibleLine(name)}${same}`, command: 'run', prompt: `${name} ${prompt}` };
  });
}
