const MEBIBYTE = 1024 * 1024;

/** A number of bytes for a person, in MiB from one on. */
export function sizeWords(bytes: number): string {
  return bytes < MEBIBYTE ? `${bytes} bytes` : `${Math.round(bytes / MEBIBYTE).toLocaleString('en-US')} MiB`;
}
