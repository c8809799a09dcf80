import type { ProxyOptions } from '../../capture/proxy/proxyCalls.js';
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
      OLLAMA_HOST: environment.OLLAMA_HOST,
    },
    addresses: {
      openai: settings.get('capture.openAiAddress'),
      anthropic: settings.get('capture.anthropicAddress'),
      ollama: settings.get('capture.ollamaAddress'),
    },
  };
}

/**
 * The variables with which a program is recorded: for requests to models at an address, for OpenTelemetry at another, and
 * past whatever proxy `environment` names, which could not reach this machine and would be told the keys.
 */
export function recordedEnvironment(
  recording: string,
  telemetry: string,
  environment: Environment,
): Readonly<Record<string, string>> {
  return { ...environmentFor(recording), ...telemetryEnvironment(telemetry), ...pastProxies(environment) };
}

/** The variables with which a program asks what is served at an address. */
export function servedEnvironment(address: string): Readonly<Record<string, string>> {
  return { ...environmentFor(address), NO_PROXY: '127.0.0.1,localhost' };
}

/** The names of this machine, as lists of what no proxy is asked for have them. */
const THIS_MACHINE = ['127.0.0.1', 'localhost', '::1'];

/** Both spellings of the variable that says what no proxy is asked for, with what they had and this machine. */
function pastProxies(environment: Environment): Readonly<Record<'NO_PROXY' | 'no_proxy', string>> {
  const { NO_PROXY: upper, no_proxy: lower } = environment;
  const withThis = (list = '') => {
    const had = list.split(',').filter((each) => each.trim() !== '');
    const known = had.map((each) => each.trim());
    return [...had, ...THIS_MACHINE.filter((name) => !known.includes(name))].join(',');
  };
  return { NO_PROXY: withThis(upper ?? lower), no_proxy: withThis(lower ?? upper) };
}

/** The variables with which a program that is instrumented with OpenTelemetry sends its traces and logs to an address. */
export function telemetryEnvironment(address: string): Readonly<Record<string, string>> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' };
}
