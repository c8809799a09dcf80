/**
 * Texts in the language of the person. A text is written where it is used, in English, as a template with the tag `t`, or
 * `words` where VS Code shows it: `npm run l10n` lists all of them in `l10n/bundle.l10n.json` for translators, by the rules
 * of `vscode.l10n`, and a test sees to it that the list is complete. Here and not by `vscode.l10n.t`, because most texts
 * are made where there is no VS Code: in the application, on threads and in pages.
 */

/** Translations by their English texts, in which `{0}` stands for the first value: what `vscode.l10n.bundle` holds. */
export type Translations = Readonly<Record<string, string>>;

/** The parts of a text, and before each part but the first the index of the value that stands there. */
export interface TextParts {
  readonly parts: readonly string[];
  readonly order: readonly number[];
}

let known = new Map<string, TextParts>();
let given: Translations | undefined;

/**
 * From now on texts are in this language; English without translations. A translation that does not use each value of its
 * text is not used, because it would hide what the person must know.
 */
export function useTranslations(translations: Translations | undefined): void {
  given = translations;
  known = new Map();
  for (const [english, translation] of Object.entries(translations ?? {})) {
    const text = typeof translation === 'string' ? partsOf(translation) : undefined;
    const values = new Set(partsOf(english).order);
    const isWhole =
      text?.order.every((value) => values.has(value)) && new Set(text.order).size === values.size;
    if (text && isWhole) known.set(english, text);
  }
}

/** The translations in use, for a thread or a page that is begun. */
export function presentTranslations(): Translations | undefined {
  return given;
}

/** A text in the language of the person. */
export function t(ours: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  if (known.size === 0) return ours.reduce((text, part, at) => `${text}${values[at - 1] ?? ''}${part}`);
  const { parts, order } = translated(ours);
  return parts.map((part, at) => (at === 0 ? part : `${values[order[at - 1] ?? 0]}${part}`)).join('');
}

/** A text of a table that is made before the language is known; `inLanguage` gives it to the person. */
export interface Message {
  readonly english: string;
}

/** Marks a text of a table; it has no values. */
export function message([english = '']: TemplateStringsArray): Message {
  return { english };
}

/** A text of a table in the language of the person. */
export function inLanguage({ english }: Message): string {
  return known.get(english)?.parts[0] ?? english;
}

/** A text of a table in the language of the person; undefined where that has no translation of it, or is English. */
export function translationOf({ english }: Message): string | undefined {
  return known.get(english)?.parts[0];
}

/** The parts of a template in the language of the person. */
export function translated(ours: TemplateStringsArray): TextParts {
  const english = () => ({ parts: ours, order: ours.slice(1).map((_, index) => index) });
  return known.size === 0 ? english() : (known.get(messageOfTemplate(ours)) ?? english());
}

/** What a template is called in the list of texts: `{0}` and so on for its values. */
export function messageOfTemplate(parts: readonly string[]): string {
  return parts.reduce((text, part, index) => `${text}{${index - 1}}${part}`);
}

function partsOf(text: string): TextParts {
  const [first = '', ...rest] = text.split(/\{(\d+)\}/);
  return {
    parts: [first, ...rest.filter((_, at) => at % 2 === 1)],
    order: rest.filter((_, at) => at % 2 === 0).map(Number),
  };
}
