import { errorCode } from '../../core/errorCode.js';
import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';

/** What tells of a file that cannot be opened, by the code of the error. */
const REASONS: Readonly<Record<string, () => string>> = {
  ENOENT: () => t`there is no such file`,
  EACCES: () => t`your user may not read it`,
  EPERM: () => t`your user may not read it`,
  EISDIR: () => t`it is a folder`,
  ELOOP: () => t`it is a link that leads back to itself`,
  EIO: () => t`the system cannot read it`,
  ENOSPC: () => t`the disk for temporary files is full`,
};

/** Why a file could not be read, in a few words. */
export function whyUnread(error: unknown): string {
  return REASONS[errorCode(error)]?.() ?? messageOf(error);
}
