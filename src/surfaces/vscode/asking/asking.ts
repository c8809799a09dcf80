import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { sharingRules } from '../../../export/sharing/sharingPolicy.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import { editorSettings } from '../settings.js';
import { askSessions, ModelUnavailable } from '../../mcp/askSessions.js';
import type { CitedMessage } from '../../mcp/citations.js';
import { runEditorTool } from '../../mcp/editorTools.js';
import { McpLibrary } from '../../mcp/library.js';
import { chatParticipantId, commandName, type sessionToolNames } from '../../../app/manifest.js';
import type { Stores } from '../../../app/services/stores.js';
import { plain } from '../../../app/text/plainText.js';
import { UserError } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import { messageOf, preview, singleLine } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import type { AnswerSink } from '../../../app/answers/streamedAnswer.js';
import { chatMemoryOf, type ChatMemory } from '../../../app/answers/chatMemory.js';
import { LmModel } from '../models/lmModel.js';
import { textOfTurn, preparedCall } from '../ui/toolConfirmation.js';

/** Comes with it, because it reads sessions in the same way. */
export { blameIn } from '../reading/agentBlame.js';

/** How many buttons to cited messages stand below an answer. */
const MAX_BUTTONS = 8;
/** How much of what a tool looks for is shown while it does. */
const SHOWN = 80;

/** What is asked in the Chat view. */
export interface ChatQuestion extends Pick<vscode.ChatRequest, 'prompt' | 'model'> {
  readonly history: vscode.ChatContext['history'];
}

/** How many earlier questions a model is told of. */
const MAX_BEFORE = 6;

/** Answers questions about the sessions of this window: those of tools, and those of the Chat view. */
export class Asking {
  readonly #stores: Stores;
  readonly #log: Log;

  constructor(stores: Stores, log: Log) {
    this.#stores = stores;
    this.#log = log;
  }

  /** What VS Code asks before a tool is used. */
  prepare(name: (typeof sessionToolNames)[number], input: unknown): vscode.PreparedToolInvocation {
    return preparedCall(name, input);
  }

  /** Answers a call of a tool; what is wrong is told so that a model can mend its call. */
  async invoke(
    name: string,
    input: unknown,
    maxTokens: number | undefined,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    return withSignal(token, async (signal) => {
      try {
        const ask = (library: McpLibrary) => runEditorTool(name, input, library, maxTokens);
        return resultOf(await this.#withLibrary(signal, ask));
      } catch (error) {
        if (signal.aborted) throw new vscode.CancellationError();
        if (!(error instanceof UserError)) this.#log.error(`The tool ${name} failed`, error);
        return resultOf(messageOf(error));
      }
    });
  }

  /** Answers a question in the Chat view. Where the model cannot be asked, that is said and the search offered. */
  async answer(
    { prompt, history, model }: ChatQuestion,
    stream: AnswerSink & { paragraph(text: string): void },
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const question = prompt.trim();
    if (question === '') throw new UserError(t`Ask something about the recorded sessions.`);
    const before = answeredIn(history);
    await withSignal(token, async (signal) => {
      const onTool = (_tool: string, args: unknown) => stream.progress(wordsFor(args));
      const asked = { question, before, maxTokens: model.maxInputTokens, signal, onTool };
      try {
        const ask = (library: McpLibrary) => askSessions(new LmModel(model), library, asked);
        const { text, cited, unread } = await this.#withLibrary(signal, ask);
        stream.answer(text === '' ? t`The model has said nothing.` : text);
        await this.#tell(cited, unread, stream);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ModelUnavailable)) throw error;
        stream.paragraph(
          t`No model could be asked: ${messageOf(error)} The search finds messages without one.`,
        );
        stream.button({
          title: t`Search Transcripts`,
          command: commandName('searchTranscripts'),
          arguments: [{ text: question }],
        });
      }
    });
    return { metadata: { ended: 'answered', prompt: question } satisfies ChatMemory };
  }

  async #tell(
    cited: readonly CitedMessage[],
    unread: number,
    stream: AnswerSink & { paragraph(text: string): void },
  ): Promise<void> {
    const shown = cited.slice(0, MAX_BUTTONS);
    // Nobody need have listed the conversations in this window yet.
    const found = await this.#stores.findAll(new Set(shown.map(({ session }) => session)));
    const titles = new Map(found.map(({ entry }) => [entry.conversation, entry.title]));
    for (const [at, { session, position }] of shown.entries()) {
      const title = singleLine(titles.get(session) ?? '') || session;
      stream.button({
        title: plain(t`[${at + 1}] Record ${position + 1} of ${preview(title, SHOWN)}`),
        command: commandName('openTranscript'),
        arguments: [{ conversation: session, position }],
      });
    }
    const more = cited.length - MAX_BUTTONS;
    if (more > 0) stream.paragraph(t`${more} more messages are cited.`);
    if (unread > 0)
      stream.paragraph(t`${unread} references to messages that the model has not read are left out.`);
  }

  async #withLibrary<T>(signal: AbortSignal, work: (library: McpLibrary) => Promise<T>): Promise<T> {
    const library = await this.#library(signal);
    try {
      return await work(library);
    } finally {
      await library.close();
    }
  }

  async #library(signal: AbortSignal): Promise<McpLibrary> {
    const roots = this.#stores.roots().filter((root) => existsSync(root));
    const [cwd] = roots;
    if (cwd === undefined) throw new UserError(t`Nothing is recorded in this workspace yet.`);
    return new McpLibrary(
      {
        cwd,
        signal,
        log: this.#log,
        stdin: noBytes,
        onProblem: ({ message }) => this.#log.debug(`Left out by a tool: ${message}`),
      },
      roots,
      () => Date.now(),
      await sharingRules(sharingPolicyOf(editorSettings)),
    );
  }
}

/** Nothing is read from a standard input here: only stores are named. */
async function* noBytes(): AsyncGenerator<Uint8Array> {}

function resultOf(text: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}

/** What was asked about recorded sessions before in this chat, and answered. */
function answeredIn(
  history: ChatQuestion['history'],
): readonly { readonly question: string; readonly answer: string }[] {
  const ours = history.flatMap((turn) => {
    if (!(turn instanceof vscode.ChatResponseTurn) || turn.participant !== chatParticipantId) return [];
    const memory = chatMemoryOf(turn.result.metadata);
    return memory?.ended === 'answered' ? [{ question: memory.prompt, answer: textOfTurn(turn) }] : [];
  });
  return ours.slice(-MAX_BEFORE);
}

function wordsFor(args: unknown): string {
  const question = isObject(args) && typeof args.question === 'string' ? args.question : '';
  const session = isObject(args) && typeof args.session === 'string' ? args.session : '';
  if (question !== '') return t`Looking for ${preview(singleLine(question), SHOWN)}`;
  return session === '' ? t`Looking through recorded sessions` : t`Reading ${preview(session, SHOWN)}`;
}

async function withSignal<T>(
  token: vscode.CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const following = token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  try {
    return await work(controller.signal);
  } finally {
    following.dispose();
  }
}
