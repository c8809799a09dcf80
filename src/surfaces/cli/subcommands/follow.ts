import { LATEST } from '../../../app/sources/nameMatch.js';
import { UserError } from '../../../app/userError.js';
import type { Call } from '../call.js';
import { FileTail } from '../fileTail.js';
import { StoredTail } from '../storedTail.js';

/** How many messages from before are shown, where nothing else is said. */
const USUAL_LAST = 10;

/** Shows the end of a session, and what comes to it until the person interrupts. */
export async function follow(call: Call): Promise<void> {
  const names = call.words.length > 0 ? call.words : [LATEST];
  if (names.includes('-'))
    throw new UserError('Standard input cannot be followed; name the file, or write show - instead.');
  const last = call.number('last') ?? USUAL_LAST;
  const file = new FileTail(call);
  await call.withOne(
    names,
    async (session) => {
      if (session.kind === 'stored') await new StoredTail(call, session).follow(last);
      else await file.begin(session, last);
    },
    { isGrowing: true, onOpening: (path) => file.lookAt(path) },
  );
  await file.follow();
}
