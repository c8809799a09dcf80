import { messageOf } from '../../core/text.js';
import type { ImportSink } from '../importSink.js';
import { nestsDeeper } from './nesting.js';
import { zipMembers, type ArchiveMember } from './zipArchive.js';

/** The files of an archive; none, and a problem, where it is damaged. */
export function archiveMembers(
  bytes: Uint8Array,
  maxMemberBytes: number,
  sink: ImportSink,
): readonly ArchiveMember[] {
  try {
    return zipMembers(bytes, maxMemberBytes);
  } catch (error) {
    sink.problem('error', error instanceof RangeError ? 'The archive is damaged.' : messageOf(error));
    return [];
  }
}

/** The JSON value of a file in an archive; undefined, and a problem, where it is none. */
export function memberJson(member: ArchiveMember, sink: ImportSink): unknown {
  try {
    const text = new TextDecoder().decode(member.read());
    if (!nestsDeeper(text)) return JSON.parse(text) as unknown;
    sink.problem('error', `${member.name} nests too deep.`);
  } catch (error) {
    sink.problem('error', `${member.name}: ${messageOf(error)}`);
  }
  return undefined;
}
