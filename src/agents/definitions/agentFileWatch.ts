import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Disposable } from '../../core/event.js';
import { FileWatch } from '../../node/fileWatch.js';
import { FolderWatches } from '../../node/folderWatches.js';
import { agentFolders } from './findAgentFiles.js';

/** A program writes a file in several steps, and a checkout many files: they are told of once, in milliseconds. */
const GATHERED_MS = 50;

/** Hears when files that define agents come, change or go, whoever writes them, from the moment on that it follows them. */
export class AgentFileWatch implements Disposable {
  readonly #watch: FileWatch;
  #gathering: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(onChange: () => void) {
    this.#watch = new FileWatch(new FolderWatches(), () => {
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined;
        onChange();
      }, GATHERED_MS);
    });
  }

  /** Follows what `findAgentFiles` reads, by the same arguments; to be called again whenever it reads. */
  follow(...places: Parameters<typeof agentFolders>): void {
    if (this.#hasEnded) return;
    const folders = agentFolders(...places).map(({ path }) => path);
    this.#watch.follow(folders.flatMap(upToOneThatIs), folders);
  }

  dispose(): void {
    this.#hasEnded = true;
    clearTimeout(this.#gathering);
    this.#watch.dispose();
  }
}

/** A folder, after those above it that are missing: each is told of in the one above, which is watched before it. */
function upToOneThatIs(folder: string): string[] {
  const above = dirname(folder);
  return above === folder || existsSync(above) ? [folder] : [...upToOneThatIs(above), folder];
}
