import type { EndpointProfile, WireProfile } from '#kit'
import { specsOf, wrongRequest } from './profile-requests.ts'
import type { Wrong } from './profile-requests.ts'

const sayUnknown = (what: string, names: object) =>
  `there is no ${what} of that name. There are: ${Object.keys(names).join(', ') || 'none'}`

const wrongIn = (
  profile: Pick<WireProfile, 'endpoints' | 'records'>,
  name: string,
  endpoint: EndpointProfile,
): Wrong[] => {
  const { endpoints = {}, records = {} } = profile
  const at = `endpoints.${name}`
  const wrong: Wrong[] = []
  if (endpoint.aliases !== undefined && !Object.hasOwn(records, endpoint.aliases))
    wrong.push({ where: `${at}.aliases`, why: sayUnknown('entry of "records"', records) })
  const specs = specsOf({ ...endpoint.bulk?.fields, ...endpoint.fields })
  for (const [field, spec] of specs) {
    for (const part of ['resolve', 'choices'] as const) {
      const endpointName = spec[part]?.endpoint
      if (endpointName !== undefined && !Object.hasOwn(endpoints, endpointName))
        wrong.push({ where: `${at}.fields.${field}.${part}.endpoint`, why: sayUnknown('endpoint', endpoints) })
    }
    const { resolve } = spec
    const resolvingEndpoint = resolve && endpoints[resolve.endpoint]
    if (
      resolvingEndpoint &&
      !Object.hasOwn(resolvingEndpoint.fields, resolve.field) &&
      !resolvingEndpoint.path?.includes(`{${resolve.field}}`)
    )
      wrong.push({
        where: `${at}.fields.${field}.resolve.field`,
        why: `there is no such field in "endpoints.${resolve.endpoint}.fields"`,
      })
  }
  const { page, pending } = endpoint
  if (page?.min !== undefined && page.min > page.max)
    wrong.push({ where: `${at}.page.min`, why: `it is more than "max", which is ${page.max}` })
  const missing = [...(pending?.poll?.path ?? '').matchAll(/\{(\w+)\}/g)].find(
    ([, placeholder = '']) => !Object.hasOwn(pending?.poll?.names ?? {}, placeholder),
  )
  if (missing)
    wrong.push({
      where: `${at}.pending.poll.names.${missing[1]}`,
      why: 'the path needs this name: give the dotted path of its value in the answer',
    })
  return wrong
}

/**
 * The first setting that refers to something that does not exist, or contradicts another. Each part must already be
 * valid by itself.
 */
export const wrongReference = (profile: Pick<WireProfile, 'endpoints' | 'records' | 'test'>): Wrong | undefined => {
  const { endpoints = {}, test } = profile
  if (test !== undefined) {
    const where = 'test.endpoint'
    const testEndpoint = Object.hasOwn(endpoints, test.endpoint) ? endpoints[test.endpoint] : undefined
    if (!testEndpoint) return { where, why: sayUnknown('endpoint', endpoints) }
    // A price per match is fine here: the test can look up somebody who cannot exist.
    if (testEndpoint.price?.some(({ per, credits }) => credits > 0 && (per === 'call' || per === 'record')))
      return { where, why: `each request to "${test.endpoint}" costs credits, and a test has to be free` }
  }
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const wrong = wrongIn(profile, name, endpoint)[0] ?? wrongRequest(endpoints, name, endpoint)
    if (wrong) return wrong
  }
  return undefined
}
