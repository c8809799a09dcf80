import { errors, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { vi } from 'vitest';
import { workbenchQuery } from '../../vscode/host/host.mjs';
import { QuickInput } from './quickInput.js';
import type { SharedHost } from './sharedHosts.js';

/**
 * How long a window may take until it does what it is asked, in milliseconds. It is for what never comes: a window that takes
 * a few seconds alone takes minutes beside much other work.
 */
export const STARTUP_MS = 180_000;
const PALETTE_MS = 1500;
const CHOICE_MS = 5_000;
const TOAST_MS = 12_000;
/** Marks the frame of a view among those of editors. */
const OF_VIEW = '[src*="purpose=webviewView"]';
const NOTIFICATION =
  '.notification-toast .notification-list-item, .notifications-center .notification-list-item';

/** What a window is opened on. */
export interface WindowHost extends Pick<SharedHost, 'server' | 'browser' | 'dataDir' | 'home'> {
  /** The copy of the workspace that is open. */
  readonly folder: string;
  /** Closes all windows and removes the copy of the workspace. */
  readonly stop: () => Promise<void>;
}

/** What a user sees of VS Code and can do with it. */
export class Workbench {
  readonly quickInput: QuickInput;

  constructor(
    readonly page: Page,
    private readonly host: WindowHost,
  ) {
    this.quickInput = new QuickInput(page);
  }

  /** The copy of the workspace that is open. */
  get folder(): string {
    return this.host.folder;
  }

  /** Where other tools keep their sessions, as the extension is told. */
  get home(): string {
    return this.host.home;
  }

  /** Where VS Code keeps settings and logs. */
  get dataDir(): string {
    return this.host.dataDir;
  }

  /** Opens the window on its folder. */
  async openWindow(): Promise<void> {
    const { server, folder } = this.host;
    await answerVsCode(this.page);
    await this.page.goto(server.address(workbenchQuery(server, { folder })), { waitUntil: 'commit' });
    await this.ready();
  }

  /** Resolves when the window is there; extensions follow some seconds later. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: STARTUP_MS });
  }

  /** Opens the menu of something that is shown, and takes the entry of this name. */
  async fromMenu(of: Locator, name: string | RegExp): Promise<void> {
    const entry = this.page.getByRole('menuitem', { name, exact: true });
    const open = async () => {
      await of.click({ button: 'right' });
      try {
        await entry.waitFor({ timeout: PALETTE_MS });
      } catch (error) {
        // A menu that came before what it depends on was known stays without it.
        await this.page.keyboard.press('Escape');
        throw error;
      }
    };
    await vi.waitFor(open, { timeout: STARTUP_MS, interval: 100 });
    // VS Code hears no button that is let go in the first 100 ms of a menu: it may be that of the click which opened it.
    await entry.click({ delay: 300 });
    await entry.waitFor({ state: 'hidden' });
  }

  /** Loads the window anew, as a user does who closes it and comes back. */
  async reload(): Promise<void> {
    await this.page.reload({ waitUntil: 'commit' });
    await this.ready();
  }

  /** Opens a second window on the same folder; it goes away with this one. */
  async secondWindow(): Promise<Workbench> {
    const page = await this.host.browser.newPage({
      viewport: this.page.viewportSize() ?? null,
      reducedMotion: 'reduce',
    });
    page.setDefaultTimeout(STARTUP_MS);
    const second = new Workbench(page, this.host);
    await second.openWindow();
    return second;
  }

  /** Resolves when VS Code has kept what matches `text` for the next window; it keeps things every few seconds. */
  async keptForReload(text: RegExp): Promise<void> {
    const look = async () => {
      if (!(await this.page.evaluate(isKept, text.source)))
        throw new Error(`Nothing is kept like ${text.source}`);
    };
    await vi.waitFor(look, { timeout: STARTUP_MS, interval: 500 });
  }

  /**
   * Runs a command once, by its title in the command palette. Opens the palette again while the command is not there yet,
   * and when something that opens takes the palette away.
   */
  async command(title: string): Promise<void> {
    await this.palette(title, () => this.quickInput.take(title, PALETTE_MS));
  }

  /** Asks the command palette for a text, again for as long as `then` fails: a key that comes too early goes nowhere. */
  async palette(text: string, then: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const ask = async () => {
      await this.page.keyboard.press('F1');
      // A palette that is open already looks anew for what it was asked for only when it is asked for something else.
      await this.quickInput.fill('>', PALETTE_MS);
      await this.quickInput.fill(`>${text}`, PALETTE_MS);
      await then();
    };
    await vi.waitFor(ask, { timeout: STARTUP_MS, interval: 100 });
  }

  /** Has an agent work on a prompt, by the command that asks for both. */
  async runAgent(name: string, prompt: string): Promise<void> {
    await this.command('Agent Logbook: Run Agent…');
    await this.quickInput.choose(name);
    await this.quickInput.box.getByText(`Run ${name}`).waitFor();
    await this.quickInput.answer(prompt);
  }

  /** Answers the question of a command. */
  async answered(title: string, text: string): Promise<void> {
    await this.command(title);
    await this.quickInput.answer(text);
  }

  /**
   * Shows a view container by its title. Not by a click in the activity bar, which hides the one that is shown: what was
   * shown before a reload comes back at any moment, also between a look and the click.
   */
  async view(title: string): Promise<void> {
    await this.command(`View: Show ${title}`);
    await this.page.locator('.part.sidebar .composite.title', { hasText: title }).waitFor();
  }

  /** Gives the tree of a view the focus, on the row that had it last. */
  async focusView(title: string): Promise<void> {
    await this.command(`Focus on ${title} View`);
    await this.page
      .locator('.pane', { has: this.section(title) })
      .locator('.monaco-list:focus')
      .waitFor();
  }

  /** Shows the tree of one view of the logbook alone, the others closed: rows that are out of sight are not in the page. */
  async showOnly(title: string): Promise<void> {
    await this.view('Agent Logbook');
    for (const each of ['Sessions', 'Agents', 'Notes']) {
      const header = this.section(each).first();
      if ((await header.getAttribute('aria-expanded')) !== String(each === title)) await header.click();
      await header.and(this.page.locator(`[aria-expanded="${each === title}"]`)).waitFor();
    }
  }

  /** The button of a view container in the activity bar. */
  activityBarItem(title: string): Locator {
    return this.page.locator(`.activitybar .action-label[aria-label^="${title}"]`);
  }

  /** Rows of the trees in view whose text contains `label`. */
  treeItem(label: string | RegExp): Locator {
    return this.page.locator('.pane-body .monaco-list-row', { hasText: label });
  }

  /**
   * Points at a row as a person does: not from a neighbour, whose tooltip would lie over it and stays for as long as the
   * pointer does.
   */
  async pointAt(row: Locator): Promise<void> {
    const statusBar = await this.page.locator('.part.statusbar').boundingBox();
    if (!statusBar) throw new Error('There is no status bar.');
    await this.page.mouse.move(statusBar.x + statusBar.width / 2, statusBar.y + statusBar.height / 2);
    await row.hover();
  }

  /** The tooltip of a row, with these words in it: one that is drawn anew meanwhile is pointed at again. */
  async tooltipOf(row: Locator, words: string): Promise<Locator> {
    const tooltip = this.page.locator('.monaco-hover', { hasText: words });
    const point = async () => {
      await this.pointAt(row);
      await tooltip.waitFor({ timeout: CHOICE_MS });
    };
    await vi.waitFor(point, { timeout: STARTUP_MS, interval: 500 });
    return tooltip;
  }

  /** Deletes what a row stands for, until the row is gone: a view that takes the focus meanwhile takes the key. */
  async deleteRow(row: Locator): Promise<void> {
    const press = async () => {
      if (!(await row.isVisible())) return;
      await row.click({ timeout: CHOICE_MS });
      await this.page.keyboard.press('Delete');
      await row.waitFor({ state: 'detached', timeout: CHOICE_MS });
    };
    await vi.waitFor(press, { timeout: STARTUP_MS, interval: 500 });
  }

  /**
   * Walks by the arrow keys to a row of the tree that has the focus. Begins anew when the tree is drawn anew meanwhile,
   * which takes the focus to its first row.
   */
  async walkTo(row: Locator): Promise<void> {
    const walk = async () => {
      const down = Number(await row.getAttribute('data-index', { timeout: CHOICE_MS }));
      await this.page.keyboard.press('Home');
      for (let step = 0; step < down; step++) await this.page.keyboard.press('ArrowDown');
      await row.and(this.page.locator('.focused')).waitFor({ timeout: CHOICE_MS });
    };
    await vi.waitFor(walk, { timeout: STARTUP_MS, interval: 500 });
  }

  /**
   * Opens what a row stands for, until its tab is in front: a row that is drawn anew meanwhile loses the click. Lists use the
   * elements of rows again, so that such a click may also fold the group in which the row stands.
   */
  async open(row: Locator, title: string): Promise<void> {
    const folded = this.page.locator('.pane-body .monaco-list-row[aria-level="1"][aria-expanded="false"]');
    const click = async () => {
      if (!(await row.isVisible()) && (await folded.count()) > 0)
        await folded.first().locator('.monaco-tl-twistie').click({ timeout: CHOICE_MS });
      await row.click({ timeout: CHOICE_MS });
      await this.page.getByRole('tab', { name: title, selected: true }).waitFor({ timeout: CHOICE_MS });
    };
    await vi.waitFor(click, { timeout: STARTUP_MS, interval: 500 });
  }

  /** Unfolds a row of a tree, unless it is: one that is drawn anew meanwhile loses the click. */
  async unfold(row: Locator): Promise<void> {
    const unfolded = row.and(this.page.locator('[aria-expanded="true"]'));
    const click = async () => {
      if (!(await unfolded.isVisible()))
        await row.locator('.monaco-tl-twistie').click({ timeout: CHOICE_MS });
      await unfolded.waitFor({ timeout: CHOICE_MS });
    };
    await vi.waitFor(click, { timeout: STARTUP_MS, interval: 500 });
  }

  /** Unfolds the groups of the tree of sessions that are folded, until none is. */
  async unfoldGroups(): Promise<void> {
    const group = '.pane-body .monaco-list-row[aria-expanded="false"]';
    const folded = this.page.locator(`${group}[aria-label$=" session"], ${group}[aria-label$=" sessions"]`);
    while ((await folded.count()) > 0) {
      const label = (await folded.first().getAttribute('aria-label')) ?? '';
      await this.unfold(
        this.page.locator(`.pane-body .monaco-list-row[aria-label=${JSON.stringify(label)}]`),
      );
    }
  }

  /** The row of a conversation that is done: one that ends moves to its day, away from under a click. */
  doneConversation(title: string): Locator {
    return this.page.locator(`.pane-body .monaco-list-row[aria-label^="${title}, done"]`).first();
  }

  /** The header of a section of the side bar. */
  section(title: string): Locator {
    return this.page.locator('.pane-header', { hasText: title });
  }

  /** Notifications in view, as toasts or in the list of all, whose text contains `text`. */
  notification(text: string | RegExp): Locator {
    return this.page.locator(NOTIFICATION, { hasText: text });
  }

  /**
   * The newest notification whose text contains `text`, once it is there. VS Code shows no more than three toasts
   * within 0.8 seconds and three at a time; others are only in the list of all, which is opened for them.
   */
  async told(text: string | RegExp): Promise<Locator> {
    const notification = this.notification(text).first();
    try {
      await notification.waitFor({ timeout: TOAST_MS });
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) throw error;
      await this.command('Notifications: Show Notifications');
      await notification.waitFor();
    }
    return notification;
  }

  /** Modal questions whose text contains `text`. */
  dialog(text: string | RegExp): Locator {
    return this.page.locator('.monaco-dialog-box', { hasText: text });
  }

  /** Closes all editors; resolves when none is left, so that nothing of them is taken for what is opened next. */
  async closeEditors(): Promise<void> {
    await this.command('View: Close All Editors');
    await this.page.locator('.part.editor .tab').first().waitFor({ state: 'detached' });
  }

  /** What stands over the window, in its editors and in the newest page, a line each: for where no picture can be seen. */
  async shows(): Promise<string> {
    const parts = [
      this.dialog(''),
      this.quickInput.box,
      this.notification(''),
      this.webview().locator('body'),
    ];
    const tabs = await this.page
      .locator('.part.editor .tab')
      .evaluateAll((all) => all.map(({ textContent }) => textContent));
    const seen = parts.map(async (part) => (await part.filter({ visible: true }).allInnerTexts()).join('\n'));
    return [`tabs: ${tabs.join(', ')}`, ...(await Promise.all(seen))]
      .map((text) => text.replaceAll(/\s+/g, ' ').slice(0, 500))
      .filter(Boolean)
      .join('\n');
  }

  /** Changes the colour theme, by its name as VS Code lists it. */
  async chooseTheme(name: string): Promise<void> {
    await this.command('Preferences: Color Theme');
    await this.quickInput.fill(name);
    await this.quickInput.choose(name);
    await this.quickInput.box.waitFor({ state: 'hidden' });
  }

  /** The tab of an open editor. */
  tab(title: string | RegExp): Locator {
    return this.page.getByRole('tab', { name: title });
  }

  /** The text of an editor or an output channel: only the lines in view are there. */
  text(within: 'editor' | 'panel'): Locator {
    return this.page.locator(`.part.${within} .view-lines`).first();
  }

  /** The document inside the `index`-th visible webview of an editor: the extension's frame within VS Code's. */
  webview(index = 0): FrameLocator {
    return this.#document(`iframe.webview.ready:not(${OF_VIEW})`, index);
  }

  /** The document of the Search view in the side bar. */
  searchView(): FrameLocator {
    return this.#document(`iframe.webview.ready${OF_VIEW}`, 0);
  }

  /** Opens the Search view by its command, and gives its field. */
  async openSearch(): Promise<Locator> {
    await this.command('Agent Logbook: Search All Transcripts…');
    const field = this.searchView().getByRole('combobox', { name: 'Search all conversations' });
    // What is typed before the command has brought the focus there goes elsewhere.
    const hasFocus = async () => {
      if (!(await field.evaluate((input) => document.hasFocus() && document.activeElement === input)))
        throw new Error('The field of the search has no focus.');
    };
    await vi.waitFor(hasFocus, { timeout: STARTUP_MS, interval: 50 });
    return field;
  }

  #document(frame: string, index: number): FrameLocator {
    return this.page.locator(frame).nth(index).contentFrame().locator('#active-frame').contentFrame();
  }

  /** A picture of the whole window. */
  async screenshot(path: string): Promise<void> {
    await this.page.screenshot({ path });
  }

  /** Closes the window and removes the copy of the workspace. */
  async close(): Promise<void> {
    await this.host.stop();
  }
}

