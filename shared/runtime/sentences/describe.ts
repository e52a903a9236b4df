import { describeDefect, maxPartLength, oneLine } from '#kit'
import type { Event, Names, Sentence } from '#kit'
import type { Registry } from '../catalogue/registry.ts'
import type { Log, Start } from '../ports/index.ts'

type DescribeDependencies = { registry: Pick<Registry, 'integration'>; log: Log }

/** What happened in words, as JSON; null where the integration has no words for it. */
export type DescribeEvent = (integration: string, event: Event) => string | null

/** A sentence names only what the event or run itself names; other names are filled in when it is read. */
export const noNames: Names = () => undefined

const maxParts = 40
const maxIdLength = 300
const maxUrlLength = 1000
/** Most texts, which need no closer look and are JSON as they are. */
const plain = /^[\x20!#-[\]-~]*$/
const webAddress = /^https?:\/\//i

/** What a sentence that has parts begins with as JSON. */
const bracket = 0x5b
const refStart = (kind: string, id: string) => `,"ref":{"kind":${JSON.stringify(kind)},"id":${JSON.stringify(id)}`

/**
 * The sentence as JSON, bounded in size and without characters that nobody can see; null for an empty one. Links that
 * no browser should follow are left out.
 */
export const storedSentence = (sentence: Sentence): string | null => {
  // Written by hand, since every run has a sentence, and its parts differ in their fields, which slows the engine down.
  let json = ''
  let count = 0
  for (const { text, role, ref, unnamed } of sentence) {
    if (count === maxParts) break
    count += 1
    json += json === '' ? '[{"text":' : ',{"text":'
    if (plain.test(text) && text.length <= maxPartLength) json += `"${text}"`
    else {
      const line = oneLine(text)
      json += JSON.stringify(line.length > maxPartLength ? `${line.slice(0, maxPartLength - 1)}…` : line)
    }
    if (role) json += `,"role":"${role}"`
    if (ref && ref.kind.length <= maxIdLength && ref.id.length <= maxIdLength) {
      const { kind, id, url } = ref
      json += plain.test(kind) && plain.test(id) ? `,"ref":{"kind":"${kind}","id":"${id}"` : refStart(kind, id)
      if (url !== undefined && url.length <= maxUrlLength && webAddress.test(url))
        json += `,"url":${JSON.stringify(url)}`
      json += '}'
    }
    json += unnamed ? ',"unnamed":true}' : '}'
  }
  const whole = `${json}]`
  // Reading a character makes the engine join the pieces, each of which would otherwise be kept with the row.
  return whole.codePointAt(0) === bracket ? whole : null
}

/** A defect in the words of an integration is logged, and must not keep an event or a page from anybody. */
export const guarded = <T>(log: Log, what: Record<string, string>, say: () => T): T | undefined => {
  try {
    return say()
  } catch (error) {
    log('error', 'words.defect', { ...what, ...describeDefect(error) })
    return undefined
  }
}

/** Gives starts sentences of their own, where their triggers say more than the event. */
export type DescribeStarts = (integration: string, starts: Pick<Start, 'id' | 'trigger' | 'data' | 'summary'>[]) => void

/** Says what happened, once for each event that comes in. */
export const createDescribeEvent =
  ({ registry, log }: DescribeDependencies): DescribeEvent =>
  (integration, event) => {
    const { words } = registry.integration(integration).integration
    if (!words) return null
    try {
      const sentence = words.describe(event, noNames)
      return sentence === undefined ? null : storedSentence(sentence)
    } catch (error) {
      log('error', 'words.defect', { integration, eventId: event.id, ...describeDefect(error) })
      return null
    }
  }

export const createDescribeStarts =
  ({ registry, log }: DescribeDependencies): DescribeStarts =>
  (integration, starts) => {
    const { words } = registry.integration(integration).integration
    const describe = words?.describeStart
    if (!describe) return
    for (const start of starts) {
      if (start.data === null || !Object.hasOwn(describe, start.trigger)) continue
      try {
        const sentence = describe[start.trigger]!(start.data, noNames)
        if (sentence !== undefined) start.summary = storedSentence(sentence)
      } catch (error) {
        log('error', 'words.defect', { integration, start: start.id, ...describeDefect(error) })
      }
    }
  }
