import { fields, text, type Fields } from '../../reading/fields.js';

/** How soon no model answers, in milliseconds: a request goes over a network, is read, and answered word by word. */
const INSTANT_MS = 200;

/**
 * Knows which turns of a forked session are copies, however long copying took and whatever ids they have: in a copy every
 * answer stands at once behind what it answers, and the first that a model took its time for is the session's own, with
 * all that follow.
 */
export class CopiedTurns {
  /** When the model was last sent something, in milliseconds since 1970. */
  #askedAt: number | undefined;
  #isOver = false;

  /** Sees each line, in order, which was written at a time. */
  see(line: Fields, at: number | undefined): void {
    const speaker = this.#isOver ? undefined : speakerIn(line);
    if (speaker === undefined) return;
    if (speaker === 'sent') this.#askedAt = at;
    else if (at === undefined || this.#askedAt === undefined || at - this.#askedAt > INSTANT_MS)
      this.#isOver = true;
  }

  /** Whether what was seen last is a copy. */
  get isGoingOn(): boolean {
    return !this.#isOver && this.#askedAt !== undefined;
  }
}

/** Whether a line is something that a model was sent, or that it said; undefined for neither. */
function speakerIn({ type, payload }: Fields): 'sent' | 'said' | undefined {
  const said = fields(payload);
  const kind = text(said.type) ?? '';
  if (type === 'event_msg') {
    if (kind === 'user_message') return 'sent';
    return /^(?:agent_\w+|token_count)$/.test(kind) ? 'said' : undefined;
  }
  if (type !== 'response_item') return undefined;
  if (kind === 'message') return said.role === 'assistant' ? 'said' : 'sent';
  return kind.endsWith('_output') ? 'sent' : 'said';
}
