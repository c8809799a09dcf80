import type { Transcript } from '../../core/ports/transcript.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import type { SessionSource } from '../sessions/session.js';
import { FileSession, LocatedTranscript, type FileSessionOptions, type SearchedFile } from './fileSession.js';

/** Files of other tools, such as those in the folders of their sessions, which are asked where they are. */
export class FileSource implements SessionSource {
  readonly #options: FileSessionOptions;
  #known = new Map<string, FileSession>();

  constructor(options: FileSessionOptions) {
    this.#options = options;
  }

  /** The files that are asked from now on. */
  set files(files: readonly SearchedFile[]) {
    const before = this.#known;
    const now = new Map<string, FileSession>();
    for (const file of files) {
      const session = before.get(file.path) ?? new FileSession(file, 0, this.#options);
      session.file = file;
      now.set(file.path, session);
    }
    for (const [path, session] of before) if (!now.has(path)) session.forget();
    this.#known = now;
  }

  /** Deletes what is kept of other files than these. */
  async tidy(): Promise<void> {
    if (this.#known.size > 0) await this.#options.kept?.keepOnly([...this.#known.keys()]);
  }

  sessions(only: readonly SessionLocation[] = []): Promise<readonly FileSession[]> {
    const sessions = [...this.#known.values()].flatMap(chainOf);
    const known = new Set(sessions.map(({ place: location }) => keyOf(location)));
    const others = only.filter((location) => location.kind === 'file' && !known.has(keyOf(location)));
    const further = others.flatMap(({ root, conversation }) => {
      const known = this.#known.get(root);
      return known ? [new FileSession(known.file, Number(conversation), this.#options)] : [];
    });
    return Promise.resolve([...sessions, ...further]);
  }

  async transcript(location: SessionLocation): Promise<Transcript> {
    const { imports } = this.#options;
    const file = await imports.open(location.root);
    try {
      const conversation = file.conversations[Number(location.conversation)];
      if (!conversation) throw new Error('The file holds this conversation no more.');
      return new LocatedTranscript(location, conversation.records.length, imports);
    } finally {
      file.release();
    }
  }
}

function keyOf({ root, conversation }: SessionLocation): string {
  return JSON.stringify([root, conversation]);
}

function chainOf(first: FileSession): FileSession[] {
  const chain = [first];
  for (let { next } = first; next; { next } = next) chain.push(next);
  return chain;
}
