/** The fields of records, of their messages and of usage that we name ourselves: none of them says anything of a person. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['seq', 'id', 'time', 'conversation', 'run', 'call', 'parentCall', 'agent', 'depth', 'type', 'spill'],
  ...['message', 'model', 'usage', 'toolName', 'durationMs', 'isError', 'partial', 'source'],
  ...['task', 'scripted', 'tools', 'toolTokens', 'toolCallId', 'outcome', 'reason', 'ownUsage', 'totalUsage'],
  ...['target', 'childCall', 'refused', 'endpoint', 'attempt', 'firstTokenMs', 'finishReason', 'error'],
  ...['superseded', 'subject', 'decision', 'decidedBy', 'rule', 'waitedMs', 'where', 'code', 'status'],
  ...['dropped', 'title', 'role', 'content', 'name', 'tool_calls', 'tool_call_id', 'tool_call_ids'],
  ...['function', 'arguments', 'extra_content', 'reasoning_content', 'reasoning_details', 'refusal', 'text'],
  ...[
    'image_url',
    'url',
    'detail',
    'field',
    'index',
    'path',
    'bytes',
    'sha256',
    'inputTokens',
    'outputTokens',
  ],
  ...['cachedInputTokens', 'cacheWriteTokens', 'cacheWrite1hTokens', 'reasoningTokens', 'webSearches'],
  ...['estimated', 'cost', 'requests'],
]);

/** What these fields say, in words that are ours or the format's. */
const WORDS: ReadonlyMap<string, ReadonlySet<unknown>> = new Map(
  Object.entries({
    type: [
      ...['message', 'callStart', 'callEnd', 'dispatch', 'request', 'approval', 'error', 'title', 'withheld'],
      ...['function', 'text', 'image_url'],
    ],
    role: ['system', 'developer', 'user', 'assistant', 'tool'],
    decision: ['approved', 'denied'],
    decidedBy: ['user', 'policy', 'remembered', 'rule', 'hook', 'cancel'],
    outcome: ['done', 'failed', 'cancelled', 'limited'],
    where: ['model', 'tool', 'runtime', 'store', 'limit'],
    partial: ['error', 'cancelled', 'length'],
    field: ['content', 'arguments', 'reasoning'],
  }).map(([field, words]) => [field, new Set<unknown>(words)]),
);

/** Whether a key is the name of a field of ours, so that it holds neither a secret nor a name that a person wants left out. */
export function isOurField(key: string): boolean {
  return FIELDS.has(key);
}

/** Whether what a field says is one of the few words that it can say. */
export function isOurWord(field: string, value: unknown): boolean {
  return WORDS.get(field)?.has(value) === true;
}
