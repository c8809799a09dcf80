import { CycleDetector, LOOP_TIMES } from '../../core/cycles.js';

/** What the last word of a session is; `question`: one that waits for a person, who has not answered it. */
export type SessionEnd = 'answer' | 'call' | 'question' | 'prompt' | 'error';

/** What somebody is asked: whether a call may run, what to do, or something else that a dialog of the tool wants to know. */
export type AskedFor = 'approval' | 'question' | 'dialog';

/** What one value of a session's file says of what the session does. */
type Sign =
  /** A person said something: a turn begins. */
  | { readonly kind: 'turn' }
  /** Something of a turn, whatever it is. */
  | { readonly kind: 'step' }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly tool?: string;
      /** What it does, such as its command. */
      readonly text?: string;
      /** What is the same in two calls that do the same, where that is more than the text. */
      readonly whole?: string;
    }
  | { readonly kind: 'result'; readonly id: string }
  /** A person is asked; without an id by the last word of the agent. */
  | {
      readonly kind: 'ask';
      readonly id?: string;
      readonly for: AskedFor;
      readonly words?: string;
    }
  /** What was asked with this id was answered. */
  | { readonly kind: 'told'; readonly id: string }
  /** The model said something that may be its answer, or the beginning of more. */
  | { readonly kind: 'said' }
  /** What was said last was the answer; of something else it says nothing. */
  | { readonly kind: 'settled' }
  | { readonly kind: 'finish' }
  | { readonly kind: 'break'; readonly by: 'person' | 'error'; readonly words?: string }
  | { readonly kind: 'limit'; readonly words?: string }
  /** A request failed and is made again at a time. */
  | { readonly kind: 'retry'; readonly until?: number; readonly attempt?: number }
  /** The tool ended; whoever was asked is asked no more. */
  | { readonly kind: 'end' }
  /** It is the session of an agent that another session started. */
  | { readonly kind: 'child'; readonly of?: string };

/** A sign with who it is of, and what the value tells besides. */
export type LifeSign = Sign & {
  /** In milliseconds since 1970; undefined where it is not told. */
  readonly at?: number;
  /** Undefined for the session's own agent. */
  readonly agent?: string;
};

/** How full the context was with the last request, in tokens. */
export interface ContextFill {
  readonly used: number;
  /** Undefined where the tool does not write it. */
  readonly window?: number;
}

/** The last reading of a limit of a person's plan. */
export interface QuotaReading {
  /** Which limit it is, where there are several. */
  readonly limit: string;
  /** How long its window is. */
  readonly minutes: number;
  readonly percent: number;
  /** In milliseconds since 1970. */
  readonly resetsAt: number;
}

/** What a person is asked and has not answered. */
export interface OpenAsk {
  readonly for: AskedFor;
  readonly words?: string;
  readonly since?: number;
}

/** A call of a tool. */
export interface LifeCall {
  readonly tool?: string;
  /** What it does, such as its command. */
  readonly text?: string;
  readonly since?: number;
  /** Where it says no time: which of the calls of its session that say none it is, from 1. */
  readonly order?: number;
}

/** What the values of a session's file say, taken together. */
export interface Life {
  /** How its own agent stands; `said`: with words of which nothing tells whether more follow. */
  readonly phase: 'working' | 'said' | 'finished' | 'broken' | 'limited' | 'retrying' | 'ended';
  /** What the phase began with, in milliseconds since 1970. */
  readonly since?: number;
  /** When a person said something last, in milliseconds since 1970. */
  readonly turn?: number;
  /** When something was said or done last, by any of its agents. */
  readonly at?: number;
  /** The same by agents that it started. */
  readonly childAt?: number;
  /** Why it broke off, or what limits it, in the tool's words. */
  readonly words?: string;
  readonly by?: 'person' | 'error';
  /** Until when it waits before it asks again. */
  readonly until?: number;
  /** How often a request has failed by now. */
  readonly attempts: number;
  /** What a person is asked, the oldest first. */
  readonly asks: readonly OpenAsk[];
  /** Those without a result, and the last of those with one, the oldest first: many take no time in which they could be seen. */
  readonly calls: readonly LifeCall[];
  readonly lately: readonly LifeCall[];
  /** The tool that it calls again and again in the same way. */
  readonly loop?: string;
  /** The session that started it; '' where it does not say which. */
  readonly parent?: string;
}

