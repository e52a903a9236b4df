import type { Contract } from './contracts.ts'

type Schema = any

/** What stops working, and for whom. */
export type Break = { who: string; what: string }

const bounds = {
  minimum: 1,
  minLength: 1,
  minItems: 1,
  exclusiveMinimum: 1,
  maximum: -1,
  maxLength: -1,
  maxItems: -1,
  exclusiveMaximum: -1,
} as const
const list = (of: unknown): unknown[] => (of === undefined ? [] : [of].flat())
const said = (value: unknown) => (value === undefined ? 'not stated' : JSON.stringify(value))
const namesOf = (schema: Schema): string[] => Object.keys(schema?.properties ?? {})

/** The schemas of one value: a choice of several, or the only one. */
const choicesOf = (schema: Schema): Schema[] => (schema?.anyOf ?? schema?.oneOf ?? [schema]) as Schema[]
const typesOf = (schema: Schema) =>
  [
    ...new Set(
      choicesOf(schema).flatMap((choice) =>
        'const' in choice ? ['const'] : choice.type === undefined ? ['any'] : list(choice.type),
      ),
    ),
  ].sort()
const wordsOf = (schema: Schema): unknown[] | undefined => {
  const all = choicesOf(schema)
  return all.every((choice) => choice.enum || 'const' in choice)
    ? all.flatMap((choice) => choice.enum ?? [choice.const])
    : undefined
}
/** The choice with fields or items of its own: where there are several, the first. */
const shaped = (schema: Schema): Schema => choicesOf(schema).find((choice) => choice.properties || choice.items) ?? {}

/** What a caller may have sent that is refused now. */
const refusedNow = (was: Schema, is: Schema, at: string): string[] => {
  const [before, now] = [typesOf(was), typesOf(is)]
  const breaks: string[] = []
  const gone = now.includes('any')
    ? []
    : before.filter((type) => !now.includes(type) && !(type === 'integer' && now.includes('number')))
  if (gone.length > 0) breaks.push(`${at} was ${before.join(' or ')} and is ${now.join(' or ')}`)
  const [words, wordsNow] = [wordsOf(was), wordsOf(is)]
  if (wordsNow) {
    const missing = words?.filter((word) => !wordsNow.includes(word))
    if (!missing) breaks.push(`${at} takes only ${wordsNow.map(said).join(', ')} now`)
    else if (missing.length > 0) breaks.push(`${at} no longer takes ${missing.map(said).join(', ')}`)
  }
  for (const [word, way] of Object.entries(bounds))
    if (is[word] !== undefined && (was[word] === undefined || (is[word] - was[word]) * way > 0))
      breaks.push(`${word} of ${at} was ${said(was[word])} and is ${is[word]}`)
  for (const word of ['pattern', 'format'])
    if (is[word] !== undefined && is[word] !== was[word])
      breaks.push(`${word} of ${at} was ${said(was[word])} and is ${said(is[word])}`)
  const [outer, inner] = [shaped(was), shaped(is)]
  for (const name of namesOf(outer)) {
    const field = inner.properties?.[name]
    if (field) breaks.push(...refusedNow(outer.properties[name], field, `${at}.${name}`))
    else if (inner.additionalProperties === false) breaks.push(`${at}.${name} is gone`)
  }
  for (const name of inner.required ?? []) if (!outer.required?.includes(name)) breaks.push(`${at}.${name} is required`)
  if (outer.items && inner.items) breaks.push(...refusedNow(outer.items, inner.items, `${at}[]`))
  return breaks
}

/** What a reader may have relied on that is not so now. */
const missingNow = (was: Schema, is: Schema, at: string): string[] => {
  const [before, now] = [typesOf(was), typesOf(is)]
  const breaks: string[] = []
  const added = before.includes('any')
    ? []
    : now.filter((type) => !before.includes(type) && !(type === 'integer' && before.includes('number')))
  if (added.length > 0) breaks.push(`${at} was ${before.join(' or ')} and is ${now.join(' or ')}`)
  const [words, wordsNow] = [wordsOf(was), wordsOf(is)]
  if (words) {
    const more = wordsNow?.filter((word) => !words.includes(word)) ?? ['any word']
    if (more.length > 0) breaks.push(`${at} may be ${more.map(said).join(', ')} now`)
  }
  const [outer, inner] = [shaped(was), shaped(is)]
  for (const name of namesOf(outer)) {
    const field = inner.properties?.[name]
    if (!field) breaks.push(`${at}.${name} is gone`)
    else {
      if (outer.required?.includes(name) && !inner.required?.includes(name))
        breaks.push(`${at}.${name} may be absent now`)
      breaks.push(...missingNow(outer.properties[name], field, `${at}.${name}`))
    }
  }
  if (outer.items && inner.items) breaks.push(...missingNow(outer.items, inner.items, `${at}[]`))
  return breaks
}

