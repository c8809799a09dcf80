/** A value that no name of a program would be: letters of both cases or many digits, mixed with digits. */
export function isRandom(value: string): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}/i.test(value))
    return false;
  const digits = value.replace(/\D+/g, '').length;
  return (
    (/[a-z]/.test(value) && /[A-Z]/.test(value) && new Set(value).size >= 10) || digits * 6 >= value.length
  );
}
