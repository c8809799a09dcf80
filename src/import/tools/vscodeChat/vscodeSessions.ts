import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { fields, list, number, objects, text, time, without, type Fields } from '../../reading/fields.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';
import { usageOf } from '../../messages/usage.js';
import { addFailure } from '../../messages/failures.js';
import { VscodeAnswer } from './vscodeAnswer.js';

/** The kinds of lines in VS Code's log of changes (its objectMutationLog.ts). */
const INITIAL = 0;
const SET = 1;
const PUSH = 2;
const DELETE = 3;

type Container = Record<string, unknown> | unknown[];

/** Whether a value is a line that changes something of a session, which such a log begins with where its first line is gone. */
function isChange(value: unknown): boolean {
  const { kind, k } = fields(value);
  const [key] = list(k);
  return (kind === SET || kind === PUSH || kind === DELETE) && typeof key === 'string';
}

/** Whether a log has the line that says what it begins with. */
function hasBeginning(changes: readonly unknown[]): boolean {
  return changes.some((line) => fields(line).kind === INITIAL);
}

/** How far behind the end of a list a change may be whose beginning is gone. */
const MAX_GAP = 10_000;

/**
 * Replays a log of changes; a change that does not apply is ignored. Of a log without its beginning, what its changes are within
 * is made up, empty, so that none of them is lost. The values passed in may be modified.
 */
function replayedMutations(changes: readonly unknown[]): unknown {
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

/** VS Code's chat sessions: as stored, whole or as a log of changes, and as written by "Export Chat…". */
export const vscodeSessions: TranscriptFormat = {
  name: 'vscode-chat',
  of: 'VS Code',
  files: 'chat sessions as stored (`.json`, or `.jsonl` logs of changes) and as **Export Chat…** writes them',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'thinking'],
  detect: (head) => {
    const [first] = head;
    return isSession(first) || (fields(first).kind === 0 && isSession(fields(first).v)) || isHeadless(head);
  },
  read(entries, sink) {
    const values = sink.values(entries);
    const isWhole = isSession(values[0]);
    // Replaying changes the values, so what they were must be copied before.
    const changes = isWhole ? [] : structuredClone(values);
    if (!isWhole && !hasBeginning(values))
      sink.problem(
        'warning',
        'The first line of this log is missing, with what was said until then: only what was changed later is shown.',
      );
    const session = isWhole ? values[0] : replayedMutations(values);
    const about = fields(session);
    const builder = sink.conversation(about.sessionId, text(about.responderUsername) ?? 'Copilot');
    builder.title = text(about.customTitle);
    builder.keep(builder.entry, 'session', without(about, 'requests'), time(about.creationDate));
    for (const request of list(about.requests)) {
      if (isObject(request)) readRequest(request, builder);
      else builder.keep(builder.entry, 'unknown', request);
    }
    // Of a log of changes, what later changes overwrote or cut off.
    if (!isWhole) builder.keepRest(builder.entry, 'changes', changes, { beside: builder.since(0) });
  },
};

/** Whether values are lines of a log of changes without its first, some of which are about requests. */
function isHeadless(head: readonly unknown[]): boolean {
  const isOfRequests = (value: unknown) => {
    const { k, v } = fields(value);
    const [key, ...further] = list(k);
    return key === 'requests' && (further.length > 0 || list(v).some(isObject));
  };
  return head.length > 0 && head.every((value) => isChange(value)) && head.some(isOfRequests);
}

function isSession(value: unknown): boolean {
  return (
    isObject(value) && Array.isArray(value.requests) && ('sessionId' in value || 'responderUsername' in value)
  );
}

function readRequest(request: Fields, builder: ConversationBuilder): void {
  const asked = time(request.timestamp);
  const message = fields(request.message);
  const said =
    text(message.text) ??
    objects(message.parts)
      .map((part) => text(part.text) ?? '')
      .join('');
  const about = without(request, 'response', 'result');
  // Of a request that stood in a line which is gone, nobody knows what was asked.
  if (request.message === undefined && request.requestId === undefined) {
    if (Object.keys(about).length > 0) builder.keep(builder.entry, 'request', about, asked);
  } else {
    const details = { time: asked, agent: customAgent(request), raw: about };
    builder.message(builder.entry, { role: 'user', content: said }, details);
  }
  const result = fields(request.result);
  const { totalElapsed } = fields(result.timings);
  const answered = asked === undefined ? undefined : asked + (number(totalElapsed) ?? 0);
  const metadata = fields(result.metadata);
  const model = text(metadata.resolvedModel) ?? text(request.modelId);
  const answer = new VscodeAnswer(builder, metadata, { time: answered, model, agent: customAgent(request) });
  answer.read(list(request.response));
  const { promptTokens, outputTokens } = metadata;
  const [input, output] = [number(promptTokens), number(outputTokens)];
  if (input !== undefined || output !== undefined)
    builder.request(
      builder.entry,
      usageOf({ input, output, told: fields({ promptTokens, outputTokens }) }),
      model,
      answered,
    );
  const failure = failureIn(result, request);
  if (failure) {
    const about = { kind: 'error', error: failure, model, time: answered, raw: result } as const;
    addFailure(builder, builder.entry, about);
  } else if (Object.keys(result).length > 0)
    builder.keepRest(builder.entry, 'result', result, { time: answered, beside: answer.drafts });
}

/** The custom agent (once: mode) that a request was sent to; undefined for those that VS Code has itself. */
function customAgent({ modeInfo }: Fields): string | undefined {
  const { isBuiltin, modeName, modeInstructions, name } = fields(modeInfo);
  const named = text(modeName) ?? text(name) ?? text(fields(modeInstructions).name);
  return isBuiltin === true ? undefined : named;
}

/** Why a request failed; undefined for one that did not, or that a person stopped. */
function failureIn({ errorDetails }: Fields, { isCanceled }: Fields): Fields | undefined {
  const { message, code } = fields(errorDetails);
  const isStop = isCanceled === true || /^cancell?ed$/i.test(text(code) ?? text(message) ?? '');
  return text(message) === undefined || isStop ? undefined : fields(errorDetails);
}