/** How its own agent stands. */
type Standing = Partial<Pick<Life, 'phase' | 'since' | 'words' | 'by' | 'until' | 'loop'>>;

/** How much of a command or a question is kept, in UTF-16 code units: more than is shown of it, for a secret that is cut is none that is found. */
const MAX_WORDS = 2_000;
/** How many open calls and questions are kept, and how many calls that have ended. */
const MAX_OPEN = 200;
const MAX_LATELY = 20;
/** How much of what these did is kept, in UTF-16 code units: all of them are told each second. */
const MAX_DONE = 500;

/** Puts together what the values of a session's file say, in their order. */
export class LifeReader {
  readonly #asks = new Map<string, { readonly agent: string; readonly ask: OpenAsk }>();
  readonly #calls = new Map<string, { readonly agent: string; readonly call: LifeCall }>();
  readonly #lately: LifeCall[] = [];
  #cycles = new CycleDetector();
  #now: Standing = {};
  #attempts = 0;
  /** How many calls without a time there were. */
  #untimed = 0;
  #turn: number | undefined;
  #at: number | undefined;
  #childAt: number | undefined;
  #parent: string | undefined;

  take(sign: LifeSign): void {
    const { at, agent = '' } = sign;
    if (sign.kind === 'child') {
      this.#parent = sign.of ?? '';
      return;
    }
    this.#at = later(this.#at, at);
    if (agent !== '') this.#childAt = later(this.#childAt, at);
    this.#open(sign, agent);
    if (agent === '') this.#stand(sign);
  }

