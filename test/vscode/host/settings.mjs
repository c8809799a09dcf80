/**
 * User settings for a VS Code that asks nothing and shows nothing but the extension.
 * @param {{ trusted: boolean }} options
 * @returns {Record<string, unknown>}
 */
export function defaultSettings({ trusted }) {
  return {
    'chat.commandCenter.enabled': false,
    'extensions.autoCheckUpdates': false,
    'extensions.autoUpdate': false,
    'files.simpleDialog.enable': true,
    'git.openRepositoryInParentFolders': 'never',
    'security.workspace.trust.enabled': !trusted,
    'security.workspace.trust.startupPrompt': 'never',
    'telemetry.telemetryLevel': 'off',
    'update.mode': 'none',
    'window.restoreWindows': 'none',
    'workbench.colorTheme': 'Default Dark Modern',
    'workbench.enableExperiments': false,
    // What opens at the same moment, a page that gets the focus late for one, would take a question away.
    'workbench.quickOpen.closeOnFocusLost': false,
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
  };
}
