/** What a provider may answer with at the largest, by its shape: to measure what it costs whoever walks over it. */
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const card = (index: number, more = 'x'.repeat(400)) => ({
  id: String(index).padStart(24, '0'),
  name: `Card ${index}`,
  desc: more,
  labels: many(3, (at) => ({ id: at, name: `Label ${at}` })),
})
const nested = (levels: number, wrap: (inner: unknown) => unknown) => {
  let value: unknown = 'end'
  for (let level = 0; level < levels; level += 1) value = wrap(value)
  return value
}

/** Each is made when asked for: some hold many megabytes. */
export const largeShapes: Record<string, () => unknown> = {
  'a map of 500 small lists (70 kB)': () =>
    Object.fromEntries(many(500, (index) => [`list ${index}`, many(12, (at) => `value ${index % 10}${at % 10}`)])),
  'a map of 300 cards (160 kB)': () => Object.fromEntries(many(300, (index) => [`card ${index}`, card(index)])),
  'a list of 12,000 cards (7 MB)': () => many(12_000, (index) => card(index)),
  'an object of 300,000 names (5 MB)': () => Object.fromEntries(many(300_000, (index) => [`name${index}`, index])),
  '60 levels of objects, each with a list beside it': () =>
    nested(60, (inner) => ({ beside: many(800, (index) => index), inner, after: many(800, (index) => `${index}`) })),
  '60 levels of lists': () => nested(60, (inner) => [inner, ...many(2000, (index) => index)]),
  '500 levels of objects': () => nested(500, (inner) => ({ inner, list: many(100, (index) => index) })),
  'one text (7 MB)': () => 'A text. '.repeat(900_000),
  'one text of characters that nobody sees (6 MB)': () => 'a\u200d'.repeat(1_500_000),
  '300,000 small texts': () => many(300_000, (index) => `t${index}`),
  '1,500,000 numbers': () => many(1_500_000, (index) => index % 10),
  '2,000 lists of 1,000 numbers': () => many(2000, () => many(1000, (index) => index % 10)),
  '3,000 objects of 100 lists': () => many(3000, () => Object.fromEntries(many(100, (at) => [`l${at}`, [at, at]]))),
  '300 names for long lists': () =>
    Object.fromEntries(many(300, (index) => [`list${index}`, many(5000, (at) => at % 10)])),
  'a binary tree of 500,000 leaves': () => {
    const tree = (levels: number): unknown => (levels === 0 ? 1 : { l: tree(levels - 1), r: tree(levels - 1) })
    return tree(19)
  },
  '400,000 empty lists': () => many(400_000, () => []),
}
