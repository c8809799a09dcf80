import { t } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import { oldestBeyond } from '../../../core/boundedMap.js';
import { visibleLine, visibleText } from '../../../core/visibleText.js';
import type { CommandWatcher, RunningCommand } from '../../../agents/tools/runCommand.js';
import { setting } from '../settings.js';
import { iconText, plain, type IconText } from '../../../app/text/plainText.js';

/** How much of one command's output is shown, in UTF-16 code units; what the model received is in the record. */
const MAX_SHOWN = 512 * 1024;
/** How much output is kept until the terminal is ready, in UTF-16 code units. */
const MAX_WAITING = 64 * 1024;
/** How many terminals are kept; beyond that, the oldest is closed. */
const MAX_TERMINALS = 12;
/** How much of an agent's name the name of its terminal shows, in code points. */
const MAX_NAME = 60;

const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;
const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;

/** The terminals that show the commands of agents: one for each agent of each conversation. */
export class CommandTerminals implements vscode.Disposable {
  readonly #screens = new Map<string, Screen>();
  readonly #closing: vscode.Disposable;

  constructor() {
    this.#closing = vscode.window.onDidCloseTerminal((terminal) => {
      for (const [key, screen] of this.#screens) if (screen.terminal === terminal) this.#screens.delete(key);
    });
  }

  /** Shows the commands of a conversation's agents, if the settings say so. */
  watcher(conversation: string): CommandWatcher {
    const shown = new Map<string, number>();
    return {
      began: (running) => {
        if (!setting('showCommands')) return;
        shown.set(running.toolCallId, 0);
        const screen = this.#screenOf(conversation, running);
        screen.write(`${dim(visibleLine(running.folder))}\r\n${bold(`$ ${lines(running.command)}`)}\r\n`);
        screen.terminal.show(true);
      },
      said: (running, text) => {
        const before = shown.get(running.toolCallId);
        if (before === undefined || before >= MAX_SHOWN) return;
        const screen = this.#screens.get(keyOf(conversation, running));
        screen?.write(lines(text));
        shown.set(running.toolCallId, before + text.length);
        if (before + text.length >= MAX_SHOWN) screen?.write(`\r\n${dim(t`(more is not shown here)`)}`);
      },
      ended: (running, how) => {
        if (!shown.delete(running.toolCallId)) return;
        this.#screens.get(keyOf(conversation, running))?.write(`\r\n${dim(visibleLine(how))}\r\n\r\n`);
      },
    };
  }

  dispose(): void {
    this.#closing.dispose();
    for (const { terminal } of this.#screens.values()) terminal.dispose();
    this.#screens.clear();
  }

  #screenOf(conversation: string, running: RunningCommand): Screen {
    const key = keyOf(conversation, running);
    const known = this.#screens.get(key);
    if (known) return known;
    const screen = new Screen(iconText(t`Agent Logbook: ${plain(running.call.agent, MAX_NAME)}`));
    this.#screens.set(key, screen);
    // Closing a terminal takes it out of the map.
    for (const oldest of oldestBeyond(this.#screens, MAX_TERMINALS))
      this.#screens.get(oldest)?.terminal.dispose();
    return screen;
  }
}

/** A terminal for output only. */
class Screen {
  readonly terminal: vscode.Terminal;
  readonly #writer = new vscode.EventEmitter<string>();
  /** What was written before the terminal was ready; undefined from then on. */
  #waiting: string | undefined = '';

  constructor(name: IconText) {
    this.terminal = vscode.window.createTerminal({
      name,
      iconPath: new vscode.ThemeIcon('hubot'),
      pty: {
        onDidWrite: this.#writer.event,
        open: () => {
          this.#writer.fire(this.#waiting ?? '');
          this.#waiting = undefined;
        },
        close: () => this.#writer.dispose(),
      },
    });
  }

  write(text: string): void {
    if (this.#waiting === undefined) this.#writer.fire(text);
    else this.#waiting = (this.#waiting + text).slice(-MAX_WAITING);
  }
}

const keyOf = (conversation: string, { call }: RunningCommand) => `${conversation} ${call.agent}`;

/** A text as lines for a terminal, with control characters written out. */
function lines(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) => visibleText(line))
    .join('\r\n');
}
