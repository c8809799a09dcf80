import { join } from 'node:path';
import type { CaptureThread } from '../../capture/captureThread.js';
import type { Environment } from '../../capture/proxy/upstreams.js';
import type { Growth } from '../../capture/servers/recordingFiles.js';
import { Emitter, type Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import { features } from '../features/features.js';
import type { Settings } from '../ports/settings.js';
import { kindOf, type RecordingKind, type Recording } from '../capture/recordings.js';

/** What receiving and recording need of the application. */
export interface CaptureServiceOptions {
  /** A folder of the application's own for this person, absolute. */
  readonly storage: string;
  readonly settings: Settings;
  readonly log: Log;
  /** The environment of the person, which may say where model APIs are. */
  readonly environment: Environment;
}

/** How many of the last problems are kept to be shown. */
const MAX_PROBLEMS = 100;

/** A recording that has just begun. */
export interface BegunRecording {
  readonly path: string;
  readonly kind: RecordingKind;
}

/**
 * Receives OpenTelemetry and records requests to models, both on a thread that is started with the first of them, into
 * files of the person's own. Nothing listens until it is asked for.
 */
export class CaptureService implements Disposable {
  readonly #options: CaptureServiceOptions;
  readonly #changed: Emitter<void>;
  readonly #begun: Emitter<BegunRecording>;
  readonly #seen = new Set<string>();
  #thread: Promise<CaptureThread> | undefined;
  #receiving: string | undefined;
  #recording: string | undefined;
  #serving: string | undefined;
  #problems: readonly string[] = [];

  constructor(options: CaptureServiceOptions) {
    this.#options = options;
    const failed = (error: unknown) => options.log.error('A view could not follow the recordings', error);
    this.#changed = new Emitter(failed);
    this.#begun = new Emitter(failed);
  }

  /** Fires when receiving or recording began or ended, and when something was refused or went wrong. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** Fires with the first thing that this window's servers add to a recording. */
  get onDidBegin() {
    return this.#begun.event;
  }

  /** The address at which OpenTelemetry is received; undefined where it is not. */
  get receiving(): string | undefined {
    return this.#receiving;
  }

  /** The address at which requests to models are recorded; undefined where they are not. */
  get recording(): string | undefined {
    return this.#recording;
  }

  /** The address at which recordings are served; undefined where none is. */
  get serving(): string | undefined {
    return this.#serving;
  }

  /** Set by whoever serves on the thread. */
  set serving(address: string | undefined) {
    this.#serving = address;
    this.#changed.fire();
  }

  /** What was refused or went wrong since this window began, in words; the last hundred. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** What was received and what was not, as plain text. */
  async report(): Promise<string> {
    const thread = await this.#thread;
    const { captureReport } = await features.capturing();
    const counts = await thread?.calls.call('received');
    return captureReport(this, counts, await thread?.calls.call('served'));
  }

  /** Where the recordings lie. */
  get folder(): string {
    return join(this.#options.storage, 'recordings');
  }

  /** Receives from now on where the settings say that it always does. */
  startIfWanted(): void {
    const { settings, log } = this.#options;
    if (!settings.get('telemetry.autoStart')) return;
    this.receive().catch((error: unknown) => log.warn(`OpenTelemetry is not received: ${messageOf(error)}`));
  }

  /** Begins to receive at the port of the settings; gives the address. Rejects with words for a person. */
  receive(): Promise<string> {
    return this.#receiveAt(this.#options.settings.get('telemetry.port'));
  }

  async #receiveAt(port: number): Promise<string> {
    const thread = await this.started();
    this.#receiving = await thread.calls.call('receive', { port, folder: this.folder });
    this.#changed.fire();
    return this.#receiving;
  }

  /** Ends what is received; what was taken is recorded. */
  async stopReceiving(): Promise<void> {
    await (await this.#thread)?.calls.call('stopReceiving');
    this.#receiving = undefined;
    this.#changed.fire();
  }

  /** The variables with which a program is recorded, whatever speaks to a model in it. Rejects with words for a person. */
  async environmentForRecording(): Promise<Readonly<Record<string, string>>> {
    const { settings, environment } = this.#options;
    const thread = await this.started();
    const { recordedEnvironment, recordingOptions } = await features.capturing();
    this.#recording ??= await thread.calls.call(
      'record',
      recordingOptions(this.folder, environment, settings),
    );
    // Another window may have the usual port; what is started here is told the address.
    const telemetry = this.#receiving ?? (await this.receive().catch(() => this.#receiveAt(0)));
    this.#changed.fire();
    return recordedEnvironment(this.#recording, telemetry, environment);
  }

  /** Ends what is recorded of requests; programs that still use the address get no answer. */
  async stopRecording(): Promise<void> {
    await (await this.#thread)?.calls.call('stopRecording');
    this.#recording = undefined;
    this.#changed.fire();
  }

  /** Everything that was recorded, the newest first. */
  async recordings(): Promise<readonly Recording[]> {
    const { recordingsIn } = await features.capturing();
    return recordingsIn(this.folder);
  }

  dispose(): void {
    void this.#thread?.then((thread) => thread.dispose());
    this.#changed.dispose();
    this.#begun.dispose();
  }

  /** The thread, started where it is not. */
  started(): Promise<CaptureThread> {
    return (this.#thread ??= this.#start());
  }

  async #start(): Promise<CaptureThread> {
    const { CaptureThread: Thread } = await features.capturing();
    return new Thread({
      log: this.#options.log,
      onGrown: (growths) => this.#grown(growths),
      onProblem: (words) => {
        this.#options.log.warn(words);
        this.#problems = [...this.#problems, words].slice(-MAX_PROBLEMS);
        this.#changed.fire();
      },
      onEnd: () => {
        this.#thread = undefined;
        this.#receiving = undefined;
        this.#recording = undefined;
        this.#serving = undefined;
        this.#changed.fire();
      },
    });
  }

  #grown(growths: readonly Growth[]): void {
    for (const { path } of growths) {
      const kind = kindOf(path);
      if (!kind || this.#seen.has(path)) continue;
      this.#seen.add(path);
      this.#begun.fire({ path, kind });
    }
  }
}
