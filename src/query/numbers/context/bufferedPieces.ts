import { GenerationMap } from '../../../core/generationMap.js';
import { GrowingColumn } from '../growingColumn.js';
import { KIND_INDEX, NOBODY, type ContextKind, type Named } from './contextKinds.js';

/** Of what kinds are pieces that stay when messages are taken out: instructions, and schemas of tools. */
export const STAYS: ReadonlySet<ContextKind> = new Set(['system', 'tools']);

/** Few pieces at first: a team has thousands of windows. */
const CAPACITY = 64;
/** So many files of a tool, and at most twice as many, are looked up instead of held once more. */
const REMEMBERED_PATHS = 10_000;

/**
 * Everything that was ever in a window, in columns of numbers, because there is a piece or more for every record of a
 * transcript. Pieces are numbered from 0 in the order of their positions.
 */
export class BufferedPieces {
  readonly #kind = new GrowingColumn(CAPACITY);
  readonly #of = new GrowingColumn(CAPACITY);
  readonly #position = new GrowingColumn(CAPACITY);
  readonly #estimate = new GrowingColumn(CAPACITY);
  readonly #size = new GrowingColumn(CAPACITY);
  /** One more than the request that it was first sent with, the first one without it, and the compaction that took it out. */
  readonly #sentWith = new GrowingColumn(CAPACITY);
  readonly #until = new GrowingColumn(CAPACITY);
  readonly #droppedBy = new GrowingColumn(CAPACITY);
  readonly #named: Named[] = [NOBODY];
  /** Their places by tool and server, then by path. One that comes again long after is held twice. */
  readonly #numbers = new Map<string, GenerationMap<string, number>>();
  #length = 0;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  add(kind: ContextKind, estimate: number, of: Named, position: number): void {
    const at = this.#length++;
    this.#kind.set(at, KIND_INDEX[kind]);
    if (of !== NOBODY) this.#of.set(at, this.#numberOf(of));
    this.#position.set(at, position);
    this.#estimate.set(at, estimate);
  }

  #numberOf(of: Named): number {
    // Neither name holds a line break: both are clipped names.
    const tool = `${of.tool}\n${of.server}`;
    const paths = this.#numbers.get(tool) ?? new GenerationMap<string, number>(REMEMBERED_PATHS);
    this.#numbers.set(tool, paths);
    const known = paths.get(of.path);
    if (known !== undefined) return known;
    paths.set(of.path, this.#named.length);
    return this.#named.push(of) - 1;
  }

  /** The index of its kind in `CONTEXT_KINDS`. */
  kindAt(at: number): number {
    return this.#kind.get(at);
  }

  positionAt(at: number): number {
    return this.#position.get(at);
  }

  estimateAt(at: number): number {
    return this.#estimate.get(at);
  }

  sizeAt(at: number): number {
    return this.#size.get(at);
  }

  namedAt(at: number): Named {
    return this.#named[this.#of.get(at)] ?? NOBODY;
  }

  /** Whether it was sent with a request, and whether it was taken out. */
  isSent(at: number): boolean {
    return this.#sentWith.get(at) > 0;
  }

  isDropped(at: number): boolean {
    return this.#until.get(at) > 0;
  }

  /** Gives a piece its size, with the request that it is first sent with. */
  send(at: number, size: number, request: number): void {
    this.#size.set(at, size);
    this.#sentWith.set(at, request + 1);
  }

  /** Takes a piece out, by a compaction (-1 for none), before a request; one that was never sent is as large as estimated. */
  drop(at: number, request: number, compaction: number, unsent: number): void {
    this.#until.set(at, request + 1);
    this.#droppedBy.set(at, compaction + 1);
    if (!this.isSent(at)) this.#size.set(at, unsent);
  }

  /** Visits what was sent with a request, in order. */
  eachSent(request: number, visit: (at: number) => void): void {
    for (let at = 0; at < this.#length; at++) {
      const sentWith = this.#sentWith.get(at);
      if (sentWith === 0) continue;
      // Later ones were sent with later requests.
      if (sentWith > request + 1) return;
      const until = this.#until.get(at);
      if (until === 0 || until > request + 1) visit(at);
    }
  }

  /** Visits what a compaction took out, in order. */
  eachDroppedBy(compaction: number, visit: (at: number) => void): void {
    for (let at = 0; at < this.#length; at++) if (this.#droppedBy.get(at) === compaction + 1) visit(at);
  }
}
