/**
 * What a CommonJS package exports, from what `import()` of it gives: in Node its names and `default`, in a bundle
 * only `default`.
 */
export function exportsOf<T extends object>(module: T): T {
  return 'default' in module && module.default instanceof Object ? (module.default as T) : module;
}
