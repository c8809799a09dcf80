/** The formats whose result is a text. */
export const TEXT_FORMATS = ['json', 'markdown', 'csv', 'html'] as const;

/** Every format that messages are exported in, by the library, the panel and the commands alike; `dict` gives objects. */
export const EXPORT_FORMATS = ['json', 'markdown', 'csv', 'dict', 'html'] as const;

export type TextFormat = (typeof TEXT_FORMATS)[number];
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
