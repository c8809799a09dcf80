import type { OtlpCounts } from './otlp/otlpReceiver.js';
import type { Environment, ProviderName } from './proxy/upstreams.js';
import type { Growth } from './servers/recordingFiles.js';

/** Where a server of the thread listens and writes. */
export interface ListenOptions {
  /** The port; 0 takes any that is free. */
  readonly port: number;
  /** The folder of the recordings. */
  readonly folder: string;
}

/** What says where requests to models go. */
export interface ProxyAddresses extends Pick<ListenOptions, 'port'> {
  /** The variables of the person's own environment that name model APIs. */
  readonly environment: Environment;
  /** Addresses from settings, by wire format. */
  readonly addresses: Partial<Record<ProviderName, string>>;
}

/** The same, and where what they say is recorded. */
export interface ProxyOptions extends ListenOptions, ProxyAddresses {}

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
}

/** What the thread tells. */
export interface CaptureHostCalls {
  /** Recordings that have grown since it last told. */
  grown(growths: readonly Growth[]): void;
  /** What was refused or went wrong, in words. */
  problem(words: string): void;
}
