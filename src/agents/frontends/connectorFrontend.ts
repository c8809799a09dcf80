import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { messageOf } from '../../core/text.js';
import { systemTimers, type Timers } from '../../core/timers.js';
import { visibleLine } from '../../core/visibleText.js';
import type { Frontend } from '../../core/ports/frontend.js';
import type { Log } from '../../core/ports/log.js';
import type { ChatConnector } from '../../core/ports/chatConnector.js';
import { DeliveryQueue, leftOut, type Delivery } from './deliveryQueue.js';
import {
  formatChatApproval,
  formatChatDispatchFailure,
  formatChatDispatchResult,
  formatChatDispatchStart,
} from './dispatchLines.js';

/** Where a frontend posts, and what it needs for that. */
export interface ConnectorContext {
  readonly chat: string;
  readonly log: Log;
  readonly timers?: Timers;
}

const contextKinds: KnownOptions<ConnectorContext> = { chat: 'text', log: 'object', timers: 'object' };

type Poster = Pick<ChatConnector, 'post'>;

/** Nobody reads more than 200 pending lines one by one; a single post may take half a minute. */
const LIMITS = { waiting: 200, units: 1024 * 1024, timeMs: 30_000 };

/**
 * Posts to a chat which agents are asked and what they answer: `Pickle: @cookie task`, `Cookie: - result`. Created for
 * each incoming message. No method waits for the platform; lines are posted one after another, and one that cannot be
 * posted is logged as a warning. The final answer is not shown: the chat gets it as the reply.
 */
export class ConnectorFrontend implements Frontend {
  readonly #chat: string;
  readonly #queue: DeliveryQueue<Poster>;

  constructor(connector: Poster, context: ConnectorContext) {
    checkOptions(context, contextKinds, 'ConnectorFrontend');
    const { chat, log, timers = systemTimers } = context;
    this.#chat = chat;
    this.#queue = new DeliveryQueue(connector, {
      limits: LIMITS,
      timers,
      noticeFor: (dropped) => this.#delivery(leftOut(dropped)),
      onFailure: (why, error) => {
        const reason = error === undefined ? why : `${why}: ${messageOf(error)}`;
        log.warn(`Posting a line to ${visibleLine(chat)} ${reason}`);
      },
    });
  }

  showDispatchStart(callingAgent: string, targetAgent: string, task: string): void {
    this.#post(formatChatDispatchStart(callingAgent, targetAgent, task));
  }

  showDispatchResult(_callingAgent: string, targetAgent: string, result: string): void {
    this.#post(formatChatDispatchResult(targetAgent, result));
  }

  showDispatchFailure(_callingAgent: string, targetAgent: string, reason: string): void {
    this.#post(formatChatDispatchFailure(targetAgent, reason));
  }

  showText(): void {}

  showToolActivity(): void {}

  showApproval(agent: string): void {
    this.#post(formatChatApproval(agent), 2);
  }

  /** Resolves when every line so far has been posted or given up; never rejects. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #post(line: string, rank: 1 | 2 = 1): void {
    this.#queue.push(this.#delivery(line, rank));
  }

  #delivery(line: string, rank: 1 | 2 = 1): Delivery<Poster> {
    return { rank, units: line.length, show: (connector) => connector.post(this.#chat, line) };
  }
}
