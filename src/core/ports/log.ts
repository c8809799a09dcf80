/** Receives diagnostics for the developer of a team; never the only way a person learns of a problem. */
export interface Log {
  error(message: string, error?: unknown): void;
  warn(message: string, error?: unknown): void;
  info(message: string): void;
  debug(message: string): void;
}

/** Discards everything. */
export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };
