import { isObject } from '../../src/core/message.js';

type Fields = Readonly<Record<string, unknown>>;

const TRAJECTORY = [
  'schema_version',
  'session_id',
  'trajectory_id',
  'agent',
  'steps',
  'notes',
  'final_metrics',
  'continued_trajectory_ref',
  'subagent_trajectories',
  'extra',
];
const STEP = [
  'step_id',
  'timestamp',
  'source',
  'message',
  'model_name',
  'reasoning_effort',
  'reasoning_content',
  'tool_calls',
  'observation',
  'metrics',
  'llm_call_count',
  'is_copied_context',
  'extra',
];
/** What only steps of agents may have. */
const OF_AGENTS = [
  'model_name',
  'reasoning_effort',
  'reasoning_content',
  'tool_calls',
  'metrics',
  'observation',
];
const METRICS = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cost_usd',
  'prompt_token_ids',
  'completion_token_ids',
  'logprobs',
  'extra',
];
const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * What is wrong with an ATIF 1.8 trajectory by the strictest reading of its specification: models are closed, steps are counted
 * from 1, results stand in the step of their call and only in agents' steps, references name trajectories that are embedded in the
 * same one, and each has a step.
 */
export function atifProblems(value: unknown): string[] {
  const ids = [fieldsOf(value).trajectory_id, ...idsBelow(fieldsOf(value))];
  const problems = new Set(ids).size === ids.length ? [] : ['trajectory_id: not unique'];
  if (ids.some((id) => typeof id !== 'string' || id === '')) problems.push('trajectory_id: missing');
  return [...problems, ...problemsBelow(fieldsOf(value))];
}

const embeddedIn = (trajectory: Fields) => listOf(trajectory.subagent_trajectories).map(fieldsOf);

function idsBelow(trajectory: Fields): unknown[] {
  return embeddedIn(trajectory).flatMap((each) => [each.trajectory_id, ...idsBelow(each)]);
}

/** References of a trajectory name those that are embedded in itself, not in one above or below. */
function problemsBelow(trajectory: Fields): string[] {
  const embedded = embeddedIn(trajectory);
  const own = trajectoryProblems(trajectory, new Set(embedded.map(({ trajectory_id }) => trajectory_id)));
  return [...own, ...embedded.flatMap(problemsBelow)];
}

function trajectoryProblems(trajectory: Fields, ids: ReadonlySet<unknown>): string[] {
  const problems = unknownKeys(trajectory, TRAJECTORY, 'trajectory');
  if (!/^ATIF-v1\.\d+$/.test(String(trajectory.schema_version))) problems.push('schema_version');
  const agent = fieldsOf(trajectory.agent);
  problems.push(
    ...unknownKeys(agent, ['name', 'version', 'model_name', 'tool_definitions', 'extra'], 'agent'),
  );
  if (typeof agent.name !== 'string' || typeof agent.version !== 'string')
    problems.push('agent: name, version');
  if (listOf(trajectory.steps).length === 0) problems.push('steps: missing or empty');
  for (const [index, step] of listOf(trajectory.steps).entries())
    problems.push(
      ...stepProblems(fieldsOf(step), index + 1, ids).map((each) => `step ${index + 1}: ${each}`),
    );
  return problems;
}

function stepProblems(step: Fields, number: number, ids: ReadonlySet<unknown>): string[] {
  const problems = unknownKeys(step, STEP, 'step');
  if (step.step_id !== number) problems.push('step_id');
  if (!['system', 'user', 'agent'].includes(String(step.source))) problems.push('source');
  const { timestamp = '2026-01-01T00:00:00Z' } = step;
  if (typeof timestamp !== 'string' || !ZONED.test(timestamp)) problems.push('timestamp');
  problems.push(...contentProblems(step.message));
  if (step.source !== 'agent')
    problems.push(
      ...OF_AGENTS.filter((key) => step[key] !== undefined).map((key) => `${key}: of agents only`),
    );
  problems.push(...unknownKeys(fieldsOf(step.metrics), METRICS, 'metrics'));
  const calls = listOf(step.tool_calls).map(fieldsOf);
  for (const call of calls) {
    problems.push(...unknownKeys(call, ['tool_call_id', 'function_name', 'arguments', 'extra'], 'tool_call'));
    if (
      typeof call.tool_call_id !== 'string' ||
      typeof call.function_name !== 'string' ||
      call.function_name === ''
    )
      problems.push('tool_call');
    if (!isObject(call.arguments)) problems.push('arguments: no object');
  }
  const known = new Set(calls.map(({ tool_call_id }) => tool_call_id));
  if (known.size < calls.length) problems.push('tool_call_id: not unique in its step');
  for (const result of listOf(fieldsOf(step.observation).results).map(fieldsOf)) {
    const keys = ['source_call_id', 'content', 'subagent_trajectory_ref', 'extra'];
    problems.push(...unknownKeys(result, keys, 'result'), ...contentProblems(result.content));
    if (!known.has(result.source_call_id)) problems.push('source_call_id: no call of this step');
    for (const ref of listOf(result.subagent_trajectory_ref).map(fieldsOf))
      if (!ids.has(ref.trajectory_id)) problems.push('subagent_trajectory_ref: not embedded');
  }
  return problems;
}

function contentProblems(content: unknown): string[] {
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) return ['content: missing'];
  return (content as unknown[]).map(fieldsOf).flatMap((part) => {
    if (part.type === 'text')
      return typeof part.text === 'string' ? unknownKeys(part, ['type', 'text'], 'part') : ['text'];
    const { media_type, path } = fieldsOf(part.source);
    return part.type === 'image' && PICTURES.includes(String(media_type)) && typeof path === 'string'
      ? []
      : ['part'];
  });
}

const unknownKeys = (value: Fields, known: readonly string[], what: string): string[] =>
  Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${what}: ${key} is not known`);

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
