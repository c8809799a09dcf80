import { isObject } from '../../../core/message.js';
import { fields, list } from '../../reading/fields.js';

/** The kinds of lines in VS Code's log of changes (its objectMutationLog.ts). */
const INITIAL = 0;
const SET = 1;
const PUSH = 2;
const DELETE = 3;

type Container = Record<string, unknown> | unknown[];

/** Replays a log of changes; a change that does not apply is ignored. The values passed in may be modified. */
export function replayedMutations(changes: readonly unknown[]): unknown {
  const root: Record<string, unknown> = {};
  for (const line of changes) {
    const { kind, k, v, i } = fields(line);
    const path = ['value', ...list(k)];
    const key = path.pop() as string | number;
    if (kind === INITIAL) root.value = v;
    else if (kind === PUSH) push(at(root, [...path, key]), v, i);
    else if (kind === SET || kind === DELETE) change(at(root, path), key, kind === SET ? v : undefined);
  }
  return root.value;
}

function at(root: Container, path: readonly unknown[]): unknown {
  let value: unknown = root;
  for (const key of path) value = entry(value, key);
  return value;
}

function entry(value: unknown, key: unknown): unknown {
  const isKey = typeof key === 'string' || typeof key === 'number';
  if (!isKey || typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string | number, unknown>)[key];
}

/** Sets a key by definition, because it may be `__proto__`; beyond the end of a list nothing is changed. */
function change(container: unknown, key: unknown, value: unknown): void {
  if (Array.isArray(container)) {
    if (typeof key === 'number' && Number.isInteger(key) && key >= 0 && key <= container.length)
      container[key] = value;
  } else if (isObject(container) && typeof key === 'string') {
    Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
  }
}

function push(target: unknown, values: unknown, from: unknown): void {
  if (!Array.isArray(target)) return;
  if (typeof from === 'number' && from >= 0 && from < target.length) target.length = Math.floor(from);
  for (const value of list(values)) target.push(value);
}
