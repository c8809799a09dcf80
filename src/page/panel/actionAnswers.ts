import { t } from '../../core/l10n.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import type { Question } from '../../query/language/question.js';
import type {
  ExportApprovals,
  ExportTranscript,
  PanelActions,
  PanelTranscript,
  QuestionBook,
} from './ports.js';
import type { Contract } from '../protocol/protocol.js';
import type { KnownQuestions, QuestionScope, SavedQuestion } from '../protocol/question.js';

/** What a page's actions work with. */
export interface ActionOptions {
  readonly conversation: string;
  readonly transcript: PanelTranscript;
  readonly questions: QuestionBook;
  /** Copies a link that opens the transcript with a question. */
  readonly copyQuestionLink: (conversation: string, question: Question) => Promise<void>;
  /** Copies a link that opens a message of it. */
  readonly copyMessageLink: (conversation: string, message: { id: string; near: number }) => Promise<void>;
  readonly exportTranscript: ExportTranscript;
  readonly exportApprovals: ExportApprovals;
  /** Shows what reading the transcript's file has told. */
  readonly showImportReport: (conversation: string) => Promise<void>;
  /** Lets the person go on with it in another tool or from a position, or opens or compares what it goes on from. */
  readonly handOver: (
    conversation: string,
    at: number | undefined,
    origin: 'open' | 'compare' | undefined,
  ) => Promise<void>;
  readonly actions: PanelActions;
}

/** Answers what a page asks to be done outside of it: to copy, open, export, and keep questions. */
export function answerActions(handlers: RequestHandlers, options: ActionOptions): void {
  const { transcript, actions } = options;
  handlers.add('copyRow', async ({ row, as }) => actions.copy(await transcript.copyOf(row, as)));
  handlers.add('copyMessageLink', async ({ row }) => {
    const { record, source = record, position } = await transcript.noteTargetOf(row);
    await options.copyMessageLink(options.conversation, { id: source, near: position });
    return {};
  });
  handlers.add('copyText', ({ text }) => actions.copy(text));
  handlers.add('openInEditor', async ({ row, field, part }) => {
    const text = await transcript.textOf(row, field, part);
    await actions.showText(text, languageOf(text, field));
    return {};
  });
  handlers.add('openFile', async ({ row, file }) => {
    const { path, line } = await transcript.fileOf(row, file);
    await actions.openFile(path, line);
    return {};
  });
  handlers.add('openChanges', async ({ row }) => {
    const changes = await transcript.changesOf(row);
    if (changes.length === 0) throw new Error(t`This call does not tell its changes whole.`);
    await actions.openChanges(changes);
    return {};
  });
  handlers.add('openDropped', async ({ addresses }) => {
    await actions.openDropped(addresses);
    return {};
  });
  handlers.add('openLink', async ({ url }) => {
    await actions.openLink(checkedUrl(url));
    return {};
  });
  handlers.add('export', async ({ format, scope, target, withNotes = false }) => {
    const positions = scope === 'filtered' ? await transcript.foundPositions() : undefined;
    return options.exportTranscript(options.conversation, format, positions, target, withNotes);
  });
  handlers.add('exportApprovals', async ({ format, filter }) => {
    await options.exportApprovals(options.conversation, format, filter);
    return {};
  });
  handlers.add('showImportReport', async () => {
    await options.showImportReport(options.conversation);
    return {};
  });
  handlers.add('handOver', async ({ at, origin }) => {
    await options.handOver(options.conversation, at, origin);
    return {};
  });
  handlers.add('copyQuestionLink', async ({ question }) => {
    await options.copyQuestionLink(options.conversation, question);
    return {};
  });
  answerQuestions(handlers, options.questions);
}

/** The URL as it will be opened; throws for anything but a web address. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Error(t`Only addresses of the web can be opened.`);
  }
  return url.href;
}

/** The VS Code language id for a text. */
function languageOf(text: string, field: string): string {
  if (/^\s*[[{]/.test(text) && isJson(text)) return 'json';
  return field === 'body' || field === 'task' ? 'markdown' : 'plaintext';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON is an answer, not a failure.
    return false;
  }
}

/** What a page may ask that keeps questions. */
interface KeepsQuestions extends Contract {
  readonly params: {
    readonly noteQuestion: { readonly question: Question };
    readonly saveQuestion: SavedQuestion;
    readonly removeQuestion: { readonly name: string; readonly scope: QuestionScope };
  };
  readonly answers: {
    readonly noteQuestion: KnownQuestions;
    readonly saveQuestion: KnownQuestions;
    readonly removeQuestion: KnownQuestions;
  };
}

/** Answers what a page asks of the questions that are kept: of a panel and of the search. */
export function answerQuestions(
  handlers: Pick<RequestHandlers<KeepsQuestions>, 'add'>,
  book: QuestionBook,
): void {
  handlers.add('noteQuestion', async ({ question }) => {
    await book.note(question);
    return book.known();
  });
  handlers.add('saveQuestion', async (saved) => {
    await book.save(saved);
    return book.known();
  });
  handlers.add('removeQuestion', async ({ name, scope }) => {
    await book.remove(name, scope);
    return book.known();
  });
}
