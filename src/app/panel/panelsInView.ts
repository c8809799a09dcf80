import { Emitter, type Disposable, type ListenerFailure } from '../../core/event.js';

/** Which transcripts are in front of the person, so that nothing they show needs another notice. */
export class PanelsInView implements Disposable {
  /** The conversations in view, by panel. */
  readonly #shown = new Map<object, string>();
  readonly #changed: Emitter<string>;

  constructor(onFailure: ListenerFailure) {
    this.#changed = new Emitter(onFailure);
  }

  /** Fires with a conversation that came into view, or of which no panel is in view any more. */
  get onDidChange() {
    return this.#changed.event;
  }

  isVisible(conversation: string): boolean {
    return [...this.#shown.values()].includes(conversation);
  }

  /** To be called whenever a panel may have come into view or have left it. */
  set(panel: object, conversation: string, isVisible: boolean): void {
    const before = this.isVisible(conversation);
    if (isVisible) this.#shown.set(panel, conversation);
    else this.#shown.delete(panel);
    if (this.isVisible(conversation) !== before) this.#changed.fire(conversation);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