  /** What was said so far; undefined where nothing was. */
  get life(): Life | undefined {
    const { phase, ...rest } = this.#now;
    const asks = [...this.#asks.values()].map(({ ask }) => ask);
    if (phase === undefined && asks.length === 0) return undefined;
    return {
      phase: phase ?? 'working',
      ...rest,
      ...(this.#turn !== undefined && { turn: this.#turn }),
      ...(this.#at !== undefined && { at: this.#at }),
      ...(this.#childAt !== undefined && { childAt: this.#childAt }),
      attempts: this.#attempts,
      asks,
      calls: [...this.#calls.values()].flatMap(({ agent, call }) => (agent === '' ? [call] : [])),
      lately: [...this.#lately],
      ...(this.#parent !== undefined && { parent: this.#parent }),
    };
  }

  /** Notes what is open: only what the same agent does clears what it asks, and an answer only what it answers. */
  #open(sign: LifeSign, agent: string): void {
    const since = sign.at !== undefined && { since: sign.at };
    switch (sign.kind) {
      case 'ask': {
        const { id, words } = sign;
        const key = `${agent} ${id ?? ''}`;
        if (this.#asks.has(key) || this.#asks.size >= MAX_OPEN) return;
        const cut = words === undefined ? {} : { words: words.slice(0, MAX_WORDS) };
        this.#asks.set(key, { agent, ask: { for: sign.for, ...cut, ...since } });
        return;
      }
      case 'call': {
        this.#clearUnnamed(agent, sign.at);
        if (this.#calls.size >= MAX_OPEN) return;
        const { id, tool, text } = sign;
        const of = {
          ...(tool !== undefined && { tool }),
          ...(text !== undefined && { text: text.slice(0, MAX_WORDS) }),
        };
        this.#calls.set(`${agent} ${id}`, {
          agent,
          call: { ...of, ...(sign.at === undefined ? { order: ++this.#untimed } : since) },
        });
        return;
      }
      case 'result':
      case 'told':
        this.#asks.delete(`${agent} ${sign.id}`);
        if (sign.kind === 'result') this.#close(`${agent} ${sign.id}`);
        this.#clearUnnamed(agent, sign.at);
        return;
      case 'end':
        this.#asks.clear();
        for (const key of Array.from(this.#calls.keys())) this.#close(key);
        return;
      case 'turn':
      case 'finish':
      case 'break':
      case 'limit':
        for (const [key, { agent: of }] of Array.from(this.#asks)) if (of === agent) this.#asks.delete(key);
        for (const [key, { agent: of }] of Array.from(this.#calls)) if (of === agent) this.#close(key);
        return;
      default:
        this.#clearUnnamed(agent, sign.at);
    }
  }

  /** A call has ended. */
  #close(key: string): void {
    const { agent, call } = this.#calls.get(key) ?? {};
    this.#calls.delete(key);
    if (!call || agent !== '') return;
    this.#lately.push(call.text === undefined ? call : { ...call, text: call.text.slice(0, MAX_DONE) });
    if (this.#lately.length > MAX_LATELY) this.#lately.shift();
  }

  /** What is asked by the last word is asked no more once there is another word, which is no older. */
  #clearUnnamed(agent: string, at: number | undefined): void {
    const { ask } = this.#asks.get(`${agent} `) ?? {};
    if (ask && !(at !== undefined && ask.since !== undefined && at < ask.since))
      this.#asks.delete(`${agent} `);
  }

  #stand(sign: LifeSign): void {
    switch (sign.kind) {
      case 'turn':
        this.#turn = sign.at;
        this.#cycles = new CycleDetector();
        this.#attempts = 0;
        this.#now = {};
        this.#begin(sign, { phase: 'working' });
        return;
      case 'call':
        this.#works(sign);
        this.#loops(sign);
        return;
      case 'retry':
        this.#attempts = Math.max(this.#attempts + 1, sign.attempt ?? 0);
        this.#begin(sign, { phase: 'retrying', ...(sign.until !== undefined && { until: sign.until }) });
        return;
      case 'settled':
        if (this.#now.phase === 'said') this.#begin(sign, { phase: 'finished' });
        return;
      case 'said':
      case 'finish':
        this.#attempts = 0;
        this.#begin(sign, { phase: sign.kind === 'said' ? 'said' : 'finished' });
        return;
      case 'break':
      case 'limit': {
        const words = sign.words === undefined ? {} : { words: sign.words.slice(0, MAX_WORDS) };
        const by = sign.kind === 'break' ? { by: sign.by } : {};
        this.#begin(sign, { phase: sign.kind === 'limit' ? 'limited' : 'broken', ...words, ...by });
        return;
      }
      case 'end':
        // Who had finished is finished; who had not is broken off.
        if (this.#now.phase !== 'finished' && this.#now.phase !== 'broken')
          this.#begin(sign, { phase: 'ended' });
        return;
      default:
        this.#works(sign);
    }
  }

  #works(sign: LifeSign): void {
    this.#attempts = 0;
    const { phase, since, loop } = this.#now;
    if (phase === 'working')
      this.#now = { phase, ...(since !== undefined && { since }), ...(loop !== undefined && { loop }) };
    else this.#begin(sign, { phase: 'working' });
  }

  #loops({ tool, text, whole = text }: Extract<LifeSign, { kind: 'call' }>): void {
    const period = whole === undefined ? 0 : this.#cycles.add(`${tool ?? ''} ${whole}`, LOOP_TIMES);
    if (whole === undefined) this.#cycles = new CycleDetector();
    const now = { ...this.#now };
    delete now.loop;
    this.#now = period > 0 ? { ...now, loop: tool ?? '' } : now;
  }

  #begin({ at }: LifeSign, now: Omit<Standing, 'since'>): void {
    const isSame = this.#now.phase === now.phase && this.#now.since !== undefined;
    const since = isSame ? this.#now.since : at;
    this.#now = { ...now, ...(since !== undefined && { since }) };
  }
}

/** What the last word of a session says of what it does, for a tool that says no more than that. */
export function signOfEnd(end: SessionEnd): LifeSign {
  switch (end) {
    case 'prompt':
      return { kind: 'turn' };
    case 'call':
      return { kind: 'step' };
    case 'question':
      return { kind: 'ask', for: 'question' };
    case 'answer':
      return { kind: 'said' };
    case 'error':
      return { kind: 'break', by: 'error' };
  }
}

function later(known: number | undefined, at: number | undefined): number | undefined {
  return at === undefined || (known !== undefined && known > at) ? known : at;
}
