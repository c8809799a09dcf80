import type * as vscode from 'vscode';

/** The API keys of endpoints, in VS Code's SecretStorage and nowhere else. */
export class EndpointKeys {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  get(endpoint: string): Thenable<string | undefined> {
    return this.#secrets.get(nameOf(endpoint));
  }

  set(endpoint: string, key: string): Thenable<void> {
    return this.#secrets.store(nameOf(endpoint), key);
  }

  remove(endpoint: string): Thenable<void> {
    return this.#secrets.delete(nameOf(endpoint));
  }
}

function nameOf(endpoint: string): string {
  return `endpoint-key:${endpoint}`;
}
