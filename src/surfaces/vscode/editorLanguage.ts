import * as vscode from 'vscode';
import { useTranslations, type Translations } from '../../core/l10n.js';

/** From now on texts are in the language of VS Code, where there are translations into it. */
export function useEditorLanguage(): void {
  useTranslations(vscode.l10n.bundle);
}

/** The language in which a page speaks, and the translations into it; English without any. */
export function editorLanguage(): {
  readonly language: string;
  readonly translations: Translations | undefined;
} {
  const translations = vscode.l10n.bundle;
  return { language: translations ? vscode.env.language : 'en', translations };
}
