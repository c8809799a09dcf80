import { commandName } from './manifest.js';

/** What a person can do about a failure: a button's words, and the command that it runs. */
export interface WayOn {
  readonly label: string;
  readonly command: string;
  readonly args?: readonly unknown[];
  /** The way on leads to more about a failure; otherwise it brings what was missing, and nothing has failed. */
  readonly isFailure?: true;
}

/** Where more is said about a failure. */
export const showLog: WayOn = { label: 'Show Log', command: commandName('showLog'), isFailure: true };

/** A failure whose message is meant for the user as it is; with a way on, that is offered beside it. */
export class UserError extends Error {
  override readonly name = 'UserError';

  constructor(
    message: string,
    readonly wayOn?: WayOn,
  ) {
    super(message);
  }
}

/** Nothing to do: the user left a picker. Ends a command without a word. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** The value, unless the user left the picker that should have given it. */
export function chosen<T>(value: T | undefined): T {
  if (value === undefined) throw new Cancelled();
  return value;
}
