import type { OtlpCounts } from './otlp/otlpReceiver.js';
import type { Served } from './proxy/servedRecording.js';
import type { ListenOptions } from './servers/listenOptions.js';
import type { ProxyOptions } from './proxy/proxyCalls.js';
import type { Growth } from './servers/recordingFiles.js';

/** What the thread that receives and records answers; each rejects with words for a person. */
export interface CaptureCalls {
  /** Begins to receive OpenTelemetry; gives the address. */
  receive(options: ListenOptions): Promise<string>;
  stopReceiving(): Promise<void>;
  /** What was received so far; undefined where nothing is received. */
  received(): OtlpCounts | undefined;
  /** Begins to pass on and record requests to models; gives the address. */
  record(options: ProxyOptions): Promise<string>;
  stopRecording(): Promise<void>;
  /** Begins to answer as recordings have it, each the path of a file; gives the address. */
  serve(recordings: readonly string[]): Promise<string>;
  /** What was served so far; undefined where nothing is. */
  served(): Served | undefined;
  /** Ends serving; gives what was served. */
  stopServing(): Promise<Served | undefined>;
}

/** What the thread tells. */
export interface CaptureHostCalls {
  /** Recordings that have grown since it last told. */
  grown(growths: readonly Growth[]): void;
  /** What was refused or went wrong, in words. */
  problem(words: string): void;
}
