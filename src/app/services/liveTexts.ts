import { Emitter, type Disposable, type ListenerFailure } from '../../core/event.js';
import { withoutHalves } from '../../core/halves.js';
import type { LiveText } from '../../page/panel/ports.js';
import type { RuntimeEvent } from '../../agents/loop/runtimeEvent.js';

/** How many characters of a text that is being written are kept, from its end: more than a person has in sight. */
export const MAX_LIVE_CHARACTERS = 8_000;

/** The end of a text that grows. */
class Tail {
  #text = '';
  #length = 0;

  add(piece: string): void {
    this.#length += piece.length;
    this.#text += piece;
    // Only now and then, so that a piece costs no copy of all that is kept.
    if (this.#text.length > 2 * MAX_LIVE_CHARACTERS) this.#text = this.#text.slice(-MAX_LIVE_CHARACTERS);
  }

  get text(): string {
    // A character that is cut in two, or whose second half is still to come, is left out.
    return withoutHalves(this.#text.slice(-MAX_LIVE_CHARACTERS));
  }

  get isCut(): boolean {
    return this.#length > MAX_LIVE_CHARACTERS;
  }
}

/** A text that is not final, as far as it is shown. */
export function liveText({ call, agent, depth, text, reasoning }: Omit<LiveText, 'isCut'>): LiveText {
  const [said, thought] = [new Tail(), new Tail()];
  said.add(text);
  thought.add(reasoning);
  return { call, agent, depth, text: said.text, reasoning: thought.text, isCut: said.isCut };
}

interface Draft {
  readonly place: Pick<LiveText, 'call' | 'agent' | 'depth'>;
  readonly text: Tail;
  readonly reasoning: Tail;
}

/** What the agents of this window's runs are writing at this moment, until it is final. For display only. */
export class LiveTexts implements Disposable {
  /** The drafts by call, by conversation; in the order in which they were begun. */
  readonly #drafts = new Map<string, Map<string, Draft>>();
  readonly #written: Emitter<string>;

  constructor(onFailure: ListenerFailure) {
    this.#written = new Emitter(onFailure);
  }

  /** Fires with the conversation in which something was written, became final or is void: for every piece. */
  get onDidWrite() {
    return this.#written.event;
  }

  /** What is being written in a conversation, by those first that began first. */
  in(conversation: string): readonly LiveText[] {
    const drafts = [...(this.#drafts.get(conversation)?.values() ?? [])];
    return drafts.map(({ place, text, reasoning }) => ({
      ...place,
      text: text.text,
      reasoning: reasoning.text,
      isCut: text.isCut,
    }));
  }

  /** Follows a run by its events. */
  hear(conversation: string, event: RuntimeEvent): void {
    switch (event.type) {
      case 'textDelta':
        this.#draft(conversation, event.place).text.add(event.text);
        break;
      case 'reasoningDelta':
        this.#draft(conversation, event.place).reasoning.add(event.text);
        break;
      case 'said':
      case 'retry':
        if (this.#drafts.get(conversation)?.delete(event.place.call) !== true) return;
        break;
      case 'runEnd':
        this.forget(conversation);
        return;
      default:
        return;
    }
    this.#written.fire(conversation);
  }

  /** To be called when nothing runs in a conversation any more, however that came. */
  forget(conversation: string): void {
    const drafts = this.#drafts.get(conversation);
    this.#drafts.delete(conversation);
    if (drafts && drafts.size > 0) this.#written.fire(conversation);
  }

  dispose(): void {
    this.#drafts.clear();
    this.#written.dispose();
  }

  #draft(conversation: string, { call, agent, depth }: RuntimeEvent['place']): Draft {
    let drafts = this.#drafts.get(conversation);
    if (!drafts) {
      drafts = new Map<string, Draft>();
      this.#drafts.set(conversation, drafts);
    }
    let draft = drafts.get(call);
    if (!draft)
      drafts.set(call, (draft = { place: { call, agent, depth }, text: new Tail(), reasoning: new Tail() }));
    return draft;
  }
}
