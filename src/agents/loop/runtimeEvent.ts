import type { CallSite, Outcome } from '../../core/record.js';

/**
 * What happens live, for display only; the record is the source of truth and does not depend on it.
 * `levelOf` an event: 0 is always shown, 1 from verbosity 1 on, 2 only at verbosity 2.
 */
export type RuntimeEvent = { readonly place: CallSite } & (
  | { readonly type: 'runStart'; readonly prompt: string; readonly model: string }
  | {
      readonly type: 'runEnd';
      readonly outcome: Outcome;
      readonly text: string;
      readonly reason?: string;
      readonly durationMs: number;
    }
  /** A piece of what a model is saying; what was said is final only with its record. */
  | { readonly type: 'textDelta'; readonly text: string }
  | { readonly type: 'reasoningDelta'; readonly text: string }
  /** The pieces since the last such event are final: they are a recorded message, or nothing was worth one. */
  | { readonly type: 'said' }
  /** The pieces shown since the last final message are void, because the request is retried. */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | {
      readonly type: 'toolStart';
      readonly toolName: string;
      readonly toolCallId: string;
      readonly arguments: string;
    }
  | {
      readonly type: 'toolEnd';
      readonly toolName: string;
      readonly toolCallId: string;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  | {
      readonly type: 'dispatchStart';
      readonly target: string;
      readonly task: string;
      readonly childCall: string;
    }
  | {
      readonly type: 'dispatchResult';
      readonly target: string;
      readonly result: string;
      readonly childCall: string;
    }
  | {
      readonly type: 'dispatchFailure';
      readonly target: string;
      readonly reason: string;
      readonly childCall?: string;
    }
  | {
      readonly type: 'approvalWaiting';
      readonly id: string;
      readonly number: number;
      readonly title: string;
      readonly toolName: string;
    }
  | { readonly type: 'approvalDone'; readonly id: string; readonly approved: boolean }
);

/** How much is shown: 0 what a person must see, 1 also what agents do, 2 also what they think. Never filters the record. */
export type Verbosity = 0 | 1 | 2;

/** The least verbosity at which an event is shown. */
export function levelOf(event: RuntimeEvent): Verbosity {
  switch (event.type) {
    case 'runStart':
    case 'runEnd':
    case 'approvalWaiting':
    case 'approvalDone':
      return 0;
    // Whoever hears a piece must hear that it is final or void.
    case 'textDelta':
    case 'said':
      return event.place.depth === 0 ? 0 : 2;
    case 'retry':
      return event.place.depth === 0 ? 0 : 1;
    case 'toolStart':
    case 'toolEnd':
    case 'dispatchStart':
    case 'dispatchResult':
    case 'dispatchFailure':
      return 1;
    case 'reasoningDelta':
      return 2;
  }
}
