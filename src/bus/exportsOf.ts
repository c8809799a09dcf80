/**
 * The exports of a CommonJS package, given the result of `import()`: in Node that has its names and `default`, in a
 * bundle only `default`.
 */
export function exportsOf<T extends object>(module: T): T {
  return 'default' in module && module.default instanceof Object ? (module.default as T) : module;
}
