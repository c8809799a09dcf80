import type { Secrets } from '../ports/storage.js';

/** The API keys of endpoints, where the editor keeps secrets and nowhere else. */
export class EndpointKeys {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  get(endpoint: string): PromiseLike<string | undefined> {
    return this.#secrets.get(nameOf(endpoint));
  }

  set(endpoint: string, key: string): PromiseLike<void> {
    return this.#secrets.store(nameOf(endpoint), key);
  }

  remove(endpoint: string): PromiseLike<void> {
    return this.#secrets.delete(nameOf(endpoint));
  }
}

function nameOf(endpoint: string): string {
  return `endpoint-key:${endpoint}`;
}
