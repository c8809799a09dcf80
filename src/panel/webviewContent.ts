import { isLoaded } from '../protocol/protocol.js';
import { noticeHtml, pageHtml, type PageParts } from './pageHtml.js';

/** What shows pages: VS Code's webview. */
export interface Webview {
  html: string;
  onDidReceiveMessage(listener: (message: unknown) => void): unknown;
}

interface Content {
  readonly html: string;
  /** Whether it has a script of ours, which tells when all its files are loaded; see `connectToHost`. */
  readonly isPage: boolean;
}

/**
 * What a webview shows, one thing after the other. VS Code may never show what it is given while a page before it loads its
 * files: the load of the first ends the wait for the second, which stays hidden. So the next one waits for that.
 */
export class WebviewContent {
  static readonly #all = new WeakMap<Webview, WebviewContent>();

  readonly #webview: Webview;
  #isPage = false;
  #isInSight = true;
  #isLoading = false;
  #next: Content | undefined;

  private constructor(webview: Webview) {
    this.#webview = webview;
    webview.onDidReceiveMessage((message: unknown) => {
      if (isLoaded(message)) this.#goOn();
    });
  }

  /** The one of a webview. */
  static of(webview: Webview): WebviewContent {
    const known = this.#all.get(webview) ?? new WebviewContent(webview);
    this.#all.set(webview, known);
    return known;
  }

  /** Shows a page, with a script that calls `connectToHost`. */
  page(parts: PageParts): void {
    this.#show({ html: pageHtml(parts), isPage: true });
  }

  /** Shows a heading, the reason and what to do, in place of a page. */
  notice(heading: string, words: string): void {
    this.#show({ html: noticeHtml(heading, words), isPage: false });
  }

  /** To be told where the webview is thrown away out of sight, and loads what it shows when it comes back. */
  isInSight(isInSight: boolean): void {
    if (isInSight === this.#isInSight) return;
    this.#isInSight = isInSight;
    if (isInSight) this.#isLoading = this.#isPage;
    else this.#goOn();
  }

  /** Now, or once what is shown has been loaded; what waited for that is not shown any more. */
  #show(content: Content): void {
    if (this.#isLoading) this.#next = content;
    else this.#set(content);
  }

  #goOn(): void {
    this.#isLoading = false;
    const next = this.#next;
    this.#next = undefined;
    if (next) this.#set(next);
  }

  #set({ html, isPage }: Content): void {
    this.#isPage = isPage;
    this.#isLoading = isPage && this.#isInSight;
    this.#webview.html = html;
  }
}
