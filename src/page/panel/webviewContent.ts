import { BEGIN_AGAIN, isLoaded } from '../protocol/pageMessages.js';
import { noticeHtml, pageHtml, type NoticeLink, type PageOptions } from './pageHtml.js';

/** What shows pages: VS Code's webview. */
export interface Webview {
  html: string;
  onDidReceiveMessage(listener: (message: unknown) => void): unknown;
  postMessage(message: unknown): unknown;
}

interface Content {
  readonly html: string;
  /** Its script, which tells when all its files are loaded, see `connectToHost`; undefined for a notice. */
  readonly script: string | undefined;
}

/**
 * What a webview shows, one thing after the other. VS Code may never show what it is given while a page before it loads its
 * files: the load of the first ends the wait for the second, which stays hidden. So the next one waits for that. And where a
 * page has been replaced, VS Code draws the window again and again for good; so a page that is wanted again begins again by itself.
 */
export class WebviewContent {
  static readonly #all = new WeakMap<Webview, WebviewContent>();

  readonly #webview: Webview;
  #shown: Content | undefined;
  #isInSight = true;
  #isLoading = false;
  #next: Content | undefined;
  /** Whether the page begins again once it is loaded. */
  #isWantedAgain = false;

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

  /** Shows a page from its beginning, with a script that calls `connectToHost` and begins again when it is told to. */
  page(options: PageOptions): void {
    this.#next = undefined;
    if (this.#shown?.script !== options.script)
      this.#show({ html: pageHtml(options), script: options.script });
    else if (this.#isLoading) this.#isWantedAgain = true;
    // What is out of sight begins again when it comes back.
    else if (this.#isInSight) this.#webview.postMessage(BEGIN_AGAIN);
  }

  /** Shows a heading, the reason and what to do, in place of a page; and a link where something can be done at once. */
  notice(heading: string, words: string, link?: NoticeLink): void {
    this.#show({ html: noticeHtml(heading, words, link), script: undefined });
  }

  /** To be told where the webview is thrown away out of sight, and loads what it shows when it comes back. */
  setInSight(isInSight: boolean): void {
    if (isInSight === this.#isInSight) return;
    this.#isInSight = isInSight;
    if (isInSight) this.#isLoading = this.#shown?.script !== undefined;
    else this.#goOn();
  }

  /** Now, or once what is shown has been loaded; what waited for that is not shown any more. */
  #show(content: Content): void {
    if (this.#isLoading) this.#next = content;
    else this.#set(content);
  }

  #goOn(): void {
    this.#isLoading = false;
    const [next, isWantedAgain] = [this.#next, this.#isWantedAgain];
    this.#next = undefined;
    this.#isWantedAgain = false;
    if (next) this.#set(next);
    else if (isWantedAgain && this.#isInSight) this.#webview.postMessage(BEGIN_AGAIN);
  }

  #set(content: Content): void {
    this.#shown = content;
    this.#isLoading = content.script !== undefined && this.#isInSight;
    this.#webview.html = content.html;
  }
}