/**
 * Answers what VS Code may put over any window by itself, at whatever moment, before the next thing that is done there. What its
 * settings can keep away never comes (`defaultSettings`).
 */
async function answerVsCode(page: Page): Promise<void> {
  // The Chat view offers to sign in to whoever asks there before it has found who is asked.
  const signIn = page.locator('.monaco-dialog-box.chat-setup-dialog');
  await page.addLocatorHandler(signIn, () => signIn.getByRole('button', { name: 'Close Dialog' }).click());
  // It asks about what waits there since, too.
  const pending = page.locator('.monaco-dialog-box', { hasText: 'You already have pending requests' });
  await page.addLocatorHandler(pending, () =>
    pending.getByRole('button', { name: 'Remove Pending Requests' }).click(),
  );
}

/** Runs in the page: whether anything that the workbench keeps in the browser's databases matches. */
async function isKept(pattern: string): Promise<boolean> {
  const settled = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('The database cannot be read.'));
    });
  for (const { name } of await indexedDB.databases()) {
    if (!name?.startsWith('vscode-web-state-db')) continue;
    const database = await settled(indexedDB.open(name));
    const items = await settled(database.transaction('ItemTable').objectStore('ItemTable').getAll());
    database.close();
    const unescaped = items.map((item) => String(item).replaceAll('\\', ''));
    if (unescaped.some((item) => new RegExp(pattern).test(item))) return true;
  }
  return false;
}
