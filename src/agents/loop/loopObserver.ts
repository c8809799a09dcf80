import type { ChatMessage } from '../../core/message.js';
import type { ErrorBody, PartialReason, RequestBody } from '../../core/record.js';
import type { Usage } from '../../core/usage.js';

/** What is known about an assistant message besides its content. */
export interface AssistantDetails {
  readonly model: string;
  readonly usage?: Usage;
  /** Why it is incomplete. */
  readonly partial?: PartialReason;
}

/** What is known about a tool message besides its content. */
export interface ToolDetails {
  readonly toolName: string;
  readonly durationMs: number;
  readonly isError: boolean;
  /** Where a person stopped the run before it had a result. */
  readonly partial?: 'cancelled';
}

/** Receives what a loop produces, synchronously and in order. */
export interface LoopObserver {
  /** A message of the model is final: no retry will replace it. */
  onAssistantMessage(message: ChatMessage, details: AssistantDetails): void;
  /** A tool call is answered; the answers of one message come in the order of its calls. */
  onToolMessage(message: ChatMessage, details: ToolDetails): void;
  /** A request to the model ended, successfully or not. */
  onRequest(request: Omit<RequestBody, 'type'>): void;
  onError(error: Omit<ErrorBody, 'type'>): void;
}
