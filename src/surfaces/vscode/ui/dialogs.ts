import type { Dialogs } from '../../../app/ports/dialogs.js';
import { showError, showInformation, showWarning } from './notices.js';
import { askForText } from './pickers.js';
import { withProgress } from './progress.js';

/** The notices and dialogs of VS Code, as the application uses them. */
export const dialogs: Dialogs = {
  showError,
  showWarning,
  showInformation,
  askForText,
  progress: withProgress,
};
