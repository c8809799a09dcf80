import { Uri, type Webview } from 'vscode';
import { commandName, type CommandId } from '../../../app/manifest.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';

/** What a person can do about a notice: a command of ours, with its argument. */
export interface NoticeWay {
  readonly words: string;
  readonly command: CommandId;
  readonly argument: object;
}

/** Shows a heading and the reason in place of a page, and a way on, the only command that its links can run. */
export function showNoticeWithWay(webview: Webview, heading: string, words: string, way: NoticeWay): void {
  const command = commandName(way.command);
  webview.options = { enableCommandUris: [command] };
  const address = Uri.from({ scheme: 'command', path: command, query: JSON.stringify([way.argument]) });
  WebviewContent.of(webview).notice(heading, words, { words: way.words, address: address.toString() });
}
