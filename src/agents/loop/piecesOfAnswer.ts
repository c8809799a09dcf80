import type { Disposable } from '../../core/event.js';
import { newId } from '../../core/ids.js';
import type { ModelEvent } from '../../core/ports/model.js';
import { draftAt, type ToolCallPiece } from '../../core/record.js';
import type { CallFrame } from './callFrame.js';

/** After how long what was said is given on, in milliseconds: nobody loses more than a second of it. */
const PIECE_MS = 500;

/** What a model is saying, given on as pieces while it says it, so that what ends this process does not end its words. */
export class PiecesOfAnswer {
  readonly #frame: CallFrame;
  readonly #request = newId('message');
  #text = '';
  #reasoning = '';
  readonly #calls = new Map<number, { id?: string; name?: string; arguments: string }>();
  #timer: Disposable | undefined;

  constructor(frame: CallFrame) {
    this.#frame = frame;
  }

  add(event: ModelEvent): void {
    if (event.type === 'text') this.#text += event.text;
    else if (event.type === 'reasoning') this.#reasoning += event.text;
    else if (event.type === 'toolCall') this.#addToCall(event);
    else return;
    this.#timer ??= this.#frame.config.timers.after(PIECE_MS, () => {
      this.#timer = undefined;
      this.#give();
    });
  }

  /** Gives on nothing more: the whole answer is recorded now. */
  end(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #addToCall({ index, id, name, arguments: text = '' }: ModelEvent & { type: 'toolCall' }): void {
    const call = this.#calls.get(index) ?? { arguments: '' };
    this.#calls.set(index, call);
    if (id !== undefined) call.id = id;
    if (name !== undefined) call.name = name;
    call.arguments += text;
  }

  #give(): void {
    const text = this.#text;
    const reasoning = this.#reasoning;
    if (text !== '' || reasoning !== '')
      this.#say({ ...(text !== '' && { text }), ...(reasoning !== '' && { reasoning }) });
    for (const [index, call] of this.#calls) this.#say({ toolCall: { index, ...call } });
    this.#text = this.#reasoning = '';
    this.#calls.clear();
  }

  #say(said: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly toolCall?: ToolCallPiece;
  }): void {
    const { config, recordPlace } = this.#frame;
    config.messageLog.say?.(draftAt(recordPlace, { type: 'piece', request: this.#request, ...said }));
  }
}
