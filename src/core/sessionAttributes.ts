/**
 * The attributes by which OpenTelemetry's GenAI conventions, Langfuse, OpenInference, Traceloop, Vercel's AI SDK, MLflow and Codex
 * name the session of a span, in the order in which they are asked.
 */
export const SESSION_ATTRIBUTES = [
  'gen_ai.conversation.id',
  'langfuse.session.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'ai.telemetry.metadata.sessionId',
  'mlflow.trace.session',
  'conversation.id',
] as const;
