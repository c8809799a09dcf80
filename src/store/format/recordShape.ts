import { isObject } from '../../core/message.js';
import { messageProblem } from '../../core/messageProblem.js';
import type { RecordType } from '../../core/record.js';

type Kind = 'string' | 'number' | 'object' | 'strings';

/** The keys that the body of each type must have; all others may be missing or have any type. */
const required: Readonly<Record<RecordType, Readonly<Record<string, Kind>>>> = {
  message: { message: 'object' },
  piece: { request: 'string' },
  callStart: { task: 'string', model: 'string', tools: 'strings' },
  callEnd: { outcome: 'string', durationMs: 'number', ownUsage: 'object', totalUsage: 'object' },
  dispatch: { target: 'string', task: 'string', toolCallId: 'string' },
  request: { model: 'string', endpoint: 'string', attempt: 'number', durationMs: 'number' },
  approval: {
    toolName: 'string',
    toolCallId: 'string',
    subject: 'string',
    decision: 'string',
    decidedBy: 'string',
  },
  error: { where: 'string', error: 'object' },
  title: { title: 'string' },
};

/** The same by type, as lists, because these are iterated for every record that is read. */
const requiredOf = new Map<string, readonly (readonly [string, Kind])[]>(
  Object.entries(required).map(([type, keys]) => [type, Object.entries(keys)]),
);

type Loose = Readonly<Record<string, unknown>>;

/** Why an object is not a valid record of its type; undefined where it is, and for types of later versions. */
export function bodyProblem(value: Loose): string | undefined {
  const { type } = value;
  if (typeof type !== 'string') return 'no record: it has no type';
  const keys = requiredOf.get(type);
  if (!keys) return undefined;
  for (const [key, kind] of keys) {
    if (!isOfKind(value[key], kind)) return `a record of type ${type} whose ${key} is no ${kind}`;
  }
  if (type === 'error') return failureProblem(value.error);
  return type === 'message' ? messageProblem(value.message) : undefined;
}

function isOfKind(value: unknown, kind: Kind): boolean {
  if (kind === 'object') return isObject(value);
  if (kind === 'strings') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  return typeof value === kind;
}

function failureProblem(value: unknown): string | undefined {
  return isObject(value) && typeof value.message === 'string' ? undefined : 'an error without words';
}
