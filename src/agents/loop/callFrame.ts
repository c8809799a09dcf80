import type { AgentDefinition } from '../../core/agent.js';
import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { newId } from '../../core/ids.js';
import type { ChatMessage } from '../../core/message.js';
import {
  draftAt,
  type CallSite,
  type Failure,
  type ForkPoint,
  type LogRecord,
  type RecordBody,
  type RecordDraft,
} from '../../core/record.js';
import type { Frontend, FrontendLocation } from '../../core/ports/frontend.js';
import type { Model } from '../../core/ports/model.js';
import type { Tool, ToolExecutor } from '../../core/ports/tool.js';
import { AbortGate } from '../../core/abort.js';
import { RoughTokens } from './limits/roughTokens.js';
import { RequestDigest } from './requestDigest.js';
import { ignoreFailure } from './ignoreFailure.js';
import type { RunScope } from './runScope.js';
import type { RuntimeConfig } from './runtimeConfig.js';
import { levelOf, type RuntimeEvent } from './runtimeEvent.js';

/** How a call goes on in the middle of what another conversation says. */
export interface GoingOn {
  readonly from: ForkPoint;
  /** All that was said before, see `ForkPoint`; calls at its end that are not answered are made, unless there is a prompt. */
  readonly history: readonly ChatMessage[];
  /** The last message of it, where it stands in this conversation and not in the other one. */
  readonly own?: {
    readonly message: ChatMessage;
    readonly isEdited: boolean;
    /** For role tool: the tool that answered. */
    readonly toolName?: string;
    readonly isError?: boolean;
  };
  /** Whether the model is asked with what stands there, without a prompt. */
  readonly isSilent: boolean;
}

/** What defines a call. */
export interface CallOptions {
  readonly config: RuntimeConfig;
  readonly scope: RunScope;
  readonly agent: AgentDefinition;
  readonly model: Model;
  readonly tools: ToolExecutor;
  /** The user's prompt, or the task from another agent. */
  readonly prompt: string;
  readonly depth: number;
  readonly frontend: Frontend;
  readonly signal: AbortSignal;
  /** The call's id, where it is known before the start. */
  readonly call?: string;
  readonly parentCall?: string;
  /** The parent's tool call that dispatched this call. */
  readonly toolCallId?: string;
  /** The previous messages; copied. */
  readonly history?: readonly ChatMessage[];
  /** Where the conversation goes on from another one. */
  readonly goingOn?: GoingOn | undefined;
}

/** What a child call is given; everything else is inherited or starts afresh. */
export type ForkOptions = Pick<CallOptions, 'agent' | 'model' | 'tools' | 'prompt' | 'signal'> &
  Partial<Pick<CallOptions, 'call' | 'toolCallId'>>;

const callOptionKinds: KnownOptions<CallOptions> = {
  config: 'object',
  scope: 'object',
  agent: 'object',
  model: 'object',
  tools: 'object',
  prompt: 'text',
  depth: 'count',
  frontend: 'object',
  signal: 'object',
  call: 'text',
  parentCall: 'text',
  toolCallId: 'text',
  history: 'list',
  goingOn: 'object',
};

/** An event without its place, whatever its type. */
type PlainEvent = RuntimeEvent extends infer E ? (E extends RuntimeEvent ? Omit<E, 'place'> : never) : never;

/** One invocation of one agent: its configuration never changes, its messages are its own. */
export class CallFrame {
  readonly options: CallOptions;
  readonly config: RuntimeConfig;
  readonly scope: RunScope;
  readonly agent: AgentDefinition;
  readonly model: Model;
  readonly tools: ToolExecutor;
  readonly prompt: string;
  readonly depth: number;
  readonly signal: AbortSignal;
  /** The one listener of this call on its signal, however many wait. */
  readonly gate: AbortGate;
  /** The place of this call, for records. */
  readonly recordPlace: CallSite;
  /** The same with the conversation, for frontends. */
  readonly place: FrontendLocation;
  /** What is sent to the model: grows by every message of this call and is shared with nobody. */
  readonly messages: ChatMessage[];
  /** Estimates for requests whose provider reports no usage. */
  readonly roughTokens = new RoughTokens();
  /** Dispatches and approvals that have not ended; all of them end soon after the signal is aborted. */
  readonly #pending = new Set<Promise<unknown>>();
  #digest: RequestDigest | undefined;
  #isOver = false;
  /** The number of calls that this one has dispatched. */
  dispatched = 0;
  /** The limit that this call reached while its tools ran; the run ends when they have. */
  exhausted: Failure | undefined;

