/** Where errors and notes for the developer of a team go; never a person's only notice. */
export interface Log {
  error(message: string, error?: unknown): void;
  warn(message: string, error?: unknown): void;
  info(message: string): void;
  debug(message: string): void;
}

export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };
