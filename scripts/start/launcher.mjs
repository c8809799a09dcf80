/**
 * Opens a workspace in a VS Code with the extension under development and resolves when the user is done with it;
 * resolves to the reason, as a sentence, when this machine cannot.
 * @typedef {(what: { extension: string, workspace: string }) => Promise<string | undefined>} Launcher
 */

/** Whether a window can be opened on this machine. */
export function hasDesktop() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

export const NO_DESKTOP = 'there is no desktop here (neither DISPLAY nor WAYLAND_DISPLAY is set).';
