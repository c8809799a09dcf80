import { Emitter, type Disposable, type Event } from '../../core/event.js';
import { features } from '../features/features.js';
import type { OpenTelemetry, OpenTelemetryOptions, PendingSpans } from '../telemetry/openTelemetry.js';

/** What sending needs that is there before it is loaded. */
export type TelemetryOutOptions = Omit<OpenTelemetryOptions, 'loadPrices' | 'loadSerializer'> & {
  /** Fires with the conversation whose run has begun or ended. */
  readonly onDidChangeState: Event<string>;
};

/** How long after the start it is looked for what was left to be sent, in milliseconds. */
const FIRST_LOOK_MS = 10_000;

/** Sending to a collector of OpenTelemetry, loaded with the first need; nothing is looked at while no collector is set. */
export class TelemetryOut implements Disposable {
  readonly #options: TelemetryOutOptions;
  readonly #changed: Emitter<PendingSpans>;
  readonly #following: Disposable;
  readonly #timer: NodeJS.Timeout;
  #loading: Promise<OpenTelemetry> | undefined;

  constructor(options: TelemetryOutOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.error('A view could not follow OpenTelemetry', error));
    this.#following = options.onDidChangeState((conversation) => {
      if (!this.#isLive || !options.running().includes(conversation)) return;
      this.open().then(
        (open) => open.follow(conversation),
        (error: unknown) => options.log.error('OpenTelemetry could not be loaded', error),
      );
    });
    this.#timer = setTimeout(() => this.#resume(), FIRST_LOOK_MS).unref();
  }

  /** Fires with what waits, when that has changed. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** What sends, loaded once. */
  open(): Promise<OpenTelemetry> {
    return (this.#loading ??= this.#load());
  }

  /** Breaks off what it does; when it resolves, nothing is read nor written any more. */
  async close(): Promise<void> {
    this.#stop();
    // What could not be loaded was told to whoever asked, and has nothing to break off.
    const open = await this.#loading?.catch(() => undefined);
    await open?.close();
  }

  dispose(): void {
    this.#stop();
    void this.#loading?.then((open) => open.dispose());
    this.#changed.dispose();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#following.dispose();
  }

  get #isLive(): boolean {
    const { settings } = this.#options;
    return settings.get('openTelemetry.live') && settings.get('openTelemetry.endpoint') !== '';
  }

  #resume(): void {
    if (this.#options.settings.get('openTelemetry.endpoint') === '') return;
    this.open()
      .then((open) => open.resume())
      .catch((error: unknown) =>
        this.#options.log.error('What waits for a collector could not be read', error),
      );
  }

  async #load(): Promise<OpenTelemetry> {
    const [telemetry, { loadUsablePrices }] = await Promise.all([features.telemetry(), features.pricing()]);
    const { settings } = this.#options;
    const open = new telemetry.OpenTelemetry({
      ...this.#options,
      loadPrices: () => loadUsablePrices(settings.get('prices.file')),
      loadSerializer: telemetry.loadSerializer,
    });
    open.onDidChange(() => this.#changed.fire(open.waiting));
    return open;
  }
}
