import type { ImportSink } from '../../building/importSink.js';
import { memberValues } from '../../reading/archiveJson.js';
import { fields } from '../../reading/fields.js';
import type { ArchiveMember } from '../../reading/zipArchive.js';

/** Inspect's `.eval` archive as the object that its JSON logs consist of; undefined for any other archive. */
export function inspectArchive(
  members: readonly ArchiveMember[],
  maxBytes: number,
  sink: ImportSink,
): unknown {
  const header =
    members.find(({ name }) => name === 'header.json') ??
    members.find(({ name }) => name === '_journal/start.json');
  if (!header) return undefined;
  const samples = members.filter(({ name }) => /^samples\/.*\.json$/.test(name));
  const values = [...memberValues([header, ...samples], maxBytes, sink)];
  const about = values[0]?.[0] === header.name ? fields(values.shift()?.[1]) : {};
  return { status: 'unknown', ...about, samples: values.map(([, value]) => value) };
}
