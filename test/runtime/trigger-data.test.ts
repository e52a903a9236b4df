import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from '#kit'
import type { Json, Trigger, TriggerExampleFile } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { parseTriggerData } from '../../shared/runtime/catalogue/parse.ts'

const examplesOf = (integration: string, trigger: string): Json[] => {
  const path = new URL(`../../integrations/${integration}/examples/${trigger}.json`, import.meta.url)
  const { cases } = JSON.parse(readFileSync(path, 'utf8')) as TriggerExampleFile
  return cases.flatMap(({ data }) => (data ? [data] : []))
}
const triggers = integrations.flatMap(({ id, triggers: all = [] }) =>
  all
    .filter((trigger) => existsSync(new URL(`../../integrations/${id}/examples/${trigger.id}.json`, import.meta.url)))
    .map((trigger) => [`${id}/${trigger.id}`, trigger, examplesOf(id, trigger.id)] as const),
)

const issuesOf = (parse: () => unknown): unknown => {
  try {
    return { accepted: parse() }
  } catch (error) {
    return (error as z.core.$ZodError).issues
  }
}
/** Each value with a field more, and once for each field of the schema without it and with a wrong one. */
const variants = (trigger: Trigger, data: Json): unknown[] => [
  data,
  { ...(data as object), unnamed: 'field' },
  ...Object.keys((trigger.data as z.ZodObject).shape).flatMap((field) => [
    { ...(data as object), [field]: undefined },
    { ...(data as object), [field]: 7 },
    { ...(data as object), [field]: { id: 7, more: [] } },
  ]),
]

describe('data of triggers', () => {
  it('finds the triggers with examples', () => {
    expect(triggers.length).toBeGreaterThan(20)
    expect(triggers.some(([, , examples]) => examples.length > 1)).toBe(true)
  })

  it.each(triggers)('%s: parsed often, its data is what the schema makes of it', (_, trigger, examples) => {
    // The schema is compiled on its second use, which the first of these is not.
    for (const data of [...examples, ...examples])
      for (const value of variants(trigger, data)) {
        const before = structuredClone(value)
        expect(issuesOf(() => parseTriggerData(trigger, value))).toStrictEqual(
          issuesOf(() => trigger.data.parse(value)),
        )
        expect(value).toStrictEqual(before)
      }
  })

  it('leaves out what the schema does not name, and refuses what it does not allow', () => {
    const trigger = { data: z.object({ id: z.string() }) }
    for (let n = 0; n < 3; n += 1) {
      expect(parseTriggerData(trigger, { id: 'a', private: 'b' })).toStrictEqual({ id: 'a' })
      expect(() => parseTriggerData(trigger, { private: 'b' })).toThrow(/expected string/)
    }
  })
})
