import { messageOf } from '../../core/text.js';
import { fields } from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { nestsDeeper } from '../reading/nesting.js';
import { zipMembers, type ArchiveMember } from '../reading/zipArchive.js';

/** Inspect's `.eval` archive as the one object that its JSON logs are; undefined where it is no such archive. */
export function inspectArchive(bytes: Uint8Array, maxMemberBytes: number, sink: ImportSink): unknown {
  const members = listMembers(bytes, maxMemberBytes, sink);
  const header =
    members.find(({ name }) => name === 'header.json') ??
    members.find(({ name }) => name === '_journal/start.json');
  if (!header) return undefined;
  const samples = members
    .filter(({ name }) => /^samples\/.*\.json$/.test(name))
    .map((member) => readJson(member, sink))
    .filter((sample) => sample !== undefined);
  return { status: 'unknown', ...fields(readJson(header, sink)), samples };
}

function listMembers(bytes: Uint8Array, maxMemberBytes: number, sink: ImportSink): ArchiveMember[] {
  try {
    return zipMembers(bytes, maxMemberBytes);
  } catch (error) {
    sink.problem('error', error instanceof RangeError ? 'The archive is damaged.' : messageOf(error));
    return [];
  }
}

function readJson(member: ArchiveMember, sink: ImportSink): unknown {
  try {
    const text = new TextDecoder().decode(member.read());
    if (!nestsDeeper(text)) return JSON.parse(text) as unknown;
    sink.problem('error', `${member.name} nests too deep.`);
  } catch (error) {
    sink.problem('error', `${member.name}: ${messageOf(error)}`);
  }
  return undefined;
}
