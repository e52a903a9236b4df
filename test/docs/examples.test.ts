import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import type { Manifest } from '../../shared/runtime/catalogue/manifest.ts'
import { blockOf, root } from './pages.ts'
import { hasAsWritten, openReader } from './reader.ts'
import type { Reader } from './reader.ts'

/** What the manifests print, run against what `npm start` serves. */
const written = {
  server: 'http://127.0.0.1:8750',
  sandboxes: ['http://127.0.0.1:43533', 'http://127.0.0.1:40657', 'http://127.0.0.1:37017'],
}
const hosts = ['https://trello.com', 'https://api.anz-data.example', 'https://api.contact-data.example']

let reader: Reader
let token = ''
const ask = async (path: string, body: unknown) => {
  const response = await fetch(reader.here(`${written.server}${path}`), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as { output?: unknown; type?: string } }
}

beforeAll(async () => {
  reader = await openReader()
  await reader.serve(blockOf('start'))
  token = (await readFile(join(reader.directory, '.toolyard', 'sandbox', 'token'), 'utf8')).trim()
})
afterAll(() => reader.close())

/**
 * Times, ids of files, and the first half of an id that is made now, are others each time; so is where the sandbox is.
 */
const settled = (value: unknown): unknown => {
  const text = written.sandboxes.reduce(
    (sum, origin, at) => sum.replaceAll(reader.here(origin), hosts[at]!),
    JSON.stringify(value),
  )
  return JSON.parse(
    text
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
      .replaceAll(/\bfil_[\w-]+/g, 'a file')
      .replaceAll(/\b[0-9a-f]{8}(?=[0-9a-f]{16}(?:0{40})?\b)/g, ''),
  ) as unknown
}
/** Of headers, those are printed that are the same each time. */
const printedPart = (output: unknown) =>
  typeof output === 'object' && output !== null && 'headers' in output
    ? { ...output, headers: { ...(output.headers as object), '…': true } }
    : output

const manifests = integrations.map(
  ({ id }) => JSON.parse(readFileSync(join(root, 'manifests', `${id}.json`), 'utf8')) as Manifest,
)
const steps = manifests.flatMap(({ id, steps: all }) =>
  all.flatMap((step) => step.examples.map((example) => [`${id}/${step.id}`, example.title, example] as const)),
)
/** The documents show no such endpoint; other profiles have it. */
const notOffered = [
  'contact-data/search-and-enrich-contacts',
  'contact-data/search-and-enrich-companies',
  'contact-data/reveal-contacts',
  'contact-data/reveal-companies',
  'contact-data/find-lookalike-contacts',
  'contact-data/find-lookalike-companies',
  'contact-data/find-buying-group',
  'contact-data/get-website-visits',
  'contact-data/get-contact-signals',
  'contact-data/get-company-signals',
  'contact-data/score-contacts',
  'contact-data/score-companies',
  'contact-data/list-filter-values',
  'contact-data/account-usage',
]
const notOfferedTriggers = ['contact-data/contact-signal', 'contact-data/company-signal']
const triggers = manifests.flatMap(({ id, triggers: all }) =>
  all.flatMap((trigger) => trigger.examples.map((example) => [id, trigger.id, example.title, example] as const)),
)

describe('printed examples of steps', () => {
  it('run, save those of steps and triggers that the profile in the sandbox does not offer', async () => {
    for (const { id } of integrations) {
      const response = await fetch(reader.here(`${written.server}/v1/integrations/${id}`), {
        headers: { authorization: `Bearer ${token}` },
      })
      const served = (await response.json()) as Manifest
      const missing = (parts: Manifest['steps'] | Manifest['triggers']) =>
        parts.flatMap((part) => (part.ready ? [] : [`${id}/${part.id}`]))
      expect(missing(served.steps)).toEqual(notOffered.filter((path) => path.startsWith(`${id}/`)))
      expect(missing(served.triggers)).toEqual(notOfferedTriggers.filter((path) => path.startsWith(`${id}/`)))
    }
  })
  it.each(steps.filter(([path]) => !notOffered.includes(path)))(
    '%s: %s',
    async (path, _, { input, output, failure }) => {
      for (const origin of written.sandboxes) await fetch(reader.here(`${origin}/_control/reset`), { method: 'POST' })
      const { status, body } = await ask(`/v1/steps/${path}/run`, { input })
      if (failure !== undefined)
        return expect(body.type).toBe(`urn:toolyard:failure:${(failure as { code: string }).code}`)
      expect(status, JSON.stringify(body)).toBe(200)
      const [actual, shown] = [settled(body.output), settled(printedPart(output))]
      expect(hasAsWritten(actual, shown), `${JSON.stringify(actual)}\nis not\n${JSON.stringify(shown)}`).toBe(true)
    },
  )
})

describe('printed examples of triggers', () => {
  const offered = triggers.filter(([integration, trigger]) => !notOfferedTriggers.includes(`${integration}/${trigger}`))
  it.each(offered)('%s/%s: %s can be attached', async (integration, trigger, _, { config }) => {
    const { status, body } = await ask('/v1/subscriptions', {
      integration,
      trigger,
      config,
      agent: { url: 'https://agents.example/start' },
    })
    expect(status, JSON.stringify(body)).toBe(201)
  })
})
