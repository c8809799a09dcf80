import { type Message } from '../../core/l10n.js';
import type { Settings } from '../ports/settings.js';
import type { Log } from '../../core/ports/log.js';
import type { ChatConnector } from '../../core/ports/chatConnector.js';
import type { CommandId } from '../manifest.js';

/** A chat platform as this window offers it. */
export interface ConnectorPlatform {
  /** Part of the names of its settings, secret and memory file. */
  readonly id: 'telegram' | 'discord';
  /** The name shown to people. */
  readonly name: string;
  readonly startCommand: CommandId;
  /** Tells a person where to get a token. */
  readonly tokenHint: Message;
  /** Loads its code and creates an unconnected connector with the current settings. */
  open(token: string, settings: Settings, log: Log): Promise<ChatConnector>;
}
