import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import { createLocales, localeProblems } from '../../shared/runtime/catalogue/locales.ts'
import type { LocaleFile } from '../../shared/runtime/catalogue/locales.ts'
import { mapTexts } from '../../shared/runtime/catalogue/manifest-texts.ts'
import type { Manifest } from '../../shared/runtime/catalogue/manifest.ts'
import { openHttpWorld } from '../support/http-world.ts'

const root = new URL('../../', import.meta.url)
const json = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8')) as Record<string, unknown>
const english = json('manifests/locales/en.json') as Record<string, string>
const german = json('test/fixtures/locales/de.json')
const manifests = integrations.map(({ id }) => [id, json(`manifests/${id}.json`) as unknown as Manifest] as const)

const filesOf = (files: Record<string, LocaleFile>) => ({
  names: async () => Object.keys(files),
  read: async (locale: string) => (files[locale] ? [files[locale]] : []),
})
const localesWith = (files: Record<string, LocaleFile>) => createLocales(filesOf({ en: english, ...files }))

/** Names under which a manifest holds texts for people, and where data of examples begins, which stays as it is. */
const texts = new Set([
  'title',
  'summary',
  'description',
  'purpose',
  'group',
  'help',
  'caveat',
  'placeholder',
  'price',
  'notReady',
  'reason',
])
const records = new Set(['labels', 'assumed', 'whyWebhookOnly'])
const data = new Set(['sample', 'default', 'input', 'output', 'failure', 'config', 'data'])

const untranslated = (part: unknown, at: string, inExample = false): string[] => {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    const where = `${at}/${name}`
    if (inExample && data.has(name)) return []
    if (['sample', 'default'].includes(name)) return []
    if (texts.has(name) && typeof value === 'string') return value === '' || value.startsWith('⟦') ? [] : [where]
    if (name === 'groups') return (value as string[]).every((group) => group.startsWith('⟦')) ? [] : [where]
    // One text, with commas.
    if (name === 'keywords' && Array.isArray(value))
      return value.length === 0 || /^⟦.*⟧$/s.test(value.join(', ')) ? [] : [where]
    if (records.has(name) && !/\/(properties|fields)$/.test(at))
      return Object.entries(value as object).flatMap(([key, text]: [string, unknown]) =>
        String(text).startsWith('⟦') ? [] : [`${where}/${key}`],
      )
    return untranslated(value, where, inExample || name === 'examples')
  })
}

const descriptions = (part: unknown): string[] =>
  typeof part !== 'object' || part === null
    ? []
    : Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
        name === 'description' && typeof value === 'string' ? [value] : descriptions(value),
      )

/** What fields are described by to agents alone; it is not translated. */
const forAgents = ({ steps, triggers }: Manifest) => {
  const people = new Set(descriptions([steps.map(({ form }) => form), triggers.map(({ layout }) => layout)]))
  const agents = descriptions([steps.map(({ input }) => input), triggers.map(({ config }) => config)])
  return new Set(agents.filter((text) => !people.has(text)))
}

const withoutTexts = (texts: Set<string>) => (name: string, value: unknown) =>
  name === 'description' && texts.has(String(value)) ? '' : value

describe('locales/en.json', () => {
  it.each(manifests)(
    'has every text of %s that people read: with all of them replaced, none is left',
    async (_, manifest) => {
      const marked = Object.fromEntries(Object.entries(english).map(([key, text]) => [key, `⟦${text}⟧`]))
      const translated = (await localesWith({ xx: marked }).translate(manifest, 'xx')) as unknown as Manifest
      const left = [...forAgents(translated)].filter((text) => !text.startsWith('⟦'))
      for (const text of left) expect(forAgents(manifest)).toContain(text)
      // The check sees what is left, once what agents read is out of its way.
      const untold = (part: unknown): unknown => JSON.parse(JSON.stringify(part), withoutTexts(new Set(left)))
      expect(untranslated(untold(translated), manifest.id)).toEqual([])
      // The check sees a text that was left out.
      const { [`${manifest.id}.title`]: _title, ...otherTexts } = marked
      expect(
        untranslated(untold(await localesWith({ xx: otherTexts }).translate(manifest, 'xx')), manifest.id),
      ).toEqual([`${manifest.id}/title`])
    },
  )

  it.each(manifests)('changes nothing else of %s', (_, manifest) =>
    expect(mapTexts(manifest, (_key, text) => text)).toEqual(manifest),
  )

  it.each(manifests)('has one text of %s for each key', (_, manifest) => {
    const several = new Set<string>()
    const agents = forAgents(manifest)
    mapTexts(manifest, (key, text) => {
      if (english[key] !== text && !agents.has(text)) several.add(key)
      return text
    })
    expect([...several]).toEqual([])
  })

  it('includes the reasons why types of events are lost', () => {
    const [, board] = manifests.find(([id]) => id === 'work-board')!
    const triggers = board.triggers.map((trigger) => ({ ...trigger, whyWebhookOnly: { starred: 'Not listed.' } }))
    const keys: string[] = []
    const mapped = mapTexts({ ...board, triggers }, (key, text) => {
      if (text === 'Not listed.') keys.push(key)
      return `⟦${text}⟧`
    })
    expect(untranslated(mapped, '')).toEqual([])
    expect(keys).toContain('work-board.triggers.new-card.whyWebhookOnly.starred')
  })

  it('names texts by where they are', () => {
    expect(english['work-board.steps.create-card.fields.idList.title']).toBe('List')
    expect(english['@@locale']).toBe('en')
  })
})

