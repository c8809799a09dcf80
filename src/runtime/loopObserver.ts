import type { ChatMessage } from '../core/message.js';
import type { ErrorBody, PartialReason, RequestBody } from '../core/record.js';
import type { Usage } from '../core/usage.js';

/** What is known of an assistant message besides itself. */
export interface AssistantDetails {
  readonly model: string;
  readonly usage?: Usage;
  /** Why it is not the whole of what would have been said. */
  readonly partial?: PartialReason;
}

/** What is known of a tool message besides itself. */
export interface ToolDetails {
  readonly toolName: string;
  readonly durationMs: number;
  readonly isError: boolean;
}

/** Told what a loop says, synchronously and in order; single runs and chats have the same one. */
export interface LoopObserver {
  /** A message of the model is final: it will not be replaced by a further try. */
  onAssistantMessage(message: ChatMessage, details: AssistantDetails): void;
  /** A tool call is answered; the answers of one message come in the order of its calls. */
  onToolMessage(message: ChatMessage, details: ToolDetails): void;
  /** A request to the model ended, well or not. */
  onRequest(request: Omit<RequestBody, 'type'>): void;
  onError(error: Omit<ErrorBody, 'type'>): void;
}
