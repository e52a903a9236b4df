import { failField } from '#kit'

/** Omits the fields of a query that were not sent. */
export const omitUndefined = <T extends object>(values: T): { [name in keyof T]?: Exclude<T[name], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]?: Exclude<T[name], undefined>
  }

/** Reads the labels to filter by, each written as name:value. */
export const readLabels = (label: string | string[] | undefined): Record<string, string> | undefined => {
  const pairs = [label ?? []].flat().map((text) => {
    const [, name, value] = /^([^:]+):(.*)$/s.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw failField('/query/label', `"${text}" is not a label. Write it as name:value.`)
    return [name, value]
  })
  return pairs.length > 0 ? (Object.fromEntries(pairs) as Record<string, string>) : undefined
}