it('a shipped file in another language has nothing that is not used', () => {
  const names = readdirSync(new URL('manifests/locales/', root)).filter((name) => name !== 'en.json')
  expect(names.map((name) => [name, localeProblems(json(`manifests/locales/${name}`), english)])).toEqual(
    names.map((name) => [name, expect.objectContaining({ unknown: [], stale: [] })]),
  )
  expect(localeProblems(german, english)).toMatchObject({ unknown: [], stale: [] })
})

describe('a file of translations', () => {
  const work = manifests.find(([id]) => id === 'work-board')![1]
  const translate = async (file: LocaleFile, manifest = work) =>
    (await localesWith({ de: file }).translate(manifest, 'de')) as unknown as Manifest
  const card = (manifest: Manifest) => manifest.steps.find(({ id }) => id === 'create-card')!

  it('replaces each text wherever it is, and leaves the others English', async () => {
    const said = await translate(german)
    const step = card(said)
    expect([said.title, said.groups[0], step.title, step.group]).toEqual([
      'Aufgabentafel',
      'Karten',
      'Karte anlegen',
      'Karten',
    ])
    expect(step.keywords).toEqual(['Aufgabe', 'Ticket', 'Karte kopieren'])
    const list = step.layout.fields.find(({ name }) => name === 'idList')!
    expect([list.title, list.description]).toEqual([
      'Liste',
      english['work-board.steps.create-card.fields.idList.description'],
    ])
    for (const schema of [step.form, step.input] as { properties: Record<string, { title: string }> }[])
      expect(schema.properties.idList!.title).toBe('Liste')
    expect(step.layout.fields.find(({ name }) => name === 'keepFromSource')!.labels).toMatchObject({
      all: 'Alles',
      due: 'Due date',
    })
    // Made from titles of fields.
    expect(step.layout.oneOf!.sets.map(({ title }) => title)).toEqual(['Name', 'Karte kopieren', 'Address to attach'])
    const moved = said.triggers.find(({ id }) => id === 'card-moved')!
    expect([moved.title, moved.optionsLayout.fields[0]!.title, moved.connection.title]).toEqual([
      'Karte verschoben',
      'Zustellung',
      'Verbindung',
    ])
    expect(step.id).toBe('create-card')
  })

  it('is not used for a text that has changed, in a newer version or under another profile', async () => {
    const title = { 'work-board.title': 'Aufgabentafel' }
    expect((await translate({ ...title, '@work-board.title': { source_text: 'Work board' } })).title).toBe(
      'Aufgabentafel',
    )
    expect((await translate({ ...title, '@work-board.title': { source_text: 'Taskboard' } })).title).toBe('Work board')
    expect((await translate(title, { ...work, title: 'Own board' })).title).toBe('Own board')
    expect(
      localeProblems(
        { ...title, '@work-board.title': { source_text: 'Taskboard' }, 'work-board.nothing': 'x' },
        english,
      ),
    ).toMatchObject({
      unknown: ['work-board.nothing'],
      stale: ['work-board.title'],
    })
    expect(localeProblems(title, english).missing).toContain('work-board.summary')
  })

  it('of a region goes before that of its language', async () => {
    const locales = localesWith({ de: german, 'de-AT': { 'work-board.title': 'Aufgabenbrett' } })
    const said = await locales.translate(work, 'de-AT')
    expect([said.title, card(said).title]).toEqual(['Aufgabenbrett', 'Karte anlegen'])
  })

  it('may translate an integration that does not ship', async () => {
    const own = { ...work, id: 'desk' }
    expect((await translate({ 'desk.title': 'Schreibtisch' }, own)).title).toBe('Schreibtisch')
  })
})

