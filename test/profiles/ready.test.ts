import { describe, expect, test } from 'vitest'
import { valueAt } from '../../shared/kit/index.ts'
import type { WireProfile } from '../../shared/kit/index.ts'
import { integrations } from '../../integrations/index.ts'
import { checkProfile, unsetSettings } from '../../shared/runtime/catalogue/profile.ts'

/** Each ready profile is right by the schema, whole, and says what it guesses. */

const ready = integrations.flatMap(({ id, profiles = {}, steps, connections }) =>
  Object.entries(profiles).map(([name, make]) => ({ id, name, profile: make(), steps, connections })),
)

const refersTo = (profile: WireProfile): string[] => {
  const fields = Object.values(profile.endpoints ?? {}).flatMap(({ fields: own, bulk }) => [
    ...Object.values(own),
    ...Object.values(bulk?.fields ?? {}),
  ])
  const specs = fields.flat().flatMap((field) => (typeof field === 'object' && field !== null ? [field] : []))
  return specs
    .flatMap(({ resolve, choices }) => [resolve?.endpoint, choices?.endpoint])
    .filter((name) => name !== undefined)
}

/** The longest name that is there, so that `a.b` finds the endpoint `search-contacts` and lists by index. */
const isThere = (profile: WireProfile, what: string) => {
  const [head, ...remainingPath] = what.split('.')
  return head === 'steps' || valueAt(profile, [head, ...remainingPath].join('.')) !== undefined
}

test('the six that the vendors need are offered', () => {
  expect(ready.map(({ id, name }) => `${id}: ${name}`).toSorted()).toEqual([
    'anz-data: firmable',
    'contact-data: apollo',
    'contact-data: hunter',
    'contact-data: lusha-v2',
    'contact-data: lusha-v3',
    'contact-data: people-data-labs',
  ])
})

describe.each(ready)('$name', ({ id, name, profile, steps, connections }) => {
  test('fits the schema and bears its name', () => {
    checkProfile(id, profile as never)
    expect(profile.profile).toBe(name)
  })

  test('needs nothing but a key', () => {
    expect(profile.baseUrl).toMatch(/^https:\/\/[a-z.]+$/)
    expect(Object.keys(profile.auth)).toEqual(connections.map((connection) => connection.id))
    expect(unsetSettings(id, { ...profile, endpoints: {} })).toEqual([])
  })

  test('has every endpoint that a step asks; one the vendor lacks says why', () => {
    const usedEndpoints = new Set(steps.flatMap(({ endpoints = [] }) => endpoints))
    for (const endpoint of usedEndpoints) {
      const here = profile.endpoints?.[endpoint]
      expect(here, endpoint).toBeDefined()
      if (here!.path === null) expect(profile.assumed, endpoint).toHaveProperty([`endpoints.${endpoint}.path`])
    }
  })

  test('names only endpoints that it has', () => {
    const names = [...refersTo(profile), ...(profile.test ? [profile.test.endpoint] : [])]
    expect(names.filter((endpointName) => profile.endpoints?.[endpointName] === undefined)).toEqual([])
  })

  test('reads every kind of record that it answers', () => {
    const kinds = Object.values(profile.endpoints ?? {}).map(({ aliases, kind }) => aliases ?? kind)
    expect(
      kinds.filter((kind) => kind !== undefined && kind !== 'choice' && profile.records?.[kind] === undefined),
    ).toEqual([])
  })

  test('states a price for every endpoint', () => {
    const priceless = Object.entries(profile.endpoints ?? {}).filter(([, { price }]) => price === undefined)
    expect(priceless.map(([endpoint]) => endpoint)).toEqual([])
  })

  test('what it assumes is there', () => {
    expect(Object.keys(profile.assumed).filter((what) => !isThere(profile, what))).toEqual([])
  })

  test('API Call knows every path that a step asks', () => {
    const listed = new Set(profile.operations?.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/, '*')}`))
    const requestLines = Object.values(profile.endpoints ?? {}).flatMap(({ method, path, bulk }) => [
      ...(path === null ? [] : [`${method} ${path.replace(/\{\w+\}/, '*')}`]),
      ...(bulk?.path ? [`${bulk.method ?? 'POST'} ${bulk.path}`] : []),
    ])
    // Its policy refuses subscriptions, which only triggers make.
    expect(requestLines.filter((line) => !listed.has(line) && !/\/filters\/|\/subscriptions$/.test(line))).toEqual([])
  })

  test('gives the caller no way to a key', () => {
    const names = Object.values(profile.auth).flatMap((placement) =>
      placement && 'fields' in placement ? Object.keys(placement.fields) : [],
    )
    expect(
      names.map((fieldName) => fieldName.toLowerCase()).filter((fieldName) => !profile.reserved.includes(fieldName)),
    ).toEqual([])
  })
})
