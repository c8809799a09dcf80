import { window, Disposable, type WebviewViewProvider } from 'vscode';
import { searchEditorType, spendingEditorType, viewIds } from '../../../app/manifest.js';
import { isObject } from '../../../core/message.js';
import type { BarQuery } from '../../../page/protocol/searchPage.js';
import { ROW_KINDS } from '../../../query/language/syntax.js';
import type { SearchPages } from './searchPages.js';

/** Where the search is shown: its view and its editors, which load it when there is the first of them. */
export class SearchRegistration implements Disposable {
  readonly #pages: () => Promise<SearchPages>;
  readonly #registrations: Disposable;

  constructor(load: () => Promise<SearchPages>) {
    let loading: Promise<SearchPages> | undefined;
    this.#pages = () => (loading ??= load());
    const view: WebviewViewProvider = {
      resolveWebviewView: async (shown) => (await this.#pages()).fill(shown),
    };
    const editors = [
      [searchEditorType, 'restore'],
      [spendingEditorType, 'restoreSpending'],
    ] as const;
    // What was found stays while another view is looked at.
    const options = { webviewOptions: { retainContextWhenHidden: true } };
    this.#registrations = Disposable.from(
      window.registerWebviewViewProvider(viewIds.search, view, options),
      ...editors.map(([type, restore]) =>
        window.registerWebviewPanelSerializer(type, {
          deserializeWebviewPanel: async (panel) => (await this.#pages())[restore](panel),
        }),
      ),
    );
  }

  /** The commands; an argument `{ text, rows? }` is a question in the language of docs/query.md. */
  commands() {
    return {
      searchTranscripts: async (argument?: unknown) => (await this.#pages()).show(questionIn(argument)),
      openSearchEditor: async (argument?: unknown) => (await this.#pages()).openEditor(questionIn(argument)),
      showSpending: async () => (await this.#pages()).showSpending(),
      nextSearchMatch: async () => (await this.#pages()).step(1),
      previousSearchMatch: async () => (await this.#pages()).step(-1),
    };
  }

  dispose(): void {
    this.#registrations.dispose();
  }
}

/** The question that another extension or a link gives; undefined where none is. */
function questionIn(argument: unknown): BarQuery | undefined {
  if (!isObject(argument) || typeof argument.text !== 'string') return undefined;
  return { text: argument.text, rows: ROW_KINDS.find((rows) => rows === argument.rows) ?? 'messages' };
}
