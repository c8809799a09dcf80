/** The formats whose result is a text. */
export const TEXT_FORMATS = ['json', 'markdown', 'csv', 'html'] as const;

/** Every format of the library, the panel and the commands; `dict` gives objects instead of a text. */
export const EXPORT_FORMATS = ['json', 'markdown', 'csv', 'dict', 'html'] as const;

/** What a transcript can be saved as: besides those formats, a folder of Parquet tables. */
export const SAVED_FORMATS = [...EXPORT_FORMATS, 'parquet'] as const;

/** A format whose result is a text. */
export type TextFormat = (typeof TEXT_FORMATS)[number];
/** A format that messages can be exported in. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
/** What a transcript can be saved as. */
export type SavedFormat = (typeof SAVED_FORMATS)[number];
