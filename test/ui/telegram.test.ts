import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, vi } from 'vitest';
import { TelegramServer } from '../support/telegramServer.js';
import { pictures, uiTest } from './support/uiTest.js';
import { STARTUP_MS, type Workbench } from './support/workbench.js';

const ADA = 42;

const server = new TelegramServer();
await server.up();
const settings = {
  'agentLogbook.telegram.apiRoot': server.root,
  'agentLogbook.telegram.allowedSenders': [`telegram:${ADA}`],
};
const test = uiTest({ machineSettings: { ...settings, 'agentLogbook.telegram.agent': 'Pikle' } });

afterAll(() => server.down());

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const statusBar = ({ page }: Workbench, text: string | RegExp) =>
  page.locator('.part.statusbar .statusbar-item', { hasText: text });

/** Takes a way from the list of chat platforms by the keyboard: its rows move while the window begins. */
async function choose(workbench: Workbench, way: string): Promise<void> {
  const { page, quickInput } = workbench;
  await workbench.command('Agent Logbook: Connect Chat Platform…');
  await quickInput.choice(way).waitFor();
  await workbench.screenshot(join(pictures, 'chat-platforms.png'));
  await quickInput.fill(way);
  await quickInput.choice('Discord').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
}

describe('Telegram, in front of the editor', () => {
  test('an agent that is not there is named, with those that are, and nothing is connected', async ({
    workbench,
    expect,
  }) => {
    await choose(workbench, 'Start Telegram');
    await workbench.quickInput.box.getByText('Token of the Telegram bot').waitFor();
    await workbench.quickInput.answer(server.token);
    await workbench.told('The token of Telegram is kept');
    const words = "telegram.agent names 'Pikle', but no agent of that name can be run here. There are: ";
    await workbench.told(words);
    await statusBar(workbench, 'Telegram: stopped').waitFor();
    await workbench.screenshot(join(pictures, 'telegram-agent.png'));
    expect(server.calls).toEqual([]);
  });

  test('the status bar starts it again, and shows how it is connected', async ({ workbench, expect }) => {
    const machine = join(workbench.dataDir, 'data/Machine');
    await mkdir(machine, { recursive: true });
    await writeFile(join(machine, 'settings.json'), JSON.stringify(settings));
    await vi.waitFor(
      async () => {
        const stopped = statusBar(workbench, 'Telegram: stopped');
        // It may begin between the look and the click; clicked twice, it begins once.
        if (await stopped.isVisible()) await stopped.click({ timeout: 5_000 });
        expect(server.calls).toContain('getMe');
      },
      { timeout: STARTUP_MS, interval: 1_000 },
    );
    const connected = workbench.page.locator('.statusbar-item[aria-label*="@logbook_bot"]');
    await connected.waitFor();
    await workbench.screenshot(join(pictures, 'telegram-on.png'));
    await server.down();
    await statusBar(workbench, 'Telegram: not connected').waitFor();
    await server.up();
    await connected.waitFor();
  });

  test('stopped, it is gone from the status bar', async ({ workbench }) => {
    await choose(workbench, 'Stop Telegram');
    await statusBar(workbench, 'Telegram').waitFor({ state: 'detached' });
  });

  test('its token lies in no file: no setting, no log, no storage, no workspace', async ({
    workbench,
    expect,
  }) => {
    const files = [...(await filesIn(workbench.dataDir)), ...(await filesIn(workbench.folder))];
    const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')));
    expect(files.some((file) => file.endsWith('Agent Logbook.log'))).toBe(true);
    expect(files.filter((_, index) => texts[index]?.includes(server.token))).toEqual([]);
  });
});
