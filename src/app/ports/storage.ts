/** Values that are kept for this person across windows; the API of VS Code's `Memento`. */
export interface Memory {
  /** The value under a key, as it was stored; undefined where there is none. */
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Secrets that are kept where the system keeps secrets, and nowhere else; the API of VS Code's `SecretStorage`. */
export interface Secrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}
