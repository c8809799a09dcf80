import type { IncomingMessage } from '../../ports/messageBus.js';

/** What a person can tell the bus itself, instead of an agent. */
type ChatCommand = 'agent' | 'new' | 'stop' | 'again' | 'help';

export interface ParsedCommand {
  readonly command: ChatCommand;
  /** What follows the command's word. */
  readonly rest: string;
}

/**
 * `/new`, `!new` or, as groups on Telegram write it, `/new@some_bot`; everything else is a prompt. So is every message
 * that names its conversation: where it comes from there are buttons for the rest.
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