/** Fields that came to it anywhere, which a higher minor version says. */
const hasGrown = (was: Schema, is: Schema): boolean => {
  const [outer, inner] = [shaped(was), shaped(is)]
  return (
    namesOf(inner).some(
      (name) => !outer.properties?.[name] || hasGrown(outer.properties[name], inner.properties[name]),
    ) || (outer.items && inner.items ? hasGrown(outer.items, inner.items) : false)
  )
}

const major = (version: string) => version.split('.')[0]
const isNewer = (version: string, than: string) => version.localeCompare(than, 'en', { numeric: true }) > 0

/** The parts of a step or trigger, and who has to do with each. */
const parts = {
  steps: { input: ['callers of', refusedNow], output: ['readers of', missingNow] },
  triggers: {
    config: ['subscriptions to', refusedNow],
    options: ['subscriptions to', refusedNow],
    data: ['agents started by', missingNow],
  },
} as const

const breaksOf = (kind: 'steps' | 'triggers', name: string, was: Schema, is?: Schema): Break[] => {
  if (!is)
    return [
      {
        who: kind === 'steps' ? `callers of ${name}, and tokens bound to it` : `subscriptions to ${name}`,
        what: 'it is gone',
      },
    ]
  const breaks = Object.entries(parts[kind]).flatMap(([part, [who, compare]]) =>
    (compare as typeof refusedNow)(was[part], is[part], part).map((what) => ({ who: `${who} ${name}`, what })),
  )
  const whole = (who: string, what: string) => breaks.push({ who: `${who} ${name}`, what })
  if (was.tool !== is.tool) whole('hosts that approved the tool of', `its tool was ${was.tool} and is ${is.tool}`)
  if (was.effect !== is.effect) whole('approval rules for', `its effect was ${was.effect} and is ${is.effect}`)
  for (const scope of was.oauthScopes ? (is.oauthScopes ?? []) : [])
    if (!was.oauthScopes.includes(scope)) whole('accounts that are connected for', `it needs the scope "${scope}" too`)
  for (const way of was.delivery ?? [])
    if (!is.delivery.includes(way)) whole('subscriptions to', `it has no delivery by ${way}`)
  const broken = breaks.length > 0
  if (major(was.version) !== major(is.version)) whole('everybody who uses', 'a new major version wants a new id')
  else if (
    !broken &&
    Object.keys(parts[kind]).some((part) => part !== 'options' && hasGrown(was[part], is[part])) &&
    !isNewer(is.version, was.version)
  )
    whole(
      'platforms that compare versions of',
      `it has more fields than version ${was.version}, and still this version`,
    )
  return breaks
}

/** Compares an integration with what users have of it. */
export const findBreaks = (integration: string, was: Contract, is: Contract): Break[] => [
  ...(['steps', 'triggers'] as const).flatMap((kind) =>
    Object.entries(was[kind]).flatMap(([id, definition]) =>
      breaksOf(kind, `${integration}/${id}`, definition, is[kind][id]),
    ),
  ),
  ...Object.entries(was.connections).flatMap(([id, { secrets }]) => {
    const who = `accounts of ${integration} that are connected by ${id}`
    const now = is.connections[id]
    if (!now) return [{ who, what: 'it is gone' }]
    return secrets && now.secrets ? refusedNow(secrets, now.secrets, 'secrets').map((what) => ({ who, what })) : []
  }),
  ...was.toolSets
    .filter((set) => !is.toolSets.includes(set))
    .map((set) => ({ who: `hosts that ask for the tool set ${set} of ${integration}`, what: 'it is gone' })),
]