it.each([
  ['nothing asked', {}, 'en'],
  ['a tag', { locale: 'de' }, 'de'],
  ['a tag in another case', { locale: 'PT-br' }, 'pt-BR'],
  ['a region that only its language has', { locale: 'de-CH-1996' }, 'de'],
  ['a language that nobody translated', { locale: 'fr' }, 'en'],
  ['a tag before the header', { locale: 'fr', acceptLanguage: 'de' }, 'en'],
  ['a header', { acceptLanguage: 'fr;q=0.9, de-AT;q=0.8, en;q=0.7' }, 'de'],
  ['by quality, not by order', { acceptLanguage: 'en;q=0.5, pt-BR;q=0.9' }, 'pt-BR'],
  ['English wanted most', { acceptLanguage: 'en-GB, de;q=0.9' }, 'en'],
  ['refused', { acceptLanguage: 'de;q=0, fr' }, 'en'],
  ['any', { acceptLanguage: '*' }, 'en'],
  ['no header at all, only noise', { acceptLanguage: ';;q=,,<x>' }, 'en'],
])('chooses a language: %s', async (_, request, locale) => {
  expect(await localesWith({ de: german, 'pt-BR': {} }).choose(request)).toBe(locale)
})

describe('over HTTP and in the library', async () => {
  const face = await openHttpWorld({ locales: { de: german } })

  it('gives the manifest in the language asked for, and says which', async () => {
    const plain = await face.ask('/v1/integrations/work-board')
    expect([plain.json.title, plain.headers['content-language'], plain.headers.vary]).toEqual([
      'Work board',
      'en',
      expect.stringMatching(/accept-language/i),
    ])
    const reply = await face.ask('/v1/integrations/work-board?locale=de-AT')
    expect([reply.json.title, reply.headers['content-language']]).toEqual(['Aufgabentafel', 'de'])
    const header = await face.ask('/v1/integrations/work-board', { headers: { 'accept-language': 'fr, de;q=0.5' } })
    expect([header.json.title, header.headers['content-language']]).toEqual(['Aufgabentafel', 'de'])
    const first = await face.ask('/v1/integrations/work-board?locale=en', { headers: { 'accept-language': 'de' } })
    expect([first.json.title, first.headers['content-language']]).toEqual(['Work board', 'en'])
    const wrong = await face.ask('/v1/integrations/work-board?locale=!!')
    expect(wrong).toMatchObject({ status: 400, json: { code: 'invalid_input', errors: [{ pointer: '/locale' }] } })
  })

  it('sends it compressed to who takes that, and in each language as asked for', async () => {
    const zipped = async (path: string) => {
      const { headers, rawPayload } = await face.http.inject({
        url: path,
        headers: { authorization: `Bearer ${face.token}`, 'accept-encoding': 'gzip, br' },
      })
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringMatching(/accept-encoding/i) })
      return JSON.parse(gunzipSync(rawPayload).toString()) as unknown
    }
    for (const path of ['/v1/integrations/work-board', '/v1/integrations/work-board?locale=de']) {
      const plain = await face.ask(path)
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(await zipped(path)).toEqual(plain.json)
    }
    // Who gives gzip the weight 0 refuses it.
    const refusing = async (accepts: string) =>
      (
        await face.http.inject({
          url: '/v1/integrations/work-board',
          headers: { authorization: `Bearer ${face.token}`, 'accept-encoding': accepts },
        })
      ).headers['content-encoding']
    expect(await Promise.all(['br, gzip;q=0', 'identity, gzip; q=0.0', 'gzippy'].map(refusing))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(await Promise.all(['gzip;q=0.5', 'deflate;q=0, GZIP'].map(refusing))).toEqual(['gzip', 'gzip'])
    // What failed is no answer for others.
    for (const attempt of [1, 2])
      expect([attempt, (await face.ask('/v1/integrations/work-board?profile=none')).status]).toEqual([attempt, 400])
  })

  it('keeps the price that a profile states, whatever the translation of another says', async () => {
    const search = async (profile?: string) => {
      const manifest = await face.pack.integrations.manifest('contact-data', profile, 'de')
      return manifest.steps.find(({ id }) => id === 'search-contacts')!
    }
    const { pack } = face
    const plain = async (profile?: string) =>
      (await pack.integrations.manifest('contact-data', profile)).steps.find(({ id }) => id === 'search-contacts')!
        .price
    const prices = new Set<string | null>()
    const profiles = [undefined, 'documented', 'lusha-v2', 'lusha-v3', 'apollo']
    for (const profile of profiles) {
      const said = (await search(profile)).price
      const price = await plain(profile)
      prices.add(price)
      expect(said, String(profile)).toBe(
        price === '1 credit for each 25 results begun' ? '1 Credit je 25 begonnene Ergebnisse' : price,
      )
    }
    expect(prices.size).toBeGreaterThan(1)
    expect((await search()).title).toBe('Kontakte suchen')
    await expect(pack.integrations.manifest('work-board', undefined, '!!')).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})
