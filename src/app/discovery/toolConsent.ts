import { join } from 'node:path';
import { RECORDINGS, TOOL_IDS, type OptInToolId, type ToolId } from '../../import/toolHomes.js';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import { AtomicFile, readIfThere } from '../../node/atomicFile.js';
import type { Log } from '../../core/ports/log.js';

/**
 * Which tools' sessions a person has allowed to be looked at on this machine. It lies on the machine that the sessions lie
 * on, so that a yes here is none for another machine.
 */
export class ToolConsent {
  readonly #path: string;
  readonly #file: AtomicFile;
  readonly #log: Log;
  #answers: Promise<ReadonlyMap<OptInToolId, boolean>> | undefined;

  /** `storage` is the application's own folder for all that this person has on this machine, absolute. */
  constructor(storage: string, log: Log) {
    this.#path = join(storage, 'sessionTools.json');
    this.#log = log;
    this.#file = new AtomicFile(this.#path, (problem) =>
      log.error(`Which tools' sessions are listed cannot be remembered: ${problem}`),
    );
  }

  /** What the person has answered, by tool; tools that were never asked about are missing. */
  answers(): Promise<ReadonlyMap<OptInToolId, boolean>> {
    return (this.#answers ??= this.#read());
  }

  /** The tools that are allowed, in the order of the table, and what was recorded here, which is the person's own. */
  async allowed(): Promise<readonly ToolId[]> {
    const answers = await this.answers();
    return [RECORDINGS, ...TOOL_IDS.filter((id) => answers.get(id) === true)];
  }

  /** Notes the answer for every tool, and remembers it. */
  async answer(allowed: readonly ToolId[]): Promise<void> {
    const answers = new Map(TOOL_IDS.map((id) => [id, allowed.includes(id)] as const));
    this.#answers = Promise.resolve(answers);
    await this.#file.save(() => `${JSON.stringify({ tools: Object.fromEntries(answers) }, undefined, 2)}\n`);
  }

  /** What cannot be understood is no yes. */
  async #read(): Promise<ReadonlyMap<OptInToolId, boolean>> {
    try {
      const text = await readIfThere(this.#path);
      const value = text === undefined ? undefined : (JSON.parse(text) as unknown);
      const tools = isObject(value) && isObject(value.tools) ? value.tools : {};
      return new Map(
        TOOL_IDS.flatMap((id) => {
          const answer = tools[id];
          return typeof answer === 'boolean' ? [[id, answer] as const] : [];
        }),
      );
    } catch (error) {
      this.#log.warn(`${this.#path} cannot be read; no sessions are looked for: ${messageOf(error)}`);
      return new Map();
    }
  }
}
