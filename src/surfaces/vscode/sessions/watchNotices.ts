import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { stateText } from '../../../app/discovery/stateWords.js';
import { OWN, type Watched, type WatchView } from '../../../app/discovery/watch.js';
import { commandName } from '../../../app/manifest.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import { iconText, plain, words, type PlainText } from '../../../app/text/plainText.js';
import { t } from '../../../core/l10n.js';
import { FILE_VIEW_TYPE } from '../panel/fileEditors.js';
import { showInformation } from '../ui/notices.js';
import { statusItem } from '../ui/statusItem.js';
import type { Badge } from '../ui/treeItems.js';

/** How many sessions the tooltip names. */
const MAX_NAMED = 10;
/** How many processes above one are looked for. */
const MAX_ANCESTORS = 20;
/** How much of a title is shown, in code points. */
const MAX_TITLE = 60;

/** Says in the status bar, on the view and by notices what the sessions of other tools do. */
export class WatchNotices implements WatchView, vscode.Disposable {
  readonly #item = statusItem('agentLogbook.watch');
  readonly #badge: (badge: Badge | undefined) => void;
  readonly #inView: Pick<PanelsInView, 'isVisible'>;
  #shown = '';

  /** `badge` sets the badge of the view of sessions. */
  constructor(badge: (badge: Badge | undefined) => void, inView: Pick<PanelsInView, 'isVisible'>) {
    this.#inView = inView;
    this.#badge = badge;
    this.#item.name = words`Agent Logbook: Waiting Sessions`;
  }

  show(waiting: readonly Watched[], noted: readonly Watched[]): void {
    const named = [...new Set([...waiting, ...noted])];
    const key = JSON.stringify(named.map(({ path, state }) => [path, state.state, state.since]));
    if (key === this.#shown) return;
    this.#shown = key;
    const [first] = named;
    if (!first) {
      this.#item.hide();
      this.#badge(undefined);
      return;
    }
    const count = waiting.length;
    const text = count > 0 ? t`${count} wait for you` : t`${noted.length} with news`;
    this.#item.text = iconText(count === 1 ? t`1 waits for you` : text, count > 0 ? 'question' : 'info');
    this.#item.tooltip = tooltipOf(named);
    this.#item.backgroundColor =
      count > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.command = {
      command: 'vscode.openWith',
      title: t`Open`,
      arguments: [vscode.Uri.file(first.path), FILE_VIEW_TYPE],
    };
    this.#item.show();
    this.#badge(
      count > 0
        ? {
            value: count,
            tooltip: count === 1 ? words`1 session waits for you` : words`${count} sessions wait for you`,
          }
        : undefined,
    );
  }

  notify(message: PlainText, buttons: readonly string[]): Promise<string | undefined> {
    const [one, two, three] = buttons;
    return showInformation(
      message,
      ...(one === undefined ? [] : [one]),
      ...(two === undefined ? [] : [two]),
      ...(three === undefined ? [] : [three]),
    );
  }

  isAway(): boolean {
    return !vscode.window.state.focused;
  }

  isLookedAt({ tool, path }: Watched): boolean {
    if (tool === OWN) return vscode.window.state.focused && this.#inView.isVisible(path);
    const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return vscode.window.state.focused && input instanceof vscode.TabInputCustom && input.uri.fsPath === path;
  }

  open({ tool, path }: Watched): void {
    if (tool === OWN)
      void vscode.commands.executeCommand(commandName('openTranscript'), { conversation: path });
    else void vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(path), FILE_VIEW_TYPE);
  }

  async terminalOf({ state }: Watched): Promise<(() => void) | undefined> {
    if (state.pid === undefined) return undefined;
    const above = await withAncestors(state.pid);
    // All at once: one that never tells its process keeps none of the others back.
    const asked = vscode.window.terminals.map(async (terminal) => {
      const pid = await terminal.processId;
      if (pid === undefined || !above.includes(pid)) throw new Error('another');
      return () => terminal.show();
    });
    return await Promise.any(asked).catch(() => undefined);
  }

  dispose(): void {
    this.#item.dispose();
    this.#badge(undefined);
  }
}

/** The sessions with what they do, a line each; a click leads to the first. */
function tooltipOf(named: readonly Watched[]): PlainText {
  const now = Date.now();
  const lines = named
    .slice(0, MAX_NAMED)
    .map(
      ({ about, state }) =>
        `${plain(about.title === '' ? t`(no title)` : about.title, MAX_TITLE)}: ${stateText({ ...state, since: now }, now)}`,
    );
  return plain([...lines, t`Click to open the first.`].join(' · '), 1_000);
}

/** A process and those that started it, the nearest first; what is above it only Linux tells in a file. */
async function withAncestors(pid: number): Promise<readonly number[]> {
  const found = [pid];
  for (const each of found) {
    const stat = await readFile(`/proc/${each}/stat`, 'latin1').catch(() => '');
    // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent > 1 && found.length < MAX_ANCESTORS && !found.includes(parent)) found.push(parent);
  }
  return found;
}
