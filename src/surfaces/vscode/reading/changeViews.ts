import { basename } from 'node:path';
import * as vscode from 'vscode';
import { wholeText, words } from '../../../app/text/plainText.js';
import { UserError } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import { visibleLine } from '../../../core/visibleText.js';
import type { DeedEdit } from '../../../query/numbers/deed.js';
import { askInDialog } from '../ui/notices.js';

/** The scheme of texts that a tool call has changed. */
const CHANGED = 'agent-logbook-change';
/** How many changes are kept for editors that are still open. */
const MAX_KEPT = 200;

/** Shows what calls of tools changed in the editor's own view of differences: the texts that the calls tell, not the files of now. */
class ChangeViews implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(CHANGED, this);
  #number = 0;

  async open(
    changes: readonly Pick<DeedEdit, 'path' | 'before' | 'after'>[],
    heading = t`What the call changed`,
  ): Promise<void> {
    const views = changes.map(({ path, before, after }) => {
      const title = visibleLine(basename(path.replaceAll('\\', '/')) || t`Change`).slice(0, 200);
      const [old, now] = [this.#keep(title, before), this.#keep(title, after)];
      return {
        title,
        label: vscode.Uri.from({ scheme: CHANGED, path: `/${title}`, query: String(this.#number) }),
        old,
        now,
      };
    });
    const [first] = views;
    if (!first) return;
    if (views.length === 1)
      await vscode.commands.executeCommand(
        'vscode.diff',
        first.old,
        first.now,
        `${first.title} (${heading})`,
      );
    else
      await vscode.commands.executeCommand(
        'vscode.changes',
        heading,
        views.map(({ label, old, now }) => [label, old, now]),
      );
  }

  /** Two texts side by side. */
  async openTexts(title: string, left: string, right: string): Promise<void> {
    const name = visibleLine(title).slice(0, 200);
    const [old, now] = [this.#keep('step.txt', left), this.#keep('step.txt', right)];
    await vscode.commands.executeCommand('vscode.diff', old, now, name);
  }

  /** One text, to be read. */
  async openText(title: string, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.#keep(title, text));
    await vscode.window.showTextDocument(document, { preview: false });
  }

  /** A text of Markdown, as the page that it describes. */
  async openPage(title: string, text: string): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', this.#keep(`${title}.md`, text));
  }

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? t`This change is no longer kept. Open it from its transcript again.`;
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** The address of a text, whose path says its language. */
  #keep(title: string, text: string): vscode.Uri {
    const query = String(++this.#number);
    this.#texts.set(query, text);
    for (const key of this.#texts.keys()) if (this.#texts.size > 2 * MAX_KEPT) this.#texts.delete(key);
    return vscode.Uri.from({ scheme: CHANGED, path: `/${title}`, query });
  }
}

let views: ChangeViews | undefined;

/** Shows what a call of a tool changed; see `ChangeViews`. */
export async function openChanges(
  { subscriptions }: Pick<vscode.ExtensionContext, 'subscriptions'>,
  changes: readonly Pick<DeedEdit, 'path' | 'before' | 'after'>[],
  heading?: string,
): Promise<void> {
  await viewsIn(subscriptions).open(changes, heading);
}

/** Shows one text, which is read and not changed; the ending of `title` says its language. */
export async function openText(
  { subscriptions }: Pick<vscode.ExtensionContext, 'subscriptions'>,
  title: string,
  text: string,
): Promise<void> {
  await viewsIn(subscriptions).openText(title, text);
}

/** Shows Markdown as a page; what it says must mean nothing in it. */
export async function openPage(
  { subscriptions }: Pick<vscode.ExtensionContext, 'subscriptions'>,
  title: string,
  text: string,
): Promise<void> {
  await viewsIn(subscriptions).openPage(title, text);
}

/** Shows two texts in the same way. */
export async function openTexts(
  { subscriptions }: Pick<vscode.ExtensionContext, 'subscriptions'>,
  title: string,
  left: string,
  right: string,
): Promise<void> {
  await viewsIn(subscriptions).openTexts(title, left, right);
}

function viewsIn(subscriptions: vscode.ExtensionContext['subscriptions']): ChangeViews {
  if (!views) subscriptions.push((views = new ChangeViews()));
  return views;
}

/** Shows the whole URL and opens it in the browser if the person agrees. */
export async function openLink(url: string): Promise<void> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !['http:', 'https:'].includes(address.protocol)) {
    throw new UserError(t`Only links to web pages are opened.`);
  }
  const open = t`Open in Browser`;
  const message = words`Open this page of ${address.host}?`;
  const pressed = await askInDialog({ message, detail: wholeText(address.href), buttons: [open] });
  if (pressed === open) await vscode.env.openExternal(vscode.Uri.parse(address.href, true));
}
