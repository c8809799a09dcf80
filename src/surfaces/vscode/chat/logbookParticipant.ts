import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import { messageOf } from '../../../core/text.js';
import { visibleLine } from '../../../core/visibleText.js';
import type { Log } from '../../../core/ports/log.js';
import type { Asking } from '../asking/asking.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { Stores } from '../../../app/services/stores.js';
import { chatParticipantId } from '../../../app/manifest.js';
import type { RuntimeEvent } from '../../../agents/loop/runtimeEvent.js';
import type { RunRequest } from '../../../app/answers/runRequest.js';
import type { RunRegistry } from '../../../app/runs/runRegistry.js';
import { chatFailure, ChatAnswer } from '../ui/safeMarkdown.js';
import { UserError } from '../../../app/userError.js';
import { requireTrust } from '../workspaceFolders.js';
import {
  ChatFrontend,
  chatQuestion,
  failureButtons,
  transcriptButton,
} from '../../../app/chat/chatFrontend.js';
import { chatMemoryOf, type ChatMemory } from '../../../app/answers/chatMemory.js';
import { features } from '../../../app/features/features.js';

/** What the chat participant needs. */
export interface ParticipantOptions {
  readonly library: AgentLibrary;
  readonly stores: Stores;
  readonly runs: RunRegistry;
  /** Loads what answers questions about recorded sessions. */
  readonly asking: () => Promise<Asking>;
  readonly log: Log;
}

type History = vscode.ChatContext['history'];

/** A question that can be run: what is remembered of it, and the agent it is for. */
interface Question {
  readonly prompt: string;
  readonly agent: string | undefined;
  readonly run: Pick<RunRequest, 'agent' | 'conversation'>;
}

/** Why a question is not run, with what is remembered of it. */
class Unanswerable extends UserError {
  constructor(
    message: string,
    readonly memory: Pick<ChatMemory, 'ended' | 'prompt'>,
  ) {
    super(message);
  }
}

/** Registers `@logbook` in VS Code's Chat view. */
export function logbookParticipant(options: ParticipantOptions): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(
    chatParticipantId,
    async (request, context, stream, token) => {
      return answerInChat(options, request, context.history, new ChatAnswer(stream), token);
    },
  );
  participant.iconPath = new vscode.ThemeIcon('notebook');
  participant.followupProvider = {
    async provideFollowups({ metadata }) {
      const [{ followUps }, agents] = await Promise.all([features.chats(), options.library.invocable()]);
      return [
        ...followUps(
          chatMemoryOf(metadata),
          agents.map(({ name }) => name),
        ),
      ];
    },
  };
  return vscode.Disposable.from(participant);
}

/**
 * Answers one question to `@logbook`: runs an agent, goes on with the conversation of the previous question, or, where
 * there is none, answers from recorded sessions.
 */
async function answerInChat(
  options: ParticipantOptions,
  { command, prompt, model }: Pick<vscode.ChatRequest, 'command' | 'prompt' | 'model'>,
  history: History,
  stream: ChatAnswer,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const before = conversationIn(history);
  try {
    if (command === 'ask' || (command === undefined && before?.conversation === undefined))
      return await (await options.asking()).answer({ prompt, history, model }, stream, token);
    requireTrust();
    const question = await questionFor(options, command, prompt, before, stream);
    return await answer(options, question, stream, token);
  } catch (error) {
    if (!(error instanceof UserError)) options.log.error('A question in the Chat view failed', error);
    const { conversation, agent } = before ?? {};
    const memory = error instanceof Unanswerable ? error.memory : ({ ended: 'refused', prompt } as const);
    return failed(messageOf(error), {
      ...memory,
      ...(conversation !== undefined && { conversation }),
      ...(agent !== undefined && { agent }),
    });
  }
}

async function questionFor(
  { library, stores }: ParticipantOptions,
  command: string | undefined,
  text: string,
  before: ChatMemory | undefined,
  stream: ChatAnswer,
): Promise<Question> {
  const agents = await library.invocable();
  const [first] = agents;
  if (!first) throw new UserError(t`There is no agent here. Create one with the command "New Agent…".`);
  const names = agents.map(({ name }) => name);
  const question = chatQuestion(command, text, names);
  const list = names.map((name) => visibleLine(name)).join(', ');
  if (question.kind === 'unknownAgent') {
    const words = t`Say which agent: /run AGENT PROMPT. These can be run: ${list}.`;
    throw new Unanswerable(words, { ended: 'unknownAgent', prompt: text.trim() });
  }
  const { prompt } = question;
  if (prompt === '') throw new UserError(t`Say what the agent should do.`);
  if (question.kind === 'run') {
    const agent = agents.find(({ name }) => name === question.agent) ?? first;
    return { prompt, agent: agent.name, run: { agent } };
  }
  const conversation = before?.conversation;
  const kept = conversation === undefined ? undefined : await isThere(stores, conversation);
  if (conversation !== undefined && kept === true) {
    return { prompt, agent: before?.agent, run: { conversation } };
  }
  const why = kept === false ? t`The conversation is not there any more, so a new one begins. ` : '';
  const other = agents.length > 1 ? t` To ask another agent: /run AGENT PROMPT, with ${list}.` : '';
  stream.paragraph(t`${why}${visibleLine(first.name)} answers.${other}`);
  return { prompt, agent: first.name, run: { agent: first } };
}

async function answer(
  { runs, stores }: ParticipantOptions,
  { prompt, agent, run }: Question,
  stream: ChatAnswer,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const controller = new AbortController();
  const following = token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  try {
    stream.progress(t`${agent ?? t`The agent`} works`);
    const frontend = { name: 'Chat view', frontend: new ChatFrontend(stream) };
    const { StreamedAnswer } = await features.chats();
    const streamed = new StreamedAnswer(stream);
    const onEvent = (event: RuntimeEvent) => streamed.hear(event);
    const { signal } = controller;
    const { conversation, done } = await runs.start({ ...run, prompt, frontend, signal, onEvent });
    const { outcome, text, error } = await done;
    streamed.end(text);
    const { store } = await stores.find(conversation);
    // Without a disk to write to, there is no file to refer to; the run itself was told of that.
    const journal = await store.journalPath(conversation).catch(() => undefined);
    if (journal !== undefined) stream.reference(vscode.Uri.file(journal));
    stream.button(transcriptButton(conversation));
    const ended = outcome === 'done' ? 'done' : 'stopped';
    const memory = { ended, prompt, conversation, ...(agent !== undefined && { agent }) } as const;
    if (outcome === 'done' || outcome === 'cancelled') return { metadata: memory };
    const failure = runs.failureIn(conversation);
    if (failure) for (const button of failureButtons(failure)) stream.button(button);
    return failed(failure?.reason ?? error?.message ?? outcome, memory);
  } finally {
    following.dispose();
  }
}

function failed(message: string, metadata: ChatMemory): vscode.ChatResult {
  return { errorDetails: chatFailure(message), metadata };
}

/** What our latest answer in this chat that belongs to a conversation has kept. */
function conversationIn(history: History): ChatMemory | undefined {
  const ours = history.filter(
    (turn) => turn instanceof vscode.ChatResponseTurn && turn.participant === chatParticipantId,
  );
  const memories = ours.map((turn) => chatMemoryOf((turn as vscode.ChatResponseTurn).result.metadata));
  return memories.findLast((memory) => memory?.conversation !== undefined);
}

async function isThere(stores: Stores, conversation: string): Promise<boolean> {
  return (await stores.conversations()).some(({ entry }) => entry.conversation === conversation);
}
