/** The attribute by which OpenTelemetry's conventions name a conversation. */
export const CONVERSATION = 'gen_ai.conversation.id';

/** In Copilot's spans, what names the session instead. */
const CHAT_SESSION = 'copilot_chat.chat_session_id';

/** Whether the conventions' attribute of a span is what tells conversations of one trace apart: for Copilot and Codex it is not. */
export function namesConversation(attributes: Readonly<Record<string, unknown>>): boolean {
  return !(CHAT_SESSION in attributes) && !('turn.id' in attributes);
}

/** What of a span tells which conversation it is of: what it names, and the key of the span around it. */
export interface SpanOfTalk {
  readonly parent: string;
  readonly talk: string | undefined;
}

/** The conversation that the span of a key names, or the nearest one around it that names any; undefined where none does. */
export function nearestTalk(key: string, spans: ReadonlyMap<string, SpanOfTalk>): string | undefined {
  const seen = new Set<string>();
  let [at, span] = [key, spans.get(key)];
  while (span && span.talk === undefined && !seen.has(at)) {
    seen.add(at);
    at = span.parent;
    span = spans.get(at);
  }
  return span?.talk;
}

/**
 * The attributes by which Copilot, OpenTelemetry's GenAI conventions, Google's ADK, Langfuse, OpenInference, Traceloop, Vercel's
 * AI SDK, MLflow and Codex name the session of a span, in the order in which they are asked. Those of Copilot and of ADK stand
 * on their requests, that of the conventions only on the agent's span, which ends last.
 */
const SESSION_ATTRIBUTES = [
  CHAT_SESSION,
  CONVERSATION,
  'copilot_chat.session_id',
  'gcp.vertex.agent.session_id',
  'langfuse.session.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'ai.telemetry.metadata.sessionId',
  'mlflow.trace.session',
  'conversation.id',
] as const;

/**
 * The session that a span or a log record names, by its attributes. The span of a turn of Codex has the turn's id where the
 * conventions have that of a conversation, and the session's as that of its thread; the other spans of Codex number threads of the
 * program so.
 */
export function sessionNamed(attribute: (name: string) => string | undefined): string | undefined {
  const thread = attribute('turn.id') === undefined ? undefined : attribute('thread.id');
  if (thread?.includes('-')) return thread;
  for (const name of SESSION_ATTRIBUTES) {
    const session = attribute(name);
    if (session !== undefined) return session;
  }
  return undefined;
}
