import { message, type Message } from '../core/l10n.js';
import { Cancelled } from '../core/cancelled.js';
import { commandName } from './manifest.js';

export { Cancelled };

/** What a person can do about a failure: a button's label, and the command that it runs. */
export interface RecoveryAction {
  readonly label: Message;
  readonly command: string;
  readonly args?: readonly [unknown?];
  /** True where it leads to more about a failure; else it provides what was missing, and nothing has failed. */
  readonly isFailure?: true;
}

/** Leads to more about a failure. */
export const showLog: RecoveryAction = {
  label: message`Show Log`,
  command: commandName('showLog'),
  isFailure: true,
};

/** A failure whose message is meant for the user as it is; a `recovery` is offered as a button. */
export class UserError extends Error {
  override readonly name: string = 'UserError';

  constructor(
    message: string,
    readonly recovery?: RecoveryAction,
  ) {
    super(message);
  }
}

/** The value that a picker gave; throws `Cancelled` where the user left it. */
export function chosen<T>(value: T | undefined): T {
  if (value === undefined) throw new Cancelled();
  return value;
}
