import { isObject } from '../../core/message.js';
import { firstCodePoints } from '../../core/text.js';
import { FACTS, IMPORTED } from '../../import/importResult.js';
import type { ConversationSource, Transcript } from '../../ports/transcript.js';
import type { Provenance } from '../../protocol/panelState.js';

/** How many details are shown, and how long each part of one may be, in code points; a log may contain any number. */
const MAX_DETAILS = 40;
const MAX_DETAIL = 200;

/**
 * Where a transcript comes from, and what its source says of it as a whole: an imported one names them in its first
 * record. `folder` is that of the workspace that its store belongs to.
 */
export async function provenanceOf(
  transcript: Pick<Transcript, 'read'>,
  folder: string,
  origin: ConversationSource | undefined,
): Promise<Provenance> {
  const [first] = await transcript.read(0, 1);
  const version = origin?.version === undefined ? [] : [{ name: 'Version', value: String(origin.version) }];
  return {
    ...(origin && { tool: origin.tool }),
    ...(origin?.path !== undefined && { path: origin.path }),
    folder,
    details: [...detailsIn(first), ...version],
  };
}

/** The facts that an import keeps in its first record. */
function detailsIn(record: unknown): Provenance['details'] {
  if (!isObject(record) || record.type !== IMPORTED || record.kind !== FACTS) return [];
  if (!isObject(record.value) || Array.isArray(record.value)) return [];
  const facts = Object.entries(record.value).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [{ name: clipped(name), value: clipped(value) }] : [],
  );
  const left = facts.length - MAX_DETAILS;
  return left > 0
    ? [...facts.slice(0, MAX_DETAILS), { name: 'More', value: `${left} in the first record` }]
    : facts;
}

function clipped(text: string): string {
  const start = firstCodePoints(text, MAX_DETAIL);
  return start === text ? text : `${start}…`;
}
