import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { ArchiveLocation } from '../../page/protocol/panelState.js';

/** Which conversation of which archive a page kept, see `persist`; undefined where it kept none. */
export function archiveLocationIn(state: unknown): ArchiveLocation | undefined {
  const kept = isObject(state) ? state.archived : undefined;
  if (!isObject(kept)) return undefined;
  const { place, id } = kept;
  return typeof place === 'string' && typeof id === 'string' ? { place, id } : undefined;
}

/** What waiting panels need of the window. */
export interface PendingPanelsOptions<Panel> {
  /** Reads a conversation and gives its id here; rejects with an error for a person. */
  open(wanted: ArchiveLocation): Promise<string>;
  /** Shows the conversation of that id in a panel. */
  show(panel: Panel, conversation: string): void;
  /** Says in a panel that it cannot be read now, why, and how to try again. */
  fail(panel: Panel, wanted: ArchiveLocation, why: string): void;
  /** Is told of a conversation that came and for which no panel waits any more; others may show it. */
  unwanted(conversation: string): void;
}

/** Panels that showed transcripts of the archive when their window was closed, and wait for these to be read again. */
export class PendingPanels<Panel> {
  readonly #options: PendingPanelsOptions<Panel>;
  readonly #waiting = new Map<Panel, ArchiveLocation>();

  constructor(options: PendingPanelsOptions<Panel>) {
    this.#options = options;
  }

  /** Reads again what a panel showed; one for which that fails goes on waiting. Never rejects. */
  async restore(panel: Panel, wanted: ArchiveLocation): Promise<void> {
    this.#waiting.set(panel, wanted);
    try {
      const conversation = await this.#options.open(wanted);
      if (!this.arrived(wanted, conversation)) this.#options.unwanted(conversation);
    } catch (error) {
      if (this.#waiting.has(panel)) this.#options.fail(panel, wanted, messageOf(error));
    }
  }

  /** Shows a conversation in all panels that wait for it, because it was opened; whether there was one. */
  arrived({ place, id }: ArchiveLocation, conversation: string): boolean {
    let isWanted = false;
    for (const [panel, wanted] of Array.from(this.#waiting)) {
      if (wanted.place !== place || wanted.id !== id) continue;
      this.#waiting.delete(panel);
      this.#options.show(panel, conversation);
      isWanted = true;
    }
    return isWanted;
  }

  /** A panel is there no more. */
  closed(panel: Panel): void {
    this.#waiting.delete(panel);
  }
}
