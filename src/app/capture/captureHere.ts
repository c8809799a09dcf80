import { existsSync } from 'node:fs';
import { OtlpReceiver } from '../../capture/otlp/otlpReceiver.js';
import { ProblemCounts } from '../../capture/problems.js';
import { ExchangeRecorder } from '../../capture/proxy/exchangeRecorder.js';
import { RecordingProxy } from '../../capture/proxy/recordingProxy.js';
import { ServedRecording } from '../../capture/proxy/servedRecording.js';
import { upstreamsOf, type Environment } from '../../capture/proxy/upstreams.js';
import { recordedEnvironment, servedEnvironment } from './recordingOptions.js';

/** What receiving and recording in this process needs. */
export interface CaptureHereOptions {
  /** The folder of the recordings, absolute; made with the first of them. */
  readonly folder: string;
  /** The environment of the person, which may say where model APIs are. */
  readonly environment: Environment;
  /** Hears, in words, what was refused or went wrong: at the end, once for each reason. */
  readonly onProblem: (words: string) => void;
}

/** Receives OpenTelemetry and records requests to models in this process, at free ports of this machine, until it is closed. */
export class CaptureHere {
  /** The variables with which a program is recorded. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #servers: readonly { close(): Promise<void> }[];
  readonly #recorder: ExchangeRecorder;
  readonly #grown: ReadonlySet<string>;
  readonly #tell: () => void;

  private constructor(
    environment: Readonly<Record<string, string>>,
    servers: readonly { close(): Promise<void> }[],
    recorder: ExchangeRecorder,
    grown: ReadonlySet<string>,
    tell: () => void,
  ) {
    this.#tell = tell;
    this.environment = environment;
    this.#servers = servers;
    this.#recorder = recorder;
    this.#grown = grown;
  }

  /** Begins. Rejects with words for a person where an address is wrong or nothing can listen. */
  static async open({ folder, environment, onProblem: told }: CaptureHereOptions): Promise<CaptureHere> {
    const problems = new ProblemCounts();
    const onProblem = (words: string) => problems.add(words);
    const tell = () => {
      for (const words of problems.lines) told(words);
    };
    const upstreams = upstreamsOf(environment, {});
    const grown = new Set<string>();
    const options = {
      port: 0,
      folder,
      onProblem,
      onGrown: ({ path }: { readonly path: string }) => void grown.add(path),
    };
    const recorder = new ExchangeRecorder(options);
    const proxy = await RecordingProxy.listen({ port: 0, upstreams, recorder, onProblem });
    try {
      const receiver = await OtlpReceiver.listen(options);
      const variables = recordedEnvironment(proxy.address, receiver.address, environment);
      return new CaptureHere(variables, [proxy, receiver], recorder, grown, tell);
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  /** Ends, once what was taken is on the disk; gives the paths of the recordings that have grown. */
  async close(): Promise<readonly string[]> {
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.#recorder.settled();
    this.#tell();
    // One may have been taken by that of its session.
    return [...this.#grown].filter((path) => existsSync(path));
  }
}

/** Recordings that are served in this process, and the variables with which a program asks them. */
export interface ServingHere {
  readonly address: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What was served so far. */
  readonly state: ServedRecording['state'];
  close(): Promise<void>;
}

/** Answers requests as recordings have them, at a port of this machine. Rejects with words where they hold none. */
export async function serveHere(recordings: readonly string[], port: number): Promise<ServingHere> {
  const serving = await ServedRecording.listen(recordings, port);
  return {
    address: serving.address,
    environment: servedEnvironment(serving.address),
    get state() {
      return serving.state;
    },
    close: () => serving.close(),
  };
}
