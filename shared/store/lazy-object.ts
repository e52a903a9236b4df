/**
 * An object whose parts are made when they are first read: a store has about forty, and a process that runs one step
 * needs five. A part can be replaced like any other property.
 */
export const lazyObject = <T extends object>(makers: { [Name in keyof T]: () => T[Name] }): T => {
  const made = {} as T
  const put = (name: keyof T, value: T[keyof T]) =>
    Object.defineProperty(made, name, { value, writable: true, enumerable: true, configurable: true })
  for (const name of Object.keys(makers) as (keyof T)[])
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get() {
        const part = makers[name]()
        put(name, part)
        return part
      },
      set(value: T[keyof T]) {
        put(name, value)
      },
    })
  return made
}
