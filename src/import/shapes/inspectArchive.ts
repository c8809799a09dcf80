import type { ImportSink } from '../importSink.js';
import { memberJson } from '../reading/archiveJson.js';
import { fields } from '../reading/fields.js';
import type { ArchiveMember } from '../reading/zipArchive.js';

/** Inspect's `.eval` archive as the one object that its JSON logs are; undefined where it is no such archive. */
export function inspectArchive(members: readonly ArchiveMember[], sink: ImportSink): unknown {
  const header =
    members.find(({ name }) => name === 'header.json') ??
    members.find(({ name }) => name === '_journal/start.json');
  if (!header) return undefined;
  const samples = members
    .filter(({ name }) => /^samples\/.*\.json$/.test(name))
    .map((member) => memberJson(member, sink))
    .filter((sample) => sample !== undefined);
  return { status: 'unknown', ...fields(memberJson(header, sink)), samples };
}
