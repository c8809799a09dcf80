import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { fields, list, number, objects, text, time, without, type Fields } from '../../reading/fields.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';
import { usageOf } from '../../messages/usage.js';
import { hasBeginning, isChange, replayedMutations } from './vscodeMutations.js';
import { addFailure } from '../../messages/failures.js';
import { VscodeAnswer } from './vscodeAnswer.js';

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
  const [input, output] = [number(metadata.promptTokens), number(metadata.outputTokens)];
  if (input !== undefined || output !== undefined)
    builder.request(builder.entry, usageOf({ input, output }), model, answered);
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
