import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { FrontendPlace } from '../../ports/frontend.js';
import type { Log } from '../../ports/log.js';
import type { Logbooks } from '../logbooks.js';
import { commandName } from '../manifest.js';
import { positionOf } from '../reading/positionOf.js';
import { withTranscript } from '../reading/withTranscript.js';

/** A link in the output channel whose address is found when somebody follows it. */
class TranscriptLink extends vscode.DocumentLink {
  constructor(
    range: vscode.Range,
    readonly place: FrontendPlace,
  ) {
    super(range);
    this.tooltip = 'Open the transcript here';
  }
}

/** So many marks lead somewhere; older lines have long been scrolled away. */
const MEMORY = 5_000;
const MARK = /\[↗ ([0-9a-f]{10})\]/g;

/**
 * Links from lines of the output channel to the transcript. A mark is a random number that stands for a place which
 * this window has shown: what a model writes is no link, and a link leads nowhere else.
 */
export class TranscriptLinks implements vscode.DocumentLinkProvider, vscode.Disposable {
  readonly #logbooks: Logbooks;
  readonly #log: Log;
  readonly #places = new Map<string, FrontendPlace>();
  readonly #registration: vscode.Disposable;

  constructor(logbooks: Logbooks, log: Log) {
    this.#logbooks = logbooks;
    this.#log = log;
    this.#registration = vscode.languages.registerDocumentLinkProvider({ scheme: 'output' }, this);
  }

  /** The mark of a place, to be written at the end of a line, like `[↗ 5f0c2a9e01]`. */
  markFor(place: FrontendPlace): string {
    const mark = randomBytes(5).toString('hex');
    this.#places.set(mark, place);
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MEMORY) break;
      this.#places.delete(oldest);
    }
    return `[↗ ${mark}]`;
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    if (this.#places.size === 0) return [];
    return [...document.getText().matchAll(MARK)].flatMap((found) => {
      const place = this.#places.get(found[1] ?? '');
      if (!place) return [];
      const start = document.positionAt(found.index);
      return new TranscriptLink(new vscode.Range(start, start.translate(0, found[0].length)), place);
    });
  }

  async resolveDocumentLink(link: vscode.DocumentLink): Promise<vscode.DocumentLink> {
    if (!(link instanceof TranscriptLink)) return link;
    const { conversation } = link.place;
    const position = await this.#positionOf(link.place);
    const target = { conversation, ...(position !== undefined && { position }) };
    const query = encodeURIComponent(JSON.stringify([target]));
    link.target = vscode.Uri.parse(`command:${commandName('openTranscript')}?${query}`);
    return link;
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** Undefined where the transcript cannot say: it is opened then as it is, which tells why. */
  async #positionOf(place: FrontendPlace): Promise<number | undefined> {
    try {
      const { store } = await this.#logbooks.find(place.conversation);
      return await withTranscript(store, place.conversation, (transcript) => positionOf(transcript, place));
    } catch (error) {
      this.#log.debug(`A link to a transcript leads to no message: ${String(error)}`);
      return undefined;
    }
  }
}
