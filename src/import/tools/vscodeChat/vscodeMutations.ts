import { isObject } from '../../../core/message.js';
import { fields, list } from '../../reading/fields.js';

/** The kinds of lines in VS Code's log of changes (its objectMutationLog.ts). */
const INITIAL = 0;
const SET = 1;
const PUSH = 2;
const DELETE = 3;

type Container = Record<string, unknown> | unknown[];

/** Whether a value is a line that changes something of a session, which such a log begins with where its first line is gone. */
export function isChange(value: unknown): boolean {
  const { kind, k } = fields(value);
  const [key] = list(k);
  return (kind === SET || kind === PUSH || kind === DELETE) && typeof key === 'string';
}

/** Whether a log has the line that says what it begins with. */
export function hasBeginning(changes: readonly unknown[]): boolean {
  return changes.some((line) => fields(line).kind === INITIAL);
}

/** How far behind the end of a list a change may be whose beginning is gone. */
const MAX_GAP = 10_000;

/**
 * Replays a log of changes; a change that does not apply is ignored. Of a log without its beginning, what its changes are within
 * is made up, empty, so that none of them is lost. The values passed in may be modified.
 */
export function replayedMutations(changes: readonly unknown[]): unknown {
  const root: Record<string, unknown> = {};
  const isWhole = hasBeginning(changes);
  for (const line of changes) {
    const { kind, k, v, i } = fields(line);
    const path = ['value', ...list(k)];
    const key = path.pop() as string | number;
    if (!isWhole) makeUp(root, kind === PUSH ? [...path, key] : path, kind === PUSH ? 0 : key, i);
    if (kind === INITIAL) root.value = v;
    else if (kind === PUSH) push(at(root, [...path, key]), v, i);
    else if (kind === SET || kind === DELETE) change(at(root, path), key, kind === SET ? v : undefined);
  }
  return root.value;
}

/** Makes up what a path leads through where it is not there; `next` is the key in the last of it, which tells what that is. */
function makeUp(root: Container, path: readonly unknown[], next: unknown, length: unknown): void {
  let value: unknown = root;
  for (const [index, key] of path.entries()) {
    if (typeof entry(value, key) !== 'object' || entry(value, key) === null) {
      const within = path[index + 1] ?? next;
      const made: Container = typeof within === 'number' ? [] : {};
      if (Array.isArray(value) && typeof key === 'number' && key - value.length < MAX_GAP)
        while (value.length < key) value.push({});
      change(value, key, made);
    }
    value = entry(value, key);
  }
  const wanted = typeof next === 'number' ? Math.max(next, typeof length === 'number' ? length : 0) : 0;
  if (Array.isArray(value) && wanted - value.length < MAX_GAP) while (value.length < wanted) value.push({});
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
