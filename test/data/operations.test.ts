import { describe, expect, it } from 'vitest'
import type { EndpointProfile, FieldWire, WireProfile } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { createVerdict } from '../../shared/runtime/catalogue/operations.ts'
import { tableOf } from '../../shared/runtime/catalogue/operation-table.ts'

const profiles = integrations.flatMap(({ id, apiCall, wire, profiles: ready = {} }) =>
  [wire, ...Object.values(ready).map((make) => make())].flatMap((profile) =>
    profile.endpoints ? [{ name: `${id}/${profile.profile}`, profile, apiCall }] : [],
  ),
)

const namesOf = (wire: FieldWire): string[] =>
  wire === null
    ? []
    : typeof wire === 'string'
      ? [wire]
      : (Array.isArray(wire) ? wire : [wire]).flatMap(({ name, flags }) => [...(name === null ? [] : [name]), ...Object.values(flags ?? {})])

/** Requests of an endpoint, each with the names at the top of its query or body. */
const requestsOf = ({ method, path, fields, envelope, constants, bulk }: EndpointProfile) => {
  const top = (names: string[]) => [...new Set(names.map((name) => name.split('.')[0]!))]
  const single = envelope ? [envelope.at] : Object.values(fields).flatMap(namesOf)
  const many = bulk?.envelope ? [bulk.envelope] : []
  return [
    ...(path === null ? [] : [{ method, path, names: top([...single, ...Object.keys(constants ?? {})]) }]),
    ...(bulk && bulk.path !== null ? [{ method: bulk.method ?? 'POST', path: bulk.path, names: top([...many, ...Object.keys(bulk.constants ?? {})]) }] : []),
  ]
}

describe.each(profiles.map((one) => [one.name, one] as const))('the endpoints of %s', (_, { profile, apiCall }) => {
  const { operations = [], endpoints = {} } = profile as WireProfile
  const table = tableOf(operations)

  it('that steps use are listed for API Call, with the names they send', () => {
    const missing = Object.values(endpoints).flatMap((endpoint) =>
      requestsOf(endpoint).flatMap(({ method, path, names }) => {
        const operation = table.find(method, path)
        if (!operation) return [`${method} ${path}`]
        const listed = operation.parameters.map(({ name }) => name.split('.')[0]!)
        return names.filter((name) => !listed.includes(name)).map((name) => `${name} of ${method} ${path}`)
      }),
    )
    expect(missing).toEqual([])
  })

  it('are allowed, have a title, and are listed once', () => {
    const verdict = createVerdict(apiCall)
    expect(operations.length).toBeGreaterThan(2)
    expect(operations.filter((one) => verdict.refusal(one) !== undefined)).toEqual([])
    expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length)
  })
})
