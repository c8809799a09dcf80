import { Uri, type Webview } from 'vscode';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import { editorLanguage } from '../editorLanguage.js';

/** Shows one of the pages in a webview, which may load that page's files and nothing else; see `WebviewContent.page`. */
export function showPage(
  webview: Webview,
  extensionUri: Uri,
  page: 'main' | 'search' | 'ledger',
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
