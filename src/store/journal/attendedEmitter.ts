import { Emitter, type Disposable, type Event, type ListenerFailure } from '../../core/event.js';

/** Something that runs only while there are listeners. */
export interface Attendance {
  start(): void;
  stop(): void;
}

/** An emitter that starts its source with the first listener and stops it with the last. */
export class AttendedEmitter<T> implements Disposable {
  readonly #inner: Emitter<T>;
  readonly #attendance: Attendance;
  #listeners = 0;

  constructor(onFailure: ListenerFailure, attendance: Attendance) {
    this.#inner = new Emitter(onFailure);
    this.#attendance = attendance;
  }

  get isAttended(): boolean {
    return this.#listeners > 0;
  }

  readonly event: Event<T> = (listener) => {
    const subscription = this.#inner.event(listener);
    if (this.#listeners++ === 0) this.#attendance.start();
    let ended = false;
    return {
      dispose: () => {
        if (ended) return;
        ended = true;
        subscription.dispose();
        if (--this.#listeners === 0) this.#attendance.stop();
      },
    };
  };

  fire(value: T): void {
    this.#inner.fire(value);
  }

  dispose(): void {
    this.#attendance.stop();
    this.#inner.dispose();
  }
}
