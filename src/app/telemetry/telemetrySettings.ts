import { ADDITIONS, type Addition, type Dialect } from '../../export/otlp/dialect.js';
import type { ContentLevel } from '../../export/otlp/contentLevel.js';
import {
  collectorAddress,
  TelemetryError,
  collectorHeaders,
} from '../../export/collector/collectorAddress.js';
import type { Collector } from '../../export/collector/postTraces.js';
import type { Settings, Secrets } from '../ports/settings.js';
import { UserError } from '../userError.js';

/** Under which name the headers for the collector are kept with the secrets. */
const HEADERS = 'opentelemetry-headers';

/** How spans are made, by the person's settings. */
export interface SpanSettings {
  readonly dialect: Dialect;
  readonly additions: ReadonlySet<Addition>;
  readonly content: ContentLevel;
  readonly maxTextBytes: number;
}

/** How spans are made, by the settings of a person, which no workspace can change. */
export function spanSettings(settings: Settings): SpanSettings {
  const additions = settings.get('openTelemetry.additions');
  return {
    dialect: settings.get('openTelemetry.dialect'),
    additions: new Set(ADDITIONS.filter((addition) => additions.includes(addition))),
    content: settings.get('openTelemetry.content'),
    maxTextBytes: settings.get('openTelemetry.maxTextBytes'),
  };
}

/** Where spans go. Rejects with a UserError that says which setting is to be changed. */
export async function collectorOf(settings: Settings, secrets: Secrets): Promise<Collector> {
  return await orUserError(async () => ({
    url: collectorAddress(
      settings.get('openTelemetry.endpoint'),
      settings.get('openTelemetry.allowUnencrypted'),
    ),
    headers: collectorHeaders((await secrets.get(HEADERS)) ?? ''),
  }));
}

/** Keeps headers for the collector where the system keeps secrets; '' for none. Rejects with a UserError where they are none. */
export async function keepHeaders(secrets: Secrets, written: string): Promise<number> {
  const headers = await orUserError(() => Promise.resolve(collectorHeaders(written)));
  const count = Object.keys(headers).length;
  await (count === 0 ? secrets.delete(HEADERS) : secrets.store(HEADERS, written));
  return count;
}

async function orUserError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TelemetryError ? new UserError(error.message) : error;
  }
}