  constructor(options: CallOptions) {
    checkOptions(options, callOptionKinds, 'CallFrame');
    const { scope, agent, depth, parentCall, call = newId('call') } = options;
    this.options = options;
    this.config = options.config;
    this.scope = scope;
    this.agent = agent;
    this.model = options.model;
    this.tools = options.tools;
    this.prompt = options.prompt;
    this.depth = depth;
    this.signal = options.signal;
    this.gate = new AbortGate(options.signal);
    this.messages = [...(options.history ?? [])];
    this.recordPlace = {
      run: scope.run,
      call,
      ...(parentCall !== undefined && { parentCall }),
      agent: agent.name,
      depth,
    };
    this.place = { ...this.recordPlace, conversation: scope.conversation };
  }

  /** A call one deeper, with fresh messages and the silent frontend of children. */
  fork(options: ForkOptions): CallFrame {
    return new CallFrame({
      config: this.config,
      scope: this.scope,
      frontend: this.config.childFrontend,
      depth: this.depth + 1,
      parentCall: this.place.call,
      ...options,
    });
  }

  /** A new call at the same depth with a copy of the messages so far, for the next run. */
  cloneSameDepth(changes: Partial<Omit<CallOptions, 'depth' | 'history'>> = {}): CallFrame {
    const options: CallOptions = { ...this.options, call: newId('call'), ...changes, history: this.messages };
    return new CallFrame(options);
  }

  /** The tool with a name; undefined also where the lookup fails. */
  toolNamed(name: string): Tool | undefined {
    try {
      return this.tools.find(name);
    } catch (error) {
      this.config.log.warn(`Looking for the tool '${name}' failed`, error);
      return undefined;
    }
  }

  /** The digest of what is asked now; undefined where a tool's schema is no JSON, so that the request fails. */
  digest(): string | undefined {
    const { agent, config, model, messages, tools } = this;
    try {
      this.#digest ??= new RequestDigest({ model: model.id, effort: agent.effort, tools: tools.specs });
      return this.#digest.of(messages);
    } catch (error) {
      config.log.warn(`What ${agent.name} asks has no digest, and cannot be replayed`, error);
      return undefined;
    }
  }

  /** To be called where messages that were asked with are asked with no more. */
  forgetDigest(): void {
    this.#digest?.reset();
  }

  /** Records a draft on behalf of this call; a function value, so that it can be passed on without binding. */
  readonly recordDraft = (draft: RecordDraft): LogRecord => {
    try {
      return this.config.messageLog.record(draft);
    } catch (error) {
      this.scope.breakOff(error);
      throw error;
    }
  };

  /** Records something that happened in this call; where that fails, the run ends as it does when it is stopped. */
  record(body: RecordBody): void {
    try {
      this.config.messageLog.record(draftAt(this.recordPlace, body));
    } catch (error) {
      this.scope.breakOff(error);
    }
  }

  /** Whether something holds the run: nothing more is begun before `goOn` has resolved. */
  get isHeld(): boolean {
    return this.config.hold?.why !== undefined;
  }

  /**
   * Asks a person whether the run goes on, `next` being what it would do now; all calls of the run wait for one answer. Where
   * they end it, the signal is aborted by then.
   */
  async goOn(next: string): Promise<void> {
    const { approvals, hold } = this.config;
    while (hold?.why !== undefined && !this.signal.aborted) {
      const { why } = hold;
      await this.scope.asked(async () => {
        const { approved } = await approvals.decide(
          {
            toolName: 'go_on',
            toolCallId: '',
            call: this.recordPlace,
            subject: next,
            title: `Go on? ${why}`,
            key: 'go_on',
            askReason: why,
            isOfRun: true,
            signal: this.scope.signal,
          },
          'ask',
        );
        hold.answer(approved);
      });
    }
  }

  /** Whether the call has ended, so that nothing more may be started on its behalf. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether something tracked has not ended. */
  get isWaiting(): boolean {
    return this.#pending.size > 0;
  }

  /** Keeps the call from ending before `work` has. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    try {
      return await work;
    } finally {
      this.#pending.delete(work);
    }
  }

  /** Resolves when nothing tracked is in progress; from then on nothing may be started. */
  async finish(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    this.#isOver = true;
    this.gate.dispose();
  }

  /** Passes an event to the observers, as far as the verbosity allows. */
  emit(event: PlainEvent): void {
    const whole = { place: this.recordPlace, ...event } as RuntimeEvent;
    if (levelOf(whole) > this.config.verbosity) return;
    ignoreFailure(
      () => this.config.onEvent(whole),
      (error) => this.config.log.warn(`Showing the event '${event.type}' failed`, error),
    );
  }

  /** Shows something on this call's frontend, which may fail or never settle without affecting the call. */
  show(what: (frontend: Frontend) => void | Promise<void>): void {
    ignoreFailure(
      () => what(this.options.frontend),
      (error) => this.config.log.warn('A frontend failed', error),
    );
  }
}
