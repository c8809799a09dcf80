/** Does what must not hurt whoever does it: what is thrown, or rejected with later, goes to `failed`. */
export function harmlessly(act: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = act();
    if (typeof result === 'object' && result !== null && 'then' in result) {
      Promise.resolve(result).catch(failed);
    }
  } catch (error) {
    failed(error);
  }
}
