import { evictOldest } from '../../core/boundedMap.js';
import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { systemClock, type Clock } from '../../core/clock.js';
import type { Frontend, FrontendLocation } from '../../core/ports/frontend.js';
import {
  formatApproval,
  formatDispatchFailure,
  formatDispatchResult,
  formatDispatchStart,
  formatText,
  formatToolActivity,
} from './dispatchLines.js';

/** Receives lines by level; a log output channel of an editor is one. */
export interface LineSink {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
}

/** How lines are written. */
export interface OutputChannelOptions {
  readonly clock?: Clock;
  /** Whether lines tell how long a dispatch took and tools are shown; read for each line. */
  readonly detailed?: () => boolean;
  /** A link to a place in the transcript, such as a URI that the channel makes clickable. */
  readonly linkTo?: (location: FrontendLocation) => string | undefined;
}

const outputOptionKinds: KnownOptions<OutputChannelOptions> = {
  clock: 'object',
  detailed: 'function',
  linkTo: 'function',
};

/** How many open dispatches, and how many failures, are remembered before the oldest is forgotten. */
const MAX_REMEMBERED = 1_000;

/** Writes one line per event, indented by depth: `Pickle → @Cookie: task`, `Cookie: result`. */
export class OutputChannelFrontend implements Frontend {
  readonly #sink: LineSink;
  readonly #clock: Clock;
  readonly #options: OutputChannelOptions;
  /** The start times of open dispatches by identity, oldest first. */
  readonly #begun = new Map<string, number[]>();
  readonly #failed = new Set<string>();

  constructor(sink: LineSink, options: OutputChannelOptions = {}) {
    checkOptions(options, outputOptionKinds, 'OutputChannelFrontend');
    this.#sink = sink;
    this.#clock = options.clock ?? systemClock;
    this.#options = options;
  }

  showDispatchStart(caller: string, target: string, task: string, location?: FrontendLocation): void {
    const key = identityOf(caller, target, location);
    this.#begun.set(key, [...(this.#begun.get(key) ?? []), this.#clock.now()]);
    evictOldest(this.#begun, MAX_REMEMBERED);
    this.#sink.info(indent(location) + formatDispatchStart(caller, target, task));
  }

  showDispatchResult(caller: string, target: string, result: string, location?: FrontendLocation): void {
    const details = this.#details(caller, target, location);
    this.#sink.info(indent(location) + formatDispatchResult(target, result) + details);
  }

  /** A dispatch that can be identified by its tool call is reported as failed only once. */
  showDispatchFailure(caller: string, target: string, reason: string, location?: FrontendLocation): void {
    const details = this.#details(caller, target, location);
    if (location?.toolCallId !== undefined) {
      const key = identityOf(caller, target, location);
      if (this.#failed.has(key)) return;
      this.#failed.add(key);
      evictOldest(this.#failed, MAX_REMEMBERED);
    }
    this.#sink.warn(indent(location) + formatDispatchFailure(target, reason) + details);
  }

  showText(agent: string, text: string, location?: FrontendLocation): void {
    this.#sink.info(indent(location) + formatText(agent, text) + this.#link(location));
  }

  showToolActivity(
    agent: string,
    toolName: string,
    phase: 'start' | 'end' | 'error',
    detail: string,
    location?: FrontendLocation,
  ): void {
    const line = indent(location) + formatToolActivity(agent, toolName, phase, detail);
    if (this.#options.detailed?.() === true) this.#sink.info(line);
    else this.#sink.debug(line);
  }

  showApproval(agent: string, title: string, location?: FrontendLocation): void {
    this.#sink.info(indent(location) + formatApproval(agent, title) + this.#link(location));
  }

  /** Closes a dispatch; gives its duration, where that is shown, and its link. */
  #details(caller: string, target: string, location: FrontendLocation | undefined): string {
    const key = identityOf(caller, target, location);
    const [begun, ...later] = this.#begun.get(key) ?? [];
    if (later.length > 0) this.#begun.set(key, later);
    else this.#begun.delete(key);
    if (begun === undefined || this.#options.detailed?.() !== true) return this.#link(location);
    return ` (${((this.#clock.now() - begun) / 1000).toFixed(1)} s)${this.#link(location)}`;
  }

  #link(location: FrontendLocation | undefined): string {
    const link = location && this.#options.linkTo?.(location);
    return link === undefined ? '' : ` ${link}`;
  }
}

/** The deepest indentation, as a call depth, so that lines stay readable. */
const DEEPEST_INDENT = 10;

function indent(location: FrontendLocation | undefined): string {
  return '  '.repeat(Math.min(location?.depth ?? 0, DEEPEST_INDENT));
}

function identityOf(caller: string, target: string, location: FrontendLocation | undefined): string {
  return JSON.stringify([location?.conversation, location?.call, location?.toolCallId, caller, target]);
}
