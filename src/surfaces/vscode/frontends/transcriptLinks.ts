import { t } from '../../../core/l10n.js';
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { FrontendLocation } from '../../../core/ports/frontend.js';
import type { Log } from '../../../core/ports/log.js';
import type { Stores } from '../../../app/services/stores.js';
import { commandName, type CommandId } from '../../../app/manifest.js';
import { positionWhere, type CallTarget } from '../../../app/transcripts/positionWhere.js';
import { copyText } from '../ui/clipboard.js';
import {
  QUESTION_LINK,
  questionLink,
  signedQuestion,
  type LinkedQuestion,
} from '../../../app/transcripts/questionLink.js';
import type { Question } from '../../../query/language/question.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { TranscriptLinkTokens } from '../../../app/transcripts/transcriptLinkTokens.js';

/** A link in the output channel whose target is determined when somebody follows it. */
class TranscriptLink extends vscode.DocumentLink {
  constructor(
    range: vscode.Range,
    readonly mark: string,
  ) {
    super(range);
    this.tooltip = t`Open the transcript here`;
  }
}

/** The argument of the command that opens a transcript. */
interface Target {
  readonly conversation: string;
  readonly position?: number;
  readonly question?: Question;
}

const KEY = 'agentLogbook.transcriptLinkTokens';

/**
 * Links from lines of the output channel to the transcript, even from lines of earlier windows, and links to questions in
 * Markdown and plain text. A model cannot forge the
 * mark of a place; one that it quotes is a link that leads where it always led.
 */
export class TranscriptLinks implements vscode.DocumentLinkProvider, vscode.Disposable {
  readonly #stores: Stores;
  readonly #log: Log;
  readonly #marks: TranscriptLinkTokens;
  readonly #registration: vscode.Disposable;

  /** `memento` keeps the key of the marks for later windows. */
  constructor(memento: vscode.Memento, stores: Stores, log: Log) {
    this.#stores = stores;
    this.#log = log;
    this.#marks = linkTokens(memento, log);
    this.#registration = vscode.Disposable.from(
      vscode.languages.registerDocumentLinkProvider({ scheme: 'output' }, this),
      vscode.languages.registerDocumentLinkProvider([{ language: 'markdown' }, { language: 'plaintext' }], {
        provideDocumentLinks: (document) => this.#questionLinks(document),
      }),
    );
  }

  /** The mark of a place, for the end of a line, like `[↗ 5f0c2a9e01b3c4d5e6f708]`. */
  markFor(location: FrontendLocation): string {
    return `[↗ ${this.#marks.of(location)}]`;
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    return [...document.getText().matchAll(TranscriptLinkTokens.pattern)].flatMap((found) => {
      const [text, mark = ''] = found;
      if (!this.#marks.isOurs(mark)) return [];
      const start = document.positionAt(found.index);
      return new TranscriptLink(new vscode.Range(start, start.translate(0, text.length)), mark);
    });
  }

  /** Links to questions that a window of this person has made, wherever they were pasted. */
  #questionLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    return [...document.getText().matchAll(QUESTION_LINK)].flatMap((found) => {
      const linked = signedQuestion(found[0], (text) => this.#marks.signatureOf(text));
      if (!linked) return [];
      const range = new vscode.Range(
        document.positionAt(found.index),
        document.positionAt(found.index + found[0].length),
      );
      const link = new vscode.DocumentLink(range, commandOf(linked));
      link.tooltip =
        linked.conversation === undefined
          ? t`Ask all conversations this question`
          : t`Open the transcript with this question`;
      return link;
    });
  }

  async resolveDocumentLink(link: vscode.DocumentLink): Promise<vscode.DocumentLink> {
    if (!(link instanceof TranscriptLink)) return link;
    // A place that no longer exists is not found by the command either, which reports it.
    const target = (await this.#targetOf(link.mark)) ?? { conversation: link.mark };
    link.target = commandTo(target);
    return link;
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #targetOf(mark: string): Promise<Target | undefined> {
    const conversations = await this.#stores.conversations();
    const found = conversations.find(({ entry }) => this.#marks.isIn(mark, entry.conversation));
    if (!found) return undefined;
    const { store, entry } = found;
    const { conversation } = entry;
    try {
      const isMarked = (target: CallTarget) => this.#marks.isFor(mark, { conversation, ...target });
      const position = await withTranscript(store, conversation, (transcript) =>
        positionWhere(transcript, isMarked),
      );
      return { conversation, ...(position !== undefined && { position }) };
    } catch (error) {
      // The transcript is then opened without a place, which shows why.
      this.#log.debug(`A link to a transcript leads to no message: ${String(error)}`);
      return { conversation };
    }
  }
}

/** What opens a question: in its transcript, or in the search. */
function commandOf({ conversation, question }: LinkedQuestion): vscode.Uri {
  return conversation === undefined
    ? commandUri('searchTranscripts', question)
    : commandTo({ conversation, question });
}

function commandTo(target: Target): vscode.Uri {
  return commandUri('openTranscript', target);
}

function commandUri(command: CommandId, argument: unknown): vscode.Uri {
  const query = encodeURIComponent(JSON.stringify([argument]));
  return vscode.Uri.parse(`command:${commandName(command)}?${query}`);
}

/** Makes and knows the marks of this person's links; `memento` keeps their key for later windows. */
export function linkTokens(memento: vscode.Memento, log: Log): TranscriptLinkTokens {
  return new TranscriptLinkTokens(keyIn(memento, log));
}

/** The key that earlier windows used, or a new one. */
function keyIn(memento: vscode.Memento, log: Log): string {
  const known = memento.get<unknown>(KEY);
  if (typeof known === 'string' && known !== '') return known;
  const key = randomBytes(16).toString('hex');
  memento.update(KEY, key).then(undefined, (error: unknown) => {
    log.warn('Links in the output channel will lead nowhere after this window', error);
  });
  return key;
}

/** Copies a link to a question, which windows of this person know for theirs. Rejects with an error for a person. */
export async function copyQuestionLink(
  { globalState }: Pick<vscode.ExtensionContext, 'globalState'>,
  log: Log,
  linked: LinkedQuestion,
): Promise<void> {
  const link = questionLink(linked, (text) => linkTokens(globalState, log).signatureOf(text));
  if (link === undefined)
    throw new Error(t`The question is too long for a link. Save it under a name instead.`);
  await copyText(link);
}
