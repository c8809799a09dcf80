import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What VS Code tells a webview of its theme. */
export interface Theme {
  readonly bodyClass: string;
  /** CSS custom properties with their values. */
  readonly variables: Readonly<Record<string, string>>;
}

export const THEMES = ['dark', 'light', 'highContrast', 'highContrastLight'] as const;
export type ThemeName = (typeof THEMES)[number];

/** A theme as a webview of VS Code was given it; kept in `themes/`, those variables alone that the page uses. */
export function readTheme(name: ThemeName): Theme {
  return JSON.parse(readFileSync(join('test/support/themes', `${name}.json`), 'utf8')) as Theme;
}
