import { READ_ONLY, requireTrust, type Workspace } from '../ports/workspace.js';
import type { Stores } from './stores.js';
import type { NoteFiles } from '../notes/noteBook.js';

/** The notes of the conversations in the stores of a window; in a workspace that is not trusted they are only read. */
export function noteFiles(stores: Pick<Stores, 'find'>, workspace: Pick<Workspace, 'isTrusted'>): NoteFiles {
  return {
    read: async (conversation) => (await stores.find(conversation)).store.notes(conversation),
    change: async (conversation, changes) => {
      requireTrust(workspace, READ_ONLY);
      await (await stores.find(conversation)).store.changeNotes(conversation, changes);
    },
  };
}
