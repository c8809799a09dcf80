import type { ProxyOptions } from '../../capture/captureCalls.js';
import { environmentFor, type Environment } from '../../capture/proxy/upstreams.js';
import type { Settings } from '../ports/settings.js';

/** How requests to models are recorded: into a folder, and on to where the person's environment says, else the settings. */
export function recordingOptions(folder: string, environment: Environment, settings: Settings): ProxyOptions {
  return {
    port: 0,
    folder,
    environment: {
      OPENAI_BASE_URL: environment.OPENAI_BASE_URL,
      ANTHROPIC_BASE_URL: environment.ANTHROPIC_BASE_URL,
    },
    addresses: {
      openai: settings.get('capture.openAiAddress'),
      anthropic: settings.get('capture.anthropicAddress'),
    },
  };
}

/** The variables with which a program is recorded: for requests to models at an address, and for OpenTelemetry at another. */
export function recordedEnvironment(recording: string, telemetry: string): Readonly<Record<string, string>> {
  return { ...environmentFor(recording), ...telemetryEnvironment(telemetry) };
}

/** The variables with which a program that is instrumented with OpenTelemetry sends its traces and logs to an address. */
export function telemetryEnvironment(address: string): Readonly<Record<string, string>> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' };
}
