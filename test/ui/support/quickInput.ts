import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';

/** The box at the top of the window that asks for one line or one choice. */
export class QuickInput {
  readonly box: Locator;
  readonly #field: Locator;

  constructor(private readonly page: Page) {
    this.box = page.locator('.quick-input-widget');
    this.#field = this.box.locator('.quick-input-box input').first();
  }

  /** The choices on offer whose label contains `text`. */
  choice(text: string | RegExp): Locator {
    return this.box.locator('.quick-input-list .monaco-list-row').filter({
      has: this.page.locator('.label-name', { hasText: text }),
    });
  }

  /** Waits until VS Code asks, for `timeout` milliseconds if given, types `text` and confirms it. */
  async answer(text: string, timeout?: number): Promise<void> {
    await this.fill(text, timeout);
    await this.#field.press('Enter');
  }

  /**
   * Waits until VS Code asks and takes the first choice whose label contains `text`. The pointer leaves the list before: what VS
   * Code shows of a choice under a pointer that rests may lie over the one that is wanted.
   */
  async choose(text: string | RegExp): Promise<void> {
    const row = this.choice(text).first();
    await row.waitFor();
    await this.page.mouse.move(0, 0);
    await row.click();
  }

  /**
   * Takes the choice of this name, which a category may stand before, as soon as it is on offer; throws when it is not within
   * `timeout` milliseconds. It has not been taken then: looking and taking are one step of the page, which ends or never began.
   */
  async take(name: string, timeout: number): Promise<void> {
    for (const end = Date.now() + timeout; Date.now() < end; await sleep(20))
      if (await this.page.evaluate(clickChoice, name)) return;
    throw new Error(`Nothing on offer is named ${name}.`);
  }

  /**
   * Waits until VS Code asks for a file and takes that at `path`: its folder is looked into before there is something to take.
   * What is typed before VS Code has looked into the folder that it begins with is written over.
   */
  async file(path: string): Promise<void> {
    await this.choice('..').first().waitFor();
    await this.fill(path);
    await this.choose(basename(path));
  }

  /** Waits until VS Code asks for several choices and ticks the first whose label contains `text`. */
  async tick(text: string | RegExp): Promise<void> {
    await this.choice(text).first().click();
  }

  /** Goes on with what is ticked or typed. */
  async confirm(): Promise<void> {
    await this.#field.press('Enter');
  }

  /** Waits until VS Code asks, for `timeout` milliseconds if given, and types `text` without confirming it. */
  async fill(text: string, timeout?: number): Promise<void> {
    await this.#field.fill(text, timeout === undefined ? {} : { timeout });
  }

  /** The sentence under the field: a prompt, or why an answer is not accepted. */
  message(): Locator {
    return this.box.locator('.quick-input-message');
  }

  /** Leaves the question without an answer. */
  async cancel(): Promise<void> {
    await this.page.keyboard.press('Escape');
    await this.box.waitFor({ state: 'hidden' });
  }
}

/** Runs in the page: clicks the choice of this name, if the box is there and offers it. */
function clickChoice(name: string): boolean {
  const box = document.querySelector('.quick-input-widget');
  if (!box?.checkVisibility()) return false;
  const label = [...box.querySelectorAll('.monaco-list-row .label-name')].find(({ textContent }) => {
    const text = textContent.replaceAll('\u00A0', ' ').trim();
    return text === name || text.endsWith(`: ${name}`);
  });
  return label?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })) ?? false;
}
