import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { formatMessages } from 'esbuild';

/**
 * Tells of the rounds in which bundles are built while their sources change, for the problem matcher of
 * `.vscode/tasks.json`: where a round of all bundles begins and ends, and what is wrong in the words of esbuild, whichever
 * of the two bundlers finds it.
 */
export class WatchReport {
  /** How many of the bundles are being built at this moment. */
  #building = 0;
  /** @type {(line: string) => void} */
  #print;

  /** @type {string} */
  #root;

  /**
   * @param {string} root the folder that the names of files are relative to
   * @param {(line: string) => void} print prints a line, or several
   */
  constructor(root, print) {
    this.#root = root;
    this.#print = print;
  }

  /**
   * For a bundle of esbuild, which prints what is wrong by itself.
   * @returns {import('esbuild').Plugin}
   */
  plugin() {
    return {
      name: 'watch report',
      setup: (bundle) => {
        bundle.onStart(() => this.#begin());
        bundle.onEnd(() => this.#end());
      },
    };
  }

  /**
   * For the bundles of rolldown: the listener of its watcher.
   * @param {import('rolldown').RolldownWatcherEvent} event
   */
  async take(event) {
    if (event.code === 'START') this.#begin();
    // Behind an error too, rolldown says that the round is over.
    if (event.code === 'END') this.#end();
    if (event.code !== 'BUNDLE_END' && event.code !== 'ERROR') return;
    if (event.code === 'ERROR') await this.#printErrors(event.error);
    await event.result.close();
  }

  #begin() {
    if (this.#building++ === 0) this.#print('[watch] build started');
  }

  #end() {
    if (--this.#building === 0) this.#print('[watch] build finished');
  }

  /** @param {Error & { errors?: readonly import('rolldown').RolldownError[] }} failure */
  async #printErrors(failure) {
    const messages = (failure.errors ?? [failure]).map((error) => messageOf(error, this.#root));
    for (const text of await formatMessages(messages, { kind: 'error' })) this.#print(text);
  }
}

/**
 * @param {Error | import('rolldown').RolldownError} error
 * @param {string} root
 * @returns {import('esbuild').PartialMessage}
 */
function messageOf(error, root) {
  const words = stripVTControlCharacters(error.message);
  const loc = 'loc' in error ? error.loc : undefined;
  if (!loc?.file) return { text: words };
  // Behind the first line stands a picture of the place, which esbuild draws in its own way.
  const [text = words] = words.split('\n');
  // A module that a plugin makes has no file.
  const lines = existsSync(loc.file) ? readFileSync(loc.file, 'utf8').split('\n') : [];
  const lineText = lines[loc.line - 1] ?? '';
  return { text, location: { file: relative(root, loc.file), line: loc.line, column: loc.column, lineText } };
}
