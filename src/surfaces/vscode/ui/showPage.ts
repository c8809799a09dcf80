import { Uri, type Webview } from 'vscode';
import * as vscode from 'vscode';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import { useTranslations, type Translations } from '../../../core/l10n.js';

/** Shows one of the pages in a webview, which may load that page's files and nothing else; see `WebviewContent.page`. */
export function showPage(
  webview: Webview,
  extensionUri: Uri,
  page: 'main' | 'search' | 'ledger' | 'spending' | 'compare',
  title?: string,
): void {
  const root = Uri.joinPath(extensionUri, 'dist', 'webview');
  const addressOf = (file: string) => webview.asWebviewUri(Uri.joinPath(root, file)).toString();
  webview.options = { enableScripts: true, localResourceRoots: [root] };
  WebviewContent.of(webview).page({
    cspSource: webview.cspSource,
    script: addressOf(`${page}.js`),
    style: addressOf(`${page}.css`),
    nonce: crypto.randomUUID(),
    ...(title !== undefined && { title }),
    ...editorLanguage(),
  });
}

/** From now on texts are in the language of VS Code, where there are translations into it. */
export function useEditorLanguage(): void {
  useTranslations(vscode.l10n.bundle);
}

/** The language in which a page speaks, and the translations into it; English without any. */
function editorLanguage(): {
  readonly language: string;
  readonly translations: Translations | undefined;
} {
  const translations = vscode.l10n.bundle;
  return { language: translations ? vscode.env.language : 'en', translations };
}
