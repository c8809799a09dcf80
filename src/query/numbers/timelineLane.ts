import { turnText } from './analysisText.js';
import type { InteractionStatus, ToolInteraction, Turn } from './answers.js';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** An interaction that is still being filled in. */
export interface DraftInteraction extends Writable<Omit<ToolInteraction, 'turns'>> {
  readonly turns: Turn[];
}

/** A turn that is still being filled in. */
export class DraftTurn implements Turn {
  userContent: string | null = null;
  assistantContent: string | null = null;
  systemContext: string | null = null;
  readonly toolInteractions: DraftInteraction[] = [];
  readonly range: { start: number; end: number };

  constructor(
    readonly index: number,
    public agent: string | null,
    start: number,
    end: number,
  ) {
    this.range = { start, end };
  }

  toString(): string {
    return turnText(this);
  }
}

/** Builds the turns of one agent's call, message by message. */
export class Lane {
  readonly depth: number;
  readonly #turns: Turn[];
  readonly #parent: Lane | undefined;
  #last: DraftTurn | undefined;
  /** Whether the last turn still lacks its final answer. */
  #open = false;
  /** Where to look for the next unanswered interaction; those before it have been taken. */
  #waitingFrom = 0;
  #context: string | null = null;
  /** Whether a system prompt, even an empty one, waits for its turn. */
  #hasContext = false;
  /** The positions of the messages that belong to no turn yet: those before the next one. */
  #pending: { start: number; end: number } | undefined;

  /** `turns` receives the turns; `parent` is the lane whose ranges they widen. */
  constructor(turns: Turn[], depth: number, parent: Lane | undefined) {
    this.#turns = turns;
    this.depth = depth;
    this.#parent = parent;
  }

  /** Adds a system prompt: it becomes the context of the turn that follows. */
  addContext(text: string | null, index: number): void {
    if (text !== null) this.#context = joined(this.#context, text);
    this.#hasContext = true;
    this.#wait(index);
    this.#parent?.touch(index);
  }

  /** Adds a user's prompt: it starts a turn. */
  addPrompt(text: string | null, index: number, agent: string | null): void {
    this.#begin(index, agent).userContent = text;
    this.#open = true;
    this.touch(index);
  }

  /** Adds what the agent was given while it worked: it belongs to the turn in which that was. */
  addAbsorbed(text: string | null, index: number, agent: string | null): void {
    const turn = this.#last ?? this.#begin(index, agent);
    if (text !== null) turn.userContent = joined(turn.userContent, text);
    this.#open = true;
    this.touch(index);
  }

  /** Adds an assistant message to the open turn, or to a new one; a message without calls closes its turn. */
  addAnswer(text: string | null, calls: DraftInteraction[], index: number, agent: string | null): DraftTurn {
    const turn = this.#open && this.#last ? this.#last : this.#begin(index, agent);
    if (text !== null) turn.assistantContent = joined(turn.assistantContent, text);
    if (agent !== null) turn.agent = agent;
    for (const call of calls) turn.toolInteractions.push(call);
    // An answer without a word and without a call is none: what follows still answers the same prompt.
    this.#open = calls.length > 0 || text === null || text === '';
    this.touch(index);
    return turn;
  }

  /** Adds a result that answers no call of the last turn. */
  addStray(interaction: DraftInteraction, index: number, agent: string | null): void {
    (this.#last ?? this.#begin(index, agent)).toolInteractions.push(interaction);
    this.touch(index);
  }

  /** Whether this is the last turn so far. */
  isLast(turn: DraftTurn): boolean {
    return this.#last === turn;
  }

  /** Extends the last turn's range to a message that it does not show. */
  touch(index: number): void {
    if (this.#last) this.#widen(this.#last, index + 1);
    else this.#wait(index);
    this.#parent?.touch(index);
  }

  /** The best guess at who dispatched an agent, where no record tells: the first interaction still unanswered. */
  waitingInteraction(index: number): DraftInteraction {
    const turn = this.#last ?? this.#begin(index, null);
    while (this.#waitingFrom < turn.toolInteractions.length) {
      const interaction = turn.toolInteractions[this.#waitingFrom++];
      if (interaction?.status === 'unanswered' && interaction.turns.length === 0) return interaction;
    }
    const unseen = newInteraction('unseen', '', '');
    turn.toolInteractions.push(unseen);
    return unseen;
  }

  /** Completes the turns: a system prompt that no turn follows becomes context of the last one. */
  finish(): void {
    if (!this.#last) {
      if (this.#hasContext && this.#pending) this.#begin(this.#pending.end - 1, null);
      return;
    }
    if (this.#context !== null) this.#last.systemContext = joined(this.#last.systemContext, this.#context);
    if (this.#pending) this.#widen(this.#last, this.#pending.end);
  }

  #wait(index: number): void {
    this.#pending = { start: this.#pending?.start ?? index, end: index + 1 };
  }

  /** Extends a turn; a system prompt that stands within it lies in its range and in no other. */
  #widen({ range }: DraftTurn, end: number): void {
    range.end = Math.max(range.end, end);
    if (this.#pending && this.#pending.end <= range.end) this.#pending = undefined;
  }

  #begin(index: number, agent: string | null): DraftTurn {
    const turn = new DraftTurn(this.#turns.length, agent, this.#pending?.start ?? index, index + 1);
    turn.systemContext = this.#context;
    this.#context = null;
    this.#hasContext = false;
    this.#pending = undefined;
    this.#waitingFrom = 0;
    this.#turns.push(turn);
    this.#last = turn;
    return turn;
  }
}

/** An interaction of which nothing else is known yet. */
export function newInteraction(
  status: InteractionStatus,
  toolName: string,
  toolCallId: string,
): DraftInteraction {
  return {
    toolName,
    toolCallId,
    arguments: {},
    rawArguments: '',
    result: '',
    status,
    isError: false,
    durationMs: null,
    turns: [],
  };
}

/** Joins two texts of one speaker by a line break; an empty text adds no line. */
function joined(before: string | null, text: string): string {
  return before === null || before === '' ? text : text === '' ? before : `${before}\n${text}`;
}
