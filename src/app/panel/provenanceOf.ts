import { t } from '../../core/l10n.js';
import { toolWords } from '../../import/toolWords.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import type { Provenance } from '../../page/protocol/panelState.js';

/** Where a transcript comes from, as far as its store knows; `folder` is that of the workspace that the store belongs to. */
export function provenanceOf(folder: string, origin: ConversationSource | undefined): Provenance {
  return {
    ...(origin && { tool: toolWords(origin.tool) }),
    ...(origin?.path !== undefined && { path: origin.path }),
    folder,
    details: origin?.version === undefined ? [] : [{ name: t`Version`, value: String(origin.version) }],
  };
}
