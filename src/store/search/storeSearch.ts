import type { Disposable } from '../../core/event.js';
import type { FilterCriteria } from '../../query/filterCriteria.js';
import type { Catalog } from '../catalog/catalog.js';
import { listConversations, locate } from '../catalog/conversationFolders.js';
import { Scanner, type SearchOptions } from './scanner.js';
import { targetOf, type ScanBatch, type ScanTarget, type SearchHit } from './scanQuestion.js';

/** Searches the conversations of one store; see the methods of the same names in `TranscriptStore`. */
export class StoreSearch implements Disposable {
  readonly #root: string;
  readonly #catalog: Catalog;
  readonly #scanner: Scanner;

  /** `script`: the bundle of `scan.worker.ts`. */
  constructor(root: string, catalog: Catalog, script: URL) {
    this.#root = root;
    this.#catalog = catalog;
    this.#scanner = new Scanner(script);
  }

  async *search(
    criteria: FilterCriteria,
    options: SearchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<SearchHit, void, undefined> {
    const found = new Map((await listConversations(this.#root)).map((paths) => [paths.id, paths]));
    const newestFirst = this.#catalog.entries().map(({ conversation }) => conversation);
    const ids = new Set([...newestFirst, ...[...found.keys()].sort().reverse()]);
    const targets = [...ids].map((id) => found.get(id)).filter((paths) => paths !== undefined);
    yield* this.#scanner.search(targets.map(targetOf), criteria, options, signal);
  }

  async *scan(
    id: string,
    criteria: FilterCriteria,
    signal: AbortSignal,
    from: number,
  ): AsyncGenerator<ScanBatch, void, undefined> {
    yield* this.#scanner.scan(await this.#target(id), criteria, from, signal);
  }

  async toolNames(id: string, most: number, signal: AbortSignal): Promise<readonly string[]> {
    return await this.#scanner.toolNames(await this.#target(id), most, signal);
  }

  async prepareScan(id: string): Promise<void> {
    this.#scanner.prepare(await this.#target(id));
  }

  dispose(): void {
    this.#scanner.dispose();
  }

  async #target(id: string): Promise<ScanTarget> {
    return targetOf(await locate(this.#root, id));
  }
}
