/** A failure whose message is meant for the user as it is. */
export class UserError extends Error {
  override readonly name = 'UserError';
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
