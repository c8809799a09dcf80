import type { Disposable } from '../../core/event.js';
import type { LogRecord } from '../../core/record.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import type { SegmentState } from './journalLines.js';
import type { IndexColumns } from './lineIndex.js';
import type { LiveRecords } from './liveRecords.js';

/** What has come to a conversation that another thread writes, since the last time. */
export interface LiveGrowth {
  /** The places of all records from this position on that are in files. */
  readonly from: number;
  readonly columns: IndexColumns;
  readonly damaged: readonly DamagedLine[];
  /** New records that are in no file yet; `first` is the position of the first. */
  readonly first: number;
  readonly waiting: readonly LogRecord[];
}

/** Who follows a conversation that this thread writes; a call is made only after the one before has resolved. */
export interface LiveFollower {
  /** Takes the first growth, with everything that there is, when the conversation begins to be written here. */
  begin(growth: LiveGrowth): Promise<void>;
  grow(growth: LiveGrowth): Promise<void>;
  /** The conversation is written no more: everything is in its files, up to these places. */
  end(growth: LiveGrowth, segments: readonly SegmentState[]): Promise<void>;
}

/**
 * Tells a follower on another thread what is appended to a conversation, in the order in which it is: each record travels
 * once, and nothing is sent while the follower has yet to take what came before.
 */
export class LiveFeed implements Disposable {
  readonly #live: LiveRecords;
  readonly #follower: LiveFollower;
  readonly #onFailure: (error: unknown) => void;
  readonly #subscription: Disposable;
  /** How many places of records were sent, how many records, and how often places had changed by then. */
  #placed = 0;
  #sent = 0;
  #moves = 0;
  #isDirty = true;
  #isDisposed = false;
  #end: readonly SegmentState[] | undefined;
  #work: Promise<void>;

  constructor(live: LiveRecords, follower: LiveFollower, onFailure: (error: unknown) => void) {
    this.#live = live;
    this.#follower = follower;
    this.#onFailure = onFailure;
    this.#subscription = live.onDidGrow(() => {
      this.#isDirty = true;
      this.#goOn();
    });
    this.#isDirty = false;
    this.#work = follower.begin(this.#growth());
    this.#goOn();
  }

  /** To be called when the conversation is written no more. */
  end(segments: readonly SegmentState[]): void {
    this.#end = segments;
    this.#goOn();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
  }

  #goOn(): void {
    this.#work = this.#work
      .then(() => this.#send())
      .catch((error: unknown) => {
        // A follower that is gone is not called again.
        if (!this.#isDisposed) this.#onFailure(error);
        this.dispose();
      });
  }

  async #send(): Promise<void> {
    if (this.#isDisposed) return;
    if (this.#end) {
      this.dispose();
      await this.#follower.end(this.#growth(), this.#end);
    } else if (this.#isDirty) {
      this.#isDirty = false;
      await this.#follower.grow(this.#growth());
    }
  }

  /** What has come since the last time; copies, because the columns change while they wait to be sent. */
  #growth(): LiveGrowth {
    const { index } = this.#live;
    if (index.moves !== this.#moves) this.#placed = 0;
    this.#moves = index.moves;
    const from = this.#placed;
    const first = Math.max(this.#sent, index.size);
    const waiting = this.#live.peek(first - index.size, this.#live.waiting);
    this.#placed = index.size;
    this.#sent = first + waiting.length;
    return { from, columns: index.columnsFrom(from), damaged: index.damaged, first, waiting };
  }
}
