import { endOfWord, ended } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, objects, text, time, without, type Fields } from '../../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { looseContent } from '../../messages/looseBlocks.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** Sessions of fx, Vercel's agent for terminals: whole turns, each with its prompt, its steps and its answer. */
export const fx: TranscriptFormat = {
  name: 'fx',
  of: 'fx (Vercel)',
  files: '`checkpoint.json` of a session',
  carries: ['messages', 'calls', 'times', 'models', 'images'],
  detect: (head) => head.length > 0 && head.every((value) => turnsIn(value).length > 0),
  read(entries, sink) {
    for (const value of sink.values(entries)) readSession(fields(value), sink);
  },
};

function turnsIn(value: unknown): readonly Fields[] {
  const { session_id, state } = fields(value);
  const turns = objects(fields(state).history);
  const isOurs = typeof session_id === 'string' && turns.every((each) => typeof each.kind === 'string');
  return isOurs ? turns : [];
}

function readSession(session: Fields, sink: ImportSink): void {
  const state = fields(session.state);
  const builder = sink.conversation(session.session_id ?? state.id, 'fx');
  const model = text(fields(state.preferences).model);
  const about = { ...session, state: without(state, 'history') };
  builder.keep(builder.entry, 'session', about, time(state.created_at_ms));
  for (const turn of turnsIn(session)) readTurn(turn, model, builder);
}

/** Reads a turn: the prompt in it, each step with its calls and results, and the answer, or what broke it off. */
function readTurn(turn: Fields, model: string | undefined, builder: ConversationBuilder): void {
  const { entry } = builder;
  const before = builder.length;
  const { text: asked, images } = fields(turn.user);
  const pictures = objects(images).flatMap((each) => looseContent({ type: 'image', ...each }).parts);
  const words = text(asked);
  if (words !== undefined || pictures.length > 0) {
    const parts = [...(words === undefined ? [] : [{ type: 'text', text: words }]), ...pictures];
    builder.message(entry, { role: 'user', content: pictures.length > 0 ? parts : words });
  }
  for (const step of objects(fields(turn.execution).tool_steps)) readStep(step, model, builder);
  const answer = text(turn.assistant);
  if (answer !== undefined) builder.message(entry, chatMessage('assistant', answer, {}), { model });
  if (isObject(turn.tool_call)) {
    const broken = chatMessage('assistant', null, { calls: [callOf(turn.tool_call)] });
    builder.message(entry, broken, { model });
  }
  builder.keepRest(entry, text(turn.kind) ?? 'turn', turn, { beside: builder.since(before) });
}

function readStep(step: Fields, model: string | undefined, builder: ConversationBuilder): void {
  const { entry } = builder;
  const results = objects(step.tool_results);
  const calls = objects(step.tool_calls).map((call) => callOf(call));
  const said = text(step.assistant) ?? null;
  if (said !== null || calls.length > 0)
    builder.message(entry, chatMessage('assistant', said, { calls }), { model });
  for (const result of results) {
    const { tool_call_id, tool_name, status, output, preview, created_at_ms } = result;
    builder.message(entry, toolMessage(asText(tool_call_id), asText(output ?? preview)), {
      time: time(created_at_ms),
      toolName: text(tool_name),
      ...ended(endOfWord(status)),
    });
  }
}

/** A call, whose arguments are JSON as the model wrote it. */
function callOf({ id, name, arguments_json }: Fields): Fields {
  return toolCall(id, name, arguments_json);
}
