/** The formats whose result is a text. */
export const TEXT_FORMATS = ['json', 'markdown', 'csv', 'html'] as const;

/** Every format of the library, the panel and the commands; `dict` gives objects instead of a text. */
export const EXPORT_FORMATS = ['json', 'markdown', 'csv', 'dict', 'html'] as const;

/** A format whose result is a text. */
export type TextFormat = (typeof TEXT_FORMATS)[number];
/** A format that messages can be exported in. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
