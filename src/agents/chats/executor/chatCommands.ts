import type { IncomingMessage } from '../../../core/ports/chatConnector.js';

/** What a person can ask of the connector itself rather than of an agent. */
type ChatCommand = 'agent' | 'new' | 'stop' | 'again' | 'help';

/** A command to the connector, and its argument. */
export interface ParsedCommand {
  readonly command: ChatCommand;
  /** What follows the command word. */
  readonly rest: string;
}

/**
 * Parses `/new`, `!new` or, as in Telegram's groups, `/new@some_bot`; undefined for everything else, which is a prompt.
 * So is every message that names its conversation: it comes from the panel, which has buttons for the commands.
 */
export function commandOf({ conversation, text }: IncomingMessage): ParsedCommand | undefined {
  if (conversation !== undefined) return undefined;
  const [, word = '', rest = ''] =
    /^[/!](agent|new|stop|again|help|start)(?:@\w+)?(?:\s+([^]*))?$/i.exec(text.trim()) ?? [];
  if (word === '') return undefined;
  const command = word.toLowerCase();
  // Telegram sends `/start` when somebody opens the chat for the first time.
  return { command: command === 'start' ? 'help' : (command as ChatCommand), rest: rest.trim() };
}
