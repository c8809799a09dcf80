/**
 * The attributes by which Copilot, OpenTelemetry's GenAI conventions, Google's ADK, Langfuse, OpenInference, Traceloop, Vercel's
 * AI SDK, MLflow and Codex name the session of a span, in the order in which they are asked. Those of Copilot and of ADK stand
 * on their requests, that of the conventions only on the agent's span, which ends last.
 */
export const SESSION_ATTRIBUTES = [
  'copilot_chat.chat_session_id',
  'gen_ai.conversation.id',
  'copilot_chat.session_id',
  'gcp.vertex.agent.session_id',
  'langfuse.session.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'ai.telemetry.metadata.sessionId',
  'mlflow.trace.session',
  'conversation.id',
] as const;
