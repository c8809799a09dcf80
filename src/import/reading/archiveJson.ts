import { messageOf } from '../../core/text.js';
import type { ProblemSink } from './entries.js';
import { jsonValue } from './jsonText.js';
import { nestsDeeper } from './nesting.js';
import { zipMembers, type ArchiveMember } from './zipArchive.js';

/** The files of an archive; where it is damaged, none and a reported problem. */
export function archiveMembers(bytes: Uint8Array, sink: ProblemSink): readonly ArchiveMember[] {
  try {
    return zipMembers(bytes);
  } catch (error) {
    sink.problem('error', error instanceof RangeError ? 'The archive is damaged.' : messageOf(error));
    return [];
  }
}

/**
 * The JSON values of files in an archive, with their names; a file that is not JSON is reported. Stops, with a report, at
 * the file with which the unpacked total exceeds `maxBytes`, because a small archive can contain very much.
 */
export function* memberValues(
  members: readonly ArchiveMember[],
  maxBytes: number,
  sink: ProblemSink,
): Generator<readonly [name: string, value: unknown]> {
  let left = maxBytes;
  for (const [index, member] of members.entries()) {
    try {
      const bytes = member.read(left);
      if (!bytes) {
        const rest = members.length - index;
        sink.problem(
          'error',
          `The archive unpacks to more than ${maxBytes} bytes; ${rest} of its files were not read, the first of them ${member.name}.`,
        );
        return;
      }
      left -= bytes.length;
      const text = new TextDecoder().decode(bytes);
      if (nestsDeeper(text)) sink.problem('error', `${member.name} nests too deep.`);
      else yield [member.name, jsonValue(text)];
    } catch (error) {
      sink.problem('error', `${member.name}: ${messageOf(error)}`);
    }
  }
}
